"""Whatever people, disks and networks do to a file: an error for people, or a valid object; never another exception.

`FUZZ=5000 pytest tests/core/test_fuzz.py` tries so many examples of each.
"""

import copy
import gzip
import io
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from herbarium.core import resources, store
from herbarium.core.errors import HerbariumError
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.crows_pairs import stimuli as crows_pairs
from herbarium.metrics.downstream.section import Task, TaskData
from herbarium.metrics.herb import stimuli as herb
from herbarium.metrics.mixed_effects import stimuli as mixed_effects
from herbarium.metrics.sentence_sets import stimuli as sentence_sets
from herbarium.models import loading, sources
from herbarium.regions import hierarchy as regions
from herbarium.study import config

pytestmark = pytest.mark.nightly  # hundreds of examples

FUZZ = os.environ.get("FUZZ")


def fuzz(examples):
    """Examples of each test: few here, and always the same; with FUZZ, so many and new ones."""
    return settings(
        max_examples=int(FUZZ or examples),
        deadline=None,
        derandomize=not FUZZ,
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


def read(reader, *arguments):
    """What a reader gives; None where it refuses with an error for people."""
    try:
        return reader(*arguments)
    except HerbariumError:
        return None


# --- configuration ---

DEMO = yaml.safe_load(Path("config/demo_full.yaml").read_text())
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.binary(max_size=4), st.dates()
)
ODD = [
    *("..", "../x", "/", "~", "a/b", "{model}", "<results>", "<work>", "\0", "a\n", ".hidden", "-x", "all", "none"),
    *("ascii", "NO"),
]
LEAVES = SCALARS | st.sampled_from(ODD)
SECTIONS = (config.Study, config.Herb, Task, config.Model, TaskData)
KNOWN = sorted({key for section in SECTIONS for key in section.model_fields})
KEYS = st.sampled_from(KNOWN) | st.text(max_size=6) | st.sampled_from(ODD)
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


def places(tree, place=()):
    """The place of every value in a tree of dictionaries and lists."""
    yield place
    for key, inner in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from places(inner, (*place, key))


PLACES = sorted(set(places(DEMO)) - {()}, key=str)


@given(st.dictionaries(KEYS | st.integers() | st.none(), TREES, max_size=6) | TREES)
@example({"[key]": None})
@fuzz(150)
def test_any_tree_for_a_configuration(tree):
    study = read(config.load, tree)
    assert study is None or isinstance(study, config.Study)


@given(st.lists(st.tuples(st.sampled_from(PLACES), TREES | st.just(...), KEYS), min_size=1, max_size=3))
@fuzz(50)
def test_a_changed_configuration(changes):
    values = copy.deepcopy(DEMO)
    for (*above, last), value, key in changes:
        try:
            at = values
            for step in above:
                at = at[step]
            if value is ...:  # renamed
                at[key] = at.pop(last)
            else:
                at[last] = value
        except (KeyError, IndexError, TypeError):  # an earlier change has taken the place away
            continue
    study = read(config.load, values, [Path("config/demo_full.yaml")])
    if study is not None:
        assert config.load(study.model_dump(mode="json")) == study


PIECES = [
    *("a", ": ", "\n", "- ", "&x ", "*x", "? ", "{", "}", "[", "]", "'", "!!python/name:os.system ", "<<", "  ", "|"),
    "1",
]
NESTED = st.recursive(st.just("x"), lambda inner: st.lists(inner), max_leaves=9)


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES)).map("".join) | NESTED.map(yaml.safe_dump))
@fuzz(200)
def test_any_text_for_a_configuration_file(tmp_path, text):
    path = tmp_path / "study.yaml"
    path.write_bytes(text.encode(errors="replace"))
    read(config.load, {}, [path])
    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):  # Snakemake refuses it before us
        return
    read(config.load, values, [path])


# --- lists, templates, tables ---

BYTES = st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode(errors="replace"))
TABLES = {
    "regions": Path("resources/herb/official_names.csv").read_bytes()[:400].rpartition(b"\n")[0],
    "hierarchy": b"region,parent,level,name,iso2\ne,,earth,the Earth,\na,e,continent,America,\np,a,country,Peru,PE\n",
    "forms": Path("resources/herb/forms.csv").read_bytes()[:600].rpartition(b"\n")[0],
    "pairs": b',sent_more,sent_less,bias_type\n0,"A b c.",A d c.,age\n1,E f.,E g.,race\n',
    "sentences": b"id,set,side,text,group\n1,a,x,A [asked: b] c.,\n2,a,y,A [asked: d] c.,\n",
    "texts": b'text,label\n"good, or so",1\nbad,0\n',
    "words": b"# said\nwise\nhard-working\nloud\n",
    "template": b"# said\nFolk in [region] are [description].\n",
}


