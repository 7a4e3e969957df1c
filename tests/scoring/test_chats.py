"""Sentences as answers in a chat, against transformers' own rendering and forward pass; and what is refused."""

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from tests.conftest import GROUPED, TEXT, tokenizer_of
from tests.refusals import refused, tells
from tests.scoring.test_tokenization import NAMES, WORDS, assert_same, instances
from tests.study.configurations import faults

import herbarium
from herbarium.models import chats, loading, records
from herbarium.scoring import answering, planning, quantities, tokenization
from herbarium.study import config
from herbarium.training import untrained

MARKS = ["<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "[INST]", "[/INST]"]
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# With a beginning of its own, as its tokenizer has one, and trimmed messages.
LLAMA_3 = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    "{{ m['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
# A space between template and answer, no word for the assistant, and no conversation that does not begin with a user.
INST = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'user' %}[INST] {{ m['content'] }} [/INST]"
    "{% elif m['role'] == 'assistant' and not loop.first %} {{ m['content'] }}{{ eos_token }}"
    "{% else %}{{ raise_exception('roles must alternate') }}{% endif %}{% endfor %}"
)
TEMPLATES = {"chatml": CHATML, "llama-3": LLAMA_3, "inst": INST}
SENTENCES = [*TEXT, "Peru", "weak. Or <weak>?", "  hard-working"]


@pytest.fixture(scope="module")
def chat_folder(tmp_path_factory):
    """Folder of a tiny Llama with a chat template, made once; its tokenizer puts marks of its own around a text."""
    made: dict[str, Path] = {}

    def make(template):
        if template not in made:
            folder = tmp_path_factory.mktemp("chat")
            tokenizer = untrained.byte_level(TEXT * 2, 330, 128)
            tokenizer.add_special_tokens({"additional_special_tokens": MARKS})
            tokenizer.chat_template = template
            tokenizer.save_pretrained(folder)
            sizes = GROUPED | {"max_position_embeddings": 128}
            untrained.model("LlamaForCausalLM", sizes, len(tokenizer), 0, "chat").save_pretrained(folder)
            made[template] = folder
        return made[template]

    return make


def asked(**keys):
    return {"system": None, "user": None, "question": False, "variables": {}} | keys


def described(folder, **keys):
    return chats.describe(transformers.AutoTokenizer.from_pretrained(folder), asked(**keys), "m")


@cache
def of_transformers(folder):
    return transformers.AutoModelForCausalLM.from_pretrained(folder).eval(), transformers.AutoTokenizer.from_pretrained(
        folder
    )


def by_hand(folder, given, answer):
    """Token ids as transformers makes them of the conversation, and the sum and the number of the answer's: the tokens
    behind those of the generation prompt."""
    model, tokenizer = of_transformers(folder)
    messages = [*given, {"role": "assistant", "content": answer}]
    ids = tokenizer.apply_chat_template(messages, continue_final_message=True)["input_ids"]
    before = tokenizer.apply_chat_template(given, add_generation_prompt=True)["input_ids"]
    assert ids[: len(before)] == before
    with torch.no_grad():
        log_p = torch.log_softmax(model(input_ids=torch.tensor([ids])).logits[0].double(), dim=-1)
    of_answer = range(len(before), len(ids))
    return ids, sum(log_p[t - 1, ids[t]].item() for t in of_answer), len(of_answer)


@pytest.mark.parametrize("system", [None, "Be good to people in Peru."])
@pytest.mark.parametrize("style", TEMPLATES)
def test_a_score_is_the_sum_over_the_tokens_of_the_answer_alone(chat_folder, style, system):
    if style == "inst" and system:
        pytest.skip("this template has no system message")
    folder, user = chat_folder(TEMPLATES[style]), "Who is weak?"
    told = {"user": user} | ({"system": system} if system else {})
    given = [{"role": role, "content": told[role]} for role in ("system", "user") if role in told]
    sentences = SENTENCES[:-1]
    values = herbarium.score(sentences, folder, "ll", kind="causal", chat_template=told)
    expected = [by_hand(folder, given, text) for text in sentences]
    np.testing.assert_allclose(values, [total for _, total, _ in expected], rtol=1e-5, atol=1e-5)
    plan = planning.Planner(tokenizer_of(folder), 128, False, described(folder, **told)).add(
        np.arange(len(sentences)), sentences, ["ll"]
    )
    assert plan.sentences["n_tokens"].to_pylist() == [n for *_, n in expected]
    before_last = {tuple(ids[:-1]): ids[:-1] for ids, *_ in expected}
    assert sorted(plan.inputs["token_ids"].to_pylist()) == sorted(before_last.values())


