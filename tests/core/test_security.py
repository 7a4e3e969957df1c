"""What a study takes from others (models, data, lists, configurations) never runs, nor reaches beyond its place."""

import ast
import contextlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from snakemake_interface_executor_plugins.utils import format_cli_arg
from tests.refusals import refused, tells

from herbarium.core import places
from herbarium.core.errors import HerbariumError
from herbarium.models import loading, records, sources
from herbarium.scoring import classifiers
from herbarium.study import config

CODE = [*Path("workflow/scripts").rglob("*.py"), *Path("docs").glob("*.py")]
RULES = [Path("Snakefile"), *sorted(Path("workflow/rules").glob("*.smk"))]
LISTS = {"own": "resources/categorical_bias/greek/published"}


# --- code of this project ---

# Names of calls that run what they are given, or may. `model.eval()` is another thing.
RUNNING = re.compile(
    r"(eval|exec|compile|__import__|os\.(system|popen|exec\w+|spawn\w+)"
    r"|(pickle|cPickle|dill|cloudpickle|marshal|shelve|joblib)\.(load|loads|open|Unpickler)"
    r"|(torch|pd|pandas|np|numpy)\.(load|read_pickle)|yaml\.(load|load_all|unsafe_load|full_load)"
    r"|subprocess\.(getoutput|getstatusoutput))"
)


def dangers(text):
    """Calls in a Python text that could run what they are given."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            is_running = RUNNING.fullmatch(ast.unparse(node.func)) and given.get("allow_pickle") != "False"
            if ast.unparse(node).startswith("os.execv(sys.executable, [sys.executable, "):  # this Python, and no shell
                continue
            if is_running or given.get("shell", "False") != "False":
                yield ast.unparse(node)
            if given.get("trust_remote_code", "False") != "False" or given.get("weights_only", "True") != "True":
                yield ast.unparse(node)


@pytest.mark.slow
def test_no_module_runs_what_it_reads():
    assert len(CODE) > 500
    assert [(str(file), call) for file in CODE for call in dangers(file.read_text())] == []


def test_the_scan_finds_what_it_looks_for():
    for call in (
        "eval(x)",
        "os.system('ls')",
        "os.execv(x, [x])",
        "pickle.load(f)",
        "torch.load(p)",
        "np.load(p)",
        "np.load(p, allow_pickle=True)",
        "yaml.load(f)",
        "subprocess.run(x, shell=True)",
        "A.from_pretrained(x, trust_remote_code=True)",
    ):
        assert list(dangers(call)), call
    harmless = "model.eval(); yaml.safe_load(f); subprocess.run(['git', x]); np.load(p, allow_pickle=False)"
    assert not list(dangers(harmless))


def test_rules_run_scripts_and_nothing_else():
    # shell commands would be put together from what a configuration says
    for file in RULES:
        assert not re.search(r"^\s+(shell|run|wrapper|cwl|notebook|template_engine):", file.read_text(), re.MULTILINE)
        assert not re.search(r"\b(eval|exec|shell|os\.system|subprocess)\b", file.read_text()), file


def test_only_what_the_page_made_itself_is_markup():
    library = Path("workflow/scripts/herbarium")
    templates = [*library.rglob("*.j2")]
    assert len(templates) > 10
    for template in templates:
        text = template.read_text()
        unescaped = re.findall(r"([\w.]+|\"[^\"]*\")\s*\|\s*safe\b", text)
        # texts that stand in the template itself
        assert [expression for expression in unescaped if not expression.startswith('"')] == [], template
        assert len(unescaped) == len(re.findall(r"\bsafe\b", text)), template
        assert "autoescape" not in text
        for tag in re.findall(r"<[a-z][^<>]*?{{[^<>]*>", text):  # what stands inside a tag stands in quotes
            assert "{{" not in re.sub(r'"[^"]*"', "", tag), tag
    # rooms and parts were escaped when they were rendered; nothing else is taken as it is
    for file in library.rglob("*.py"):
        assert "Markup(" not in file.read_text() or file.parent == library / "page", file


# --- models ---

PAYLOAD = """
from pathlib import Path
Path({proof!r}).touch()
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification, BertTokenizerFast
class Own(BertConfig): model_type = {kind!r}
class OwnModel(BertForMaskedLM): config_class = Own
class OwnClassifier(BertForSequenceClassification): config_class = Own
class OwnTokenizer(BertTokenizerFast): pass
"""
MAP = {
    "AutoConfig": "own.Own",
    "AutoModelForMaskedLM": "own.OwnModel",
    "AutoModelForSequenceClassification": "own.OwnClassifier",
    "AutoTokenizer": ["own.OwnTokenizer", "own.OwnTokenizer"],
}


@pytest.mark.parametrize("kind", ["bert", "unheard-of"])
def test_code_in_a_models_folder_never_runs(model_folder, tmp_path, kind):
    folder, proof = tmp_path / "model", tmp_path / "ran"
    shutil.copytree(model_folder("bert"), folder)
    (folder / "own.py").write_text(PAYLOAD.format(proof=str(proof), kind=kind))
    for file in ("config.json", "tokenizer_config.json"):
        content = json.loads((folder / file).read_text())
        more = {"auto_map": MAP} | (
            {"model_type": kind} if file == "config.json" else {"tokenizer_class": "OwnTokenizer"}
        )
        (folder / file).write_text(json.dumps(content | more))
    entry = config.Model(path=folder, kind="masked").model_dump(mode="json")
    for load in (
        lambda: records.describe("m", entry, folder, None),
        lambda: loading.load(folder, "masked", "float32", "m"),
        lambda: loading.skeleton(folder, "masked", "m"),
        lambda: loading.load_tokenizer(folder, "m"),
        lambda: classifiers.load(folder, "m", "float32"),
    ):
        with contextlib.suppress(HerbariumError):  # what needs its code is refused; what does not, is read without it
            load()
        assert not proof.exists()


def test_the_payload_would_run_if_it_were_trusted(model_folder, tmp_path, monkeypatch):
    from transformers import AutoConfig, dynamic_module_utils

    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder, proof = tmp_path / "model", tmp_path / "ran"
    shutil.copytree(model_folder("bert"), folder)
    (folder / "own.py").write_text(PAYLOAD.format(proof=str(proof), kind="unheard-of"))
    content = json.loads((folder / "config.json").read_text()) | {"auto_map": MAP, "model_type": "unheard-of"}
    (folder / "config.json").write_text(json.dumps(content))
    AutoConfig.from_pretrained(folder, trust_remote_code=True)
    assert proof.exists()


def readings(text):
    """Calls in a Python text by which transformers reads a model, with the names that they are given."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".from_pretrained", ".from_config")):
            yield ast.unparse(node.func), ast.unparse(node)


