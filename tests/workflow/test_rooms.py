"""An edit of each room of the library, and the rules whose code it is: their own hash changes, and no other's."""

import re
import shutil
from pathlib import Path

import pytest

from herbarium.core import provenance
from herbarium.study import targets

# File of the library: an edit of it.
EDITS = {
    "models/loading.py": ("use_safetensors=not from_bin", "use_safetensors=from_bin"),
    "models/chats.py": ("strftime_now=None", "strftime_now=False"),
    "models/servers.py": ("_TRIES = 8", "_TRIES = 9"),
    "scoring/answering.py": ("_TOKENS_CPU = 512", "_TOKENS_CPU = 256"),
    "scoring/planning.py": ("digest_size=16", "digest_size=15"),
    "statistics/fits.py": ('"(Intercept)"', '"(intercept)"'),
    "regions/levels.py": ('regions["iso2"].notna()', 'regions["iso2"].isna()'),
    "drawing/style.py": ('"#0072B2"', '"#0072B3"'),
    "report/numbers.py": (":.2g}", ":.3g}"),
    "vectors/planted.py": ("NOISE = 0.2", "NOISE = 0.3"),
    "vectors/directions.py": ("_ZERO = 1e-12", "_ZERO = 1e-13"),
    "page/page.html.j2": ("</html>", "</html><!-- -->"),
    "training/planted.py": ("KEPT = 0.25", "KEPT = 0.5"),
    "training/cooccurrence.py": ('_WORD = re.compile(r"\\w+")', '_WORD = re.compile(r"\\S+")'),
    "training/glove.py": ("ALPHA = 100.0, 0.75", "ALPHA = 100.0, 0.7"),
    "training/toxic.py": ("_NO_LABEL = -100", "_NO_LABEL = -1"),
    "command/doctor.py": ("_FULL_STUDY = 10", "_FULL_STUDY = 11"),
    "study/estimate.py": ("hours.sum() / 2", "hours.sum() / 3"),
    "study/comparison.py": ('METHOD = "fdr_bh"', 'METHOD = "holm"'),
    "study/signatures.py": ("_DIGITS = 7", "_DIGITS = 8"),
    "study/exchange/lm_eval.py": ('_NO_ERROR = "N/A"', '_NO_ERROR = ""'),
    "metrics/herb/score.py": ("_ROWS, _COLUMNS = 256", "_ROWS, _COLUMNS = 512"),
    "metrics/categorical_bias/score.py": ('"target_template"', '"template_target"'),
    "metrics/mixed_effects/questions.py": ("COMMON =", 'COMMON = "x" +'),
    "decisions/lagrangian.py": ("_LATER = 10", "_LATER = 11"),
    "metrics/amplification/score.py": ("DRAWS = 999", "DRAWS = 99"),
    "metrics/amplification/crf.py": ("PENALTY = 1e-3", "PENALTY = 1e-4"),
    "metrics/downstream/score.py": ("GAPS =", "GAPS = () or"),
    "metrics/propagation/score.py": ("_DECIMALS = 12", "_DECIMALS = 11"),
    "metrics/local_group_bias/score.py": ("MOST_PASSES = 300", "MOST_PASSES = 30"),
    "metrics/crows_pairs/score.py": ('_CORRECTION = "holm"', '_CORRECTION = "fdr_bh"'),
    "metrics/perplexity/score.py": ("_FEWEST = 2", "_FEWEST = 3"),
    "metrics/counterfactual/score.py": ('CHANGE = "_mean_absolute_change"', 'CHANGE = "_change"'),
    "metrics/interventions/score.py": (
        "FEWEST_SUBJECTS, FEWEST_INTERVENTIONS = 6, 4",
        "FEWEST_SUBJECTS, FEWEST_INTERVENTIONS = 5, 4",
    ),
    "metrics/matched_guise/score.py": (
        "FEWEST_UNITS, FEWEST_ATTRIBUTES = 6, 4",
        "FEWEST_UNITS, FEWEST_ATTRIBUTES = 6, 5",
    ),
    "metrics/discrimination_scores/score.py": ("FEWEST, FEWEST_OF_SPREAD = 5, 10", "FEWEST, FEWEST_OF_SPREAD = 6, 10"),
    "metrics/honest/score.py": ("FEWEST = 4", "FEWEST = 5"),
    "metrics/likelihood_bias/score.py": ("FEWEST = 4", "FEWEST = 5"),
    "metrics/sofa/score.py": ("FEWEST = 6", "FEWEST = 7"),
    "metrics/gender_in_context/score.py": ("DRAWS = 9_999", "DRAWS = 999"),
    "metrics/regions_in_context/score.py": ("9_999, 999", "999, 999"),
    "metrics/languages/score.py": ("FEWEST = 3", "FEWEST = 4"),
    "metrics/word_associations/association_tests.py": ("DRAWS_RNSB = 199", "DRAWS_RNSB = 99"),
    "metrics/biographies/score.py": ("DRAWS = 9_999", "DRAWS = 999"),
    "metrics/tagging/score.py": ("FEWEST = 10", "FEWEST = 9"),
    "metrics/sentence_sets/numbers.py": ('DEFINITION = "own"', 'DEFINITION = "mine"'),
}
# What the rules of all metrics call, each by its name.
CALLS = {" ".join(names): names for metric in targets.DECLARED.values() for _, names in metric.calls()}
RULES = {
    rule: file.stem
    for file in Path("workflow/rules").glob("*.smk")
    for rule in re.findall(r"^rule (\w+):", file.read_text(), re.MULTILINE)
}
ROOMS = {file.name for file in Path("workflow/scripts/herbarium").iterdir() if file.is_dir()} - {"__pycache__"}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("code") / "scripts"
    return shutil.copytree("workflow/scripts", folder, ignore=shutil.ignore_patterns("__pycache__"))


