"""What a dry run says of plain mistakes: once, with the place, and with what would be right."""

import codecs
import json
import shutil
from pathlib import Path

import pytest
import yaml
from tests.metrics.downstream.test_section import TASK
from tests.refusals import refused
from tests.study.configurations import faults

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.core.places import CLONE, located, named
from herbarium.metrics.downstream import targets as downstream
from herbarium.models import loading, records
from herbarium.study import config
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


@pytest.mark.parametrize(
    ("section", "key", "message"),
    [
        ({"countries": ["DE", "fr"]}, "countries", "regions.countries: 'fr' is not a code; did you mean 'FR'?"),
        ({"continents": ["eu"]}, "continents", "regions.continents: 'eu' is not a code; did you mean 'EU'?"),
        ({"continents": ["Africa"]}, "continents", "regions.continents: 'Africa' is not a code; did you mean 'AF'?"),
        ({"countries": ["Peru"]}, "countries", "regions.countries: 'Peru' is not a code; did you mean 'PE'?"),
        ({"countries": ["Germny"]}, "countries", "regions.countries: 'Germny' is not a code; did you mean 'DE'?"),
        (
            {"cities": {"countries": ["FRA"]}},
            "countries",
            "regions.cities.countries: 'FRA' is not a code; did you mean 'FR'",
        ),
        ({"cities": {"countries": ["de"]}}, "countries", "regions.cities.countries: 'de' is not a code; did you mean"),
        (
            {"continents": ["EU"], "countries": ["BR"]},
            "countries",
            "regions.countries: 'BR' is not among the study's continents",
        ),
        ({"countries": ["DE", False]}, "countries", "regions.countries.1: YAML reads NO, no and off as false; put the"),
    ],
)
def test_codes_of_regions(tmp_path, values, section, key, message):
    values["regions"] = section
    path = written(tmp_path, values)
    messages = faults(values, [path])
    assert f"{path}, line {line_of(path, key)}: {message}" in messages
    assert len(messages.splitlines()) == 2  # the head and one fault, not one for every type that the key may have


@pytest.mark.parametrize(
    ("entry", "hint"),
    [
        (
            {"path": "tiny", "kind": "mask"},
            "models.a.kind: Input should be 'masked'|(it is 'mask'; did you mean 'masked'?)",
        ),
        ({"path": "tiny", "dtype": "float-16"}, "did you mean 'float16'?"),
        ({"hub": "bert-base-cased"}, "models.a.hub|did you mean 'google-bert/bert-base-cased'?"),
        ({"hub": "roberta-large-mnli"}, "did you mean 'FacebookAI/roberta-large-mnli'?"),
        ({"hub": "distilgpt2"}, "did you mean 'distilbert/distilgpt2'?"),
        ({"hub": "https://huggingface.co/org/name/tree/main"}, "did you mean 'org/name'?"),
        ({"hub": "mine"}, "models.a.hub: a model or data set on the hub is `organisation/name`|(it is 'mine')"),
    ],
)
def test_what_is_likely_meant_by_a_value_of_a_model(values, entry, hint):
    message = faults(values | {"models": {"a": entry}})
    assert [part for part in hint.split("|") if part not in message] == []


def test_regions_that_other_sections_name(values):
    values["local_group_bias"] = {"pairs": [["country:de", "country:FR"]], "continents": ["continent:EU"]}
    assert "local_group_bias.pairs: 'country:de' is not a region of the study; did you mean 'country:DE'?" in faults(
        values
    )
    values["local_group_bias"] = {"pairs": [["DE", "country:FR"]]}
    assert "local_group_bias.pairs: 'DE' is not a region of the study; did you mean 'country:DE'?" in faults(values)
    values["local_group_bias"] = {"pairs": [["Peru", "country:FR"]]}
    assert "local_group_bias.pairs: 'Peru' is not a region of the study; did you mean 'country:PE'?" in faults(values)
    values["local_group_bias"] = {}
    values["downstream"]["regions"] = {"countries": ["DE", "country:FR", "it"]}
    assert "downstream.regions.countries: 'it' is not a region of the study; did you mean 'IT'?" in faults(values)
    values["downstream"]["regions"] = {"countries": ["DE", "country:FR"], "cities": ["city:1", "Paris"]}
    config.load(values)


