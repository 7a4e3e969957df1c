"""Neutralised scores: sentences swapped with their slots, and means of two scores, by hand and by what must hold."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refused

from herbarium.models.kinds import LANGUAGE_MODELS
from herbarium.scoring import planning, quantities
from herbarium.scoring.quantities import AUL, AUL_PADDED, CPS, PLL, PPPL, SLOT
from herbarium.training import neutralised, swapping

SWAPS = swapping.read_pairs("resources/swaps/english_gender.csv")


def sentences(*texts, **columns):
    ids = np.arange(len(texts)) + 10
    return pa.table({"sentence_id": ids, "text": list(texts), **columns})


def places(*parts):
    """Columns of a slot."""
    return [pa.array(bounds, pa.int32()) for bounds in zip(*(place or (None, None) for place in parts), strict=True)]


def swapped(table, slots=(), asked=(AUL,), names=()):
    settings = {"slots": slots, "quantities": list(asked) if not isinstance(asked, dict) else asked, "names": names}
    return neutralised.swap(table, settings, SWAPS)


# --- sentences ---


def test_only_sentences_with_a_word_are_swapped_and_keep_their_ids():
    result = swapped(sentences("People are weak.", "He saw her.", "The QUEEN met Mr. X.", "A Germanwoman."))
    assert result.sentences.to_pydict() == {
        "sentence_id": [11, 12],
        "text": ["She saw him.", "The KING met Mrs. X."],
    }
    assert (result.changed, result.n_swapped, result.n_ambiguous) == (2, 4, 0)
    assert swapped(sentences("People are weak.")).sentences.num_rows == 0


def test_a_word_that_may_be_wrong_is_counted():
    """ "gave him flowers" becomes "gave her flowers", which is read as "his flowers" when it is swapped back."""
    assert swapped(sentences("I gave him flowers.")).n_ambiguous == 1


def test_slots_are_where_their_words_then_are():
    """The slot before the word stays, one after it moves, the word's own grows; a sentence may lack a slot."""
    text = "weak: the king of Peru is loud"
    columns = {"before": (0, 4), "own": (10, 14), "around": (6, 22), "after": (26, 30)}
    both = {name: places(place, None) for name, place in columns.items()}
    both = {f"{name}_{bound}": bounds[n] for name, bounds in both.items() for n, bound in enumerate(("start", "end"))}
    table = swapped(sentences(text, "a king", **both), columns).sentences
    assert table.schema.equals(sentences(text, "a king", **both).schema)
    first, second = table.to_pylist()
    words = {name: first["text"][first[f"{name}_start"] : first[f"{name}_end"]] for name in columns}
    assert words == {"before": "weak", "own": "queen", "around": "the queen of Peru", "after": "loud"}
    assert {second[name] for name in both} == {None}


@given(
    words=st.lists(st.sampled_from(["king", "queens", "He", "weak", "Peru", "aunt,", "UNCLE"]), min_size=1, max_size=6),
    data=st.data(),
)
def test_a_slot_holds_the_swap_of_its_words(words, data):
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    text, slot = " ".join(words), " ".join(words[start:end])
    place = (len(" ".join([*words[:start], ""])), len(" ".join(words[:end])))
    assert text[slice(*place)] == slot
    after = swapping.moved(place, SWAPS.found(text))
    assert swapping.swapped(text, SWAPS).text[slice(*after)] == swapping.swapped(slot, SWAPS).text


def test_a_slot_that_cuts_a_word_is_refused():
    start, end = places((0, 2))
    with refused("'queen'", "'asked'", "'qu'", "resources/swaps/english_gender.csv"):
        swapped(sentences("queen", asked_start=start, asked_end=end), ["asked"])


def test_words_of_a_name_stay():
    start, end = places((10, 21), None)
    table = sentences("People in Isle of Man saw the man.", "A man.", region_start=start, region_end=end)
    result = swapped(table, ["region"], names=["region"])
    assert result.sentences["text"].to_pylist() == ["People in Isle of Man saw the woman.", "A woman."]
    assert swapped(table.slice(0, 1), ["region"], names=["region"]).n_swapped == 1


