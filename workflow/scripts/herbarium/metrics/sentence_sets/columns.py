"""The key `columns` of a set of sentences: what stands in which column of a table with other columns than ours."""

import codecs
import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from herbarium.core.errors import did_you_mean
from herbarium.core.section import Section, Value
from herbarium.scoring.quantities import ROLES


class Columns(Section):
    encoding: str = Field("utf-8", description="Character encoding of the file, such as `cp1252`.")
    text: str | dict[Value, str] = Field(description="Column of the sentences; or of each side, if a row is a set.")
    side: str | None = Field(None, description="Column of the side, if there is one `text`.")
    set: list[str] = Field([], description="Columns that together name a set; empty: each row is one.")
    group: str | None = Field(None, description="Column of the group.")
    keep: list[str] = Field([], description="Further columns to keep, as covariates.")
    parts: dict[str, str] = Field(
        {}, description="Columns and regular expressions for whole cells; named groups, `(?P<name>…)`, become columns."
    )
    marks: dict[Literal[*ROLES], str] = Field(
        {}, description="Roles (docs/your_sentences.md) and the columns of the words to mark."
    )
    values: dict[str, dict[Value, Value]] = Field({}, description="Columns and replacements of their values.")
    partial: bool = Field(
        False, description="Whether a file may lack some of `values`, if it has no others: it is a part of a table."
    )
    only: dict[str, list[Value]] = Field({}, description="Columns and the values of the rows to read; empty: all rows.")

    @field_validator("encoding")
    @classmethod
    def _encoding_is_one(cls, encoding: str) -> str:
        try:
            " ".encode(encoding)
        except LookupError:
            raise ValueError(f"'{encoding}' is no encoding of text, such as utf-8, cp1252 or mac_roman") from None
        return codecs.lookup(encoding).name

    @field_validator("parts")
    @classmethod
    def _parts_have_names(cls, parts: dict[str, str]) -> dict[str, str]:
        for column, pattern in parts.items():
            try:
                names = re.compile(pattern).groupindex
            except re.error as error:
                raise ValueError(f"'{pattern}', of the column '{column}', is no regular expression: {error}") from error
            if not names:
                raise ValueError(f"'{pattern}', of the column '{column}', names no part: (?P<name>…)")
        return parts

    @model_validator(mode="after")
    def _sides_are_somewhere(self) -> "Columns":
        if isinstance(self.text, dict) != (self.side is None):
            raise ValueError("give 'side', the column with the sides, or the column of each side as 'text'")
        if self.side is not None and not self.set:
            raise ValueError("'set' is missing: the columns by which sentences belong together")
        return self

    @model_validator(mode="after")
    def _what_is_named_matters(self) -> "Columns":
        for column, values in self.only.items():
            if not values:
                raise ValueError(f"only.{column}: it names no value, so that no row would be read")
        used = [*self.set, *self.keep, *filter(None, [self.side, self.group])]
        for column in self.values:
            if column not in used:
                raise ValueError(
                    f"values.{column}: it would change nothing; its column is not in 'set', 'side', 'group' or 'keep'"
                    f"{did_you_mean(column, used)}"
                )
        return self
