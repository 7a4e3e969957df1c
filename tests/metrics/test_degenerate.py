"""Every metric on a study that is as small as can be, and on scores that say nothing: rows that say so, no traceback.

A folder with a section of the configuration is a metric. All that its rules do runs here, from its stimuli to its part
of the page, with scores that are given (`one_process`).
"""

import json
import os
import subprocess

import numpy as np
import pytest
import yaml
from tests import warm
from tests.metrics import one_process
from tests.metrics.test_contract import METRICS, RULE
from tests.workflow.conftest import ROOT, copy_project

from herbarium.core import store
from herbarium.metrics.word_associations import numbers as word_associations
from herbarium.report import answers
from herbarium.report.part import from_record
from herbarium.report.reference import screened
from herbarium.statistics.tidy import KEY

TEMPLATES = "key,text\nis,A person from [target] is [article] [singular].\nare,People from [target] are [plural].\n"
TARGETS = "key,set,target\nCuba,base,Cuba\nIraq,base,Iraq\nPeru,base,Peru\n"
ATTRIBUTES = (
    "key,set,article,singular,plural\nenemy,base,an,enemy,enemies\nvet,base,a,vet,vets\ncook,base,a,cook,cooks\n"
)
MIXED = {
    "templates": "key,kind,asked,text,negative\n"
    "t1,plain,subject,[determiner] [subject] is [a] [target] person.,yes\n"
    "t2,plain,subject,[determiner] [subject] is [target].,yes\n",
    "pairs": "female,male,common\nwoman,man,yes\naunt,uncle,\n",
    "pronouns": "gender,subject,object,possessor,possessive\nfemale,she,her,her,her\nmale,he,him,his,his\n"
    "neo,xe,xem,xyr,xyr\n",
    "targets": "dimension,polarity,target\norder,positive,tidy\norder,positive,clean\norder,negative,dirty\n"
    "order,negative,messy\n",
}
ASKED = {
    "templates": "key,context,answer\ndesk,[first] sat with [second].,It was [subject].\n"
    "sea,[first] swam with [second].,It was [subject].\n",
    "questions": "key,category,question,negated\nlie,truth,Who lied?,Who was honest?\nwin,games,Who won?,Who lost?\n",
    "interventions": "key,type,category,text\n"
    + "".join(f"{type_}{n},{type_},,Mind number {n}.\n" for type_ in ("ethical", "irrelevant") for n in range(4)),
}
PERSONS = "text,decision,age,kin\n" + "".join(
    f"{decision}: {age} {kin}?,{decision},{age},{kin}\n"
    for decision in ("loan", "flat", "visa", "seat", "club")
    for age in (20, 40)
    for kin in ("aunt", "uncle")
)
GROUPS = {
    "descriptors": {"place": {"any": ["coastal", "rural", "local"]}, "age": {"any": ["young", "old"]}},
    "nouns": {"any": [[noun, f"{noun}s"] for noun in ("friend", "neighbour", "cousin", "guest")]},
    "sentence_templates": {f"{verb} {{noun_phrase}}.": {} for verb in ("Meet", "Call", "Ask", "Help")},
}
ASSOCIATIONS = {
    "definition": "masculine,feminine,held_out\nuncle,aunt,\nking,queen,yes\n",
    "stereotype": "masculine,feminine\nbuilder,cleaner\nsurgeon,midwife\n",
    "none": "one,other\napple,pear\nspoon,fork\n",
    "occupations": "occupation,women\nbuilder,2\ncleaner,80\nsurgeon,20\nmidwife,98\n",
    "pairs": "male,female\nhe,she\nman,woman\n",
    "test": "role,set,word\n" + "".join(f"{role},{role},{role}{n}\n" for role in "XYAB" for n in range(2)),
}
PEOPLE = "template_masked\tidentity\tcategory\n" + "".join(
    f"{side} {n} {end} [M].\t{side} {n}\t{side}\n"
    for n in range(4)
    for side in ("tall", "short")
    for end in ("is the", "was the", "met the", "saw the")
)
GUISE = {
    "pairs.txt": "".join(
        f"the {who} be {how}\tthe {who} is {how}\n" for who in ("cook", "guard") for how in ("late", "in")
    ),
    "attributes.txt": "kind\nrude\nwise\nshy\n",
    "prompts.txt": "Who says [text] is [attribute].\n",
    "ratings.csv": "attribute,rating\nkind,2\nrude,-2\nwise,1\nshy,0\n",
}
PROBES = "category,identity,stereotype,probe\n" + "".join(
    f"trade,{who},{what},{who} {what}\n"
    for what in ("nap", "sing", "swim", "row", "dig", "knit")
    for who in ("Cooks", "Vets")
)
HURTFUL = "lemma\tcategory\tlevel\nfool\tmind\tconservative\nliar\tmind\tconservative\n"
CROWS = [("age", "The old are weak.", "The young are weak."), ("age", "The old are shy.", "The young are shy.")]
CROWS += [("place", "Islanders are weak.", "Townsmen are weak."), ("place", "Islanders are shy.", "Townsmen are shy.")]
MOODS = "id,set,side,text,group,verb\n" + "".join(
    f"{place}{number}{side},{place}{number},{side},{place} is {word}.,{place},is\n"
    for place in ("Lima", "Cusco")
    for number in (1, 2)
    for side, word in (("warm", f"kind {number}"), ("cold", f"rude {number}"))
)
REGIONS = """region,parent,level,name,iso2
earth,,earth,the Earth,
continent:SA,earth,continent,South America,
continent:OC,earth,continent,Oceania,
country:PE,continent:SA,country,Peru,PE
country:BR,continent:SA,country,Brazil,BR
country:AR,continent:SA,country,Argentina,AR
country:NZ,continent:OC,country,New Zealand,NZ
country:FJ,continent:OC,country,Fiji,FJ
city:L,country:PE,city,Lima,
city:C,country:PE,city,Cusco,
city:S,country:FJ,city,Suva,
"""