@st.composite
def spoiled(draw, content):
    """Bytes with a few of them cut away, repeated, changed or put in."""
    content = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        put = draw(
            st.sampled_from(
                [b"", b",", b'"', b"\n", b"\r", b"#", b"\0", b"\xff", b"[region]", b"[", b" ", b",,,,", b"1"]
            )
            | st.binary(max_size=3)
            | st.just(bytes(content[start:end]) * 2)
        )
        content[start:end] = put
    return bytes(content)


def is_text(table, columns):
    return all(isinstance(cell, str) for column in columns for cell in table[column])


def text_readers():
    def words(path):
        words = resources.read_words(path)
        assert words
        assert len(set(words)) == len(words)
        assert all(word == word.strip() and word for word in words)

    def template(path):
        slots = resources.slots(herb.read_template(path))
        assert sorted(slots) in [sorted(["region", other]) for other in ("description", *herb.FORMS)]

    def hierarchy(path):
        table = regions.read(path)
        assert table["parent"].isna().sum() == 1
        assert is_text(table, ["region", "level", "name"])
        assert table["region"].is_unique

    def of_cells(reader, columns):
        def check(path):
            table = reader(path)
            assert isinstance(table.index, pd.RangeIndex)
            assert is_text(table, columns)

        return check

    def sentences(path):
        table = sentence_sets.read(path)
        sentence_sets.check(path, table, ["x", "y"], ["set"], "pairs", "slot")
        laid_out = sentence_sets.instantiate(table, ["x", "y"], "slot")
        assert is_text(laid_out, sentence_sets.COLUMNS)
        assert laid_out["side"].tolist() == ["x", "y"] * (len(table) // 2)
        assert len(sentence_sets.stimuli_of(laid_out).fields.names) == len(laid_out.columns)

    return {
        "words": words,
        "template": template,
        "hierarchy": hierarchy,
        "regions": of_cells(regions.read_names, ["region", "name"]),
        "forms": of_cells(herb.read_forms, ["topic", "description", *herb.FORMS]),
        "pairs": of_cells(crows_pairs.read, ["sent_more", "sent_less", "bias_type"]),
        "sentences": sentences,
        "texts": of_cells(lambda path: resources.read_text_table(path, ["text", "label"]), ["text", "label"]),
    }


@pytest.mark.parametrize(("kind", "check"), text_readers().items())
@given(data=st.data())
@fuzz(60)
def test_a_spoiled_list_or_table(tmp_path, kind, check, data):
    path = tmp_path / "file.csv"
    path.write_bytes(TABLES[kind])
    check(path)
    path.write_bytes(data.draw(spoiled(TABLES[kind]) | BYTES))
    read(check, path)


EVERY_READER = [resources.read_words, herb.read_template, herb.read_forms, regions.read, regions.read_names]
EVERY_READER += [crows_pairs.read, sentence_sets.read, stimuli.read, mixed_effects.read]


@pytest.mark.parametrize("name", ["", "/", ".", "no\0file", "x" * 300, "resources", "no/such/file"])
@pytest.mark.parametrize("reader", EVERY_READER)
def test_a_path_that_is_no_file(reader, name):
    with pytest.raises(HerbariumError):
        reader(name)


FOLDERS = [
    (stimuli.read, "resources/categorical_bias/english/published"),
    (mixed_effects.read, "resources/mixed_effects/demo"),
]


@pytest.mark.parametrize(("reader", "folder"), FOLDERS)
@given(data=st.data())
@fuzz(40)
def test_a_folder_of_lists_with_a_spoiled_table(tmp_path, reader, folder, data):
    tables = {file.name: file.read_bytes() for file in Path(folder).glob("*.csv")}
    chosen = data.draw(st.sampled_from(sorted(tables)))
    tables[chosen] = data.draw(spoiled(tables[chosen]))
    for name, content in tables.items():
        (tmp_path / name).write_bytes(content)
    lists = read(reader, tmp_path)
    if lists is not None:
        for table in vars(lists).values():
            assert is_text(table, table.columns)
        if reader is stimuli.read:
            next(stimuli.instantiate("list", lists))
        else:
            next(mixed_effects.instantiate(lists, ["the"], True, 0, 1), None)


@given(BYTES)
@fuzz(60)
def test_any_lock_file(tmp_path, content):
    path = tmp_path / "models.lock.yaml"
    path.write_bytes(content)
    pins = read(loading.read_lock, path)
    assert pins is None or all(isinstance(pin, str) for pin in pins.values())


# --- texts of tasks ---


def as_parquet(table):
    file = io.BytesIO()
    table.to_parquet(file)
    return file.getvalue()


TEXTS = pd.DataFrame({"text": ["good, or so", "bad", None], "label": [1.0, 0.0, None]})
SUFFIXES = {".csv": TABLES["texts"], ".csv.gz": gzip.compress(TABLES["texts"]), ".parquet": as_parquet(TEXTS)}


@pytest.mark.parametrize(("suffix", "content"), SUFFIXES.items(), ids=SUFFIXES)  # gzip keeps the time
@given(data=st.data())
@fuzz(100)
def test_a_spoiled_table_of_texts(tmp_path, suffix, content, data):
    path = tmp_path / f"texts{suffix}"
    path.write_bytes(content)
    assert len(sources._read_file(str(path))) >= 2
    path.write_bytes(data.draw(damaged(content) | spoiled(content) | BYTES))
    table = read(sources._read_file, str(path))
    assert table is None or isinstance(table.index, pd.RangeIndex)


# --- what passes between stages ---

TOY = store.schema("toy", ("id", pa.int64()), ("word", pa.string()), ("value", pa.float64()), nullable=("value",))
ROWS = pd.DataFrame({"id": range(40), "word": [f"w{i}" for i in range(40)], "value": np.linspace(0, 1, 40)})
READERS = {
    "read_table": lambda path: store.read_table(path, "toy").to_pandas(),
    "read_frame": lambda path: store.read_frame(path, "toy"),
    "read_frames": lambda path: store.read_frames([path], "toy"),
    "read_pieces": lambda path: pa.concat_tables(store.read_pieces([path], "toy")).to_pandas(),
    "read_where": lambda path: store.read_where(path, "toy", "word", "w0").to_pandas(),
    "read_rows": lambda path: store.read_rows([path], np.arange(40)).to_pandas(),
    "count_rows": lambda path: store.count_rows(path, "toy"),
    "read_header": lambda path: store.read_header(path, "toy"),
}


@st.composite
def damaged(draw, content):
    """What disks and broken transfers do: bytes flipped, the end lost, a part zeroed or of something else."""
    content = bytearray(content)
    at = draw(st.integers(0, len(content) - 1))
    kind = draw(st.sampled_from(["flip", "bits", "cut", "zero", "twice", "random"]))
    if kind == "flip":
        content[at] ^= 1 << draw(st.integers(0, 7))
    elif kind == "bits":
        for place in draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8)):
            content[place] ^= draw(st.integers(1, 255))
    elif kind == "cut":
        del content[at:]
    elif kind == "zero":
        content[at : at + 16] = bytes(len(content[at : at + 16]))
    elif kind == "twice":
        content[at:at] = content[max(0, at - 16) : at]
    else:
        content = bytearray(draw(st.binary(max_size=200)))
    return bytes(content)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    path = tmp_path_factory.mktemp("toy") / "toy.parquet"
    with store.table_writer(path, TOY, {"code": "abc"}) as append:
        append(ROWS[:20])
        append(ROWS[20:])
    return path.read_bytes()