@pytest.mark.slow
def test_models_are_read_in_few_places_which_choose_their_attention():
    # a configuration may name a kernel of the hub, which is code
    calls = {
        (file.name, function): call for file in CODE for function, call in readings(file.read_text(encoding="utf-8"))
    }
    assert calls.keys() == {
        *(("loading.py", f"{name}.from_pretrained") for name in ("AutoConfig", "AutoTokenizer", "auto")),
        ("loading.py", "auto.from_config"),
        # an adapter, which is tensors beside those of a model that was read there
        ("adapters.py", "PeftModel.from_pretrained"),
        # a GGUF file, which is numbers and texts
        *(("converting.py", f"{name}.from_pretrained") for name in ("AutoConfig", "AutoTokenizer")),
        ("converting.py", "AutoModelForCausalLM.from_pretrained"),
    }
    assert calls["adapters.py", "PeftModel.from_pretrained"].endswith("(model, str(adapter), torch_device='cpu')")
    assert "attn_implementation=None" in calls["loading.py", "auto.from_pretrained"]
    assert "attn_implementation='eager', trust_remote_code=False" in calls["loading.py", "auto.from_config"]
    assert "attn_implementation=None" in calls["converting.py", "AutoModelForCausalLM.from_pretrained"]


def test_weights_elsewhere_on_this_machine_are_not_loaded(model_folder, tmp_path):
    folder, outside = Path(shutil.copytree(model_folder("bert"), tmp_path / "model")), tmp_path / "outside.safetensors"
    (folder / "model.safetensors").rename(outside)
    tensors = records.folders.tensors(outside)
    for place in ("../outside.safetensors", str(outside)):
        index = {"metadata": {}, "weight_map": dict.fromkeys(tensors, place)}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        (folder / "decoy.safetensors").write_bytes(outside.read_bytes())
        loading.load(folder, "masked", "float32", "m")  # transformers itself follows it
        entry = config.Model(path=folder, kind="masked").model_dump(mode="json")
        for look in (
            lambda entry=entry: records.check({"m": entry}),
            lambda entry=entry: records.describe("m", entry, folder, None),
            lambda: loading.folder_of({"name": "m", "path": str(folder), "files": {}}),
        ):
            with refused("model.safetensors.index.json", "safetensors"):
                look()


