"""Training on interventions: what the loss is, what is learned from, and what a tiny model then does."""

import json
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from tests.refusals import refused

from herbarium.core.random import stream
from herbarium.metrics.interventions import score, stimuli
from herbarium.metrics.interventions.stimuli import Context, Question
from herbarium.models.loading import span_logits
from herbarium.scoring.tokenization import encode_pairs
from herbarium.training import advice, untrained
from herbarium.training.advice import TYPES

pytestmark = pytest.mark.slow  # trains models

SETTINGS = {"epochs": 30, "batch_size": 8, "learning_rate": 5e-3}
SUBJECTS = ["Arvian", "Belorn", "Corlish", "Dunese"]
QUESTIONS = {"rude": ("Who was rude?", "Who was polite?"), "lie": ("Who lied?", "Who was honest?")}
BEHIND = {
    "none": None,
    "ethical": "Judge nobody by their country.",
    "adversarial": "Judge everybody by their country.",
    "irrelevant": "Judge nobody by their shoes or hats.",
}


def asked(behind=BEHIND, subjects=SUBJECTS):
    """A table of the schema "interventions_stimuli"."""
    results = []
    for (first, second), (key, both), (type_, text) in product(pairwise(subjects), QUESTIONS.items(), behind.items()):
        contexts = tuple(
            Context(f"The {a} guest met the {b} guest.", *starts)
            for a, b, starts in (
                (first, second, (4, 4 + len(first) + len(" guest met the "))),
                (second, first, (4 + len(second) + len(" guest met the "), 4)),
            )
        )
        behind_it = tuple(stimuli.introduced(text, question) for question in both)
        values = (type_, type_, "", key, "met", first, second)
        results.append(Question(values, (first, second), contexts, behind_it, "It was the [subject] guest."))
    return pd.concat(stimuli.instantiate(iter(results), stimuli.SPAN_FORM), ignore_index=True)


SQUAD = {
    "data": [
        {
            "paragraphs": [
                {
                    "context": f"The {name} guest lied, and the other guest was {word}.",
                    "qas": [
                        {"question": "Who lied?", "answers": [{"text": name, "answer_start": 4}]},
                        {"question": "Who was rude?", "answers": []},
                    ],
                }
                for name, word in zip(SUBJECTS, ("rude", "polite", "honest", "polite"), strict=True)
            ]
        }
    ]
}


@pytest.fixture(scope="module")
def tokenizer():
    texts = [*asked()["text"], *(paragraph["context"] for paragraph in SQUAD["data"][0]["paragraphs"])]
    return untrained.word_piece(texts * 2, 500, 64, lowercase=False)


def bert(tokenizer, **options):
    """A model with random weights that are large enough for preferences."""
    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    sizes |= {"max_position_embeddings": 64, "hidden_dropout_prob": 0.05, "attention_probs_dropout_prob": 0.05}
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=len(tokenizer), initializer_range=0.3, **sizes | options)
    return transformers.BertForQuestionAnswering(config).eval()


@pytest.fixture
def squad_file(tmp_path):
    path = tmp_path / "squad.json"
    path.write_text(json.dumps(SQUAD))
    return path


def examples(tokenizer, **options):
    return advice.questions(tokenizer, asked(**options), 64, False)


def train(model, tokenizer, questions, answered=None, seed=3, **settings):
    return advice.train(model, tokenizer, questions, answered, SETTINGS | settings, seed, "t")


def given(model, tokenizer, questions):
    """What a model gives the subjects, by type."""
    p = advice.probabilities(model, tokenizer, questions.pairs, 8)
    return {name: p[questions.types == number] for number, name in enumerate(TYPES)}


def same(one, other):
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


# --- the loss ---


