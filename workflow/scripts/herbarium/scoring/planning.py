"""From sentences to the unique encoder inputs that they need, and the requests on those inputs.

A *request* asks one input for the log-probability of one token at one position. A quantity of a sentence consists of
one request per token: AUL and the log-likelihood ask the unmasked sentence for each of its tokens;
pseudo-log-likelihoods ask, for each token, the copy in which that token is masked; a span asks where an answer begins
and ends, given a question with its context. Sentences with the same token ids share an input: each input is planned,
and runs, once.

For a causal model, an input ends before the last token that is asked for, and is cut in two where the sentence says:
what stands before its last marked words is a prefix, which all sentences that begin with it share (`Planner._cut`).

Everything is planned in blocks of sentences with array operations, so that millions can be processed.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from herbarium.core.errors import HerbariumError
from herbarium.models import chats
from herbarium.models.kinds import Kind
from herbarium.scoring import checks
from herbarium.scoring.asked import (
    ALL_PAIRS,
    FROM_BEFORE,
    MASKS_EACH,
    MASKS_SLOTS,
    OF_SLOTS,
    PRIORS,
    all_pairs,
    around,
    asked_and_shown,
    condition_precedes,
    masked_copies,
    question_ends,
    tokens_by_role,
)
from herbarium.scoring.quantities import (
    ASKED,
    AUL_PADDED,
    AULA,
    BEGINS,
    ENDS,
    LL_ASKED,
    LL_SHARED,
    PLL_WORD_L2R,
    SPAN,
    SPAN_RELEASED,
    require,
)
from herbarium.scoring.tokenization import Encoded, bare_lengths, begun, encode, encode_behind, encode_pairs, padded
from herbarium.scoring.turns import NO_QUESTION, Turns, with_questions, without_questions

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from herbarium.models.tokenizer_files import Tokenizer

_SPANS = (SPAN, SPAN_RELEASED)  # quantities of an answer to a question
# Tokens of the shortest prefix that is computed apart.
_SHORTEST_PREFIX = 4
_NOTHING_ASKED = "refused: nothing in the sentence is asked for"


@dataclass(frozen=True)
class Block:
    """What one block of sentences adds to the plan: tables with the schemas INPUTS, REQUESTS and SENTENCES."""

    inputs: pa.Table
    requests: pa.Table
    sentences: pa.Table


def joined(blocks: Iterable[Block]) -> Block:
    blocks = list(blocks)
    return Block(*(pa.concat_tables([getattr(block, table.name) for block in blocks]) for table in fields(Block)))


def part(plan: Block, sentence_id: np.ndarray) -> Block:
    """The part of a plan for some of its sentences, with the requests renumbered."""
    sentences = plan.sentences.filter(pc.is_in(plan.sentences["sentence_id"], pa.array(sentence_id)))
    first, n = (sentences[name].to_numpy() for name in ("first_request", "n_requests"))
    number = np.full(len(plan.requests), -1)
    renumbered = np.cumsum(n) - n
    number[np.repeat(first - renumbered, n) + np.arange(n.sum())] = np.arange(n.sum())
    number = number[plan.requests["request"].to_numpy()]
    requests = plan.requests.set_column(0, "request", pa.array(number)).filter(pa.array(number >= 0))
    return Block(
        inputs=plan.inputs.filter(pc.is_in(plan.inputs["input"], requests["input"])),
        requests=requests,
        sentences=sentences.set_column(2, "first_request", pa.array(renumbered)),
    )


class Planner:
    """Numbers the unique inputs and the requests over all blocks of a plan."""

    def __init__(
        self,
        tokenizer: "Tokenizer | PreTrainedTokenizerFast",
        max_tokens: int,
        lowercase: bool,
        chat: dict | None = None,
        start: dict | None = None,
        cuts: bool = False,
        whole: bool = False,
    ):
        """max_tokens: the longest input that the model takes. lowercase: lower-case sentences before tokenization.
        chat, start: `chat_template` and `start` of the model's record; with the first, the tokenizer is one of
        transformers; without the second, sentences begin as the tokenizer says. cuts: inputs of a causal model are cut
        (`prefixes.able`). whole: they end with the last token that is asked for, as a server wants it.
        """
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens
        self._lowercase = lowercase
        self._chat = chat
        self._cuts, self._whole = cuts, whole
        self._start_id = tokenizer.bos_token_id if start is None else start["id"]
        self._marks = checks.marks_of(tokenizer)
        self._number_of: dict[bytes, int] = {}  # digest of an input's token ids -> its number
        self._n_requests = 0

    @classmethod
    def for_record(cls, record: dict, tokenizer: "Tokenizer | PreTrainedTokenizerFast") -> "Planner":
        """For the model of a record."""
        facts = (record[name] for name in ("max_tokens", "lowercase", "chat_template", "start", "cuts"))
        return cls(tokenizer, *facts, whole=record["served"] is not None)

    def add(
        self,
        sentence_id: np.ndarray,
        texts: list[str],
        quantities: Iterable[str],
        fillers: dict[str, tuple[np.ndarray, np.ndarray]] | None = None,
        roles: dict[str, str] | None = None,
        batch: np.ndarray | None = None,
        words: Mapping[str, Sequence] | None = None,
    ) -> Block:
        """Plan quantities of a block of sentences.

        sentence_id: (n,) int64. texts: n sentences. quantities: of quantities.QUANTITIES. fillers: slot name ->
        (start, end), each (n,), the characters of the slot's filler, -1 if a sentence has none. roles: slot name -> one
        of quantities.ROLES or quantities.QUESTION, for the quantities of masked slots and of spans. batch: (n,) the
        number of each sentence's batch, for the quantity that pads; None for one batch. words: around an answer, as of
        `asked.around`, for the quantity that needs them.
        Raises HerbariumError when a quantity needs a token that the tokenizer lacks (a mask or beginning-of-sentence
        token), or a slot that the sentences lack, or these words.
        """
        quantities, roles = list(quantities), roles or {}
        fillers = fillers or {}
        if self._lowercase:
            texts, fillers = lowered(texts, fillers)
        blocks = []
        if of_pairs := [quantity for quantity in quantities if quantity in _SPANS]:
            pairs = encode_pairs(self._tokenizer, texts, question_ends(texts, fillers, roles))
            blocks += [
                self._plan_spans(sentence_id, texts, *pairs, quantity, fillers, roles, words) for quantity in of_pairs
            ]
        if of_texts := [quantity for quantity in quantities if quantity not in _SPANS]:
            asks = self._chat is not None and self._chat["question"]
            said = with_questions(texts, fillers, roles) if asks else without_questions(texts, fillers)
            encoded, faults = self._encode(said)
            if asks:
                faults |= self._faults_of_questions(said.questions)
            batch = np.zeros(len(texts), dtype=int) if batch is None else batch
            blocks += [
                self._plan(sentence_id, said.answers, encoded, faults, quantity, said.fillers, roles, batch)
                for quantity in of_texts
            ]
        return joined(blocks)

    def _encode(self, said: Turns) -> tuple[Encoded, dict[str, np.ndarray]]:
        """Answers as tokens, and fault -> which of them have it, (n,) of bool."""
        questions, answers, fillers = said
        if self._chat is None:
            return encode(self._tokenizer, answers, fillers), {}
        before = [chats.before(self._chat, question) for question in questions]
        encoded, is_shared = encode_behind(self._tokenizer, before, answers, fillers)
        turns = list(zip(questions, answers, strict=True))
        changed = np.array(chats.changed(self._tokenizer, self._chat, turns), dtype=bool)
        return encoded, {
            "refused: one token is of the chat template and of the sentence": is_shared,
            "refused: the chat template changes the sentence": changed,
        }

    def _faults(
        self, encoded: Encoded, texts: list[str], fillers: dict[str, tuple[np.ndarray, np.ndarray]], masked: list[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `checks.faults`."""

        def tokenize(texts: list[str]) -> Encoded:
            if self._chat is None:
                return encode(self._tokenizer, texts)
            before = chats.before(self._chat, "" if self._chat["question"] else None)
            return encode_behind(self._tokenizer, [before] * len(texts), texts)[0]

        return checks.faults(encoded, texts, fillers, masked, self._marks, self._max_tokens, tokenize)

    def _faults_of_questions(self, questions: list[str]) -> dict[str, np.ndarray]:
        """Fault -> which questions have it, (n,) of bool: what would be refused if it were scored, such as a special
        token that is spelled out."""
        distinct, place = np.unique(questions, return_inverse=True)
        texts = distinct.tolist()

        def tokenize(texts: list[str]) -> Encoded:
            return encode(self._tokenizer, texts, add_special_tokens=False)

        refused, notes = checks.faults(tokenize(texts), texts, {}, [], self._marks, self._max_tokens, tokenize)
        notes[distinct == ""] = NO_QUESTION
        return {note: (refused & (notes == note))[place] for note in dict.fromkeys(notes[refused])}

    def add_stimuli(self, sentences: pa.Table, header: dict) -> Block:
        """Plan sentences of a file of stimuli.

        asked: what the file says about itself: `quantities` and `slots`, and `roles` if a quantity is of slots or of a
        span, and `around`, the words around an answer, if a quantity needs them. Every sentence is asked for all
        quantities, or for the one that its column `quantity` names; for LL_ASKED only if it has a slot that is asked
        for. Those with the same number in a column `batch` are padded together.
        """
        blocks = []
        for quantities, rows in _by_quantity(sentences, header):
            if len(rows):
                texts, ids = rows["text"].to_pylist(), rows["sentence_id"].to_numpy()
                batch = rows["batch"].to_numpy() if "batch" in rows.column_names else None
                fillers, roles, words = spans(rows, header["slots"]), header.get("roles"), header.get("around")
                blocks.append(self.add(ids, texts, quantities, fillers, roles, batch, words))
        return joined(blocks)

    def _plan(
        self,
        sentence_id: np.ndarray,
        texts: list[str],
        encoded: Encoded,
        faults: dict[str, np.ndarray],
        quantity: str,
        fillers: dict[str, tuple[np.ndarray, np.ndarray]],
        roles: dict[str, str],
        batch: np.ndarray,
    ) -> Block:
        """As `add`, one quantity of sentences that are already tokens. faults: as from `_encode`."""
        mask_id = self._tokenizer.mask_token_id
        if quantity in (*MASKS_EACH, *MASKS_SLOTS) and mask_id is None:
            raise HerbariumError(
                f"The quantity '{quantity}' masks tokens, but this model's tokenizer has no mask token."
            )
        if quantity in FROM_BEFORE:
            encoded = begun(encoded, self._start_id)
        masked = list(roles) if quantity in OF_SLOTS else []
        refused, notes = self._faults(encoded, texts, fillers, masked)
        for note, rows in faults.items():
            notes[rows], refused[rows] = note, True
        lengths = encoded.lengths
        if quantity == AUL_PADDED:
            encoded = padded(encoded, batch, self._tokenizer)
        n_padding = encoded.lengths - lengths
        of_role = tokens_by_role(encoded, fillers, roles) if quantity in OF_SLOTS else None
        words = np.cumsum(checks.begins_word(encoded, texts)) if quantity == PLL_WORD_L2R else None
        is_asked, shown = asked_and_shown(encoded, quantity, of_role, mask_id)
        is_asked &= ~refused[encoded.sentence]
        n_tokens = np.bincount(encoded.sentence[is_asked], minlength=len(notes))
        notes[(n_tokens == 0) & ~refused] = _NOTHING_ASKED
        given = _given(encoded, is_asked, only_before=quantity in (LL_SHARED, LL_ASKED))
        n_requests = n_tokens**2 if quantity in ALL_PAIRS else n_tokens
        first_request = self._first_requests(n_requests)
        # for every token asked for, sentence by sentence
        first_token = np.cumsum(n_tokens) - n_tokens
        targets, positions = encoded.token_ids[is_asked], encoded.places[is_asked]
        inputs, cut, of_prefix = [], np.zeros(len(texts), dtype=np.int32), np.full(len(texts), -1)
        if quantity in FROM_BEFORE:
            positions = positions - 1  # a causal model predicts a token at the position before it
            n_given = _lengths_asked(encoded, is_asked) - (not self._whole)
            cut = self._cut(encoded, is_asked if quantity == LL_ASKED else None, fillers, n_given)
            is_given = encoded.places < n_given[encoded.sentence]
            encoded, shown = encoded.repeated(is_given), shown[is_given]
            of_prefix, inputs = self._number_prefixes(encoded, cut)
        if quantity in ALL_PAIRS:
            repeats = self._masks_of_bare_words(
                texts, encoded, shown == mask_id, {slot: fillers[slot] for slot in roles}
            )
            encoded, shown = encoded.repeated(repeats), np.repeat(shown, repeats)
            of_role = {role: np.repeat(tokens, repeats) for role, tokens in of_role.items()}

        requests = []
        for length in np.unique(encoded.lengths):
            rows = np.flatnonzero(encoded.lengths == length)
            at = encoded.starts[rows, None] + np.arange(length)
            row = np.repeat(np.arange(len(rows)), n_tokens[rows])  # one request per token
            token = first_token[rows][row] + np.arange(len(row)) - (np.cumsum(n_tokens[rows]) - n_tokens[rows])[row]
            target, position = targets[token], positions[token]
            if quantity in MASKS_EACH:
                of_word = words[at][row] if quantity == PLL_WORD_L2R else None
                wanted = masked_copies(shown[at][row], position, of_word, mask_id)
                owner = np.arange(len(row))
            else:
                has_request = n_tokens[rows] > 0
                wanted, owner = shown[at][has_request], (np.cumsum(has_request) - 1)[row]
            if quantity in ALL_PAIRS:
                passed_over = condition_precedes(of_role, at) & (quantity in PRIORS)
                position, token = all_pairs(row, shown[at] == mask_id, passed_over)
                row, target, owner = row[token], target[token], owner[token]
            rank = np.arange(len(row)) - (np.cumsum(n_requests[rows]) - n_requests[rows])[row]
            padding, prefix = np.zeros((2, len(wanted)), dtype=np.int32)
            padding[owner], prefix[owner] = n_padding[rows][row], cut[rows][row]
            numbers, new = self._number(wanted, padding, np.zeros_like(padding), prefix, quantity == AULA)
            inputs.append(new)
            number = np.where(position < prefix[owner], of_prefix[rows][row], numbers[owner])
            requests.append((first_request[rows][row] + rank, number, position, target))
        return Block(
            inputs=pa.concat_tables(inputs),
            requests=_requests(requests),
            sentences=_sentences(sentence_id, quantity, first_request, n_requests, n_tokens, given, notes),
        )

    def _plan_spans(
        self,
        sentence_id: np.ndarray,
        texts: list[str],
        encoded: Encoded,
        n_second: np.ndarray,
        quantity: str,
        fillers: dict[str, tuple[np.ndarray, np.ndarray]],
        roles: dict[str, str],
        words: Mapping[str, Sequence] | None,
    ) -> Block:
        """As `add`, one quantity of spans in pairs that are already tokens. n_second: (n,) as in the schema INPUTS."""
        if quantity == SPAN_RELEASED and words is None:
            raise HerbariumError(
                f"The quantity '{SPAN_RELEASED}' needs the words around an answer; 'around' is missing."
            )
        refused, notes = self._faults(encoded, texts, fillers, list(roles))
        asked = tokens_by_role(encoded, fillers, roles)[ASKED] & ~refused[encoded.sentence]
        n_tokens = np.bincount(encoded.sentence[asked], minlength=len(notes))
        is_asked = n_tokens > 0
        notes[~is_asked & ~refused] = _NOTHING_ASKED
        given = _given(encoded, asked)
        tokens = np.flatnonzero(asked)
        last = np.cumsum(n_tokens)[is_asked] - 1
        first, last = tokens[last - n_tokens[is_asked] + 1], tokens[last]
        begins, ends = first[:, None], last[:, None]
        if quantity == SPAN_RELEASED:
            begins, ends = around(texts, encoded, first, last, words)
        target = np.repeat([BEGINS, ENDS], [begins.shape[1], ends.shape[1]])
        n_requests = is_asked * len(target)
        first_request = self._first_requests(n_requests)
        position = np.zeros((len(notes), len(target)), dtype=int)
        position[is_asked] = np.concatenate([begins, ends], axis=1) - encoded.starts[:-1][is_asked, None]

        inputs, requests = [], []
        for length in np.unique(encoded.lengths):
            rows = np.flatnonzero((encoded.lengths == length) & is_asked)
            wanted = encoded.token_ids[encoded.starts[rows, None] + np.arange(length)]
            none = np.zeros_like(n_second[rows])
            numbers, new = self._number(wanted, none, n_second[rows], none, with_attention=False)
            inputs.append(new)
            request = first_request[rows, None] + np.arange(len(target))
            owner = np.repeat(numbers, len(target))
            requests.append((request.ravel(), owner, position[rows].ravel(), np.tile(target, len(rows))))
        return Block(
            inputs=pa.concat_tables(inputs),
            requests=_requests(requests),
            sentences=_sentences(sentence_id, quantity, first_request, n_requests, n_tokens, given, notes),
        )

    def _first_requests(self, n_requests: np.ndarray) -> np.ndarray:
        """(n,) the number of the first request of each sentence. n_requests: (n,) of each sentence."""
        first_request = self._n_requests + np.cumsum(n_requests) - n_requests
        self._n_requests += int(n_requests.sum())
        return first_request

    def _masks_of_bare_words(
        self, texts: list[str], encoded: Encoded, masked: np.ndarray, fillers: dict[str, tuple[np.ndarray, np.ndarray]]
    ) -> np.ndarray:
        """The number of masks for each token, (n_tokens,), as the released codes count the masks of a slot.

        They count the tokens of the bare word; a byte-level tokenizer has other tokens for a word after a space.
        masked: (n_tokens,) of bool. Any other token counts once.
        """
        repeats = np.ones(len(encoded.token_ids), dtype=int)
        for start, end in fillers.values():
            words = [text[a:b] if a >= 0 else "" for text, a, b in zip(texts, start, end, strict=True)]
            distinct = list(dict.fromkeys(words))
            count_of = dict(zip(distinct, bare_lengths(self._tokenizer, distinct), strict=True))
            count = np.array([count_of[word] for word in words])
            tokens = np.flatnonzero(encoded.tokens_of(start, end) & masked)
            sentence = encoded.sentence[tokens]
            n = np.bincount(sentence, minlength=len(texts))
            rank = np.arange(len(tokens)) - (np.cumsum(n) - n)[sentence]
            is_last = rank == n[sentence] - 1
            repeats[tokens] = np.where(is_last, np.maximum(count[sentence] - rank, 0), rank < count[sentence])
        return repeats

    def _cut(
        self,
        encoded: Encoded,
        asked: np.ndarray | None,
        fillers: dict[str, tuple[np.ndarray, np.ndarray]],
        n_given: np.ndarray,
    ) -> np.ndarray:
        """(n,) the tokens of each sentence's prefix, 0 for none: those before its last filler, or before the first
        token that is asked for; in a sentence without fillers, those of the chat template.

        It follows from the sentence alone, so that its score is the same whatever stands beside it. asked: (n_tokens,)
        of bool, if a quantity asks for fillers alone. n_given: (n,) the tokens of each sentence that the model is
        given.
        """
        if not self._cuts:
            return np.zeros(len(n_given), dtype=np.int32)
        first = encoded.first_of(~encoded.is_special if asked is None else asked)
        if asked is None:
            first = np.max(
                [first, *(encoded.first_of(encoded.tokens_of(*bounds)) for bounds in fillers.values())], axis=0
            )
        return np.where((first >= _SHORTEST_PREFIX) & (first < n_given), first, 0).astype(np.int32)

    def _number_prefixes(self, encoded: Encoded, cut: np.ndarray) -> tuple[np.ndarray, list[pa.Table]]:
        """(n,) the number of each sentence's prefix as an input, -1 if it has none, and tables INPUTS of those that are
        new. cut: from `_cut`."""
        numbers, tables = np.full(len(cut), -1), []
        for length in np.unique(cut[cut > 0]):
            rows = np.flatnonzero(cut == length)
            none = np.zeros(len(rows), dtype=np.int32)
            wanted = encoded.token_ids[encoded.starts[rows, None] + np.arange(length)]
            numbers[rows], new = self._number(wanted, none, none, none, with_attention=False)
            tables.append(new)
        return numbers, tables

    def _number(
        self,
        inputs: np.ndarray,
        n_padding: np.ndarray,
        n_second: np.ndarray,
        n_prefix: np.ndarray,
        with_attention: bool,
    ) -> tuple[np.ndarray, pa.Table]:
        """The numbers of inputs (n, length), and a table INPUTS of those that are new."""
        person = b"with attention" if with_attention else b""
        numbers = np.empty(len(inputs), dtype=np.int64)
        digests = np.empty(len(inputs), dtype=object)
        is_new = np.zeros(len(inputs), dtype=bool)
        counts = (n.tolist() for n in (n_padding, n_second, n_prefix))
        for row, (token_ids, *of_row) in enumerate(zip(np.ascontiguousarray(inputs), *counts, strict=True)):
            # a digest, to save memory: with 128 bits, millions of inputs do not collide
            salt = b"".join(n.to_bytes(4) for n in of_row)
            key = hashlib.blake2b(token_ids, digest_size=16, person=person, salt=salt).digest()
            next_number = len(self._number_of)
            numbers[row] = self._number_of.setdefault(key, next_number)
            digests[row] = key
            is_new[row] = numbers[row] == next_number
        columns = {
            "input": numbers[is_new],
            "token_ids": _lists(inputs[is_new]),
            "n_padding": n_padding[is_new],
            "n_second": n_second[is_new],
            "n_prefix": n_prefix[is_new],
            "with_attention": np.full(is_new.sum(), with_attention),
            "digest": pa.array(digests[is_new], pa.binary(16)),
        }
        return numbers, pa.table(columns)