def test_a_template_that_writes_the_beginning_is_given_no_second_one(chat_folder):
    folder = chat_folder(LLAMA_3)
    tokenizer = tokenizer_of(folder)
    assert tokenizer("Peru")["input_ids"][0] == tokenizer.bos_token_id  # what the tokenizer does by itself
    plan = planning.Planner(tokenizer, 128, False, described(folder)).add(np.arange(1), ["Peru"], ["ll"])
    (ids,) = plan.inputs["token_ids"].to_pylist()
    assert ids[0] == tokenizer.bos_token_id
    assert tokenizer.bos_token_id not in ids[1:]
    assert tokenizer.eos_token_id not in ids


def test_a_message_may_say_what_a_sentence_says(chat_folder):
    before = described(chat_folder(CHATML), user="Yes. Or no, 3 of them! Yes.")["before"]
    assert before.endswith("Yes. Or no, 3 of them! Yes.<|im_end|>\n<|im_start|>assistant\n")


def test_a_chat_changes_scores_and_each_message_does(chat_folder):
    folder = chat_folder(CHATML)
    variants = [False, True, {"user": "Who?"}, {"user": "Who?", "system": "Be good."}]
    values = [
        herbarium.score(["Peru"], folder, "ll", kind="causal", chat_template=variant).item() for variant in variants
    ]
    assert len(set(values)) == len(variants)


@pytest.mark.slow
def test_neighbours_blocks_and_shards_change_no_bit(chat_folder):
    folder = chat_folder(LLAMA_3)
    model = answering.place(loading.load(folder, "causal", "float32", "m"), "cpu")
    chat = described(folder, user="Who is weak?")
    texts, fillers = instances("People in [a] are [b].", NAMES, WORDS)

    def values(order, blocks=1, n_parts=1, pass_tokens=None):
        planner = planning.Planner(tokenizer_of(folder), 128, False, chat, cuts=True)
        plan = planning.joined(
            planner.add(
                part,
                [texts[i] for i in part],
                ["ll", "loss"],
                {slot: (start[part], end[part]) for slot, (start, end) in fillers.items()},
            )
            for part in np.array_split(order, blocks)
        )
        answers = np.full(len(plan.requests), np.nan)
        for n in range(n_parts):
            inputs, requests = (
                side.filter((side["input"].to_numpy() % n_parts) == n) for side in (plan.inputs, plan.requests)
            )
            answers[requests["request"].to_numpy()] = answering.answer(model, "cpu", inputs, requests, "t", pass_tokens)
        scores = quantities.gather(answers, plan.sentences).to_pandas()
        return scores.sort_values(["quantity", "sentence_id"])["value"].to_numpy()

    order = np.arange(len(texts))
    alone = values(order)
    assert np.isfinite(alone).all()
    for other in (
        values(order[::-1]),
        values(order, blocks=4),
        values(order, n_parts=3),
        values(order, pass_tokens=64),
    ):
        np.testing.assert_array_equal(alone, other)