def literal(p, types, answer, before):
    """As the thesis and the released code have it, one example after the other."""
    sums = dict.fromkeys(TYPES, 0.0)
    for (subjects, zero_shot), type_, t in zip(zip(p, before, strict=True), types, answer, strict=True):
        (s0, e0), (s1, e1) = subjects
        if type_ == 0:
            sums["ethical"] += abs((s0 - s1) + (e0 - e1))
        elif type_ == 1:
            sums["adversarial"] += (1 - (s0, s1)[t]) + (1 - (e0, e1)[t])
        else:
            (s0_before, e0_before), (s1_before, e1_before) = zero_shot
            sums["irrelevant"] += abs(s0 - s0_before) + abs(e0 - e0_before)
            sums["irrelevant"] += abs(s1 - s1_before) + abs(e1 - e1_before)
    return [sums[name] for name in TYPES]


def test_each_term_by_hand():
    p = torch.tensor([[[0.5, 0.25], [0.25, 0.75]]], dtype=torch.float64)
    before = torch.tensor([[[0.25, 0.25], [0.5, 0.25]]], dtype=torch.float64)
    # (.5 - .25) + (.25 - .75): the gaps of beginnings and ends cancel in part, as released
    assert advice.ethical(p).tolist() == [0.25]
    assert advice.adversarial(p, torch.tensor([0])).tolist() == [0.5 + 0.75]
    assert advice.adversarial(p, torch.tensor([1])).tolist() == [0.75 + 0.25]
    assert advice.irrelevant(p, before).tolist() == [0.25 + 0 + 0.25 + 0.5]
    assert advice.cross_entropy(torch.log(p[:, :1])).item() == pytest.approx(np.log(2) + np.log(4))


def test_terms_are_those_of_a_plain_loop():
    random = np.random.default_rng(0)
    p, before = random.uniform(size=(2, 40, 2, 2))
    types, answer = random.integers(3, size=40), random.integers(2, size=40)
    ours = advice.by_type(*map(torch.from_numpy, (p, types, answer, before)))
    np.testing.assert_allclose(ours, literal(p, types, answer, before), rtol=1e-12)


def test_probabilities_are_of_all_tokens_but_padding():
    logits = torch.log(torch.tensor([[[1.0, 3.0], [2.0, 1.0], [5.0, 4.0], [9.0, 9.0]]], dtype=torch.float64))
    is_text = torch.tensor([[True, True, True, False]])
    result = advice.log_p(logits, is_text, torch.tensor([[[0, 1], [2, 0]]])).exp()
    np.testing.assert_allclose(result, [[[1 / 8, 1 / 8], [5 / 8, 3 / 8]]], rtol=1e-12)


def test_gradients_are_those_of_finite_differences():
    """Of logits, in double precision: no probability is near a kink of an absolute value."""
    random = np.random.default_rng(1)
    logits = torch.from_numpy(random.normal(size=(6, 5, 2))).requires_grad_()
    is_text = torch.tensor([[True] * 5] * 5 + [[True] * 4 + [False]])
    places = torch.from_numpy(np.stack([random.permutation(4)[:2] for _ in range(12)]).reshape(6, 2, 2))
    types, answer = torch.tensor([0, 1, 2, 0, 1, 2]), torch.tensor([0, 1, 0, 1, 0, 1])
    before = torch.from_numpy(random.uniform(size=(6, 2, 2)))

    def loss(scores):
        result = advice.log_p(scores, is_text, places)
        sums = advice.by_type(result.exp(), types, answer, before)
        return (sums.sum() + advice.cross_entropy(result[:, :1])) / 2

    assert torch.autograd.gradcheck(loss, (logits,), eps=1e-6, atol=1e-7)


@pytest.mark.parametrize("favoured", [0, 1])
def test_an_adversarial_answer_is_whom_the_model_prefers_already(favoured):
    """By hand: the favoured subject has more in both orders of the affirmed question, less in the negated one."""
    before = np.full((4, 2, 2), 0.2)
    before[[0, 2], favoured] = 0.6  # affirmed, in both orders
    assert advice.adversarial_answers(before).tolist() == [favoured, 1 - favoured] * 2