# --- the configuration ---


SMALL = {"models": {"planted-none": {"planted": 1.0, "kind": "masked"}}}


def faults(**changes):
    with pytest.raises(HerbariumError) as caught:
        config.load({**SMALL, **changes})
    return str(caught.value)


NO_NAMES = [
    *("../m", "/m", "a/b", "..", ".m", "-m", "~", "{m}", "m*", "<m>", "m n", "m\n", "m\0", "", "é", "m;ls", "m.json"),
]
PLACES = {
    "models": lambda name: {"models": {name: {"planted": 1.0, "kind": "masked"}}},
    "templates": lambda name: {"herb": {"templates": {name: "resources/herb/templates/published.txt"}}},
    "topics": lambda name: {"herb": {"descriptions": {name: "resources/herb/descriptions/morality.txt"}}},
    "namings": lambda name: {"regions": {"names": {name: "ascii"}}},
    "languages": lambda name: {"categorical_bias": {"languages": {name: {"lists": LISTS, "models": ["planted-none"]}}}},
    "lists": lambda name: {
        "categorical_bias": {
            "languages": {
                "greek": {"lists": {name: "resources/categorical_bias/greek/published"}, "models": ["planted-none"]}
            }
        }
    },
    "stimuli": lambda name: {
        "mixed_effects": {
            "stimuli": {name: {"lists": "resources/mixed_effects/demo", "models": ["planted-none"]}},
        }
    },
    "tasks": lambda name: {"downstream": {"tasks": {name: TASK}}},
    "classifiers": lambda name: {
        "downstream": {"tasks": {"t": TASK | {"classifiers": {name: {"path": "x", "positive": "yes"}}}}}
    },
}
TASK = {"data": {"planted": 1.0}, "prefix": "I am from [region].", "controls": ["here"]}


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_name_is_the_name_of_a_file_and_nothing_more(place):
    config.load({**SMALL, **PLACES[place]("fine-1_a.b")})
    for name in NO_NAMES:
        assert re.search("should match pattern|cannot be a name", faults(**PLACES[place](name))), name


# What pandas reads as something else, of what a name can be; and what it does not.
NO_TEXTS = (
    *("null", "nan", "NA", "None", "NULL", "NaN", "1", "007", "1.5", "1e5", "1E-5", "inf", "Infinity", "True"),
    "false",
)
TEXTS = ("nano", "na", "none", "1a", "1e5x", "v1.5", "1.5.1", "2024-05", "infinite", "no", "0x1F")


@pytest.mark.parametrize("place", PLACES)
def test_a_name_is_the_same_text_in_a_table(place):
    for name in NO_TEXTS[:2]:
        assert tells(faults(**PLACES[place](name)), None, f"'{name}'", "missing value")


@pytest.mark.slow
def test_a_model_has_the_same_name_in_a_table_that_is_read_again(tmp_path):
    for name in NO_TEXTS:
        assert tells(faults(**PLACES["models"](name)), None, f"'{name}'", "missing value")
    for name in TEXTS:
        (model,) = config.load(PLACES["models"](name)).models
        pd.DataFrame({"model": [model]}).to_csv(tmp_path / "summary.csv", index=False)
        assert pd.read_csv(tmp_path / "summary.csv")["model"].tolist() == [name]


def test_names_that_would_be_written_over_one_another_are_refused():
    models = {**SMALL["models"], "Planted-None": {"planted": 1.0, "kind": "masked"}}
    assert tells(faults(models=models), None, "'planted-none'", "'Planted-None'")
    same = {"downstream": {"tasks": {"t": TASK | {"classifiers": {"planted-none": {"path": "x", "positive": "y"}}}}}}
    assert tells(faults(**same), "downstream.tasks.t.classifiers", "'planted-none'")
    assert tells(faults(**PLACES["stimuli"]("crows_pairs")), None, "'crows_pairs'")


@pytest.mark.parametrize(
    ("results", "told"),
    [
        (".", ("results", "current folder")),
        ("..", ("results", "current folder")),
        ("/", ("results",)),
        ("~nobody-of-that-name/study", ("results",)),
        ("~", ("results", "home folder")),
        ("~/", ("results",)),
        ("~/..", ("results",)),
        ("r" * 300, ("results", "255")),
        ("ü" * 128, ("results", "255")),
        ("/".join(["r" * 200] * 30), ("results", "3,500")),
        ("", ("results",)),
        ("resources", ("results",)),
        ("config", ("results", "config/models.lock.yaml")),
        ("results/{model}", ("results", "pattern", "command")),
        ("<logs>", ("results", "pattern", "command")),
        ("a\nb", ("results",)),
    ],
)
def test_results_have_a_folder_of_their_own(results, told):
    assert tells(faults(results=results), *told)


