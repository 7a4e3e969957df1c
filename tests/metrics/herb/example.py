import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from tests.conftest import model_record
from tests.metrics.examples import LOST, MODELS, pictures
from tests.metrics.herb import test_crossed, test_space, test_toxic
from tests.metrics.herb.conftest import small_study

from herbarium.core.resources import read_table
from herbarium.metrics.herb import ablations, contiguous, crossed, differences, hierarchy, score
from herbarium.metrics.herb import numbers as herb_numbers
from herbarium.metrics.herb import space as space_metric
from herbarium.metrics.herb.figures import continents, heatmap, map, ranking, space, toxic, words
from herbarium.metrics.herb.published import implied_mean_distance
from herbarium.metrics.herb.report import part as of_page
from herbarium.metrics.herb.selection import select
from herbarium.metrics.herb.stimuli import DEPARTURES
from herbarium.regions import levels
from herbarium.statistics.tidy import TIDY

COUNTRIES = json.loads(Path("resources/maps/countries.geojson").read_text())
REGIONS = pd.DataFrame(
    [
        ("earth", None, "earth", "the Earth", None),
        ("continent:AF", "earth", "continent", "Africa", None),
        ("continent:EU", "earth", "continent", "Europe", None),
        ("country:NA", "continent:AF", "country", "Namibia", "NA"),
        ("country:AD", "continent:EU", "country", "Andorra", "AD"),
    ],
    columns=["region", "parent", "level", "name", "iso2"],
)
TOP = ["earth", "continent:AF", "continent:EU"]
VARIANTS = ("C_w", "C_w_size_free", "C_z", "C_z_size_free")
SECTION = {
    "bootstrap": {"replicates": 200, "level": 0.95},
    "tests": {"permutations": 999, "correction": "holm"},
    "countries_only": [],
    "template": "[region] is [description].",
}
RECIPE = {"recipe": "toxic", "epochs": 2, "sentences": 20, "learning_rate": 5e-5, "batch_size": 32}
PLANTED = {"weak": 0.5, "strong": 2.0, "none": 0.0}
# With what a page says of the models of a study.
PLANTED_MODELS = [
    model_record(name, strength) | {"max_tokens": 512, "tokenizer_hash": "abc"} for name, strength in PLANTED.items()
]
NAMES = {"C": ablations.SCORES, "score": score.VARIANTS}
BOOTSTRAP = {"replicates": 10, "level": 0.9}
QUICK = "fdr_bh"  # for Holm's, statsmodels collects garbage at every call


def written():
    """About small studies, those of the metric's own tests."""
    small = small_study()
    study = {"regions": small.regions, "topics": small.topics}
    both = {
        model: herb_numbers.resample(
            model, **study, likelihoods=small.likelihoods(noise=noise), bootstrap=BOOTSTRAP, seed=1
        )
        for model, noise in (("a", 0.0), ("b", 0.5))
    }
    numbers = [herb_numbers.numbers(resampled, 0.9) for resampled in both.values()]
    replicates = pd.concat([herb_numbers.replicates(resampled) for resampled in both.values()])
    yield from numbers
    yield herb_numbers.intervals(both["a"], 0.9)
    regions, tables = test_crossed.study()
    distances = [crossed.measure(model, regions, test_crossed.TOPICS, tables, 0.9) for model in "ab"]
    yield distances[0].numbers
    yield crossed.conditional("a", regions, test_crossed.TOPICS, next(iter(tables.values())), 0.9)
    nowhere = pd.DataFrame(columns=["x", "y", "z"], dtype=float)
    yield contiguous.measure("a", regions, test_crossed.TOPICS, tables, nowhere, np.random.default_rng(0))
    of_models = (pd.concat([getattr(distance, name) for distance in distances]) for name in ("numbers", "influences"))
    yield differences.of_crossed(*of_models, 0.9, QUICK)
    yield differences.differences(pd.concat(numbers), replicates, small.regions, 0.9, QUICK)
    selected = select(small.regions, small.topics, small.likelihoods())
    tokens = dict.fromkeys(small.regions["name"], 1)
    yield hierarchy.measure("a", selected, tokens, 9, BOOTSTRAP, QUICK, 1)
    wordings = ["paper", "template_other", *DEPARTURES, "released", "name_official", "substitutes", "conditional"]
    yield ablations.ablate(
        "a",
        **study,
        likelihoods={wording: small.likelihoods(seed) for seed, wording in enumerate(wordings)},
        substituted=list(small.topics),
        departures=[*score.DEPARTURES, *DEPARTURES],
        bootstrap=BOOTSTRAP,
        seed=1,
    )
    yield test_space.measure(list("aabb") * 4, test_space.points(16)).reset_index()
    yield test_toxic.measured()


