"""What a dry run says of plain mistakes: once, with the place, and with what would be right."""

import codecs
import json
import shutil
from pathlib import Path

import pytest
import yaml
from tests.metrics.downstream.test_section import TASK
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.core.places import CLONE, located, named
from herbarium.metrics.downstream import targets as downstream
from herbarium.models import loading, records
from herbarium.study import config, left_out
from herbarium.study.faults import require_files


def written(folder, values):
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(values, sort_keys=False))
    return path


def line_of(path, key):
    return 1 + [line.strip().split(":")[0] for line in path.read_text().splitlines()].index(key)


# --- where paths lead ---


def test_a_path_is_the_studys_and_else_one_of_the_workflows_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours = Path("resources/herb/forms.csv")
    assert located(ours) == CLONE / ours
    assert located(Path("resources/none.csv")) == Path("resources/none.csv")
    assert located(Path("README.md")) == Path("README.md")  # the clone has one, which is no list of ours
    ours.parent.mkdir(parents=True)
    ours.touch()
    assert located(ours) == ours
    monkeypatch.chdir(CLONE)
    assert located(ours) == ours


def test_a_record_names_the_workflows_own_files_alike_wherever_they_are():
    assert named(str(CLONE / "resources/herb/forms.csv")) == "resources/herb/forms.csv"
    for other in ("resources/herb/forms.csv", "mine/forms.csv", "/elsewhere/resources/forms.csv", "", "A text."):
        assert named(other) == other
    assert named(str(CLONE / "models/mine")) == str(CLONE / "models/mine")  # a model of the user's


@pytest.mark.slow
def test_a_study_anywhere_has_the_lists_of_the_workflow(tmp_path, monkeypatch, values):
    monkeypatch.chdir(tmp_path)
    study = config.load(values)
    assert study.herb.forms == CLONE / "resources/herb/forms.csv"  # by default
    assert study.herb.templates["published"] == CLONE / "resources/herb/templates/published.txt"  # as it is configured
    assert study.mixed_effects.stimuli["demo"].lists == CLONE / "resources/mixed_effects/demo"
    template = Path("resources/herb/templates/published.txt")
    template.parent.mkdir(parents=True)
    shutil.copy(CLONE / template, template)
    assert config.load(values).herb.templates["published"] == template


def test_the_home_folder_is_meant_in_every_path(tmp_path, monkeypatch, values):
    monkeypatch.setenv("HOME", str(tmp_path))
    for file in ("strength.txt", "mine.smk"):
        (tmp_path / file).write_text("weak\n")
    values["models"]["mine"] = {"path": "~/model", "kind": "masked"}
    values["herb"]["descriptions"]["more"] = "~/strength.txt"
    home = {"results": "~/results", "lock": "~/lock.yaml", "rules": ["~/mine.smk"], "base": "~/before"}
    study = config.load({**values, **home})
    assert study.results == f"{tmp_path}/results"
    paths = [study.lock, study.rules[0], study.base, study.models["mine"].path, study.herb.descriptions["more"]]
    assert [path.parent for path in paths] == [tmp_path] * 5


# --- the configuration ---


@pytest.mark.slow
@pytest.mark.parametrize(
    ("section", "key", "fault"),
    [
        ({"countries": ["DE", "fr"]}, "countries", ("regions.countries", "'fr'", "'FR'")),
        ({"continents": ["eu"]}, "continents", ("regions.continents", "'eu'", "'EU'")),
        ({"continents": ["Africa"]}, "continents", ("regions.continents", "'Africa'", "'AF'")),
        ({"countries": ["Peru"]}, "countries", ("regions.countries", "'Peru'", "'PE'")),
        ({"countries": ["Germny"]}, "countries", ("regions.countries", "'Germny'", "'DE'")),
        (
            {"cities": {"countries": ["FRA"]}},
            "countries",
            ("regions.cities.countries", "'FRA'", "'FR'"),
        ),
        ({"cities": {"countries": ["de"]}}, "countries", ("regions.cities.countries", "'de'", "'DE'")),
        (
            {"continents": ["EU"], "countries": ["BR"]},
            "countries",
            ("regions.countries", "'BR'", "continents"),
        ),
        ({"countries": ["DE", False]}, "countries", ("regions.countries.1", "NO")),
    ],
)
def test_codes_of_regions(tmp_path, values, section, key, fault):
    values["regions"] = section
    path = written(tmp_path, values)
    message = faults(values, [path])
    assert tells(message, f"{path.name}, line {line_of(path, key)}", path, *fault)
    assert len(message.splitlines()) == 2  # the head and one fault, not one for every type that the key may have


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (
            {"path": "tiny", "kind": "mask"},
            ("models.a.kind", "'mask'", "'masked'"),
        ),
        ({"path": "tiny", "dtype": "float-16"}, (None, "'float16'")),
        ({"hub": "bert-base-cased"}, ("models.a.hub", "'google-bert/bert-base-cased'")),
        ({"hub": "roberta-large-mnli"}, (None, "'FacebookAI/roberta-large-mnli'")),
        ({"hub": "distilgpt2"}, (None, "'distilbert/distilgpt2'")),
        ({"hub": "https://huggingface.co/org/name/tree/main"}, (None, "'org/name'")),
        ({"hub": "mine"}, ("models.a.hub", "`organisation/name`", "'mine'")),
    ],
)
def test_what_is_likely_meant_by_a_value_of_a_model(values, entry, fault):
    message = faults(values | {"models": {"a": entry}})
    assert tells(message, *fault)


