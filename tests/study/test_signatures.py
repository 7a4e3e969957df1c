"""The line by which a number is cited: read back as it was written, and looked up in a results folder."""

import logging

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refused

import herbarium
from herbarium.core import store
from herbarium.statistics.tidy import TIDY, tidy
from herbarium.study import run, signatures, verification

REQUIRED = ("version", "metric", "definition", "model")
OPTIONAL = ("revision", *signatures.FIELDS)
ANY = st.text() | st.text("%|@: \n\t\u2028#'\"$\\é", max_size=8)
SAID = st.fixed_dictionaries(dict.fromkeys(REQUIRED, ANY), optional=dict.fromkeys(OPTIONAL, ANY))


@pytest.mark.slow
@given(SAID)
def test_any_text_is_read_back_from_a_paper_too(fields):
    """A paper breaks lines where there is a space."""
    line = signatures.signature(fields)
    assert signatures.parse(line) == fields
    assert len(line.splitlines()) == 1
    assert signatures.parse(line.replace(" ", "\n  ")) == fields


@given(
    st.fixed_dictionaries({key: st.text("%|@:=- \n#'\"$`\\!é{}[]&*,a1", max_size=8) for key in (*REQUIRED, *OPTIONAL)})
)
def test_a_shell_and_the_command_line_of_snakemake_leave_it_as_it_is(fields):
    """In double quotes; values of --config are read as YAML."""
    line = signatures.signature(fields)
    assert not set('"$`\\!') & set(line)
    assert yaml.safe_load(line) == line


def test_the_line_that_a_paper_has():
    settings = {"version": "0.2.0", "metric": "herb", "definition": "paper", "model": "bert", "revision": "cd5ef92"}
    settings |= {"unit": "continent", "group": "Côte d'Ivoire", "hub": "google-bert/bert-base-cased", "seed": "0"}
    assert signatures.signature(settings) == (
        "herbarium 0.2.0 | herb | paper | bert@cd5ef92 | unit:continent | group:Côte d'Ivoire | "
        "hub:google-bert/bert-base-cased | seed:0"
    )


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("", ("''",)),
        ("sacrebleu 2 | a | b | c", ("'sacrebleu 2 | a | b | c'",)),
        ("herbarium 0.1 | herb | paper", ("'herbarium 0.1 | herb | paper'",)),
        ("herbarium | herb | paper | bert", ("'herbarium | herb | paper | bert'",)),
        ("herbarium 0.1 | herb | paper | bert | seeds:1", ("signature", "'seeds:1'", "'seed'")),
        ("herbarium 0.1 | herb | paper | bert | seed", ("signature", "`key:value`")),
        ("herbarium 0.1 | herb | paper | bert | seed:1 | seed:2", ("signature", "'seed'", "twice")),
    ],
)
def test_what_is_no_signature_is_refused(line, fault):
    with refused(*fault):
        signatures.parse(line)


# --- what a number depends on ---


def record_(rule="measure", inputs=None, models=None, **more):
    making = {"rule": rule, "run": "runrunrun", "code": f"code of {rule}", "config": f"config of {rule}"}
    return making | {"inputs": inputs or {}, "models": models or {}, "libraries": {"herbarium": "0.1.0"}} | more


HUB = {"revision": "cd5ef92" + "0" * 33, "files": "f" * 16}
LOCAL = {"revision": None, "files": "abcdef0123456789"}
FILES = {
    "metrics/bert.parquet": record_(inputs={"scores/bert.parquet": "1", "words.txt": "lines:1"}, models={"bert": HUB}),
    "scores/bert.parquet": record_("score", {"models/bert/herb.json": "2"}, {"bert": HUB}),
    "models/bert/herb.json": record_("tune", {"models/bert.json": "3"}, {"bert": HUB}),
    "models/bert.json": record_("resolve", {}, {"bert": HUB}),
    "metrics/tiny.parquet": record_(models={"tiny": LOCAL}),
}
RECORD = {"name": "bert", "hub": "google-bert/bert", "dtype": "auto"}
MODELS = {"models/bert.json": RECORD, "models/bert/herb.json": RECORD | {"dtype": "bfloat16", "tuned": {}}}


def origin(place="metrics/bert.parquet", model="bert", seed=3, results="results", **changed):
    return signatures.origin({"files": FILES | changed, "models": MODELS}, place, model, seed, results)


def test_what_is_recorded_of_a_number_is_in_its_signature():
    result = origin()
    assert result["version"] == "0.1.0"
    assert (result["revision"], result["hub"], result["dtype"]) == ("cd5ef92", "google-bert/bert", "bfloat16")
    assert (result["seed"], result["run"]) == ("3", "runrunr")
    assert "models" not in result
    local = origin("metrics/tiny.parquet", "tiny")
    assert local["revision"] == "abcdef0"
    assert not {"hub", "dtype", "lists"} & local.keys()
    other = origin(model="source of vectors")
    assert not {"revision", "hub", "dtype"} & other.keys()  # it is none of these models
    assert other["models"] != origin("metrics/tiny.parquet", "source of vectors")["models"]


