"""An edit of each room of the library, and the rules whose code it is: their own hash changes, and no other's."""

import re
import shutil
from pathlib import Path

import pytest

from herbarium.core import provenance

RUNS_A_MODEL = (
    "tune_scoring score_shard embed_herb finetune_downstream resolve_downstream predict_downstream "
    "embed_local_group_bias sample_scoring sample_downstream train_tagging represent "
    "sample_represent finetune_biographies complete_honest sample_honest"
)
# File of the library: an edit, and the rules that are made of what it changes.
EDITS = {
    "models/loading.py": (
        "use_safetensors=not from_bin",
        "use_safetensors=from_bin",
        f"{RUNS_A_MODEL} resolve_model train_toxic train_continued fit_rotation project_model convert_weights "
        "merge_adapter train_advice "
        "sample_projection sample_biographies sample_herb_toxic sample_continued sample_interventions sample_tagging",
    ),
    "models/chats.py": (
        "strftime_now=None",
        "strftime_now=False",
        # a planted model begins as what its tokenizer is of (`models.starts`)
        "resolve_model train_testbed plan_scoring tune_scoring train_toxic sample_scoring sample_herb_toxic",
    ),
    "models/servers.py": ("_TRIES = 8", "_TRIES = 9", "resolve_model tune_scoring score_shard"),
    "scoring/answering.py": (
        "_TOKENS_CPU = 512",
        "_TOKENS_CPU = 256",
        f"{RUNS_A_MODEL} project_model sample_projection",
    ),
    "scoring/planning.py": (
        "digest_size=16",
        "digest_size=15",
        "plan_scoring tune_scoring train_toxic sample_scoring sample_herb_toxic",
    ),
    "statistics/fits.py": (
        '"(Intercept)"',
        '"(intercept)"',
        "fit_crows_pairs measure_mixed_effects measure_mixed_effects_further",
    ),
    "regions/levels.py": (
        'regions["iso2"].notna()',
        'regions["iso2"].isna()',
        "instantiate_herb instantiate_herb_padded assemble_herb ablate_herb measure_herb_toxic embed_herb "
        "measure_herb_space place_herb describe_herb group_herb draw_herb part_herb measure_herb_crossed "
        "expect_herb instantiate_downstream read_downstream measure_downstream draw_downstream "
        "constrain_amplification measure_amplification compare_amplification calibrate_amplification "
        "instantiate_regions_in_context",
    ),
    "drawing/style.py": (
        '"#0072B2"',
        '"#0072B3"',
        "draw_amplification part_amplification "
        "draw_herb draw_categorical_bias draw_mixed_effects draw_downstream draw_propagation draw_sentence_sets "
        "draw_interventions draw_matched_guise part_matched_guise draw_likelihood_bias draw_sofa part_sofa "
        "draw_discrimination_scores part_discrimination_scores draw_word_associations "
        "draw_gender_in_context part_gender_in_context draw_languages "
        "draw_regions_in_context part_regions_in_context draw_honest part_honest "
        "draw_answers draw_calibration draw_changes draw_checkpoints part_herb part_categorical_bias "
        "part_mixed_effects part_downstream part_propagation part_sentence_sets part_interventions "
        "part_likelihood_bias "
        "part_word_associations part_languages draw_biographies part_biographies draw_declared part_declared "
        "write_report compare_runs",
    ),
    "report/numbers.py": (
        ":.2g}",
        ":.3g}",
        "part_amplification "
        "part_herb part_categorical_bias part_mixed_effects part_groups part_crows_pairs part_downstream "
        "part_propagation part_local_group_bias part_sentence_sets part_interventions part_matched_guise "
        "part_likelihood_bias part_sofa part_discrimination_scores part_gender_in_context "
        "part_regions_in_context part_honest "
        "part_word_associations part_languages part_biographies part_declared draw_answers write_report compare_runs",
    ),
    "vectors/planted.py": ("NOISE = 0.2", "NOISE = 0.3", "represent table_word_associations table_languages"),
    "vectors/directions.py": (
        "_ZERO = 1e-12",
        "_ZERO = 1e-13",
        "answer_word_associations debias_vectors measure_word_associations compare_word_associations "
        "table_word_associations",
    ),
    "page/page.html.j2": ("</html>", "</html><!-- -->", "write_report compare_runs"),
    "training/planted.py": ("KEPT = 0.25", "KEPT = 0.5", "train_testbed"),
    "training/cooccurrence.py": ('_WORD = re.compile(r"\\w+")', '_WORD = re.compile(r"\\S+")', "count_cooccurrences"),
    "training/glove.py": ("ALPHA = 100.0, 0.75", "ALPHA = 100.0, 0.7", "train_vectors sample_vectors"),
    "training/toxic.py": ("_NO_LABEL = -100", "_NO_LABEL = -1", "train_toxic sample_herb_toxic"),
    "command/doctor.py": ("_FULL_STUDY = 10", "_FULL_STUDY = 11", ""),
    "study/estimate.py": ("hours.sum() / 2", "hours.sum() / 3", "estimate"),
    "study/comparison.py": ('METHOD = "fdr_bh"', 'METHOD = "holm"', "compare_runs"),
    "study/signatures.py": ("_DIGITS = 7", "_DIGITS = 8", "sign_numbers"),
    "study/exchange/lm_eval.py": ('_NO_ERROR = "N/A"', '_NO_ERROR = ""', "exchange"),
    "metrics/herb/score.py": (
        "_ROWS, _COLUMNS = 256",
        "_ROWS, _COLUMNS = 512",
        "measure_herb measure_herb_hierarchy ablate_herb compare_herb measure_herb_toxic expect_herb table_herb "
        "part_herb",
    ),
    "metrics/categorical_bias/score.py": (
        '"target_template"',
        '"template_target"',
        "measure_categorical_bias part_categorical_bias",
    ),
    "metrics/mixed_effects/questions.py": (
        "COMMON =",
        'COMMON = "x" +',
        "measure_mixed_effects measure_mixed_effects_further compare_mixed_effects part_mixed_effects",
    ),
    "decisions/lagrangian.py": (
        "_LATER = 10",
        "_LATER = 11",
        "constrain_amplification measure_amplification decide_amplification",
    ),
    "metrics/amplification/score.py": ("DRAWS = 999", "DRAWS = 99", "measure_amplification"),
    "metrics/amplification/crf.py": ("PENALTY = 1e-3", "PENALTY = 1e-4", "decide_amplification"),
    "metrics/downstream/score.py": ("GAPS =", "GAPS = () or", "measure_downstream part_downstream"),
    "metrics/propagation/score.py": ("_DECIMALS = 12", "_DECIMALS = 11", "measure_propagation"),
    "metrics/local_group_bias/score.py": (
        "MOST_PASSES = 300",
        "MOST_PASSES = 30",
        "measure_local_group_bias part_local_group_bias reproduce_local_group_bias",
    ),
    "metrics/crows_pairs/score.py": ('_CORRECTION = "holm"', '_CORRECTION = "fdr_bh"', "measure_crows_pairs"),
    "metrics/perplexity/score.py": (
        "_FEWEST = 2",
        "_FEWEST = 3",
        "measure_perplexity compare_perplexity part_perplexity",
    ),
    "metrics/counterfactual/score.py": (
        'CHANGE = "_mean_absolute_change"',
        'CHANGE = "_change"',
        "measure_counterfactual part_counterfactual",
    ),
    "metrics/interventions/score.py": (
        "FEWEST_SUBJECTS, FEWEST_INTERVENTIONS = 6, 4",
        "FEWEST_SUBJECTS, FEWEST_INTERVENTIONS = 5, 4",
        "measure_interventions compare_interventions table_interventions",
    ),
    "metrics/matched_guise/score.py": (
        "FEWEST_UNITS, FEWEST_ATTRIBUTES = 6, 4",
        "FEWEST_UNITS, FEWEST_ATTRIBUTES = 6, 5",
        "measure_matched_guise compare_matched_guise",
    ),
    "metrics/discrimination_scores/score.py": (
        "FEWEST, FEWEST_OF_SPREAD = 5, 10",
        "FEWEST, FEWEST_OF_SPREAD = 6, 10",
        "measure_discrimination_scores compare_discrimination_scores",
    ),
    "metrics/honest/score.py": ("FEWEST = 4", "FEWEST = 5", "measure_honest compare_honest"),
    "metrics/likelihood_bias/score.py": ("FEWEST = 4", "FEWEST = 5", "measure_likelihood_bias"),
    "metrics/sofa/score.py": ("FEWEST = 6", "FEWEST = 7", "measure_sofa table_sofa"),
    "metrics/gender_in_context/score.py": (
        "DRAWS = 9_999",
        "DRAWS = 999",
        "measure_gender_in_context",
    ),
    "metrics/regions_in_context/score.py": ("9_999, 999", "999, 999", "measure_regions_in_context"),
    "metrics/languages/score.py": ("FEWEST = 3", "FEWEST = 4", "measure_languages"),
    "metrics/word_associations/association_tests.py": (
        "DRAWS_RNSB = 199",
        "DRAWS_RNSB = 99",
        "measure_word_associations",
    ),
    "metrics/biographies/score.py": (
        "DRAWS = 9_999",
        "DRAWS = 999",
        "measure_biographies",
    ),
    "metrics/tagging/score.py": (
        "FEWEST = 10",
        "FEWEST = 9",
        "measure_tagging compare_tagging",
    ),
    "metrics/sentence_sets/numbers.py": ('DEFINITION = "own"', 'DEFINITION = "mine"', "measure_sentence_sets"),
}
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