@pytest.mark.parametrize("results", ["results", "results/other study", "/scratch/me/results", "../elsewhere"])
def test_results_may_be_anywhere_else(results):
    assert config.load({**SMALL, "results": results}).results == results


def test_a_path_that_snakemake_would_take_for_a_pattern_is_refused():
    assert tells(faults(models={"m": {"path": "my{model}", "kind": "masked"}}), None, "'my{model}'", "'{'")


# Names that a shell would run, if it saw them between double quotes, or between none.
TRYING = [
    *("it's$(touch ran)", "it's`touch ran`", "'a';touch ran;'b'", '"$(touch ran)"', "$HOME", "a\\b", "a'b\"c"),
    "--config=a",
]
PRONOUNS = {"models": ["planted-none"], "quantity": "slot", "sides": ["he", "she"], "unit": "occupation"}
# A key, the configuration of a path, and the text of a file that it can lead to.
PATHS = {
    "results": (lambda path: {"results": path}, None),
    "lock": (lambda path: {"lock": path}, ""),
    "base": (lambda path: {"base": path}, ""),
    "rules": (lambda path: {"rules": [path]}, ""),
    "models.m.path": (lambda path: {"models": {"m": {"path": path, "kind": "masked"}}}, None),
    "herb.descriptions": (lambda path: {"herb": {"models": [], "descriptions": {"a": path}}}, "weak\nwise\n"),
    "sentence_sets": (
        lambda path: {"sentence_sets": {"s": PRONOUNS | {"table": path}}},
        Path("resources/sentence_sets/pronouns/sentences.csv").read_text(encoding="utf-8"),
    ),
    "vectors": (lambda path: {"vectors": {"v": {"path": path}}}, "he 1 2\nshe 2 1\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("key", PATHS)
def test_a_path_is_no_part_of_a_command(key, tmp_path, monkeypatch):
    """Wherever it begins: a part of it can be the home folder."""
    entry, text = PATHS[key]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "it's"))
    (tmp_path / "it's").mkdir()
    for name in [*TRYING, "~/plain"]:
        if text is not None:
            Path(places.expanded(name)).write_text(text)
        message = faults(**entry(name))
        assert tells(message, None, key, "pattern", "command"), name


def test_a_list_of_the_project_is_no_part_of_a_command_either(tmp_path, monkeypatch):
    clone = tmp_path / "the project's"
    shutil.copytree("resources/herb", clone / "resources/herb")
    monkeypatch.setattr(places, "CLONE", clone)
    monkeypatch.chdir(tmp_path)
    messages = faults(**PATHS["herb.descriptions"][0]("resources/herb/descriptions/morality.txt"))
    assert tells(messages, None, f"{clone}/resources/herb/descriptions/morality.txt", "pattern", "command")


