"""What a step reads and writes follows from the signature of its function."""

from types import SimpleNamespace
from typing import Annotated

import pandas as pd
import pyarrow as pa
import pytest
from tests.refusals import refused

from herbarium.core import passages, store
from herbarium.core.passages import Model, Name, Place, Table, Text

ROWS = store.schema("toy_rows", ("value", pa.float64()))
Rows = Annotated[pd.DataFrame, Table("<work>/rows/{model}/{metric}/{name}.parquet", ROWS)]
Sums = Annotated[pd.DataFrame, Table("<work>/sums/{metric}/{name}.parquet", ROWS, says={"unit": "nats"})]


def read(path, suffix):
    return [line + suffix for line in open(path).read().split()]


Words = Annotated[list[str], Text(read, ("path", "suffix"))]
FILES = {(model, name): f"results/work/rows/{model}/toy/{name}.parquet" for model in "ab" for name in ("one", "two")}


def together(name: Name, rows: Rows, words: Words, level: float, shard: int) -> Sums:
    return pd.DataFrame({"value": [rows["value"].sum() + shard + level + len(words)]})


def apart(rows: dict[Place, Rows], words: dict[Name, Words]) -> tuple[Sums, Rows]:
    return {place: table["value"].tolist() for place, table in rows.items()}, words


def by_model(rows: dict[Model, Rows]):
    return {model: table["value"].tolist() for model, table in rows.items()}


@pytest.fixture
def job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, file in enumerate(FILES.values()):
        store.write_table(file, ROWS, pd.DataFrame({"value": [float(number)]}))
    (tmp_path / "words.txt").write_text("wise kind")

    def made(function, texts=None, settings=None, **wildcards):
        params = SimpleNamespace(does=[f"{__name__}:{function.__name__}"], texts=texts or {}, settings=settings or {})
        files = {"rows": [*FILES.values()]}
        return SimpleNamespace(params=params, input=files, wildcards=wildcards, config={"results": "results"})

    return made


def test_tables_of_several_places_stand_below_each_other_or_by_what_tells_them_apart(job):
    words = ["words.txt", "!"]
    given = {"texts": {"words": words}, "settings": {"level": 0.5}}
    assert passages.result(job(together, **given, name="one", shard="7"))["value"].tolist() == [6 + 7 + 0.5 + 2]
    rows, read_words = passages.result(job(apart, texts={"words": {"one": words}}))
    assert rows == {place: [float(number)] for number, place in enumerate(FILES)}
    assert read_words == {"one": ["wise!", "kind!"]}
    assert passages.result(job(by_model)) == {"a": [0.0, 1.0], "b": [2.0, 3.0]}


def test_what_is_returned_is_written_where_its_type_says(job):
    given = {"texts": {"words": ["words.txt", ""]}, "settings": {"level": 0.5}}
    passages.take_step(job(together, **given, metric="toy", name="one", shard="7"), {"rule": "measure"})
    header = store.read_header("results/work/sums/toy/one.parquet", "toy_rows")
    assert (header["unit"], header["rule"]) == ("nats", "measure")
    assert [table.schema.name for table in passages.tables_written(apart)] == ["toy_rows", "toy_rows"]
    assert passages.tables_written(by_model) == []


def test_a_table_of_another_schema_is_refused(job):
    asked = job(by_model)
    asked.input["rows"] = ["results/work/rows/a/toy/other.parquet"]
    store.write_table(
        asked.input["rows"][0], store.schema("other", ("value", pa.float64())), pd.DataFrame({"value": [1.0]})
    )
    with refused("other.parquet", "toy_rows"):
        passages.result(asked)


def test_arguments_say_what_they_are():
    asked = passages.arguments(together)
    assert asked["rows"].passage.schema is ROWS
    assert asked["words"].passage.keys == ("path", "suffix")
    assert [asked[name].passage for name in ("name", "level", "shard")] == [None] * 3
    assert passages.arguments(apart)["rows"].by == ("model", "name")