@pytest.mark.parametrize(
    ("place", "change", "differs"),
    [
        ("metrics/bert.parquet", {"inputs": {"scores/bert.parquet": "1", "words.txt": "lines:2"}}, {"lists"}),
        ("metrics/bert.parquet", {"inputs": {"scores/bert.parquet": "9", "words.txt": "lines:1"}}, set()),
        ("scores/bert.parquet", {"code": "other"}, {"code"}),
        ("scores/bert.parquet", {"config": "other"}, {"settings"}),
        ("metrics/bert.parquet", {"models": {"bert": LOCAL}}, {"revision"}),
        ("metrics/bert.parquet", {"libraries": {"herbarium": "0.2.0"}}, {"version"}),
        ("metrics/tiny.parquet", {"code": "other"}, set()),
    ],
)
def test_each_change_changes_its_own_field(place, change, differs):
    before, after = origin(), origin(**{place: FILES[place] | change})
    assert {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)} == differs


# --- looking a number up ---

ROWS = {"model": "tiny", "metric": "herb", "definition": "paper", "unit": "continent"}


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    made = {"results": str(folder), **record_(models={"tiny": LOCAL})}
    rows = [
        ROWS | {"group": "Asia", "estimate": 0.1, "std_error": 0.01, "ci_low": 0.08, "ci_high": 0.12, "n": 7},
        ROWS | {"group": "Asia", "variant": "NA", "estimate": 0.3},
        ROWS | {"group": "Africa", "note": "no word"},
    ]
    numbers = tidy(pd.DataFrame(rows))
    store.write_table(folder / "metrics/tiny.parquet", TIDY, numbers, made)
    inputs = {"metrics/tiny.parquet": store.examine(folder / "metrics/tiny.parquet")[0]}
    store.write_table(folder / "summary.parquet", TIDY, numbers, made | {"inputs": inputs})
    result = run.walk(folder, inputs)
    record = {"files": {place: header for place, (_, header) in result.said.items()}, "models": result.models}
    lines = signatures.table(record, [("metrics/tiny.parquet", numbers)], 3, str(folder))
    store.write_csv(folder / verification.SIGNATURES, lines, made | {"inputs": inputs})
    ends_in = {place: store.examine(folder / place)[0] for place in ("summary.parquet", verification.SIGNATURES)}
    last = made | {"inputs": ends_in}
    store.write_record(folder / run.RECORD, run.record(folder, {}, {}, {}, last), last)
    return folder


def lines_of(results):
    return store.read_csv((results / verification.SIGNATURES).read_bytes())["signature"]


def test_every_number_has_a_line_of_its_own_and_it_is_found(results, caplog):
    caplog.set_level(logging.INFO)
    lines = lines_of(results)
    assert len(set(lines)) == 3
    for line in lines:
        assert herbarium.verify(results, line) == []
    first, with_variant, without_value = caplog.messages
    assert "0.1 (n = 7, standard error 0.01, interval 0.08 to 0.12)" in first
    assert "0.3" in with_variant
    assert "no estimate (no word)" in without_value


def test_what_differs_is_said_but_for_the_study_around_it(results):
    line = lines_of(results)[0]
    changed = line.replace("@abcdef0", "@0000000").replace("run:runrunr", "run:other")
    (fault,) = herbarium.verify(results, changed)
    assert fault == "signature: the revision of the model (revision): cited as '0000000', but here it is 'abcdef0'."
    assert herbarium.verify(results, "herbarium 0.1.0 | herb | paper | tiny | unit:continent | group:Asia") == []


def test_a_number_that_is_not_there_is_named(results):
    line = "herbarium 0.1.0 | herb | {} | tiny | unit:continent | group:{}"
    with refused("results", "tiny, herb", "'papers'", "'paper'"):
        herbarium.verify(results, line.format("papers", "Asia"))
    with refused("results", "'Europe'", "Africa, Asia"):
        herbarium.verify(results, line.format("paper", "Europe"))
    with refused("results", "tiny, herb, paper", "'x'"):
        herbarium.verify(results, line.format("paper", "Asia") + " | variant:x")


def test_a_damaged_table_of_signatures_is_refused(results):
    line = lines_of(results)[0]
    path = results / verification.SIGNATURES
    path.write_text(path.read_text().replace("Asia", "Asis"))
    with refused("signatures.csv", "damaged"):
        herbarium.verify(results, line)