def summary(models, size=None):
    """Numbers without a pattern; `size` sets the crossed distance and size-free C_w of a model in every region."""
    random = np.random.default_rng(0)
    rows = []
    for model in models:
        for region in [*TOP, "country:NA"]:
            for variant in (*VARIANTS, crossed.VARIANT):
                estimate = 10 ** random.uniform(-6, -1)
                if size and variant in ("C_w_size_free", crossed.VARIANT):
                    estimate = size[model]
                is_crossed = variant == crossed.VARIANT
                rows.append(
                    {
                        "model": model,
                        "metric": crossed.METRIC if is_crossed else "herb",
                        "definition": crossed.DEFINITION if is_crossed else "paper",
                        "variant": variant,
                        "unit": "level",
                        "group": region,
                        "estimate": estimate,
                        "ci_low": 0.9 * estimate,
                        "ci_high": 1.1 * estimate,
                        "n": int(random.integers(2, 60)),
                        "note": "<b>one city</b>" if region == "country:NA" and not is_crossed else None,
                    }
                )
        chosen = [row for row in rows if row["model"] == model]
        of_root = next(row for row in chosen if (row["group"], row["variant"]) == (TOP[0], crossed.VARIANT))
        rows += [
            of_root | {"variant": contiguous.VARIANT, "ci_low": None, "ci_high": None, "p_value": 0.012},
            of_root | {"variant": crossed.GIVEN_F_NAME},
            of_root | {"variant": crossed.LEAST_BOUND, "ci_low": None, "ci_high": None},
        ]
    return pd.DataFrame(rows).reindex(columns=TIDY.fields.names)


@cache
def implied():
    published, n_countries = (read_table(f"resources/herb/published{name}.csv") for name in ("", "_regions"))
    return implied_mean_distance(published, n_countries.set_index("continent")["n"])


def part_of(tidy, models=PLANTED_MODELS, regions=REGIONS, trainings=None, likely=-4, **section):
    columns = pd.MultiIndex.from_tuples([("looks", "bald"), ("mind", "wise")], names=["topic", "description"])
    index = pd.Index(regions.loc[regions["parent"].notna(), "region"], name="region")
    f = pd.DataFrame(np.random.default_rng(1).normal(likely, 1, (len(index), 2)), index, columns)
    f_by_model = {model["name"]: f for model in models}
    embeddings = pd.DataFrame({"region": [], "n_tokens": [], "representation": [], "note": []}, dtype=object)
    embeddings_by_model = {model["name"]: embeddings for model in models}
    countries = levels.countries(regions)
    planes = [space_metric.measure(model["name"], countries, embeddings, np.random.default_rng(0)) for model in models]
    tables = {
        "continents": continents.table(tidy, regions, models),
        "map": map.table(f_by_model, regions, models, "bald", COUNTRIES),
        "ranking": ranking.table(f_by_model, regions, models, "bald"),
        "heatmap": heatmap.table(f_by_model, levels.continents(regions), models),
        "words": words.table(f_by_model, regions, models),
        "space": space.table(embeddings_by_model, regions, models, COUNTRIES, seed=0),
    }
    if trainings:
        tables["toxic"] = toxic.table(tidy, regions, models)
    drawn = pictures(**{f"herb_{name}": table for name, table in tables.items()})
    numbers = pd.concat([tidy, *planes])
    return of_page.part(numbers, regions, models, drawn, implied(), SECTION | section, trainings or {})


def trained(model, by_region):
    """Rows of a model that was trained for two epochs: its size-free C_w before and after the last, by region."""
    rows = []
    for region, (before, after) in by_region.items():
        numbers = {
            "epoch_00": before,
            "epoch_01": 0.5,
            "epoch_02": after,
            "change": after - before,
            "kendall_tau": -0.5,
        }
        for variant, value in numbers.items():
            interval = {"estimate": value, "ci_low": value - 0.001, "ci_high": value + 0.001}
            row = {"model": model, "metric": "herb_toxic", "definition": "paper", "group": region, "unit": "level"}
            rows.append({**row, "variant": f"C_w_size_free_{variant}", **interval, "n": 3})
    return pd.DataFrame(rows).reindex(columns=TIDY.fields.names)


