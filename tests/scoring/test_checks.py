"""Sentences of tokenizers that keep the contracts of published ones, which differ from each other's."""

from functools import cache

import numpy as np
import pytest
import transformers
from tests import charsmaps
from tests.conftest import TEXT
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from herbarium.scoring import checks
from herbarium.scoring.planning import Planner
from herbarium.scoring.tokenization import encode

WORDS = ("She", "is", "a", "nurse", "he", "papa", "weak", "People", "in", "Peru", "don", "t")
LETTERS = sorted(set("".join(WORDS)) | set(".,'’- "))
CHINESE = ("他", "很", "好", "护", "士", "护士", "他很")


def _pieces(space, *more):
    """Words, with the mark of a space before them and without; and letters."""
    return [*LETTERS, space, *(space + word for word in WORDS), *WORDS, *CHINESE, *more]


def _numbered(pieces):
    return {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}


def _merging(vocabulary, **settings):
    """Merges that build every piece from its letters, from the left."""
    merges, known = [], dict(vocabulary)
    for piece in (piece for piece in vocabulary if "<" not in piece):
        for end in range(2, len(piece) + 1):
            if piece[:end] not in known:
                known[piece[:end]] = len(known)
            pair = (piece[: end - 1], piece[end - 1])
            if pair not in merges and pair[1] in known:
                merges.append(pair)
    return models.BPE(known, merges, **settings)


def _finished(tokenizer, special, before=(), after=(), **names):
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    if before or after:
        template = " ".join([*(f"{token}:0" for token in before), "$A:0", *(f"{token}:0" for token in after)])
        around = [(token, tokenizer.token_to_id(token)) for token in {*before, *after}]
        tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=around)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