@pytest.mark.parametrize("style", TEMPLATES)
def test_composed_is_what_the_tokenizer_gives(chat_folder, style):
    folder = chat_folder(TEMPLATES[style])
    before = described(folder, user="Who is weak?")["before"]
    for frame in ("[a] are [b].", "People in [a] are [b], [c]"):
        texts, fillers = instances(frame, NAMES, WORDS, ["Fiji", "weak"])
        befores = [before] * len(texts)
        composed, shared = tokenization.encode_behind(tokenizer_of(folder), befores, texts, fillers)
        assert_same(composed, tokenization.encode_behind(tokenizer_of(folder), befores, texts)[0])
        assert not shared.any()
        start, end = fillers["a"]
        words = [text[a:b] for text, a, b in zip(texts, start, end, strict=True)]
        of_filler = composed.tokens_of(start, end)
        for row in (0, len(texts) - 1):
            ids = composed.token_ids[of_filler & (composed.sentence == row)]
            assert tokenizer_of(folder).decode(ids).strip(" ,.") == words[row].strip(" ,.")


# --- what stands before an answer is the user's question ---


QUESTIONS = ["Who is weak?", "People in Peru and Canada met. Who was loud? Answer:", "Fiji: shy or wise?"]
ANSWERS = ["Peru", "Canada, and weak", "wise"]


def posed(questions, answers):
    """Texts, and the characters of their answers."""
    starts = np.array([len(question) + 1 for question in questions])
    texts = [f"{question} {answer}" for question, answer in zip(questions, answers, strict=True)]
    return texts, {"answer": (starts, starts + [len(answer) for answer in answers])}


@pytest.mark.parametrize("system", [None, "Be good to people in Peru."])
@pytest.mark.parametrize("style", TEMPLATES)
def test_an_answer_is_scored_after_its_own_question(chat_folder, style, system):
    if style == "inst" and system:
        pytest.skip("this template has no system message")
    folder = chat_folder(TEMPLATES[style])
    told = [] if system is None else [{"role": "system", "content": system}]
    texts, places = posed(QUESTIONS, ANSWERS)
    spans = {"asked": [*zip(*(bound.tolist() for bound in places["answer"]), strict=True)]}
    chat = {"question": True} | ({"system": system} if system else {})
    values = herbarium.score(texts, folder, "ll_asked", kind="causal", chat_template=chat, spans=spans)
    expected = [
        by_hand(folder, [*told, {"role": "user", "content": question}], answer)[1]
        for question, answer in zip(QUESTIONS, ANSWERS, strict=True)
    ]
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)


def planned(folder, texts, fillers):
    planner = planning.Planner(tokenizer_of(folder), 128, False, described(folder, question=True))
    return planner.add(np.arange(len(texts)), texts, ["ll_asked"], fillers, dict.fromkeys(fillers, "asked"))


def test_questions_beside_it_change_nothing_of_a_plan(chat_folder):
    folder = chat_folder(CHATML)
    texts, fillers = posed(QUESTIONS, ANSWERS)
    bounds = fillers["answer"]
    together = planned(folder, texts, {"answer": bounds}).inputs
    alone = [
        planned(folder, [text], {"answer": tuple(bound[[row]] for bound in bounds)}).inputs
        for row, text in enumerate(texts)
    ]
    ids = [inputs["token_ids"].to_pylist() for inputs in alone]
    assert sorted(together["token_ids"].to_pylist()) == sorted(tokens for (tokens,) in ids)


def test_what_is_no_question_is_refused(chat_folder):
    folder = chat_folder(CHATML)
    texts, fillers = posed(["", "<|im_end|> Who?", "Who? "], ["Peru", "Peru", "Peru"])
    without = {"answer": tuple(np.append(bound, -1) for bound in fillers["answer"])}
    notes = planned(folder, [*texts, "Peru"], without).sentences["note"].to_pylist()
    assert notes == [
        "refused: no question stands before words that are asked for",
        "refused: the text spells out the special token <|im_end|>",
        None,
        "refused: no question stands before words that are asked for",
    ]


def test_a_template_that_changes_questions_is_refused(chat_folder):
    changes = CHATML.replace("m['content']", "(m['content'] | upper if m['role'] == 'user' else m['content'])")
    with refused("models.m.chat_template.question"):
        described(chat_folder(changes), question=True)
    with refused("models.m.chat_template", "roles must alternate"):
        described(chat_folder(INST), question=True, system="Be good.")