def test_a_fault_between_sections_has_the_line_of_its_key(tmp_path, values):
    values["herb"]["models"] = ["planted-nome"]
    path = written(tmp_path, values)
    lines = path.read_text().splitlines()
    line = 1 + lines.index("  models:", lines.index("herb:"))
    assert f"{path}, line {line}: herb.models: 'planted-nome' is not one of the models" in faults(values, [path])


def test_results_that_are_a_file(tmp_path, values):
    (tmp_path / "taken").touch()
    for results in ("taken", "taken/inside"):
        values["results"] = str(tmp_path / results)
        assert f"results: '{tmp_path / 'taken'}' is a file; name a folder" in faults(values)


def test_a_hub_id_without_its_organisation(values):
    values["models"]["m"] = {"hub": "bert-base-cased", "kind": "masked"}
    assert "models.m.hub: a model or data set on the hub is `organisation/name`; for a folder" in faults(values)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"models:\n\ttiny: {}\n", "is not valid YAML, line 2: it has a tab; YAML is indented with spaces"),
        ("models: {}\n".encode("utf-16"), "this is UTF-16 text; save it as UTF-8"),
        (b"", "it is empty, or not a mapping"),
        (None, "no such configuration file"),
    ],
)
def test_a_configuration_that_cannot_be_read(tmp_path, content, message):
    path = tmp_path / "study.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SystemExit, match=message) as caught:
        require_files([path])
    assert str(path) in str(caught.value)


def test_a_configuration_in_json_may_have_tabs(tmp_path):
    path = tmp_path / "study.json"
    path.write_text(json.dumps({"models": {"m": 1}}, indent="\t"))
    require_files([path])
    assert f"{path}, line 3: models.m" in faults(json.loads(path.read_text()), [path])


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
    for content, message in [
        (None, "no such file"),
        ("text;label\na;1\n", "separated by semicolons"),
        ("texts,label\na,1\n", "no column 'text'; did you mean 'texts'?"),
    ]:
        if content:
            data.write_text(content)
        with pytest.raises(HerbariumError) as caught:
            downstream.require_files(section)
        table, folder = str(caught.value).splitlines()
        assert f"{data}: " in table
        assert message in table
        assert "models.theirs: no such folder" in folder
    data.write_text("text,label\na,1\n")
    with pytest.raises(HerbariumError) as caught:
        downstream.require_files(section)
    assert str(data) not in str(caught.value)


# --- models ---


def entries(**models):
    plain = {"convert_bin": False, "adapter": None}
    return {name: {"kind": kind, "path": str(folder), **plain} for name, (kind, folder) in models.items()}


def test_local_models_of_another_kind_are_all_named_before_anything_is_loaded(model_folder):
    bert, gpt2, bart = map(model_folder, ("bert", "gpt2", "bart"))
    records.check(entries(a=("masked", bert), b=("causal", gpt2), c=("seq2seq", bart)))
    with pytest.raises(HerbariumError) as caught:
        records.check(entries(a=("seq2seq", bert), b=("masked", gpt2), c=("causal", bart)))
    assert str(caught.value).splitlines() == [
        "models.a: BertForMaskedLM is not a seq2seq language model; `kind: masked` would be right.",
        "models.b: GPT2LMHeadModel is not a masked language model; `kind: causal` would be right.",
        "models.c: BartForConditionalGeneration is not a causal language model; `kind: seq2seq` would be right.",
    ]


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
    with pytest.raises(HerbariumError) as caught:
        loading.require_pinned(models, lock)
    a, c, way_out = str(caught.value).splitlines()
    assert a.startswith("models.a: 'org/a' is not pinned")
    assert c.startswith("models.c: 'org/c' is not pinned")
    assert f"Run `snakemake pin_models` once with a network (it writes {lock})" in way_out