@given(data=st.data())
@fuzz(250)
def test_a_damaged_table_is_refused_or_whole(tmp_path, toy, data):
    path = tmp_path / "toy.parquet"
    path.write_bytes(toy)
    whole = {name: reader(path) for name, reader in READERS.items()}
    path.write_bytes(data.draw(damaged(toy)))
    for name, reader in READERS.items():
        table = read(reader, path)
        if isinstance(table, pd.DataFrame):
            pd.testing.assert_frame_equal(table, whole[name])
        elif table is not None:
            assert table == whole[name], name


OTHERS = [
    pa.table({}),
    pa.table({"id": [1]}),
    pa.table({"id": ["a"], "word": ["b"], "value": [None]}),
    pa.table({"id": [1], "word": [["nested"]], "value": [{"a": 1}]}),
]
HEADERS = [None, b"", b"{", b'{"schema": "other", "version": 1}', b"\xff", b'{"schema": []}']


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_table_of_another_make_is_refused(tmp_path, reader):
    path = tmp_path / "toy.parquet"
    for table in OTHERS:
        for header in HEADERS:
            pq.write_table(table.replace_schema_metadata(None if header is None else {"herbarium": header}), path)
            with pytest.raises(HerbariumError):
                reader(path)


JSON = st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3))


@given(st.binary(max_size=40) | st.dictionaries(st.text(max_size=5), JSON).map(json.dumps).map(str.encode))
@fuzz(60)
def test_any_record(tmp_path, content):
    path = tmp_path / "record.json"
    path.write_bytes(content)
    read(store.read_json, path)