def _by_quantity(sentences: pa.Table, header: dict) -> Iterator[tuple[list[str], pa.Table]]:
    """Quantities, and the sentences that are asked for them. Arguments as for `Planner.add_stimuli`."""
    if "quantity" in sentences.column_names:
        for quantity in header["quantities"]:
            yield [quantity], sentences.filter(pc.equal(sentences["quantity"], quantity))
        return
    if of_all := [quantity for quantity in header["quantities"] if quantity != LL_ASKED]:
        yield of_all, sentences
    if LL_ASKED in header["quantities"]:
        asked = [slot for slot, role in header["roles"].items() if role == ASKED]
        has_slot = [pc.is_valid(sentences[f"{slot}_start"]) for slot in asked]
        yield [LL_ASKED], sentences.filter(reduce(pc.or_, has_slot))


def _requests(of_lengths: list[tuple[np.ndarray, ...]]) -> pa.Table:
    """A table REQUESTS from its columns, in parts."""
    columns = map(np.concatenate, zip(*of_lengths, strict=True))
    return pa.table(dict(zip(("request", "input", "position", "target"), columns, strict=True)))


def _given(encoded: Encoded, is_asked: np.ndarray, only_before: bool = False) -> np.ndarray:
    """(n_sentences,) int64, a number for the tokens of each sentence, and which of them are asked for. only_before:
    without the tokens behind the last one asked for, which its prediction does not see."""
    ids, is_asked = np.ascontiguousarray(encoded.token_ids), np.ascontiguousarray(is_asked)
    ends = encoded.starts[1:]
    if only_before:
        ends = encoded.starts[:-1] + _lengths_asked(encoded, is_asked)
    digests = (
        hashlib.blake2b(ids[start:end].tobytes() + is_asked[start:end].tobytes(), digest_size=8).digest()
        for start, end in zip(encoded.starts[:-1].tolist(), ends.tolist(), strict=True)
    )
    return np.frombuffer(b"".join(digests), dtype=np.int64)