@pytest.fixture(scope="module")
def unedited(scripts):
    return {path: provenance.code_hash(path) for path in scripts.glob("*.py")}


@pytest.fixture(scope="module")
def reached(scripts):
    """The Python files that each script imports: no other counts, but templates in their folders."""
    return {path: {*provenance.closure(path)} for path in scripts.glob("*.py")}


@pytest.mark.parametrize("file", EDITS)
def test_an_edit_is_of_the_rules_that_it_reaches(scripts, unedited, reached, file):
    old, new, rules = EDITS[file]
    path = scripts / "herbarium" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    asked = [script for script, files in reached.items() if path in files or path.suffix != ".py"]
    after = {script.stem for script in asked if provenance.code_hash(script) != unedited[script]}
    path.write_text(text)
    assert after == set(rules.split())


def test_a_file_that_a_script_does_not_import_is_not_of_its_rule(scripts, unedited, reached):
    """What the test before takes for granted."""
    path = scripts / "herbarium/metrics/tagging/score.py"
    path.write_text(f"{(text := path.read_text())}\nADDED = 1\n")
    assert [
        script
        for script, code in unedited.items()
        if path not in reached[script] and provenance.code_hash(script) != code
    ] == []
    path.write_text(text)


def test_every_room_is_edited():
    # of core nearly everything is made; reruns.md, here, has edits of it
    assert {file.partition("/")[0] for file in EDITS} == ROOMS - {"core"}


@pytest.mark.parametrize("file", [file for file in EDITS if file.startswith("metrics/")])
def test_an_edit_of_a_metric_is_of_its_own_rules_alone(file):
    assert {RULES[rule] for rule in EDITS[file][2].split()} == {file.split("/")[1]}