def test_who_is_asked_questions_is_not_asked_for_whole_sentences(tmp_path):
    (tmp_path / "t.csv").write_text("id,set,side,text\n1,1,a,Who? [asked: I]\n2,1,b,Who? [asked: You]\n")
    of_all = {"table": str(tmp_path / "t.csv"), "models": ["chat"], "sides": ["a", "b"]}
    values = study(chat_template={"question": True}) | {"sentence_sets": {"s": of_all | {"quantity": "slot_mean"}}}
    assert config.load(values, []).models["chat"].chat_template.question
    for more in (
        {"sentence_sets": {"s": of_all | {"quantity": "ll"}}},
        {"crows_pairs": {"table": "resources/crows_pairs/demo/pairs.csv", "models": ["chat"]}},
    ):
        assert tells(faults(study(chat_template={"question": True}) | more), None, "'chat'", "chat_template.question")


def test_question_and_message_exclude_one_another():
    said = faults(study(chat_template={"question": True, "user": "Who?"}))
    assert tells(said, "models.chat.chat_template", "'user'", "'question'")


# --- what is refused ---


def notes(folder, text, **keys):
    planner = planning.Planner(tokenizer_of(folder), 128, False, described(folder, **keys))
    sentences = planner.add(np.arange(1), [text], ["ll"]).sentences
    assert sentences["n_requests"].to_pylist() == [0]
    return sentences["note"].to_pylist()[0]


def test_a_sentence_that_the_template_changes_is_refused(chat_folder):
    assert notes(chat_folder(LLAMA_3), "  hard-working") == "refused: the chat template changes the sentence"
    assert notes(chat_folder(LLAMA_3), "Peru ") == "refused: the chat template changes the sentence"
    thinking = CHATML.replace("m['content']", "m['content'].split('</think>')[-1]")
    assert notes(chat_folder(thinking), "a</think>Peru") == "refused: the chat template changes the sentence"


def test_a_token_of_template_and_sentence_is_refused(chat_folder):
    folder = chat_folder("{% for m in messages %}People in N{{ m['content'] }}{% endfor %}")
    assert notes(folder, "ew Zealand") == "refused: one token is of the chat template and of the sentence"


def test_the_template_counts_for_the_length_that_a_model_takes(chat_folder):
    folder = chat_folder(CHATML)
    n = len(by_hand(folder, [{"role": "user", "content": "weak " * 60}], "Peru")[0])
    assert n > 64
    planner = planning.Planner(tokenizer_of(folder), 64, False, described(folder, user="weak " * 60))
    (note,) = planner.add(np.arange(1), ["Peru"], ["ll"]).sentences["note"].to_pylist()
    assert note == f"refused: {n} tokens, the model takes 64"


def test_an_empty_sentence_has_no_value(chat_folder):
    for template, keys in ((CHATML, {}), (INST, {"user": "Who?"})):
        assert notes(chat_folder(template), "", **keys) == "refused: the sentence has no token"


@pytest.mark.parametrize(
    ("template", "keys", "fault"),
    [
        (INST, {}, ("models.m.chat_template", "roles must alternate", "`user`")),
        (INST, {"user": "Who?", "system": "Be good."}, ("models.m.chat_template", "roles must alternate")),
        (CHATML + "{{ strftime_now('%d %b %Y') }}", {}, ("models.m.chat_template", "today's date")),
        (CHATML.replace("m['content']", "m['content'] | upper"), {}, ("models.m.chat_template", "answer", "before it")),
        (CHATML.replace("m['role']", "m['content'] | length"), {}, ("models.m.chat_template", "answer", "before it")),
        (
            "Be good. {{ messages[-1]['content'] }}",
            {"system": "Be bad."},
            ("models.m.chat_template.system",),
        ),
        ("{{ messages[-1]['content'] }}", {}, ("models.m.chat_template", "nothing before an answer")),
        ("{% for m in messages %}", {}, ("models.m.chat_template", "conversation")),
    ],
)
def test_a_template_that_will_not_do_is_refused_by_name(chat_folder, template, keys, fault):
    with refused(*fault):
        described(chat_folder(template), **keys)


