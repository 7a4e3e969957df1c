"""The part of the report on how sure the whole study is: facts here, sentences in `certainty.html.j2`."""

import pandas as pd

from herbarium.metrics.mixed_effects.report import part as mixed_effects
from herbarium.page.build import Part

CORRECTIONS = {"holm": "Holm", "fdr_bh": "Benjamini and Hochberg"}
# Metric -> its name on the page, the part that has its numbers, and over what its p-values are adjusted, by which key
# of the configuration (None: in one way always).
METRICS = {
    "herb": ("HERB", "herb", "", None),
    "herb_intervals": ("HERB, intervals by source", "firm", "", None),
    "herb_differences": (
        "HERB, differences",
        "firm",
        "all pairs of models and all regions, or all pairs of continents of a model, by score",
        "herb",
    ),
    "herb_hierarchy": ("HERB, test of the hierarchy", "firm", "the levels of a model", "herb"),
    "herb_space": ("HERB, names as a model represents them", "herb", "the two tests of a model", None),
    "herb_toxic": ("HERB, toxic training", "toxic", "", None),
    "categorical_bias": ("Categorical Bias", "ethnic", "the tests of a model and language", "categorical_bias"),
    "categorical_bias_differences": (
        *("Categorical Bias, differences", "ethnic-firm"),
        *("differences of one kind: of models, of languages, of lists", "categorical_bias"),
    ),
    "categorical_bias_divergences": ("Categorical Bias, divergences", "ethnic-firm", "", None),
    "mixed_effects": (
        *("Mixed effects", "mixed"),
        *("all models and dimensions of one question: probe, sentences, random effects, contrast", "mixed_effects"),
    ),
    "crows_pairs": ("CrowS-Pairs", "mixed-firm", "", None),
    "downstream": ("Tasks", "downstream-findings", "the names of a kind, of one model and task", "downstream"),
    "propagation": (
        "Tasks, correlations",
        "downstream-intrinsic",
        "the correlations of a model and task, or of a task over models",
        "downstream",
    ),
    "local_group_bias": ("Tasks, local groups", "downstream-local", "", None),
}
_ALWAYS = "holm"  # what is adjusted in one way always
_NOTES = 12  # shown of a study


def part(
    summary: pd.DataFrame, fits: pd.DataFrame, refusals: pd.DataFrame, study: dict, sections: frozenset[str]
) -> Part:
    """The part of the page, with all that its template says.

    summary: tidy table. fits: of the schema "mixed_effects_adjusted"; may be empty. refusals: of `metrics.refusals`.
    study: the effective configuration. sections: identifiers of those that the page has otherwise.
    """
    facts = {
        "metrics": metrics(summary, study, sections),
        "total": _counts(summary),
        "fits": mixed_effects.troubles(fits, {})["total"] if len(fits) else None,
        "lost": lost(summary),
        "powers": powers(summary),
        "tests": study["mixed_effects"]["tests"] if "mixed_effects" in study else None,
        "refusals": refused(refusals),
        "notes": notes(summary),
        "sections": sorted(sections),
    }
    return Part("", [("certainty", "How sure")], "certainty.html.j2", facts)


def _counts(rows: pd.DataFrame) -> dict[str, int]:
    """`n` numbers, `with_interval`, tests (`n_tests`), and `n_adjusted` of these."""
    numbers = rows[rows["estimate"].notna()]
    return {
        "n": len(numbers),
        "with_interval": int(numbers["ci_low"].notna().sum()),
        "without": int(numbers["ci_low"].isna().sum()),
        "empty": len(rows) - len(numbers),
        "n_tests": int(rows["p_value"].notna().sum()),
        "n_adjusted": int((rows["p_value"].notna() & rows["p_adjusted"].notna()).sum()),
    }


def metrics(summary: pd.DataFrame, study: dict, sections: frozenset[str]) -> list[dict]:
    """A row a metric: how many numbers, intervals and tests it has, and how p-values are adjusted."""
    found = []
    for metric, rows in summary.groupby("metric", sort=False):
        name, section, family, key = METRICS.get(metric, (metric, None, "", None))
        counts = _counts(rows)
        method = study[key]["tests"]["correction"] if key and key in study else _ALWAYS
        adjusted = f"{family}: {CORRECTIONS[method]}" if counts["n_adjusted"] and family else None
        found.append(counts | {"name": name, "section": section if section in sections else None, "adjusted": adjusted})
    return found


def lost(summary: pd.DataFrame) -> list[dict]:
    """What did not converge, by metric: the numbers that say so themselves."""
    rows = summary[summary["converged"].eq(False)]
    return [
        {"name": METRICS.get(metric, (metric,))[0], "n": n}
        for metric, n in rows.groupby("metric", sort=False).size().items()
    ]


def powers(summary: pd.DataFrame) -> list[dict]:
    """A row a model: how many minimum detectable effects of bias scores there are, the least, median and greatest."""
    rows = summary[(summary["variant"] == "mde") & summary["estimate"].notna() & (summary["definition"] == "paper")]
    found = rows.groupby("model", sort=False)["estimate"].agg(["size", "min", "median", "max"])
    return [
        {"model": model, "n": int(of["size"]), **{key: f"{of[key]:.3g}" for key in ("min", "median", "max")}}
        for model, of in found.iterrows()
    ]


def refused(refusals: pd.DataFrame) -> dict:
    """`rows`, one a model, probe and reason; `n` sentences refused, `n_partly` scored with a reservation, `of` all."""
    said = refusals[refusals["n"] > 0]
    by_kind = said.groupby(said["refused"].astype(bool))["n"].sum()
    return {
        "rows": [
            {
                **{key: row[key] for key in ("model", "probe", "reason")},
                "refused": bool(row["refused"]),
                "n": f"{row['n']:,}",
                "of": f"{row['of']:,}",
                "share": f"{100 * row['n'] / row['of']:.2g}",
            }
            for row in said.to_dict("records")
        ],
        "n": f"{by_kind.get(True, 0):,}",
        "n_partly": f"{by_kind.get(False, 0):,}",
        "of": f"{refusals.drop_duplicates(['model', 'probe'])['of'].sum():,}",
    }


def notes(summary: pd.DataFrame) -> dict:
    """What numbers say of themselves, the most frequent first: `rows` of metric and note, and how many kinds more."""
    counts = (
        summary.dropna(subset="note").groupby(["metric", "note"]).size().sort_values(ascending=False, kind="stable")
    )
    return {
        "rows": [
            {"name": METRICS.get(metric, (metric,))[0], "note": note, "n": f"{n:,}"}
            for (metric, note), n in counts[:_NOTES].items()
        ],
        "more": max(len(counts) - _NOTES, 0),
    }