@pytest.mark.parametrize("asked", [[CPS, PPPL], {"masked": [CPS]}], ids=["list", "by kind"])
def test_both_sentences_of_a_pair_are_swapped_together(asked):
    """The tokens that a pair shares are those of the pair after the swap."""
    texts = ["She is weak.", "The doctor is weak.", "A is loud.", "B is loud."]
    result = swapped(sentences(*texts), asked=asked)
    assert result.sentences["text"].to_pylist() == ["He is weak.", "The doctor is weak."]
    assert result.changed == 1


def test_all_sentences_of_a_padded_batch_are_swapped_together():
    """The score of a sentence depends on the longest one of its batch."""
    texts, batch = ["weak", "a king", "loud", "shy"], [7, 7, 8, 8]
    result = swapped(sentences(*texts, batch=batch), asked=[AUL_PADDED])
    assert result.sentences["text"].to_pylist() == ["weak", "a queen"]


# --- scores ---


def scores(*rows):
    """rows: sentence, quantity, value, and a note."""
    columns = ["sentence_id", "quantity", "value", "note"]
    table = pd.DataFrame([(*row, None)[:4] for row in rows], columns=columns)
    return table.assign(value=table["value"].astype(float), note=table["note"].astype(object), n_tokens=3, given=1)


def test_means_by_hand():
    """pppl is exp(-mean): of 8 and 2 the geometric mean is 4."""
    base_scores = scores((2, PLL, -10), (1, PLL, -3), (1, PPPL, 8), (2, PPPL, 5), (1, PLL, -3))
    other = scores((1, PLL, -5), (1, PPPL, 2), (1, PLL, -5)).assign(n_tokens=4)
    result = neutralised.means(base_scores, other)
    np.testing.assert_allclose(result["value"], [-10, -4, 4, 5, -4], rtol=1e-14)
    assert result["sentence_id"].tolist() == [2, 1, 1, 2, 1]
    assert set(result["n_tokens"]) == {3}
    assert result["note"].isna().all()
    assert set(result.columns) == set(quantities.SCORES.fields.names)


def test_a_sentence_is_refused_where_one_of_the_two_is():
    nan, refused, partly = np.nan, "refused: no token", "only a part is known"
    base_scores = scores(
        (1, AUL, nan, refused), (2, AUL, -1), (3, AUL, -1, partly), (4, AUL, -1), (5, AUL, nan, refused)
    )
    other = scores((1, AUL, -2), (2, AUL, nan, refused), (3, AUL, nan, refused), (4, AUL, -3, partly))
    result = neutralised.means(base_scores, other)
    assert result["value"].isna().tolist() == [True, True, True, False, True]
    swap = "(with gendered words swapped)"
    assert result["note"].tolist() == [refused, f"{refused} {swap}", f"{refused} {swap}", f"{partly} {swap}", refused]
    assert result["value"][3] == -2


@pytest.mark.slow
@pytest.mark.parametrize(
    "quantity", [quantity for quantity, kinds in quantities.QUANTITIES.items() if kinds & LANGUAGE_MODELS]
)
@given(one=st.lists(st.floats(-50, -1e-6), min_size=1, max_size=5), other=st.lists(st.floats(-50, -1e-6), min_size=1))
def test_the_mean_is_of_log_probabilities_and_the_same_from_both_sides(quantity, one, other):
    """Of any quantity: between the two, symmetric, and of equal ones the same. That of pppl has the mean of logarithms
    which loss has, so that exp(loss) of causal models and pppl of masked ones are averaged alike."""
    values = [quantities.combine(np.array(side), np.array([len(side)]), quantity) for side in (one, other)]
    mean = quantities.mean_of_two(*values, quantity)
    assert mean == quantities.mean_of_two(*values[::-1], quantity)
    low, high = sorted(float(value[0]) for value in values)
    assert low * (1 - 1e-12 * np.sign(low)) <= mean[0] <= high * (1 + 1e-12 * np.sign(high))
    np.testing.assert_allclose(quantities.mean_of_two(values[0], values[0], quantity), values[0], rtol=1e-12)
    if quantity == PPPL:
        losses = [quantities.combine(np.array(side), np.array([len(side)]), quantities.LOSS) for side in (one, other)]
        np.testing.assert_allclose(mean, np.exp(np.mean(losses)), rtol=1e-12)