def test_a_variable_takes_the_place_of_the_date(chat_folder):
    template = "{% if date is not defined %}{% set date = strftime_now('%d') %}{% endif %}Today: {{ date }}\n" + CHATML
    assert described(chat_folder(template), variables={"date": "24"})["before"].startswith("Today: 24\n")


def test_a_template_reaches_nothing_outside_its_sandbox(chat_folder):
    for attack in (
        "''.__class__.__mro__",
        "messages.__class__.__base__.__subclasses__()",
        "cycler.__init__.__globals__",
    ):
        with refused("models.m.chat_template"):
            described(chat_folder(f"{{{{ {attack}[0] }}}}" + "{{ messages[-1]['content'] }}"))


# --- the record and the configuration ---


def entry(folder, **keys):
    return config.Model(path=folder, kind="causal", **keys).model_dump(mode="json")


def test_the_record_has_the_conversation_and_the_template(chat_folder, tmp_path):
    folder = Path(shutil.copytree(chat_folder(CHATML), tmp_path / "m"))
    assert (folder / "chat_template.jinja").exists()

    def record(**keys):
        return records.describe("m", entry(folder, **keys), folder, None)

    result = record(chat_template={"user": "Who?"})
    assert result["chat_template"] == described(folder, user="Who?")
    assert result["chat_template"]["before"].endswith("<|im_start|>user\nWho?<|im_end|>\n<|im_start|>assistant\n")
    assert record()["chat_template"] is None
    assert record(chat_template=True)["chat_template"] == described(folder)
    assert result["files"]["chat_template.jinja"]
    json.dumps(result)
    loading.folder_of(result | {"path": folder})
    (folder / "chat_template.jinja").write_text(CHATML + " ")
    assert record(chat_template={"user": "Who?"})["chat_template"]["template"] != result["chat_template"]["template"]
    with refused("chat_template.jinja", "'m'", "recorded"):
        loading.folder_of(result | {"path": folder})


def test_a_model_without_a_template_is_refused(model_folder):
    folder = model_folder("llama")
    with refused("models.m.chat_template", "tokenizer_config.json"):
        records.describe("m", entry(folder, chat_template=True), folder, None)


def study(**keys):
    models = {"chat": {"path": "m", "kind": "causal", **keys}, "bert": {"path": "b", "kind": "masked"}}
    return {"models": models}


def test_the_key_is_a_switch_or_a_section():
    def read(value):
        return config.load(study(chat_template=value), []).models["chat"].chat_template

    assert read(True).model_dump() == asked()
    assert read(False) is None
    read_variables = read({"system": "Be good.", "variables": {"thinking": False, "date": "26 Jul 2024"}})
    assert read_variables.model_dump() == asked(system="Be good.", variables={"thinking": False, "date": "26 Jul 2024"})
    assert tells(faults(study(chat_template={"usr": "Who?"})), None, "'models.chat.chat_template.usr'", "'user'")


@pytest.mark.parametrize("kind", ["masked", "seq2seq", "extractive"])
def test_only_causal_models_answer(kind):
    said = faults(study(kind=kind, chat_template=True))
    assert tells(said, "models.chat", "'chat_template'", "'kind: causal'", kind)


def test_what_is_neutralised_answers_in_the_same_conversation():
    values = study(chat_template={"user": "Who?"})
    values["models"]["x"] = {"derived": {"from": "chat", "by": {"recipe": "neutralised", "terms": "gender"}}}
    assert config.load(values, []).models["x"].chat_template.user == "Who?"


def test_what_does_not_score_texts_takes_no_chat():
    task = {"data": {"planted": 1.0}, "prefix": "I am from [region].", "controls": ["here"], "models": ["chat"]}
    for more in ({"downstream": {"tasks": {"t": task}}}, {"vectors": {"v": {"model": "chat"}}}):
        assert tells(faults(study(chat_template=True) | more), None, "'chat'", "'chat_template'")