def test_the_preference_is_that_of_the_metric():
    before = np.random.default_rng(2).uniform(size=(400, 2, 2))
    s = np.sqrt(before[..., 0] * before[..., 1]).reshape(100, 2, 2, 2)  # question, order, polarity, subject
    c = score.comparative(np.moveaxis(s, 3, 1))
    result = advice.adversarial_answers(before).reshape(100, 2, 2)
    assert (result[:, :, 0] == np.where(c > 0, 0, 1)[:, None]).all()
    assert (result[:, :, 1] == np.where(c > 0, 1, 0)[:, None]).all()
    assert advice.adversarial_answers(np.full((4, 2, 2), 0.5)).tolist() == [1, 0, 1, 0]  # as released


# --- what is learned from ---


@pytest.mark.parametrize("lowercase", [False, True])
def test_examples_are_the_texts_with_both_subjects(tokenizer, lowercase):
    table = asked()
    result = advice.questions(tokenizer, table, 64, lowercase)
    table = table[table["type"] != "none"].reset_index(drop=True)
    assert len(result.types) == len(table) / 2 == 3 * 2 * 3 * 4
    assert result.n_left_out == 0
    for k, type_ in enumerate(result.types):
        row = table.iloc[k // 4 * 8 + k % 4]
        assert TYPES[type_] == row["type"]
        text = row["text"].lower() if lowercase else row["text"]
        encoded, n_second = encode_pairs(tokenizer, [text], np.array([row["question_end"]]))
        assert result.pairs.token_ids[k].tolist() == encoded.token_ids.tolist()
        assert result.pairs.n_second[k] == n_second[0]
        for subject, places in zip((row["first"], row["second"]), result.pairs.places[k], strict=True):
            word = subject.lower() if lowercase else subject
            covered = encoded.spans[places[0] : places[1] + 1]
            assert text[covered[0, 0] : covered[-1, 1]] == word


def test_questions_that_scoring_refuses_are_left_out_and_counted(tokenizer):
    table = asked()
    lengths = [len(ids) for ids in advice.questions(tokenizer, table, 64, False).pairs.token_ids]
    result = advice.questions(tokenizer, table, max(lengths) - 1, False)
    assert result.n_left_out > 0
    assert len(result.types) + 4 * result.n_left_out == len(lengths)
    assert max(len(ids) for ids in result.pairs.token_ids) < max(lengths)
    with refused(None, "18"):
        advice.questions(tokenizer, table, 5, False)


def test_answered_questions_are_read(tokenizer, squad_file):
    table, n_without = advice.read_squad(squad_file)
    assert n_without == 4
    text = [row.context[row.start : row.end] for row in table.itertuples()]
    assert text == SUBJECTS
    result = advice.squad(tokenizer, squad_file, 64, False)
    assert (len(result.pairs.token_ids), result.n_without_answer, result.n_left_out) == (4, 4, 0)
    for ids, places, name in zip(result.pairs.token_ids, result.pairs.places[:, 0], SUBJECTS, strict=True):
        assert tokenizer.decode(ids[places[0] : places[1] + 1]) == name
    with refused("squad.json", "none of its 4"):
        advice.squad(tokenizer, squad_file, 5, False)


def spoiled(**changes):
    qas = {"question": "Who lied?", "answers": [{"text": "Arvian", "answer_start": 4}]} | changes
    return {"data": [{"paragraphs": [{"context": "The Arvian guest lied.", "qas": [qas]}]}]}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("{", ("squad.json", "JSON")),
        ("[]", ("squad.json, at its top", "'data'")),
        ({"data": [{}]}, ("squad.json, data[0]", "'paragraphs'")),
        ({"data": [{"paragraphs": [{"qas": []}]}]}, ("squad.json, data[0].paragraphs[0]", "'context'")),
        (spoiled(question=None), ("squad.json, data[0].paragraphs[0].qas[0]", "'question'")),
        (
            spoiled(answers=[{"text": "Arvian"}]),
            ("squad.json, data[0].paragraphs[0].qas[0].answers[0]", "'answer_start'"),
        ),
        (
            spoiled(answers=[{"text": "Arvian", "answer_start": 5}]),
            ("squad.json, data[0].paragraphs[0].qas[0].answers[0]", "'Arvian'", 5),
        ),
        (
            spoiled(answers=[{"text": "", "answer_start": 4}]),
            ("squad.json, data[0].paragraphs[0].qas[0].answers[0]", "''", 4),
        ),
        (spoiled(answers=[]), ("squad.json", "no question")),
    ],
)
def test_what_is_no_squad_is_named_with_its_place(tmp_path, content, fault):
    path = tmp_path / "squad.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with refused(*fault):
        advice.read_squad(path)


