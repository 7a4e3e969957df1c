"""What a mean gap is the mean of, and what changed in it from one source of vectors to another."""

import pandas as pd
import pytest
from tests.metrics.languages.toy import LISTS, measured, row, space

from herbarium.core import store
from herbarium.metrics.languages import changes, items, numbers, score
from herbarium.statistics.changes import CHANGES
from herbarium.statistics.inference import crossed_mean

ENGLISH, DEBIASED = space("english", 2.0), space("english", 0.0)
COMPARED = [("biased", "free", "biased", "free")]
SPANISH = space("spanish", 2.0)


def compare(models, lists, spaces):
    groups = [numbers.ARROW.join(group) for group in spaces]
    rows = [(group, "lean", n, n - 1, n + 1.0) for n, group in enumerate(groups)]
    tidy = pd.DataFrame(rows, columns=["group", "variant", "estimate", "ci_low", "ci_high"])
    return changes.changes("toy", COMPARED, models, lists, spaces, tidy)


def test_a_change_is_paired_by_occupations_and_seeds():
    lists = {"english": LISTS["english"], "endeb": LISTS["english"]}
    sides = {("english",): ENGLISH, ("endeb",): DEBIASED}
    (result,) = compare({"english": "biased", "endeb": "free"}, lists, sides).to_dict("records")
    before, after = (numbers.gaps(LISTS["english"], side).gaps for side in (ENGLISH, DEBIASED))
    mean = crossed_mean(after - before)
    assert [result[key] for key in ("estimate", "std_error", "df")] == pytest.approx(
        [mean.estimate, mean.std_error, mean.df]
    )
    assert mean.std_error < score.lean(before).std_error
    assert (result["measure"], result["n"]) == ("Languages, toy: english", len(before))
    assert [result[key] for key in ("first", "before", "second", "after")] == ["biased"] * 2 + ["free"] * 2
    assert (result["value_before"], result["value_after"]) == (0, 1)


def test_every_group_that_differs_by_its_sources_alone(tmp_path):
    lists_by_language = {"english": LISTS["english"], "endeb": LISTS["english"], "spanish": LISTS["spanish"]}
    models = {"english": "biased", "endeb": "free", "spanish": "other"}
    groups = {("english",): ENGLISH, ("endeb",): DEBIASED, ("spanish",): SPANISH}
    groups |= {("spanish", "english"): SPANISH, ("spanish", "endeb"): SPANISH, ("english", "spanish"): ENGLISH}
    result = compare(models, lists_by_language, groups)
    measures = ["Languages, toy: english", "Languages, toy: spanish in the space of english"]
    assert result["measure"].tolist() == measures
    assert result["estimate"].iloc[1] == 0
    # other lists, other words: what differs is not the source alone
    shorter = LISTS["english"]._replace(seeds=LISTS["english"].seeds[1:])
    nothing = compare(models, lists_by_language | {"endeb": shorter}, groups)
    made = dict.fromkeys(store.MAKING, "") | {"results": tmp_path, "models": {}, "inputs": {}}
    store.write_table(tmp_path / "changes.parquet", CHANGES, nothing, made)
    assert store.read_frame(tmp_path / "changes.parquet", CHANGES.name).empty


def test_words_that_one_of_both_lacks_are_left_out_of_the_difference():
    missing = LISTS["english"].occupations["feminine"][0]
    rest = DEBIASED.without([missing])
    mean, n, note = changes.difference(LISTS["english"], ENGLISH, rest)
    pairs = LISTS["english"].occupations
    assert n == (~pairs[["masculine", "feminine"]].eq(missing).any(axis=1)).sum() < len(pairs)
    assert note is None
    before, after = (numbers.gaps(LISTS["english"], side.without([missing])).gaps for side in (ENGLISH, rest))
    assert mean.estimate == pytest.approx((after - before).mean())


def test_too_few_pairs_have_no_difference():
    nurse = ["nurse", *LISTS["english"].seeds[["masculine", "feminine"]].stack()]
    few = ENGLISH.without(set(ENGLISH.words) - set(nurse))
    mean, n, note = changes.difference(LISTS["english"], few, DEBIASED)
    assert (mean, n) == (None, 1)
    assert note == "1 pairs of occupations and 12 of seeds have vectors; at least 3 of each are needed"


def test_items_have_the_mean_gap_for_their_mean():
    found_tidy, pairs, *_ = measured(1.0)
    result = items.of_items(pairs)
    assert set(result["model"]) == {"toy"}
    means = result.groupby("object")["value"].mean()
    for group in ("english", "spanish", f"spanish{numbers.ARROW}english"):
        assert means[group] == pytest.approx(row(found_tidy, "lean", group)["estimate"])
    words = result.groupby("object")["word"].agg(set)
    assert len(words["english"] & words["spanish"]) > 90
    twice = pairs[pairs["group"] == "english"].assign(concept="cook")
    assert items.of_items(twice)["word"].tolist()[:2] == ["cook", "cook (2)"]
