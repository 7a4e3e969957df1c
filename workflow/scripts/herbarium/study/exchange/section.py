"""The configuration's section on formats that other tools read."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from herbarium.core.section import Section

_ORCID = r"^https://orcid\.org/\d{4}-\d{4}-\d{4}-\d{3}[\dX]$|^$"


def _in_quotes(value: Any) -> Any:
    """Reject what YAML has turned into a date: records are JSON, which has no dates."""
    if value is not None and not isinstance(value, str):
        raise ValueError(f"put the date in quotes: '{value}'")
    return value


class EveryEvalEver(Section):
    organization: str = Field(min_length=1, description="Who made the evaluation.")
    relationship: Literal["first_party", "third_party", "collaborative", "other"] = Field(
        "third_party", description="Their relation to the models' developers."
    )
    lower_is_better: dict[str, bool] = Field(
        min_length=1, description="Metrics to record, and whether lower is better; none that is best at 0."
    )


class Exchange(Section):
    title: str = Field("Social bias in language models, measured with Herbarium", description="Name of the results.")
    authors: dict[str, Annotated[str, Field(pattern=_ORCID)]] = Field(
        {}, description="Authors: `name: https://orcid.org/…`, or `name: ''`."
    )
    url: str | None = Field(None, pattern=r"^https?://\S+$", description="Address of the results.")
    license: str | None = Field(
        None, pattern=r"^[A-Za-z0-9.+-]+$", description="Licence as SPDX identifier, such as `CC-BY-4.0`."
    )
    date: Annotated[str | None, BeforeValidator(_in_quotes)] = Field(
        None,
        pattern=r"^\d{4}-\d{2}-\d{2}$",
        description="Day of publication, such as `'2026-11-20'`; empty: that of Herbarium's release.",
    )
    every_eval_ever: EveryEvalEver | None = Field(None, description="Records for the collection Every Eval Ever.")

    @model_validator(mode="after")
    def _records_have_a_date(self) -> "Exchange":
        if self.every_eval_ever and self.date is None:
            raise ValueError("exchange.date: records for Every Eval Ever need the day on which they were made; give it")
        return self