def hash_of(job, scripts):
    """job: a script, or what one calls."""
    return provenance.use_hash(CALLS[job], scripts) if job in CALLS else provenance.code_hash(scripts / f"{job}.py")


@pytest.fixture(scope="module")
def unedited(scripts):
    return {job: hash_of(job, scripts) for job in (*(path.stem for path in scripts.glob("*.py")), *CALLS)}


@pytest.fixture(scope="module")
def reached(scripts, unedited):
    """The Python files that each job imports: no other counts, but templates in their folders."""
    scripts_of = {job: scripts / f"{'take_step' if job in CALLS else job}.py" for job in unedited}
    return {job: {*provenance.closure(path, calls=CALLS.get(job, ()))} for job, path in scripts_of.items()}


@pytest.mark.slow
@pytest.mark.parametrize("file", EDITS)
def test_an_edit_is_of_the_rules_that_it_reaches(scripts, unedited, reached, file, snapshot):
    """An edit of a metric is of its own rules alone."""
    old, new = EDITS[file]
    path = scripts / "herbarium" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    asked = [job for job, files in reached.items() if path in files or path.suffix != ".py"]
    after = {job for job in asked if hash_of(job, scripts) != unedited[job]}
    path.write_text(text)
    assert sorted(after) == snapshot
    if file.startswith("metrics/"):
        assert {job.split(".")[2] if job in CALLS else RULES[job] for job in after} == {file.split("/")[1]}


@pytest.mark.slow
def test_a_file_that_a_script_does_not_import_is_not_of_its_rule(scripts, unedited, reached):
    """What the test before takes for granted."""
    path = scripts / "herbarium/metrics/tagging/score.py"
    path.write_text(f"{(text := path.read_text())}\nADDED = 1\n")
    assert [job for job, code in unedited.items() if path not in reached[job] and hash_of(job, scripts) != code] == []
    path.write_text(text)


def test_every_room_is_edited():
    # of core nearly everything is made; reruns.md, here, has edits of it
    assert {file.partition("/")[0] for file in EDITS} == ROOMS - {"core"}
