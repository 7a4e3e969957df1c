"""The key `columns` of a set of sentences: what stands in which column of a table with other columns than ours."""

import codecs
import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from herbarium.core.section import Section, Value
from herbarium.scoring.quantities import ROLES


class Columns(Section):
    encoding: str = Field("utf-8", description="How the file encodes characters, such as `cp1252` or `mac_roman`.")
    text: str | dict[Value, str] = Field(
        description="The column with the sentences. Or, for each side, its column: then a row is a set."
    )
    side: str | None = Field(None, description="The column with the side of a sentence, if there is one `text`.")
    set: list[str] = Field(
        [], description="The columns whose values together name a set. Empty: each row is one, by its number."
    )
    group: str | None = Field(None, description="The column with the group of a set; empty: there are none.")
    keep: list[str] = Field([], description="Further columns that are kept as covariates, such as the unit.")
    parts: dict[str, str] = Field(
        {},
        description="Columns whose cells have several parts: the column, and a regular expression of all of a cell. "
        "Each of its named groups, `(?P<name>…)`, is a column, too.",
    )
    marks: dict[Literal[*ROLES], str] = Field(
        {},
        description="Words to mark in the sentences, by their role (docs/your_sentences.md): the column that has them. "
        "They occur once in the sentence of their row.",
    )
    values: dict[str, dict[Value, Value]] = Field(
        {},
        description="Columns, and what is put in place of their values: the two words of a pair are the same value in "
        "a column that is part of `set`.",
    )
    only: dict[str, list[Value]] = Field(
        {}, description="Columns, and the values that the rows to read have there; empty: all rows."
    )

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