def gemma():
    """Spaces are replaced, and nothing is split: one "word" is the whole sentence; unknown letters become bytes."""
    pieces = ["<unk>", "<bos>", "<mask>", *(f"<0x{byte:02X}>" for byte in range(256)), *_pieces("▁")]
    made = Tokenizer(_merging(_numbered(pieces), unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    made.normalizer = normalizers.Replace(" ", "▁")
    made.decoder = decoders.Replace("▁", " ")
    names = {"bos_token": "<bos>", "unk_token": "<unk>", "mask_token": "<mask>"}
    return _finished(made, ["<unk>", "<bos>", "<mask>"], ["<bos>"], **names)


def xlm_roberta():
    """Words end at spaces; a token may be the space alone; unknown letters become one token."""
    pieces = ["<s>", "</s>", "<unk>", "<mask>", *_pieces("▁")]
    scores = [(piece, 0.0 if number < 4 else -10.0 / len(piece)) for piece, number in _numbered(pieces).items()]
    made = Tokenizer(models.Unigram(scores, 2))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    names = {"unk_token": "<unk>", "mask_token": "<mask>"}
    return _finished(made, ["<s>", "</s>", "<unk>", "<mask>"], ["<s>"], ["</s>"], **names)


@cache
def _charsmap():
    return charsmaps.table(charsmaps.learned(TEXT * 9, 60))


def camembert():
    """As XLM-R's, after a clean-up by SentencePiece's table of characters; the places of the first special tokens are
    taken by others, and the mask takes the space before it."""
    first = ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"]
    pieces = _numbered([*first, *_pieces("▁"), "<mask>"])
    scores = [(piece, 0.0 if piece in (*first, "<mask>") else -10.0 / len(piece)) for piece in pieces]
    return transformers.CamembertTokenizer(vocab=scores, _spm_precompiled_charsmap=_charsmap())


def bert():
    """Words are split at punctuation and between Chinese characters; accents and capitals are dropped."""
    words = [word.lower() for word in WORDS]
    parts = [*(f"##{letter}" for letter in LETTERS), *words, *map(str.lower, LETTERS), *"他很好护士"]
    made = Tokenizer(models.WordPiece(_numbered(["[UNK]", "[CLS]", "[SEP]", "[MASK]", *parts]), unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = {"unk_token": "[UNK]", "mask_token": "[MASK]"}
    return _finished(made, ["[UNK]", "[CLS]", "[SEP]", "[MASK]"], ["[CLS]"], ["[SEP]"], **names)


def qwen():
    """Byte-level, with nothing around a text, no beginning-of-sentence token, and no unknown one."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(_merging(_numbered([*alphabet, *(f"Ġ{word}" for word in WORDS), *WORDS]), unk_token=None))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<mask>"]
    return _finished(made, special, eos_token="<|im_end|>", pad_token="<|endoftext|>", mask_token="<mask>")


def llama3():
    """Byte-level, too, but with a token before the text."""
    made = qwen().backend_tokenizer
    return _finished(
        made, ["<|begin_of_text|>"], ["<|begin_of_text|>"], bos_token="<|begin_of_text|>", mask_token="<mask>"
    )


def mdeberta():
    """As XLM-R's, but split at the spaces' marks, not at spaces, after a clean-up of characters."""
    made = xlm_roberta().backend_tokenizer
    made.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(" {2,}"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    return _finished(made, ["<s>"], ["<s>"], ["</s>"], unk_token="<unk>", mask_token="<mask>")


def silent():
    """Drops the letters that it does not know, as a BPE without an unknown token does."""
    made = Tokenizer(_merging(_numbered(["<s>", "<mask>", *LETTERS, *WORDS]), unk_token=None))
    made.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s+"), "removed")
    return _finished(made, ["<s>", "<mask>"], ["<s>"], bos_token="<s>", mask_token="<mask>")


def without_a_byte():
    """Byte-level, without the first byte of *é*, which it drops."""
    alphabet = sorted({*pre_tokenizers.ByteLevel.alphabet()} - {"Ã"})
    made = Tokenizer(_merging(_numbered([*alphabet, *WORDS]), unk_token=None))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return _finished(made, ["<|endoftext|>", "<mask>"], pad_token="<|endoftext|>", mask_token="<mask>")


def letters():
    """A token for each letter."""
    made = Tokenizer(models.WordLevel(_numbered(["<unk>", "<s>", "<mask>", *LETTERS]), unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    names = {"bos_token": "<s>", "unk_token": "<unk>", "mask_token": "<mask>"}
    return _finished(made, ["<unk>", "<s>", "<mask>"], ["<s>"], **names)


ALL = [gemma, xlm_roberta, mdeberta, camembert, bert, qwen, llama3, silent, letters]
KNOW_EVERY_BYTE = (gemma, qwen, llama3)
each = pytest.mark.parametrize("made", ALL, ids=lambda made: made.__name__)


def planned(tokenizer, text, quantity="pll", asked=None):
    """The row of the plan for a sentence. asked: the word of the slot."""
    spans = {} if asked is None else {"asked": tuple(np.array([at]) for at in _place(text, asked))}
    plan = Planner(tokenizer, 64, False).add(np.arange(1), [text], [quantity], spans, {slot: slot for slot in spans})
    return plan.sentences.to_pylist()[0]


def _place(text, word):
    return text.index(word), text.index(word) + len(word)


def words(tokenizer, text):
    """The texts of the words that the tokens form."""
    encoded = encode(tokenizer, [text])
    tokens = ~encoded.is_special
    number = np.cumsum(checks.begins_word(encoded, [text]))[tokens]
    spans = encoded.spans[tokens]
    return [text[spans[number == n, 0].min() : spans[number == n, 1].max()].strip() for n in dict.fromkeys(number)]


@each
def test_words_are_those_of_the_text(made):
    joined = [word.lower() for word in words(made(), "She is a nurse in Peru")]
    expected = ["she", "is", "a", "nurse", "in", "peru"]
    assert [word for word in joined if word] == expected


@pytest.mark.parametrize("made", [gemma, bert], ids=lambda made: made.__name__)
def test_punctuation_is_a_word_where_the_text_says_so(made):
    assert [word.lower() for word in words(made(), "She is a nurse.")] == ["she", "is", "a", "nurse", "."]


@pytest.mark.parametrize("made", [gemma, bert, xlm_roberta], ids=lambda made: made.__name__)
def test_every_token_is_a_word_in_a_script_without_spaces(made):
    tokenizer = made()
    encoded = encode(tokenizer, ["他好护士"])
    n_tokens = (~encoded.is_special & (encoded.spans[:, 1] > encoded.spans[:, 0])).sum()
    assert len([word for word in words(tokenizer, "他好护士") if word]) >= n_tokens - 1


@each
def test_a_sentence_of_which_no_letter_is_known_is_refused(made):
    row = planned(made(), "Οι γιατροί ζουν ωραία.")
    is_refused = (row["note"] or "").startswith("refused")
    assert is_refused == (made not in KNOW_EVERY_BYTE)
    assert (row["n_requests"] == 0) == is_refused


@each
def test_a_sentence_that_is_known_in_part_is_scored_with_how_much(made):
    row = planned(made(), "She is a ωραία nurse.")
    assert row["n_requests"] > 0
    known = None if made in KNOW_EVERY_BYTE else "the tokenizer knows only 11 of 16 letters (69%)"
    assert row["note"] == known


@pytest.mark.parametrize(
    ("text", "asked", "is_refused"),
    [
        ("She ωis a nurse.", "ωis", True),  # *is*, said to be of *ωi*
        ("She is aω.", "aω", True),  # the stop, said to be the letter
        ("She ωis a nurse.", "nurse", True),
        ("She isω a nurse.", "isω", False),
        ("She is ω nurse.", "nurse", False),
        ("She is a nurse.", "nurse", False),
    ],
)
def test_a_letter_that_is_dropped_before_others_of_its_word_is_refused(text, asked, is_refused):
    for row in (planned(silent(), text), planned(silent(), text, "slot", asked)):
        assert (row["n_requests"] == 0) == is_refused
        message = "refused: the tokenizer drops letters, and takes others for those that it dropped"
        assert (row["note"] == message) == is_refused


@pytest.mark.parametrize(("text", "is_refused"), [("éis", True), ("aéb€", True), ("She is é", False)])
def test_a_byte_that_is_dropped_before_others_of_its_word_is_refused(text, is_refused):
    assert (planned(without_a_byte(), text)["n_requests"] == 0) == is_refused


@pytest.mark.parametrize("text", ["She i\u0301s a nurse.", "She is a nur\u0000se."])
def test_what_a_normaliser_drops_moves_nothing(text):
    row = planned(bert(), text, "slot", "She")
    assert row["n_requests"] > 0
    assert row["note"] is None


@each
def test_a_sentence_that_is_known_has_no_note(made):
    assert planned(made(), "She is a nurse.")["note"] is None


@each
@pytest.mark.parametrize("character", "\N{SOFT HYPHEN}\N{ZERO WIDTH SPACE}\N{RIGHT-TO-LEFT OVERRIDE}\N{WORD JOINER}")
def test_an_invisible_character_is_told(made, character):
    note = planned(made(), f"She is a nur{character}se.")["note"]
    assert note is not None
    assert "refused" in note or f"U+{ord(character):04X}" in note


@each
def test_a_special_token_that_the_text_spells_out_is_refused(made):
    tokenizer = made()
    for token in tokenizer.all_special_tokens:
        for text in (f"She is {token} nurse.", f"{token} She is a nurse.", f"She is a nurse{token}"):
            row = planned(tokenizer, text)
            assert row["n_requests"] == 0
            assert token in row["note"]


def test_an_unknown_word_is_not_its_token_spelled_out():
    note = planned(bert(), "She is a ωραία nurse.")["note"]
    assert not note.startswith("refused")


@pytest.mark.parametrize(
    ("made", "text", "asked", "is_refused"),
    [
        (gemma, "他很好", "他", True),
        (gemma, "她 他 很好", "他", False),
        (gemma, "She is a nurse.", "nurse", False),
        (gemma, "他很好", "他很", False),
        (xlm_roberta, "他很好", "他", True),
        (xlm_roberta, "She is a nurse.", "nurse", False),
        (camembert, "他很好", "他", True),
        (camembert, "She is a nurse.", "nurse", False),
        (camembert, "She is a nurse.", "nurs", True),
        (bert, "他很好", "他", False),
        (bert, "She is a nurse.", "nurs", True),
        (qwen, "She is a nurse.", "nurse", False),
        (letters, "She is a nurse.", "nurs", False),
    ],
)
def test_a_token_of_the_word_and_of_what_is_beside_it_is_refused(made, text, asked, is_refused):
    tokenizer = made()
    row = planned(tokenizer, text, "slot", asked)
    assert (row["n_requests"] == 0) == is_refused
    assert planned(tokenizer, text, "pll", asked)["n_requests"] > 0  # the whole sentence: any token counts


def test_camembert_as_published():
    tokenizer = camembert()
    special = {"<s>NOTUSED": 0, "<pad>": 1, "</s>NOTUSED": 2, "<unk>": 3, "<unk>NOTUSED": 4, "<s>": 5, "</s>": 6}
    assert {token: tokenizer.convert_tokens_to_ids(token) for token in special} == special
    ids = tokenizer("She is <mask> nurse")["input_ids"]
    assert tokenizer.convert_ids_to_tokens(ids) == ["<s>", "▁She", "▁is", "<mask>", "▁nurse", "</s>"]


@pytest.mark.parametrize(
    ("text", "asked", "tokens"),
    [
        ("She is a ｎｕｒｓｅ.", "ｎｕｒｓｅ", ["▁nurse"]),  # wide letters
        ("She\u00a0is a nurse.", "is", ["▁is"]),
        ("She is a nur\u200bse.", "is", ["▁is"]),  # a space of no width, which becomes a space
        ("She don\u2019t is", "is", ["▁is"]),
    ],
)
def test_what_the_table_of_characters_changes_moves_nothing(text, asked, tokens):
    tokenizer = camembert()
    encoded = encode(tokenizer, [text])
    start, end = _place(text, asked)
    covering = encoded.tokens_of(np.array([start]), np.array([end]))
    assert tokenizer.convert_ids_to_tokens(encoded.token_ids[covering]) == tokens
    assert planned(tokenizer, text, "slot", asked)["n_requests"] == len(tokens)


@each
def test_the_unknown_token_is_what_letters_become_that_no_vocabulary_has(made):
    tokenizer = made()
    tokenizer.unk_token = None  # what it says of itself
    names = (
        []
        if made in (*KNOW_EVERY_BYTE, silent)
        else [tokenizer.convert_tokens_to_ids({"bert": "[UNK]"}.get(made.__name__, "<unk>"))]
    )
    assert checks.marks_of(tokenizer).unknown.tolist() == names


def test_covered_characters_are_counted_text_by_text():
    characters = checks.Characters(["ab c", "", "..."])
    assert characters.per_text(characters.is_letter).tolist() == [3, 0, 3]
    assert characters.per_text(characters.is_space).tolist() == [1, 0, 0]