def rows_of(metric, *rows):
    """Tidy rows of the root: model, variant, estimate, bounds, and what else is given."""
    names = ["model", "variant", "estimate", "ci_low", "ci_high"]
    defaults = {"metric": metric, "definition": "paper", "unit": "level", "group": "earth"}
    table = pd.DataFrame([{**defaults, **dict(zip(names, row, strict=False)), **more} for *row, more in rows])
    return table.reindex(columns=TIDY.fields.names)


def of_intervals():
    in_africa = {"group": "continent:AF", "n": 6}
    return rows_of(
        "herb_intervals",
        ("none", "C_w_size_free_over_sub_regions", 0.25, 0.2, 0.3, in_africa),
        ("strong", "C_w_size_free_over_sub_regions", 0.5, 0.4, 0.6, in_africa),
        ("none", "C_w_over_sub_regions", 0.5, 0.4, 0.6, in_africa),
    )


def of_wordings():
    return rows_of(
        "herb",
        ("none", "C_w_size_free", 0.25, 0.2, 0.3, {}),
        ("none", "C_w_size_free_template_from", 0.125, 0.1, 0.15, {}),
        ("none", "C_w_size_free_templates_pooled", 0.2, 0.1, 0.3, {}),
        ("none", "C_w_size_free_templates_variance", 4e-4, 1e-4, 9e-4, {}),
        ("strong", "C_w_size_free", 0.5, 0.4, 0.6, {}),
        ("strong", "C_w_size_free_template_from", None, None, None, {"note": "<i>refused</i>"}),
    )


def of_released():
    departed = {"unit_V": 0.0099, "raw_top": 0.04, "pad_mean": 0.001, "released aggregation": 0.05, "released": 0.002}
    return rows_of(
        "herb",
        ("none", "C_w", 0.01, 0.009, 0.011, {}),
        *(("none", "C_w", value, value / 2, value * 2, {"definition": name}) for name, value in departed.items()),
        ("strong", "C_w", 0.02, 0.01, 0.03, {}),
        ("strong", "C_w", 0.019, 0.01, 0.03, {"definition": "pad_mean"}),
        ("none", "C_w", 0.003, 0.002, 0.004, {"definition": "released", "group": "continent:AF"}),
    )


def of_hierarchy():
    return rows_of(
        "herb_hierarchy",
        ("strong", "effect", 0.125, 0.1, 0.15, {"unit": "country", "p_value": 0.001, "p_adjusted": 0.002}),
        ("strong", "effect", None, None, None, {"unit": "city", "note": "not tested"}),
        ("strong", "within", 0.3, 0.2, 0.4, {"unit": "country"}),
        ("none", "effect", -0.02, -0.03, -0.01, {"unit": "country", "p_value": 0.5, "p_adjusted": 1}),
    )


def of_differences():
    pair, tested = "none − strong", {"unit": "models", "p_value": 0.01, "p_adjusted": 0.02}
    return rows_of(
        "herb_differences",
        (pair, "C_w_size_free_over_descriptions", -0.25, -0.3, -0.125, tested),
        (pair, "C_w_size_free_over_descriptions", -0.5, -0.6, -0.4, {**tested, "group": "continent:AF"}),
        (pair, "D2_over_names", -0.02, -0.03, -0.01, {"unit": "models", "p_value": 1e-5, "p_adjusted": 1e-4}),
    )


def with_scores(*parts, models=("none", "strong")):
    """The parts beside the scores that every page needs; a part's own come first."""
    tidy = pd.concat([summary(models), *parts])
    return tidy.drop_duplicates(["model", "metric", "definition", "variant", "unit", "group"], keep="last")


def part():
    toxic_rows = trained("none", {"earth": (0.25, 0.375), "continent:AF": (0.1, 0.05)})
    parts = [of_intervals(), of_wordings(), of_released(), of_hierarchy(), of_differences(), toxic_rows]
    rows = with_scores(*parts, models=[model["name"] for model in MODELS])
    return part_of(rows, MODELS, trainings={"none": RECIPE})


def lost_part():
    return part_of(summary(PLANTED).assign(**LOST), likely=np.nan)