def _lengths_asked(encoded: Encoded, is_asked: np.ndarray) -> np.ndarray:
    """(n_sentences,) the number of tokens of each sentence up to the last one asked for, 0 if none is."""
    asked = np.flatnonzero(is_asked)
    lengths = np.zeros(len(encoded.starts) - 1, dtype=np.int64)
    lengths[encoded.sentence[asked]] = encoded.places[asked] + 1  # of several, the last is written last
    return lengths


def _sentences(
    sentence_id: np.ndarray,
    quantity: str,
    first_request: np.ndarray,
    n_requests: np.ndarray,
    n_tokens: np.ndarray,
    given: np.ndarray,
    notes: np.ndarray,
) -> pa.Table:
    """A table SENTENCES of one quantity."""
    columns = {
        "sentence_id": sentence_id,
        "quantity": np.full(len(notes), quantity),
        "first_request": first_request,
        "n_requests": n_requests,
        "n_tokens": n_tokens,
        "given": given,
        "note": pa.array(notes, pa.string()),
    }
    return pa.table(columns)


def lowered(
    texts: list[str], fillers: dict[str, tuple[np.ndarray, np.ndarray]]
) -> tuple[list[str], dict[str, tuple[np.ndarray, np.ndarray]]]:
    """The texts in lower case, and the new positions of their fillers: a letter such as İ becomes longer."""
    lowered = [text.lower() for text in texts]
    moved = np.flatnonzero([len(text) != len(low) for text, low in zip(texts, lowered, strict=True)])
    fillers = {slot: (start.copy(), end.copy()) for slot, (start, end) in fillers.items()}
    for bound in (bound for bounds in fillers.values() for bound in bounds):
        for row in moved[bound[moved] >= 0]:
            bound[row] = len(texts[row][: bound[row]].lower())
    return lowered, fillers


def _lists(matrix: np.ndarray) -> pa.ListArray:
    """The rows of a matrix as an Arrow array of lists."""
    n, length = matrix.shape
    return pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32) * length, matrix.ravel())


def asked_of(stimuli: dict, name: str, kind: Kind) -> dict:
    """What a file of stimuli says about itself, for a model of a kind: its `quantities` are a list.

    stimuli: the header of their file; if models of different kinds are asked for different quantities, these are given
    by kind. name: the model, for the message. Raises HerbariumError when the kind cannot give what is asked.
    """
    quantities = stimuli["quantities"]
    if isinstance(quantities, dict):
        if kind not in quantities:
            raise HerbariumError(
                f"models.{name}: these stimuli are for {' and '.join(quantities)} models; it is {kind}."
            )
        quantities = quantities[kind]
    for quantity in quantities:
        require(name, kind, quantity)
    return stimuli | {"quantities": quantities}


def spans(sentences: pa.Table, slots: Iterable[str]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The positions of the fillers of stimuli, from the columns {slot}_start and {slot}_end, as `Planner.add` takes
    them."""
    return {
        slot: tuple(sentences[f"{slot}_{bound}"].fill_null(-1).to_numpy() for bound in ("start", "end"))
        for slot in slots
    }