@pytest.mark.slow
def test_regions_that_other_sections_name(values):
    values["local_group_bias"] = {"pairs": [["country:de", "country:FR"]], "continents": ["continent:EU"]}
    assert tells(faults(values), "local_group_bias.pairs", "'country:de'", "'country:DE'")
    values["local_group_bias"] = {"pairs": [["DE", "country:FR"]]}
    assert tells(faults(values), "local_group_bias.pairs", "'DE'", "'country:DE'")
    values["local_group_bias"] = {"pairs": [["Peru", "country:FR"]]}
    assert tells(faults(values), "local_group_bias.pairs", "'Peru'", "'country:PE'")
    values["local_group_bias"] = {}
    values["downstream"]["regions"] = {"countries": ["DE", "country:FR", "it"]}
    assert tells(faults(values), "downstream.regions.countries", "'it'", "'IT'")
    values["downstream"]["regions"] = {"countries": ["DE", "country:FR"], "cities": ["city:1", "Paris"]}
    config.load(values)


def test_a_fault_between_sections_has_the_line_of_its_key(tmp_path, values):
    values["herb"]["models"] = ["planted-nome"]
    path = written(tmp_path, values)
    lines = path.read_text().splitlines()
    line = 1 + lines.index("  models:", lines.index("herb:"))
    assert tells(faults(values, [path]), f"{path.name}, line {line}", path, "herb.models", "'planted-nome'")


@pytest.mark.slow
def test_results_that_are_a_file(tmp_path, values):
    (tmp_path / "taken").touch()
    for results in ("taken", "taken/inside"):
        values["results"] = str(tmp_path / results)
        assert tells(faults(values), "results", f"'{tmp_path / 'taken'}'", "file")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"models:\n\ttiny: {}\n", ("line 2", "tab")),
        ("models: {}\n".encode("utf-16"), ("UTF-16", "UTF-8")),
        (b"", ("empty",)),
        (None, ()),
    ],
)
def test_a_configuration_that_cannot_be_read(tmp_path, content, fault):
    path = tmp_path / "study.yaml"
    if content is not None:
        path.write_bytes(content)
    with refused("study.yaml", path, *fault, kind=SystemExit):
        require_files([path])


def test_a_configuration_in_json_may_have_tabs(tmp_path):
    path = tmp_path / "study.json"
    path.write_text(json.dumps({"models": {"m": 1}}, indent="\t"))
    require_files([path])
    assert tells(faults(json.loads(path.read_text()), [path]), f"{path.name}, line 3", path, "models.m")


# --- lists and tables ---


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"key;text\na;b, c\n", ("list.csv", "semicolons", "commas")),
        (b"key\ttext\na\tb\n", ("list.csv", "tabs", "commas")),
        ("key,text\na,b\n".encode("utf-16"), ("list.csv, line 1", "UTF-16", "UTF-8")),
        ("key,text\na,b\n".encode("utf-16-le"), ("list.csv", "zero bytes", "UTF-8")),
        (codecs.BOM_UTF8 + b"key,text\na,\xe9\n", ("list.csv, line 2", "UTF-8")),
        (b"", ("list.csv", "empty", "key,text")),
        ("folder", ("list.csv", "folder")),
    ],
)
def test_what_is_no_table(tmp_path, content, fault):
    path = tmp_path / "list.csv"
    path.mkdir() if content == "folder" else path.write_bytes(content)
    with refused(*fault) as caught:
        resources.read_text_table(path, ["key", "text"])
    assert "column 'key' is missing" not in str(caught.value)