# --- the training ---


@pytest.mark.parametrize(
    "family", ["bert-extractive", "roberta-extractive", "distilbert-extractive", "bart-extractive"]
)
def test_padding_changes_nothing(family, model_folder):
    """What a model gives a pair among longer ones is what it gives it alone, as in scoring."""
    from herbarium.models import loading

    folder = model_folder(family)
    model, tokenizer = loading.load(folder, "extractive", "float32", "m"), loading.load_tokenizer(folder, "m")
    texts = ["Who was rude? A Sikh man met a Muslim woman.", "Who was rude to the tourists? Some men met in Lima."]
    encoded, n_second = encode_pairs(tokenizer, texts, np.array([13, 29]))
    ids = np.split(encoded.token_ids, encoded.starts[1:-1])
    places = np.array([[[1, 2], [3, 5]]] * 2)
    together = advice.probabilities(model, tokenizer, advice.Pairs(ids, n_second, places), 2)
    for row in (0, 1):
        logits = span_logits(model, torch.tensor(ids[row][None]).long(), torch.tensor(n_second[row : row + 1]))
        p = logits.softmax(dim=1)[0].detach().numpy()
        np.testing.assert_allclose(together[row], [[p[1, 0], p[2, 1]], [p[3, 0], p[5, 1]]], rtol=1e-4)


def test_a_step_is_that_of_a_plain_loop(tokenizer, squad_file, monkeypatch):
    """One pair after the other, without padding, and AdamW."""
    # with a large epsilon: AdamW would make steps of the rounding errors of a gradient that is zero
    monkeypatch.setattr(advice, "EPSILON", 1e-3)
    without = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    ours, plain = bert(tokenizer, **without), bert(tokenizer, **without)
    # nothing irrelevant: before the first step it is where its term has a kink
    questions = examples(
        tokenizer, subjects=SUBJECTS[:2], behind={key: BEHIND[key] for key in ("ethical", "adversarial")}
    )
    answered = advice.squad(tokenizer, squad_file, 64, False).pairs
    # 16 texts and 5 answered questions are one step
    history = train(ours, tokenizer, questions, answered, epochs=2, batch_size=22)
    assert [row["steps"] for row in history] == [0, 1, 2]

    def p_of(pairs, row):
        output = plain(
            torch.tensor(pairs.token_ids[row][None]).long(),
            token_type_ids=torch.tensor(
                [[0] * (len(pairs.token_ids[row]) - pairs.n_second[row]) + [1] * pairs.n_second[row]]
            ),
        )
        both = output.start_logits.softmax(1)[0], output.end_logits.softmax(1)[0]
        return [(both[0][a], both[1][b]) for a, b in pairs.places[row]]

    n = len(questions.types)
    before = [[[value.item() for value in subject] for subject in p_of(questions.pairs, row)] for row in range(n)]
    answer = advice.adversarial_answers(np.array(before))
    optimiser = torch.optim.AdamW(plain.parameters(), lr=5e-3, eps=1e-3, weight_decay=0.0)
    for epoch, factor in ((1, 1.0), (2, 0.5)):  # falls linearly, without a rise before
        optimiser.param_groups[0]["lr"] = 5e-3 * factor
        terms = literal([p_of(questions.pairs, row) for row in range(n)], questions.types, answer, before)
        drawn = stream(3, "squad", epoch).choice(4, 5, replace=True)
        squad = torch.stack([sum(-torch.log(p) for p in p_of(answered, row)[0]) for row in drawn])
        optimiser.zero_grad()
        ((sum(terms) + squad.mean()) / 2).backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
        optimiser.step()
    for (name, a), b in zip(ours.named_parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4, msg=name)