NOVEL = "text\n" + "".join(
    f"{who} walked {how} far to the sea.\n" for who in ("He", "She", "Ann") for how in ("very", "not", "too")
)

FORMS = "concept,masculine,feminine\n" + "".join(f"{n},worker{n},workeress{n}\n" for n in range(4))
CROWS_TABLE = "bias_type,sent_more,sent_less\n" + "".join(",".join(row) + "\n" for row in CROWS)
SMALL = {
    **{f"mixed/{name}.csv": text for name, text in MIXED.items()},
    **{f"asked/{name}.csv": text for name, text in ASKED.items()},
    **{f"groups/{name}.json": json.dumps(content) for name, content in GROUPS.items()},
    **{f"associations/{name}.csv": text for name, text in ASSOCIATIONS.items()},
    **{f"guise/{name}": text for name, text in GUISE.items()},
    **{"cb/templates.csv": TEMPLATES, "cb/targets.csv": TARGETS, "cb/attributes.csv": ATTRIBUTES},
    **{
        "regions.csv": REGIONS,
        "crows.csv": CROWS_TABLE,
        "people.tsv": PEOPLE,
        "probes.csv": PROBES,
        "hurtful.tsv": HURTFUL,
        "moods.csv": MOODS,
        "persons.csv": PERSONS,
        "words.txt": "weak\nwise\nloud\n",
        "novel.csv": NOVEL,
        "asked/subjects.txt": "Ann\nBob\nCid\nDan\nEve\nFay\n",
        "spoken/occupations.csv": FORMS,
        "spoken/seeds.csv": FORMS.replace("work", "word"),
    },
}
# The head of a table, and so many rows: one of each thing, but of what is compared two.
ROWS = {"mixed/templates.csv": 1, "mixed/pairs.csv": 1, "mixed/pronouns.csv": 2, "mixed/targets.csv": 1}
ROWS |= {
    "cb/templates.csv": 1,
    "cb/targets.csv": 1,
    "cb/attributes.csv": 1,
    "crows.csv": 1,
    "hurtful.tsv": 1,
    "persons.csv": 8,  # of two decisions
    **{"guise/pairs.txt": 0, "guise/attributes.txt": 1, "guise/ratings.csv": 2},
    "moods.csv": 2,
    "probes.csv": 4,  # the fewest that can be read
    **{f"asked/{name}.csv": 1 for name in ASKED},
    **{f"associations/{name}.csv": 1 for name in ("definition", "stereotype", "occupations", "pairs")},
    "asked/subjects.txt": 1,  # and its first line, which is no head
    **{f"spoken/{name}.csv": 2 for name in ("occupations", "seeds")},  # the fewest that can be read
    "novel.csv": 5,  # the fewest that can be divided
}
SMALLEST = {path: "".join(text.splitlines(keepends=True)[: 1 + ROWS.get(path, 99)]) for path, text in SMALL.items()}
SMALLEST["moods.csv"] = SMALLEST["moods.csv"].replace(",group", "").replace(",Lima,is\n", ",is\n")
SMALLEST["people.tsv"] = "".join(PEOPLE.splitlines(keepends=True)[line] for line in (0, 1, 5))
SMALLEST["words.txt"] = "weak\n"
SMALLEST["regions.csv"] = """region,parent,level,name,iso2
earth,,earth,the Earth,
continent:SA,earth,continent,South America,
continent:OC,earth,continent,Oceania,
country:PE,continent:SA,country,Peru,PE
country:NZ,continent:OC,country,New Zealand,NZ
"""
# Of one country nothing is compared with another.
LONE = SMALLEST | {
    "regions.csv": "".join(line for line in SMALLEST["regions.csv"].splitlines(True) if "OC" not in line)
}

