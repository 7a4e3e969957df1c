"""The section of the configuration on what others read of a study."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from herbarium.core.section import Section

_ORCID = r"^https://orcid\.org/\d{4}-\d{4}-\d{4}-\d{3}[\dX]$|^$"


def _in_quotes(value: Any) -> Any:
    """Refuse what YAML has made a date of: records are JSON, which has none."""
    if value is not None and not isinstance(value, str):
        raise ValueError(f"a date is wanted, in quotes: '{value}'")
    return value


class EveryEvalEver(Section):
    organization: str = Field(min_length=1, description="Who made the evaluation.")
    relationship: Literal["first_party", "third_party", "collaborative", "other"] = Field(
        "third_party", description="What they are to those who made the models."
    )
    lower_is_better: dict[str, bool] = Field(
        min_length=1,
        description="Metrics of the summary that go into the records, and of each whether lower is better: no metric "
        "that is best at 0 can say.",
    )


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
    every_eval_ever: EveryEvalEver | None = Field(
        None, description="Records for the collection Every Eval Ever; left out, none is written."
    )

    @model_validator(mode="after")
    def _records_have_a_date(self) -> "Exchange":
        if self.every_eval_ever and self.date is None:
            raise ValueError("exchange.date: records for Every Eval Ever say when they were made; name the day")
        return self
