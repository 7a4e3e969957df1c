import numpy as np
import pandas as pd
from tests.metrics.categorical_bias import figure_toys, test_differences, test_divergences, test_numbers
from tests.metrics.examples import LOST, MARKUP, MODELS, pictures

from herbarium.metrics.categorical_bias.report import part as of_page
from herbarium.statistics.tidy import TIDY

SECTION = {
    "ddof": 1,
    "languages": {
        "greek": {"lists": {"ours": "a", "theirs": "b"}, "models": ["strong", "none", MARKUP]},
        "korean": {"lists": {"ours": "c"}, "models": ["none"]},
    },
    "level": 0.9,
    "tests": {"permutations": 99, "correction": "fdr_bh"},
}
MEASURED = [("greek", "strong"), ("greek", "none"), ("greek", MARKUP), ("korean", "none")]
REMARKS = pd.DataFrame(
    [("greek", "ours", "targets", "Cuba", "a <sign>")], columns=["language", "list", "table", "key", "remark"]
)
FIGURES = pictures(**{f"categorical_bias_{name}": make() for name, make in figure_toys.TABLES.items()})


def row(model, group, variant, estimate, low=None, high=None, **more):
    columns = {"model": model, "metric": "categorical_bias", "definition": "paper", "unit": "list", "group": group}
    columns |= {"variant": variant, "estimate": estimate, "ci_low": low, "ci_high": high, "n": 30}
    return columns | more


def tidy(*more):
    rows = []
    for i, (language, model) in enumerate(MEASURED):
        for name in SECTION["languages"][language]["lists"]:
            place, cb = (model, f"{language}/{name}"), 1.25 / 10**i
            rows += [
                row(*place, "cb", cb, 0.8 * cb, 1.2 * cb),
                row(*place, "cb", 100 * cb, 80 * cb, 120 * cb, definition="released"),
                row(*place, "cb_equal_length", 0.5 * cb, 0.4 * cb, 0.6 * cb),
                row(*place, "length_share", 0.5, 0.1, 0.7),
                row(model, f"{language}/{name}/Cuba", "n_tokens", 1.5, unit="target"),
                *(row(*place, f"part_{part_name}", 0.25 * cb, 0.2 * cb, 0.3 * cb) for part_name in of_page.PARTS),
                row(*place, "cross_form", cb / 2, 0.4 * cb, cb, p_value=0.01, p_adjusted=0.0321, note="50 attributes"),
                row(*place, "cross_form_bound", 0.9 * cb),
            ]
    return pd.DataFrame([*rows, *more]).reindex(columns=TIDY.fields.names)


def of_causal(associations):
    return associations[associations["definition"] == "paper"].assign(definition="whole")


def written():
    """About small studies, those of the metric's own tests, of masked and of causal models."""
    toy = test_numbers
    log_p = np.random.default_rng(0).normal(size=(3, 8, 5))
    for definitions in (("paper", "released"), ("whole",)):
        rows = [toy.associations(toy.lists(), log_p, definition=definition) for definition in definitions]
        yield toy.measured(toy.lists(), pd.concat(rows))[0]
    associations, cut = test_differences.study()
    for table in (associations, of_causal(associations)):
        yield test_differences.differences((table, cut), method="fdr_bh")
    toy = test_divergences
    pairs = [(model, language) for language, item in toy.LANGUAGES.items() for model in item["models"]]
    given = {pair: toy.associations(pair[1], seed) for seed, pair in enumerate(pairs)}
    yield toy.measure(given)
    yield toy.measure({pair: of_causal(table) for pair, table in given.items()})


def part_of(numbers, remarks=REMARKS, drawn=FIGURES, section=SECTION):
    return of_page.part(numbers, MODELS, drawn, remarks, section)


def part():
    difference = row("strong − none", "greek/ours", "cross_form", -0.5, -0.9, -0.1, unit="models", p_adjusted=0.04)
    divergence = row("none", "greek − korean", "jsd", 0.25, 0.2, 0.3, unit="languages")
    numbers = tidy(
        difference | {"metric": "categorical_bias_differences"}, divergence | {"metric": "categorical_bias_divergences"}
    )
    numbers.loc[0, "note"] = "without Cuba: sentences were refused"
    return part_of(numbers)


def lost_part():
    empty = {
        f"categorical_bias_{name}": pd.DataFrame(columns=of_page.FIGURES[name].COLUMNS) for name in of_page.FIGURES
    }
    return part_of(tidy().assign(**LOST), REMARKS[:0], pictures(**empty))