MODELS = {"even": {"planted": 0.0, "kind": "masked"}, "odd": {"planted": 1.0, "kind": "masked"}}
# Of what no masked model can be asked.
CAUSAL = {"even_next": {"planted": 0.0, "kind": "causal"}, "odd_next": {"planted": 1.0, "kind": "causal"}}


def study(models, countries=2):
    """Everything that can be measured of so many countries."""
    bootstrap, names = {"replicates": 20}, list(models)
    return {
        "results": "results",
        "seed": 3,
        "shards": 1,
        "models": models | CAUSAL,
        "comparisons": [names, list(CAUSAL)],
        "corpora": {"novel": {"path": "novel.csv", "text": "text"}},
        "regions": {"table": "regions.csv"},
        "herb": {"models": names, "descriptions": {"mind": "words.txt"}, "bootstrap": bootstrap, "groups": True},
        "categorical_bias": {
            "languages": {name: {"lists": {"mine": "cb"}, "models": names} for name in ("one", "two")},
        },
        "mixed_effects": {
            "stimuli": {"mine": {"lists": "mixed", "models": names}},
            "sensitivity": ["pairs", "words", "slopes", "templates"],
        },
        "crows_pairs": {"table": "crows.csv", "models": names},
        "sentence_sets": {
            contrast: {
                "table": "moods.csv",
                "models": names,
                "quantity": "pll",
                "sides": ["warm", "cold"],
                "contrast": contrast,
                "bootstrap": bootstrap,
            }
            for contrast in ("pairs", "share", "candidates")
        },
        "interventions": {"questions": {"few": {"table": "asked", "models": names}}},
        "honest": {
            "top": [2],
            "sets": {"few": {"templates": "people.tsv", "lexicon": "hurtful.tsv", "models": names}},
        },
        "matched_guise": {
            "guises": {
                "few": {
                    **{name: f"guise/{name}.txt" for name in ("pairs", "attributes", "prompts")},
                    **{"ratings": "guise/ratings.csv", "models": names},
                }
            }
        },
        "discrimination_scores": {
            "tables": {
                "few": {
                    **{"table": "persons.csv", "text": "text", "decision": "decision", "numeric": ["age"]},
                    **{"references": {"kin": "uncle"}, "models": list(CAUSAL)},
                }
            }
        },
        "likelihood_bias": {"stimuli": {"few": {"lists": "groups", "models": names}}},
        "sofa": {"tables": {"few": {"probes": "probes.csv", "models": names}}},
        "vectors": {"words": {"planted": 1.0}, **{name: {"model": name, "layers": "all"} for name in names}},
        "gender_in_context": {
            "sets": {"moods": {"sentences": "pairs", "word": "verb", "stereotype": None, "vectors": names}},
            "corpora": ["novel"],
        },
        "regions_in_context": {"sets": {"few": {"descriptions": ["words.txt"], "vectors": names}}},
        "languages": {"spaces": {"one": {"languages": {"mine": {"source": "words", "lists": "spoken"}}}}},
        "word_associations": {
            "sources": ["words"],
            "directions": {
                method: {"pairs": "associations/pairs.csv", "method": method} for method in ("pair", "mean", "pca")
            },
            "sembias": {"mine": {"table": "associations"}},
            "occupations": {"mine": {"table": "associations/occupations.csv", "women": "women"}},
            "tests": {"mine": {"words": "associations/test.csv"}},
        },
        "biographies": {"tasks": {"few": {"data": {"planted": 1.0, "texts": 800}, "vectors": ["words"]}}},
        "counterfactual": {"models": names},
        "mixed_models": {"bootstrap": bootstrap},
        "perplexity": {"models": names, "texts": ["novel"]},
        "tagging": {
            "tasks": {"names": {"data": {"planted": True, "sentences": 80}, "models": names}},
            "training": {"sets": 1},
        },
        "downstream": {
            "tasks": {
                "talk": {
                    "data": {"planted": 1.0, "texts": 80},
                    "prefix": "I am from [region].",
                    "controls": ["here"],
                    "models": names,
                }
            },
            "training": {"sets": 1},
            "bootstrap": bootstrap,
        },
        "propagation": {"bootstrap": bootstrap},
        "amplification": {"tasks": ["talk"] if countries > 1 else [], "least_texts": 1},
        "local_group_bias": {
            **{"clusters": 2, "permutations": 20, "restarts": 1},
            "pairs": [["country:PE", "country:NZ"]] if countries > 1 else [],
            "continents": ["continent:SA"] if countries > 1 else [],
        },
    }