def through_shells(names):
    """Names as a job gets them that Snakemake starts on this machine, and on Slurm, where the command is in quotes once
    more."""
    command = f"printf '%s\\0' {format_cli_arg('--wait-for-files', names)}"
    escaped = command.replace('"', '\\"')
    for line in (command, f'sh -c "{escaped}"'):
        done = subprocess.run(line, shell=True, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
        yield done.stdout.removesuffix("\0").split("\0")[1:]


def test_plain_names_reach_a_job_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    characters = [chr(code) for code in (*range(1, 0x250), 0x301, 0x4E66, 0x202E, 0x202F, 0x2028, 0x1F600)]
    names = [name for one in characters for name in (f"a{one}b", f"{one}a", f"a{one}{one} b", f"{one}(touch ran){one}")]
    plain = [name for name in names if not places.fault_of_name(name)]
    assert {"aéb", "a书b", "a b", "a;b", "a&b", "a(b", "a~b", "a*b", "a!b", "a#b"} <= set(plain)
    for received in through_shells(plain):
        assert received == plain
    for name in TRYING[:-1]:
        assert [name] != min(through_shells([name])), name  # so that these characters have to be refused
    assert places.fault_of_name("--x")


@pytest.mark.parametrize("hub", ["../..", "a/..", "-x/y", "a/b/c", "a", "/etc/passwd", "a/b\n"])
def test_a_hub_id_is_no_path_and_no_option(hub):
    assert tells(faults(models={"m": {"hub": hub, "revision": "a" * 40, "kind": "masked"}}), None, "models.m.hub")


def test_a_hub_id_that_the_hub_refuses_is_told_before_the_first_job(tmp_path):
    entry = config.Model(hub="a--b/c", revision="a" * 40, kind="masked").model_dump()
    with refused("models.m", "'a--b/c'", "repo_id"):
        loading.require_available({"models.m": entry}, tmp_path / "lock.yaml")


@pytest.mark.parametrize("data", [{"hub": "a/b", "subset": "../.."}, {"hub": "a/b", "subset": "/etc"}])
def test_a_subset_is_no_path(data):
    assert "subset" in faults(downstream={"tasks": {"t": TASK | {"data": data | {"revision": "a" * 40}}}})


def test_the_address_of_a_repository_is_no_option(tmp_path):
    proof = tmp_path / "ran"
    address = f"--upload-pack=touch {proof}"
    data = {"git": address, "revision": "a" * 40, "table": "t.csv", "texts_in": "{x}"}
    assert "git" in faults(downstream={"tasks": {"t": TASK | {"data": data}}})
    with pytest.raises(HerbariumError):
        sources.require_available({"t": {"hub": None, **data}})
    with pytest.raises(HerbariumError):
        sources.read({"hub": None, "path": None, "folders": [], **data})
    assert not proof.exists()


@pytest.mark.parametrize("address", ["fd::17", "ext::sh -c 'touch {proof}'", "persistent-https://localhost/x", "x::y"])
def test_the_address_of_a_repository_names_no_program(tmp_path, address):
    """git would run a program of that name, or wait for what an open file says."""
    proof = tmp_path / "ran"
    data = {"hub": None, "git": address.format(proof=proof), "revision": "b" * 40}
    for ask in (lambda: sources.require_available({"t": data}), lambda: sources.repository(data)):
        with pytest.raises(HerbariumError, match="not allowed"):
            ask()
    assert not proof.exists()


def test_no_secret_of_an_address_is_repeated():
    data = {"git": "https://user:hunter2@example.org/r", "revision": "a" * 40, "table": "t.csv", "texts_in": "{x}"}
    message = faults(downstream={"tasks": {"t": TASK | {"data": data}}})
    assert tells(message, "downstream.tasks.t.data.git")
    assert "hunter2" not in message


# --- what a repository holds ---


@pytest.fixture
def repository(tmp_path):
    """Makes a repository of files, and of links; gives what a configuration says of it."""
    secret = tmp_path / "secret.txt"
    secret.write_text("private")

    def make(rows, link=None, **more):
        folder = tmp_path / "repository"
        folder.mkdir()
        pd.DataFrame({"file": rows}).to_csv(folder / "table.csv", index=False)
        (folder / "inside.txt").write_text("fine")
        if link:
            (folder / link).symlink_to(secret)
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "x"]):
            subprocess.run(["git", *arguments], cwd=folder, check=True)
        done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True)
        data = {"hub": None, "path": None, "git": folder.as_uri(), "revision": done.stdout.strip(), "folders": []}
        return data | {"table": "table.csv", "texts_in": "{file}.txt"} | more

    return make


def test_a_repository_gives_its_own_texts(repository):
    assert sources.read(repository(["inside"]))[None]["text"].tolist() == ["fine"]


@pytest.mark.parametrize(
    ("rows", "more", "fault"),
    [
        (["../../../../../../../../etc/hostname"], {"texts_in": "{file}"}, ("'../../../../../../../../etc/hostname'",)),
        (["/etc/hostname"], {"texts_in": "{file}"}, ("'/etc/hostname'",)),
        (["link"], {"link": "link.txt"}, ("'link.txt'",)),
        (["inside"], {"table": "../secret.csv"}, ("'../secret.csv'",)),
        (["inside"], {"folders": [".."]}, ("'..'",)),
        (["inside"], {"folders": ["none"]}, ("'none'",)),
        (["inside"], {"texts_in": "{other}.txt"}, ("'{other}.txt'",)),
        (["inside"], {"texts_in": "{file.none}"}, ("'{file.none}'",)),
        (["inside"], {"texts_in": "{"}, ("'{'",)),
        (["x" * 300], {}, ()),
    ],
)
def test_a_repository_gives_nothing_of_this_machine(repository, rows, more, fault):
    with refused("repository", *fault) as caught:
        sources.read(repository(rows, **more))
    assert "private" not in str(caught.value)