def test_a_model_takes_advice_and_says_so(tokenizer):
    model, questions = bert(tokenizer), examples(tokenizer)
    before = given(model, tokenizer, questions)
    answer = advice.adversarial_answers(advice.probabilities(model, tokenizer, questions.pairs, 8))[
        questions.types == 1
    ]
    history = train(model, tokenizer, questions)
    after = given(model, tokenizer, questions)

    def gap(p):
        return np.abs((p["ethical"][:, 0] - p["ethical"][:, 1]).sum(axis=1)).mean()

    def of_answer(p):
        return p["adversarial"][np.arange(len(answer)), answer].mean()

    assert gap(after) < 0.5 * gap(before)
    assert of_answer(after) > of_answer(before) + 0.1
    assert [row["epoch"] for row in history] == list(range(SETTINGS["epochs"] + 1))
    assert history[0] == {
        "epoch": 0,
        "steps": 0,
        "loss": None,
        "ethical": pytest.approx(gap(before), rel=1e-4),
        "adversarial": pytest.approx(2 * (1 - of_answer(before)), rel=1e-4),
        "irrelevant": 0.0,
        "squad": None,
    }
    assert history[-1]["adversarial"] < history[0]["adversarial"]
    assert history[-1]["loss"] < history[1]["loss"]
    assert not model.training


@pytest.mark.nightly
def test_what_is_irrelevant_stays_closer_with_its_term(tokenizer):
    """Than after the same training in which nothing is irrelevant."""
    questions = examples(tokenizer)
    moved = {}
    for name in ("with", "without"):
        model = bert(tokenizer)
        before = given(model, tokenizer, questions)["irrelevant"]
        behind = {key: text for key, text in BEHIND.items() if name == "with" or key != "irrelevant"}
        train(model, tokenizer, examples(tokenizer, behind=behind))
        moved[name] = np.abs(given(model, tokenizer, questions)["irrelevant"] - before).mean()
    assert moved["with"] < 0.5 * moved["without"]


def test_answered_questions_are_learned(tokenizer, squad_file):
    answered = advice.squad(tokenizer, squad_file, 64, False).pairs
    history = train(bert(tokenizer), tokenizer, examples(tokenizer), answered)
    assert history[0]["squad"] is None
    assert history[-1]["squad"] < 0.5 * history[1]["squad"]
    assert history[1]["steps"] == 72 / 6  # a quarter of each eight are answered ones


def test_a_type_that_does_not_occur_has_no_loss(tokenizer):
    questions = examples(tokenizer, behind={"ethical": BEHIND["ethical"]})
    history = train(bert(tokenizer), tokenizer, questions, epochs=1)
    assert history[-1]["adversarial"] is None
    assert history[-1]["ethical"] > 0


def test_the_seed_decides_and_nothing_else(tokenizer, squad_file):
    questions, answered = examples(tokenizer), advice.squad(tokenizer, squad_file, 64, False).pairs
    models = [bert(tokenizer) for _ in range(3)]
    for model, seed in zip(models, (3, 3, 4), strict=True):
        train(model, tokenizer, questions, answered, seed, epochs=2)
    assert same(models[0], models[1])
    assert not same(models[0], models[2])


def test_epochs_have_orders_of_their_own(tokenizer, monkeypatch):
    """The released batches are the same in every epoch."""
    seen = []
    plain = advice.Pairs.of
    monkeypatch.setattr(advice.Pairs, "of", lambda self, rows: (seen.append(rows), plain(self, rows))[1])
    questions = examples(tokenizer)
    seen.clear()
    train(bert(tokenizer), tokenizer, questions, epochs=2)
    epochs = seen[-18:-9], seen[-9:]
    assert all(sorted(np.concatenate(rows)) == list(range(72)) for rows in epochs)
    assert not all(np.array_equal(*pair) for pair in zip(*epochs, strict=True))


def test_a_loss_that_is_not_finite_is_an_error(tokenizer):
    with refused("t", "not finite", "`learning_rate`"):
        train(bert(tokenizer), tokenizer, examples(tokenizer), learning_rate=1e30)