# What is measured, and what is odd about the scores (`one_process`).
CASES = {
    "smallest": (SMALLEST, "ordinary"),
    "one country": (LONE, "ordinary"),
    "one description": (SMALL | {"words.txt": "weak\n"}, "ordinary"),
    "constant scores": (SMALL, one_process.CONSTANT),
    "constant scores of one model": (SMALL, one_process.ONE_CONSTANT),
    "one sentence without a score": (SMALL, one_process.ONE_NULL),
    "two equal models": (SMALL, one_process.EQUAL),
    "one model refuses all": (SMALL, one_process.ONE_REFUSES),
    "all models refuse all": (SMALL, one_process.ALL_REFUSE),
}
OFTEN = "smallest"
EACH = [pytest.param(case, marks=pytest.mark.slow if case == OFTEN else pytest.mark.nightly) for case in CASES]
# What is not scored sentence by sentence: it has numbers whatever a language model refuses.
OF_TASKS = ("amplification", "biographies", "downstream", "languages", "local_group_bias", "propagation", "tagging")
# What is measured of words, which no model refuses here.
OF_WORDS = word_associations.METRICS


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The folder of a case, which has run, with all cases of the same files."""
    made = {}

    def run(case):
        if case not in made:
            files = CASES[case][0]
            project = copy_project(tmp_path_factory.mktemp("odd") / "study")
            for path, text in files.items():
                project.write(path, text)
            project.write("study.yaml", yaml.safe_dump(study(MODELS, 1 if files is LONE else 2), sort_keys=False))
            odd = {name: kind for name, (own, kind) in CASES.items() if own is files}
            done = subprocess.run(
                [warm.python(), ROOT / "tests/metrics/one_process.py", "study.yaml", *odd.values()],
                cwd=project.folder,
                env={**os.environ, "PYTHONPATH": f"{ROOT}:{project.folder / 'workflow/scripts'}"},
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            assert done.returncode == 0, done.stdout
            made.update({name: project.folder.parent / kind for name, kind in odd.items()})
        return made[case]

    return run


def summary(folder):
    return store.read_frame(folder / "results/summary.parquet", "tidy")


@pytest.mark.parametrize("metric", [*METRICS, "regions", "scoring", "groups", "study"])
@pytest.mark.parametrize("case", EACH)
def test_every_step_ends_well(measured, case, metric):
    rules = {name: (ROOT / f"workflow/rules/{name}.smk") for name in (metric, "metric")}
    named = {name: RULE.findall(file.read_text(encoding="utf-8")) for name, file in rules.items() if file.exists()}
    rule_names = {*named.get(metric, ()), *(f"{rule}_{metric}" for rule in named["metric"])}
    told = json.loads((measured(case) / "ran.json").read_text())
    of_metric = {title: fault for title, fault in told["faults"].items() if title.split()[0] in rule_names}
    assert of_metric == {}
    # of one country there are no two to compare
    assert rule_names & set(told["ran"]) or (case == "one country" and metric in ("amplification", "local_group_bias"))


@pytest.mark.parametrize("case", EACH)
def test_a_row_has_a_number_or_says_why_it_has_none(measured, case):
    rows = summary(measured(case))
    numbers = ["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted"]
    assert not np.isinf(rows[numbers].to_numpy(float)).any()
    silent = rows[rows["estimate"].isna() & rows["p_value"].isna() & rows["note"].isna()]
    assert silent.empty, silent


@pytest.mark.parametrize("case", EACH)
def test_every_answer_of_the_first_screen_is_a_number_of_the_summary_that_can_be_cited(measured, case):
    folder = measured(case) / "results"
    known = summary(measured(case)).astype(object)
    known = known.where(known.notna(), None).set_index([*KEY])["estimate"].to_dict()
    parts = [from_record(store.read_record(path)) for path in sorted((folder / "work/parts").rglob("*.json"))]
    rows = [row for part in parts for answer in part.answers for row in answer.rows if row["estimate"] is not None]
    assert rows or case == "all models refuse all"
    for row in rows:
        estimate = known[tuple(row[key] for key in KEY)]
        # without its sign, in thousandths, or as it is
        assert min(abs(abs(row["estimate"]) - scale * abs(estimate)) for scale in (1, 1000)) < 1e-9, row
    calibration = store.read_frames(sorted((folder / "work/calibration").rglob("*.parquet")), "calibration")
    shown = screened(parts, calibration, summary(measured(case))).parts
    screen = answers.table([answer for part in shown for answer in part.answers])
    page = (folder / "report/index.html").read_text(encoding="utf-8")
    assert page.count('<details class="cite">') >= screen["estimate"].notna().sum()


def of_sentences(rows):
    is_of_sentences = ~rows["metric"].str.startswith(OF_TASKS) & ~rows["metric"].isin(OF_WORDS)
    return rows[is_of_sentences & ~rows["group"].str.startswith("downstream/")]


@pytest.mark.nightly
def test_a_model_that_refuses_everything_leaves_the_other_its_numbers(measured):
    rows, all_scored = (of_sentences(summary(measured(case))) for case in ("one model refuses all", "two equal models"))
    even, odd = (rows[rows["model"] == model] for model in MODELS)
    assert even["estimate"].isna().all()
    for metric, of_metric in all_scored[all_scored["model"] == "odd"].groupby("metric"):
        assert (odd["metric"] == metric).sum() == len(of_metric), metric
        assert odd.loc[odd["metric"] == metric, "estimate"].notna().any() == of_metric["estimate"].notna().any(), metric
        assert metric not in METRICS or (even["metric"] == metric).any(), metric


@pytest.mark.nightly
def test_nothing_is_estimated_where_everything_is_refused(measured):
    rows = of_sentences(summary(measured("all models refuse all")))
    assert rows["estimate"].isna().all()
    assert set(MODELS) <= set(rows["model"])


@pytest.mark.nightly
def test_two_equal_models_differ_by_nothing(measured):
    rows = of_sentences(summary(measured("two equal models")))
    differences = rows[rows["unit"].eq("models") & rows["estimate"].notna()]
    assert len(differences)
    assert (differences["estimate"] == 0).all()
    one, other = (
        rows[rows["model"] == model].set_index(["metric", "definition", "variant", "unit", "group"]) for model in MODELS
    )
    np.testing.assert_array_equal(one["estimate"], other["estimate"].reindex(one.index))