def test_local_tables_and_classifiers_of_tasks(tmp_path, values):
    data = tmp_path / "talk.csv"
    theirs = {"theirs": {"path": str(tmp_path / "none"), "positive": "POS"}}
    task = {**TASK, "data": {"path": str(data)}, "classifiers": theirs}
    section = config.load({**values, "downstream": {"tasks": {"talk": task}}}).downstream
    for content, fault in [
        (None, ("file",)),
        ("text;label\na;1\n", ("semicolons",)),
        ("texts,label\na,1\n", ("'text'", "'texts'")),
    ]:
        if content:
            data.write_text(content)
        with refused("talk.csv", data, *fault) as caught:
            downstream.require_files(section)
        assert tells(str(caught.value), "models.theirs", tmp_path / "none")
    data.write_text("text,label\na,1\n")
    with pytest.raises(HerbariumError) as caught:
        downstream.require_files(section)
    assert str(data) not in str(caught.value)


# --- models ---


def entries(**models):
    plain = {"convert_bin": False, "adapter": None, "unused_tensors": [], "classes": None}
    return {name: {"kind": kind, "path": str(folder), **plain} for name, (kind, folder) in models.items()}


def test_local_models_of_another_kind_are_all_named_before_anything_is_loaded(model_folder):
    bert, gpt2, bart = map(model_folder, ("bert", "gpt2", "bart"))
    records.check(entries(a=("masked", bert), b=("causal", gpt2), c=("seq2seq", bart)))
    with refused("models.a", "BertForMaskedLM", "seq2seq", "`kind: masked`") as caught:
        records.check(entries(a=("seq2seq", bert), b=("masked", gpt2), c=("causal", bart)))
    assert tells(str(caught.value), "models.b", "GPT2LMHeadModel", "masked", "`kind: causal`")
    assert tells(str(caught.value), "models.c", "BartForConditionalGeneration", "causal", "`kind: seq2seq`")


@pytest.mark.parametrize(
    ("message", "kind", "is_right"),
    [
        ({"model_type": "big_bird", "architectures": ["BigBirdForMaskedLM"]}, "masked", True),
        ({"model_type": "big_bird", "architectures": ["BigBirdForMaskedLM"]}, "causal", False),
        ({"model_type": "mpt", "architectures": ["MptForCausalLM"]}, "seq2seq", False),
        ({"model_type": "big_bird", "architectures": ["BigBirdModel"]}, "causal", True),  # it says nothing of its head
        ({"model_type": "bart", "is_encoder_decoder": False, "architectures": ["BartForCausalLM"]}, "causal", True),
    ],
)
def test_the_kind_of_a_family_that_is_not_listed_is_read_from_its_class(
    model_folder, tmp_path, message, kind, is_right
):
    folder = shutil.copytree(model_folder("bert"), tmp_path / "m")
    (folder / "config.json").write_text(json.dumps(message))
    if is_right:
        records.check(entries(m=(kind, folder)))
    else:
        with refused("models.m", message["architectures"][0], kind):
            records.check(entries(m=(kind, folder)))


def test_a_hub_id_as_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hub = Path("google-bert/bert-base-cased")
    with refused("models.m", "hub: google-bert/bert-base-cased", "path:"):
        loading.check_folder(hub, "m")
    hub.parent.mkdir()  # a folder of models
    with refused("models.m", "no such folder", "google-bert/bert-base-cased"):
        loading.check_folder(hub, "m")
    hub.touch()
    with refused("models.m", "file", "folder"):
        loading.check_folder(hub, "m")


def test_all_models_that_are_not_pinned_are_named(tmp_path):
    lock = tmp_path / "lock.yaml"
    lock.write_text(f"org/b: {'b' * 40}\n")
    models = {f"models.{name}": {"hub": f"org/{name}", "revision": None} for name in "abc"}
    with refused("models.a", "'org/a'") as caught:
        loading.require_pinned(models, lock)
    assert tells(str(caught.value), "models.c", "'org/c'")
    assert tells(str(caught.value), None, "`snakemake pin_models`", lock)


@pytest.mark.parametrize(
    ("place", "is_key"),
    [("results", 0), ("lock", 0), ("base", 0), ("rules.0", 0), ("models.planted-none", 1), ("models.mine.path", 0)],
)
def test_a_name_of_five_thousand_characters_is_refused(values, place, is_key):
    values |= {"rules": ["mine.smk"], "models": {**values["models"], "mine": {"path": "p", "kind": "masked"}}}
    *above, last = place.split(".")
    section = values
    for key in above:
        section = section[key]
    if is_key:
        section["x" * 5000] = section.pop(last)
    else:
        section[int(last) if last.isdigit() else last] = "x" * 5000
    with pytest.raises(HerbariumError):
        left_out.load(values, [], left_out.begin(values, is_dry=True, is_job=False))