# --- sentences and scores of a model ---


class Base:
    """A model whose log-probabilities depend on the whole input, in place of one that runs."""

    def __init__(self, folder):
        from herbarium.models import tokenizer_files

        self.tokenizer = tokenizer_files.load(folder, "tiny")

    def scores(self, table, asked):
        block = planning.Planner(self.tokenizer, 64, False).add_stimuli(table, asked)
        inputs = dict(zip(block.inputs["input"].to_pylist(), block.inputs["digest"].to_pylist(), strict=True))
        requests = block.requests.to_pandas().sort_values("request")
        keys = zip(requests["input"].map(inputs), requests["position"], requests["target"], strict=True)
        answers = np.array([-1 - int.from_bytes(digest[:2], "big") / 9e3 - position / 7 - target / 50
                            for digest, position, target in keys])  # fmt: skip
        return quantities.gather(answers, block.sentences).to_pandas()

    def neutralised(self, table, asked):
        others = neutralised.swap(table, asked, SWAPS).sentences
        base_scores = self.scores(table, asked)
        return base_scores, neutralised.means(
            base_scores, self.scores(others, asked) if len(others) else base_scores[:0]
        )


@pytest.fixture(scope="module")
def base(model_folder):
    return Base(model_folder("bert"))


ALIKE = ["An uncle is weak.", "An aunt is weak.", "Her man met Mr. X.", "His woman met Mrs. X."]


@pytest.mark.parametrize("quantity", [AUL, PLL, PPPL])
def test_a_text_and_its_swap_score_alike_and_a_neutral_one_as_the_base_has_it(base, quantity):
    asked = {"quantities": [quantity], "slots": []}
    base_scores, result = base.neutralised(sentences(*ALIKE, "People are weak."), asked)
    value, of_base = result["value"].to_numpy(), base_scores["value"].to_numpy()
    assert value[0] == value[1]
    assert value[2] == value[3]
    assert value[4] == of_base[4]
    assert (of_base[[0, 2]] != of_base[[1, 3]]).all()


def test_an_asked_word_and_its_counterpart_score_alike(base):
    texts = ["the uncle is weak", "the aunt is weak"]
    start, end = places((4, 9), (4, 8))
    asked = {"quantities": [SLOT], "slots": ["asked"], "roles": {"asked": "asked"}}
    base_scores, result = base.neutralised(sentences(*texts, asked_start=start, asked_end=end), asked)
    assert result["value"].nunique() == 1
    assert base_scores["value"].nunique() == 2


def test_a_pair_that_differs_by_gender_alone_has_no_preference(base):
    """One whose sides differ by something else keeps one: its gendered words are averaged over, on both sides."""
    texts = ["An uncle is weak.", "An aunt is weak.", "The man in Peru is weak.", "The man in Canada is weak."]
    asked = {"quantities": [CPS], "slots": []}
    base_scores, result = base.neutralised(sentences(*texts), asked)
    value, of_base = result["value"].to_numpy(), base_scores["value"].to_numpy()
    assert of_base[0] != of_base[1]
    assert value[0] == value[1]
    assert value[2] != value[3]
    swapped_pair = base.scores(sentences(*(text.replace("man", "woman") for text in texts[2:])), asked)["value"]
    np.testing.assert_allclose(value[2:], (of_base[2:] + swapped_pair.to_numpy()) / 2, rtol=1e-14)
