"""The section of the configuration on what others read of a study."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from herbarium.core.section import Section

_ORCID = r"^https://orcid\.org/\d{4}-\d{4}-\d{4}-\d{3}[\dX]$|^$"


def _in_quotes(value: Any) -> Any:
    """Refuse what YAML has made a date of: records are JSON, which has none."""
    if value is not None and not isinstance(value, str):
        raise ValueError(f"a date is wanted, in quotes: '{value}'")
    return value


class Exchange(Section):
    title: str = Field("Social bias in language models, measured with Herbarium", description="Name of the results.")
    authors: dict[str, Annotated[str, Field(pattern=_ORCID)]] = Field(
        {}, description="Who made the results: `name: https://orcid.org/…`, or `name: ''`."
    )
    url: str | None = Field(None, pattern=r"^https?://\S+$", description="Where the results are to be found.")
    license: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9.+-]+$",
        description="Licence of the results by its SPDX identifier, `CC-BY-4.0` say. Empty: none was chosen.",
    )
    date: Annotated[str | None, BeforeValidator(_in_quotes)] = Field(
        None,
        pattern=r"^\d{4}-\d{2}-\d{2}$",
        description="Day on which the results are published, `'2026-11-20'` say. Empty: that of the release of "
        "Herbarium, since nothing in the results may depend on the hour.",
    )
