"""What every metric brings, whichever it is: a folder with a section of the configuration is a metric."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from studies.validity import run
from tests.metrics import examples
from tests.metrics.cards import cards, pattern
from tests.workflow.conftest import copy_project

from herbarium.core.files import placed
from herbarium.core.section import Section
from herbarium.core.targets import Source, Targets, figure_files
from herbarium.study import config
from herbarium.study import targets as of_study

LIBRARY = Path("workflow/scripts/herbarium/metrics")
METRICS = sorted(path.parent.name for path in LIBRARY.glob("*/section.py"))
# Folders of resources that no metric has to itself.
SHARED_RESOURCES = {
    "changes",
    "comparison",
    "groups",
    "maps",
    "published",
    "regions",
    "reliability",
    "sets",
    "stand_ins",
    "swaps",
    "vectors",
    "verdicts",
}
RULE = re.compile(r"^(?:use rule \w+ as|rule) (\w+)", re.MULTILINE)
# What the demo does not measure.
FURTHER = {
    "amplification": {
        "tasks": ["reviews"],
        "ratios": {"vsrl-dev": {"table": "ratios.csv"}},
        "structured": {"planted-field": {"planted": 2}},
    },
    "counterfactual": {"models": ["planted-none"]},
    "interventions": {"questions": {"few": {"table": "resources/interventions/demo", "models": ["planted-none"]}}},
    "likelihood_bias": {"stimuli": {"few": {"lists": "resources/likelihood_bias/demo", "models": ["planted-none"]}}},
    "sofa": {"tables": {"few": {"probes": "resources/sofa/demo.csv", "models": ["planted-none"]}}},
    "vectors": {
        "layers": {"model": "planted-none", "layers": "all"},
        "english": {"planted": 0.0},
        "spanish": {"planted": 1.0, "rotated": True},
    },
    "gender_in_context": {"sets": {"moods": {"sentences": "moods", "word": "word", "vectors": ["layers"]}}},
    "regions_in_context": {"sets": {"few": {"stereotypes": "planted", "vectors": ["layers"]}}},
    "languages": {
        "spaces": {
            "both": {
                "languages": {
                    name: {"source": name, "lists": f"resources/languages/{name}"} for name in ("english", "spanish")
                },
                "alignments": [
                    {
                        **{"language": "spanish", "pivot": "english"},
                        **{name: f"resources/languages/demo/spanish-english.{name}.txt" for name in ("train", "test")},
                    }
                ],
            }
        }
    },
    "biographies": {"tasks": {"few": {"data": {"planted": 1.0}, "vectors": ["layers"], "models": ["planted-none"]}}},
    "tagging": {"tasks": {"names": {"data": {"planted": True}, "models": ["planted-none"]}}},
    "word_associations": {"sources": ["spanish"], "sembias": {"own": {"table": "resources/word_associations/sembias"}}},
    "crows_pairs": {"table": "pairs.csv", "models": ["planted-none"]},
    "sentence_sets": {
        "moods": {
            "table": "moods.csv",
            "models": ["planted-none"],
            "quantity": "pll",
            "sides": ["warm", "cold"],
        }
    },
}
TABLES = {
    "ratios.csv": ",verb,training_ratio,gender_ratio_before_RBA,gender_ratio_after_RBA\n0,a,0.7,0.9,0.8\n",
    "pairs.csv": "sent_more,sent_less,stereo_antistereo,bias_type\nShe is weak.,He is weak.,stereo,gender\n",
    "moods.csv": "id,set,side,text,word\na,1,warm,People are kind.,people\nb,1,cold,People are rude.,people\n",
}


def module(metric, name):
    return import_module(f"herbarium.metrics.{metric}.{name}")


def declared(metric):
    """What says what it makes: its declaration, or its targets."""
    return module(metric, "metric" if (LIBRARY / metric / "metric.py").exists() else "targets")


def is_of_others(metric):
    """Whether it is of what all other metrics have models score: its own rules add what it asks for."""
    return "asked" in inspect.signature(declared(metric).targets).parameters


def targets_of(metric, study):
    others = [of_study.of(study)] if is_of_others(metric) else []
    return declared(metric).targets(study, *others)


def all_tests(metric):
    """The text of all tests of a metric."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(Path(f"tests/metrics/{metric}").glob("*.py")))


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A copy of the project whose study measures everything, and the file and rule of every job of a run."""
    project = copy_project(tmp_path_factory.mktemp("contract"))
    study = yaml.safe_load(Path("config/demo_full.yaml").read_text(encoding="utf-8")) | FURTHER
    project.write("study.yaml", yaml.safe_dump(study))
    for name, text in TABLES.items():
        project.write(name, text)
    matches = re.findall(r"^(\S+)\t\S+\t(\w+)\t", project.run("--summary"), re.MULTILINE)
    return project, dict(matches)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """What that study asks for, by metric."""
    folder = tmp_path_factory.mktemp("tables")
    for name, text in TABLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    study = yaml.safe_load(Path("config/demo_full.yaml").read_text(encoding="utf-8")) | FURTHER
    study = yaml.safe_load(re.sub(rf"\b({'|'.join(TABLES)})\b", rf"{folder}/\1", yaml.safe_dump(study)))
    loaded = config.load(study, [])
    return {metric: targets_of(metric, loaded) for metric in METRICS}


def files(targets: Targets) -> list[str]:
    """Every file that the rules of the metric itself must make."""
    return [
        *(f"<work>/stimuli/{name}/{shard}.parquet" for name, n in targets.shards.items() for shard in range(n)),
        *(file for of_model in targets.planted.values() for file in of_model),
        *targets.grouped.values(),
        *(file for kind in ("fits", "numbers", "replicates", "published") for file in getattr(targets, kind)),
        *(file for kind in ("calibration", "items", "tables", "parts") for file in getattr(targets, kind)),
        *figure_files(*targets.figures),
    ]


def test_every_metric_is_assembled():
    assembled = [metric.__name__.split(".")[-2] for metric in of_study.METRICS]
    assert sorted([*assembled, *filter(is_of_others, METRICS)]) == METRICS


@pytest.mark.parametrize("metric", METRICS)
def test_it_has_a_section_of_the_configuration(metric):
    sections = [
        name
        for name, getmember in inspect.getmembers(module(metric, "section"), inspect.isclass)
        if issubclass(getmember, Section) and getmember.__module__ == f"herbarium.metrics.{metric}.section"
    ]
    assert sections
    assert metric in config.Study.model_fields


@pytest.mark.parametrize("metric", METRICS)
def test_it_has_its_page_and_tests(metric):
    assert Path(f"docs/metrics/{metric}.md").exists()
    assert Path(f"tests/metrics/{metric}/test_targets.py").exists()
    assert metric in examples.METRICS or "assert_cards(" in all_tests(metric)


@pytest.mark.parametrize("metric", METRICS)
def test_its_page_says_what_leads_and_what_it_is_meant_to_measure(metric):
    text = Path(f"docs/metrics/{metric}.md").read_text(encoding="utf-8")
    assert re.search(r"^\| primary number \|", text, re.MULTILINE)
    assert re.search(rf"^\| keys \| .*`{metric}\b", text, re.MULTILINE)
    assert "validity.csv" in text
    for word in ("onceptualisation", "perationalisation", "Harm"):
        assert word in text or metric == "sentence_sets", word  # of which the construct is the user's own


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_its_error_rates_stand_on_the_page(asked, metric):
    simulated = [str(path) for path in Path(f"resources/{metric}").glob("validity.csv")]
    assert asked[metric].validity == simulated
    assert (metric in run.METRICS) == bool(simulated)


def test_resources_are_of_a_metric_or_of_all():
    folders = {path.name for path in Path("resources").iterdir() if path.is_dir()}
    assert folders - SHARED_RESOURCES <= set(METRICS)


def in_lines(targets):
    """Everything that is asked for, one a line, by kind."""
    lines = []
    for kind, value in vars(targets).items():
        entries = [_line(*entry) for entry in value.items()] if isinstance(value, dict) else map(_line, value)
        lines += [f"{kind}:", *(f"  {entry}" for entry in entries)] if value else []
    return "\n".join(lines) + "\n"


def _line(name, more=()):
    if isinstance(name, Source):
        return f"{name.key}: {name.rule} {dict(name.wildcards)}"
    parts = [name if isinstance(name, str) else " × ".join(name)]
    return ": ".join([*parts, *([str(more)] if isinstance(more, str | int) else [", ".join(more)] if more else [])])


@pytest.mark.parametrize("metric", METRICS)
def test_it_asks_for_what_it_asked_for(metric, asked, text_snapshot):
    assert in_lines(asked[metric]) == text_snapshot


@pytest.mark.parametrize("metric", METRICS)
def test_a_study_that_does_not_ask_for_it_makes_none_of_its_files(metric):
    study = config.load({"models": {"tiny": {"planted": 0.0, "kind": "masked"}}}, [])
    assert targets_of(metric, study) == Targets()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.slow
def test_rules_of_its_own_make_all_that_it_asks_for(metric, full, asked):
    _, rule_of = full
    files_of_rules = [Path(f"workflow/rules/{name}.smk") for name in (metric, "metric")]
    rule_files = {rule for file in files_of_rules if file.exists() for rule in RULE.findall(file.read_text())}
    wanted = [placed(file, "results/demo_full") for file in files(asked[metric])]
    assert wanted
    assert [file for file in wanted if rule_of.get(file) not in rule_files] == []
    assert len(set(wanted)) == len(wanted)
    named = {f"{metric}.json"} if asked[metric].parts else set()
    assert {Path(part).name for part in asked[metric].parts} == named


def test_no_two_metrics_ask_for_the_same_file(asked):
    everything = [file for targets in asked.values() for file in files(targets)]
    assert len(set(everything)) == len(everything)


def metrics_in_the_code(metric):
    """The values of the tidy column `metric` that its modules write: `assign(metric=…)`, or the key of a row."""
    trees = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in (LIBRARY / metric).glob("*.py")}
    constants = {
        f"{module}.{target.id}": node.value.value
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    result = set()
    for module, node in ((module, node) for module, tree in trees.items() for node in ast.walk(tree)):
        values = []
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "assign":
            values = [keyword.value for keyword in node.keywords if keyword.arg == "metric"]
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            values = [value for key, value in pairs if getattr(key, "value", None) == "metric"]
        for value in values:
            name = ast.unparse(value)
            is_constant = isinstance(value, ast.Constant)
            result.add(value.value if is_constant else constants.get(name if "." in name else f"{module}.{name}"))
    return result - {None}


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_every_name_that_its_numbers_have_has_a_card(metric):
    known = [pattern(name, {}) for name in cards(metric)["metric"].unique()]
    assert known
    assert [
        name for name in metrics_in_the_code(metric) if not any(name_pattern.fullmatch(name) for name_pattern in known)
    ] == []


def test_no_two_metrics_have_numbers_of_one_name():
    names = [name for metric in METRICS for name in cards(metric)["metric"].unique()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("metric", METRICS)
def test_its_part_of_the_page_is_one_that_the_page_knows(metric):
    """What a part says is looked at where there are numbers: in `test_examples.py`."""
    if not (LIBRARY / metric / "report").exists():
        pytest.skip("it has no part")
    part = inspect.signature(module(metric, "report.part").part)
    assert part.return_annotation.__name__ == "Part"
    for template in ("part", "overview", "limits"):
        assert (LIBRARY / metric / "report" / f"{template}.html.j2").exists()
    assert metric in examples.METRICS or "assert_part(" in all_tests(metric)
