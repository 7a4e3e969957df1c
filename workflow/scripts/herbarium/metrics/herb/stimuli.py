"""HERB's stimuli: sentences about regions (Li et al. 2022, Section 3.1) and the bare region names of C_z (Section 3.4).

A *frame* is a template whose description is filled and whose region is open: "People in [region] are wise." The stimuli
combine every frame with every region name. A *wording* is one way to express all descriptions: one frame for each. HERB
as published is computed from one wording; the others show what it depends on.

There are several sets, so that a model can be scored on only what HERB as published needs: `herb`, the published
wording and the bare names; `herb_countries`, the same without cities, for models along a toxic training;
`herb_wordings`, all other wordings, and the published one with other names of the regions; `herb_padded`, the wordings
whose sentences are scored in padded batches.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.core.store import schema
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import ASKED, AUL, AUL_PADDED, LL_ASKED, MEAN_LL
from herbarium.scoring.sentences import sentence_id, shard_of

# One row per sentence. `frame` is the text with the region open. Spans are characters of `text`, end exclusive; that of
# the description is null if the sentence is a region's bare name (Eq. 10).
_COLUMNS = (
    ("sentence_id", pa.int64()),
    ("text", pa.string()),
    ("region_name", pa.string()),
    ("frame", pa.string()),
    ("region_start", pa.int32()),
    ("region_end", pa.int32()),
    ("description_start", pa.int32()),
    ("description_end", pa.int32()),
)
_NULLABLE = ("description_start", "description_end")
STIMULI = schema("herb_stimuli", *_COLUMNS, nullable=_NULLABLE)
# The sentences that are padded together have the same number in `batch`: one wording of one region.
PADDED_STIMULI = schema(
    "herb_padded_stimuli", *_COLUMNS, ("wording", pa.string()), ("batch", pa.int64()), nullable=_NULLABLE
)
SET, COUNTRIES_SET, WORDINGS_SET, PADDED_SET = "herb", "herb_countries", "herb_wordings", "herb_padded"
SLOTS = ("region", "description")
NAMES = ("region",)  # slots that contain names, whatever their words
# Slots that may replace [description]: columns of the table of forms.
FORMS = ("plural", "singular", "released")
# f(S), Eq. 1; of causal models the mean log-likelihood.
LIKELIHOODS = {Kind.masked: AUL, Kind.causal: MEAN_LL, Kind.seq2seq: AUL}
PADDED_LIKELIHOODS = {Kind.masked: AUL_PADDED, Kind.seq2seq: AUL_PADDED}
# Of the published wording of causal models also the log-likelihood of the description alone.
OF_DESCRIPTION = LL_ASKED
ROLES = {"description": ASKED}

# Departures of the released code from the sentence to f(S).
DEPARTURES = {
    "no_full_stop": "the template has no full stop",
    "odd_spaces": "ten descriptions have three to eight spaces before them",
    "pad_mean": "f(S) averages over [SEP] and padding too: a region's sentences are one padded batch",
}
# Names of wordings: as published; with the descriptions of Appendix B; with all departures in the study; and of causal
# models, the published one, with f the mean log-likelihood of the description's tokens, given all before.
PAPER, SUBSTITUTES, RELEASED, CONDITIONAL = "paper", "substitutes", "released", "conditional"

# What can be measured without cities, over continents and countries only (`of_kinds`).
KINDS = ("templates", "substitutes", "departures", "names", "toxic")

Frame = tuple[str, str | None]  # a template with [region] and [description], and the filler of the latter
BARE_NAME: Frame = ("[region]", None)


def read_template(path: str | Path) -> str:
    """The template of a file: [region] once, and once [description] or one of `FORMS`."""
    return resources.read_template(path, {"region"}, one_of=("description", *FORMS))


def read_forms(path: str | Path) -> pd.DataFrame:
    """The table of forms: columns topic, description and `FORMS`.

    Raises HerbariumError for a row without description, or one given twice for a topic.
    """
    table = resources.read_table(path, ["topic", "description", *FORMS])
    for row in table[(table["description"] == "") | table[["topic", "description"]].duplicated()].itertuples():
        fault = f"gives '{row.description}' a second time" if row.description else "has no description"
        raise HerbariumError(f"{path}, row {row.Index + 1}: it {fault}.")
    return table


def frame_text(frame: Frame) -> str:
    template, description = frame
    return template if description is None else resources.fill(template, region="[region]", description=description)[0]


def wording(template: str, topics: Mapping[str, list[str]], forms: pd.DataFrame) -> list[Frame]:
    """The frames of a template, in the order of the descriptions (a word in two topics has two).

    template: text with [region] and either [description] or one of `FORMS`. topics: topic -> its descriptions. forms:
    columns `topic`, `description` and those of `FORMS`; a row without topic is for every topic; an empty cell, or a
    description without a row, is the description as it is.
    """
    slot = next((form for form in FORMS if f"[{form}]" in template), None)
    template = template.replace(f"[{slot}]", "[description]")
    listed = forms[forms[slot] != ""] if slot else forms[:0]
    form_of = dict(zip(zip(listed["topic"], listed["description"], strict=True), listed.get(slot, []), strict=True))
    return [
        (template, form_of.get((topic, word), form_of.get(("", word), word)))
        for topic, words in topics.items()
        for word in words
    ]


def wordings(
    templates: Mapping[str, str],
    topics: Mapping[str, list[str]],
    substitutes: Mapping[str, list[str]],
    forms: pd.DataFrame,
    departures: Iterable[str],
) -> dict[str, list[Frame]]:
    """Every wording of a study by its name; the first template is the published one.

    templates: name -> text. substitutes: topic -> the words that replace its descriptions, one for each. departures: of
    `DEPARTURES`.
    """
    published, *others = templates.values()
    by_wording = {PAPER: wording(published, topics, forms)}
    for name, template in zip(list(templates)[1:], others, strict=True):
        by_wording[template_wording(name)] = wording(template, topics, forms)
    if substitutes:
        by_wording[SUBSTITUTES] = wording(published, substitutes, forms)
    released = published
    for departure in (name for name in DEPARTURES if name in departures):
        by_wording[departure] = wording(_departed(published, departure), topics, forms)
        released = _departed(released, departure)
    if set(departures) & set(DEPARTURES):
        by_wording[RELEASED] = wording(released, topics, forms)
    return by_wording


def frames_by_description(named: Mapping[str, list[Frame]], topics: Mapping[str, list[str]]) -> dict[str, list[Frame]]:
    """The distinct frames of each description, only in the wordings of the templates."""
    frames: dict[str, list[Frame]] = {}
    for name in template_wordings(named):
        for word, frame in zip((word for words in topics.values() for word in words), named[name], strict=True):
            if frame not in frames.setdefault(word, []):
                frames[word].append(frame)
    return frames


def template_wordings(names: Iterable[str]) -> list[str]:
    """The wordings that differ only in the template."""
    return [name for name in names if name == PAPER or name.startswith(template_wording(""))]


def of_kinds(named: Iterable[str], kinds: Iterable[str]) -> list[str]:
    """The wordings of some `KINDS`. `released`, all departures together, is not one of them."""
    by_kind = {"templates": [name for name in template_wordings(named) if name != PAPER]}
    by_kind |= {"substitutes": [SUBSTITUTES], "departures": list(DEPARTURES)}
    return [name for name in named if any(name in by_kind.get(kind, []) for kind in kinds)]


def template_wording(name: str) -> str:
    """The name of the wording of a template other than the first."""
    return f"template_{name}"


def _departed(template: str, departure: str) -> str:
    if departure == "no_full_stop":
        return template.removesuffix(".")
    if departure == "odd_spaces":
        for form in ("description", *FORMS):
            template = template.replace(f"[{form}]", "[released]")
    return template


def is_padded(name: str, departures: Iterable[str]) -> bool:
    """Whether f(S) of a wording is the quantity `aul_padded`."""
    return name == "pad_mean" or (name == RELEASED and "pad_mean" in departures)


def published_frames(named: Mapping[str, list[Frame]]) -> list[Frame]:
    """The bare name, and every distinct frame of the published wording."""
    return list(_distinct([BARE_NAME, *named[PAPER]]).values())


def other_frames(named: Mapping[str, list[Frame]], departures: Iterable[str]) -> list[Frame]:
    """Every distinct frame that is neither published nor only in a padded wording."""
    frames = [
        frame for name, wording_frames in named.items() if not is_padded(name, departures) for frame in wording_frames
    ]
    published = _distinct(published_frames(named))
    return [frame for text, frame in _distinct(frames).items() if text not in published]


def by_shard(frames: Iterable[Frame], n_shards: int) -> list[list[Frame]]:
    """Frames by shard. A shard has whole frames, so that a new description only adds to its own shard."""
    shards: list[list[Frame]] = [[] for _ in range(n_shards)]
    for frame in frames:
        shards[shard_of(frame_text(frame), n_shards)].append(frame)
    return shards


def _distinct(frames: Iterable[Frame]) -> dict[str, Frame]:
    return {frame_text(frame): frame for frame in frames}


def instantiate(frames: Iterable[Frame], region_names: Iterable[str]) -> pd.DataFrame:
    """Every distinct sentence of frames and names, as a table of the schema "herb_stimuli".

    A repeated frame or name adds no sentence (two cities with the same name share theirs).
    """
    texts = {frame: frame_text(frame) for frame in frames}
    rows = [_row(frame, text, name) for name in dict.fromkeys(region_names) for frame, text in texts.items()]
    return pd.DataFrame(rows, columns=STIMULI.fields.names)


def instantiate_padded(named: Mapping[str, list[Frame]], region_names: Iterable[str]) -> pd.DataFrame:
    """As `instantiate`, each wording of each region a batch, as a table of the schema "herb_padded_stimuli"."""
    rows = []
    for name in dict.fromkeys(region_names):
        for wording_name, frames in named.items():
            # f(S) depends on the batch, so the text alone does not identify the sentence
            batch = f"{wording_name}\x1f{name}"
            for frame in dict.fromkeys(frames):
                row = _row(frame, frame_text(frame), name)
                row["sentence_id"] = sentence_id(f"{batch}\x1f{row['text']}")
                rows.append({**row, "wording": wording_name, "batch": sentence_id(batch)})
    return pd.DataFrame(rows, columns=PADDED_STIMULI.fields.names)


def _row(frame: Frame, frame_text: str, name: str) -> dict:
    template, description = frame
    text, spans = resources.fill(template, region=name, description=description)
    described = spans.get("description", (None, None))
    return {
        "sentence_id": sentence_id(text),
        "text": text,
        "region_name": name,
        "frame": frame_text,
        "region_start": spans["region"][0],
        "region_end": spans["region"][1],
        "description_start": described[0],
        "description_end": described[1],
    }


def quantities(name: str) -> dict[Kind, list[str]]:
    """The quantities of each kind of model in a set of stimuli."""
    if name == PADDED_SET:
        return {kind: [quantity] for kind, quantity in PADDED_LIKELIHOODS.items()}
    of_kinds = {kind: [quantity] for kind, quantity in LIKELIHOODS.items()}
    return of_kinds | {Kind.causal: [*of_kinds[Kind.causal], OF_DESCRIPTION]} if name == SET else of_kinds


def conditional(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of descriptions alone, as `Values` takes them: the mean of a description's tokens, beside the number
    of tokens of its sentence. scores: also with `quantity`; empty if no description was asked for."""
    is_of_description = scores["quantity"] == OF_DESCRIPTION
    of_sentences = scores[~is_of_description].drop_duplicates("sentence_id").set_index("sentence_id")["n_tokens"]
    of_descriptions = scores[is_of_description]
    return of_descriptions.assign(
        value=of_descriptions["value"] / of_descriptions["n_tokens"],
        n_tokens=of_descriptions["sentence_id"].map(of_sentences),
    )


class Values:
    """f(S) of sentences by frame and region name, and their numbers of tokens.

    stimuli: shards of them, with the columns `sentence_id`, `frame`, `region_name`; one is held at a time. scores:
    columns `sentence_id`, `value` of the quantity f, `n_tokens`; a sentence that is not among them has no value.
    """

    def __init__(self, stimuli: Iterable[pd.DataFrame], scores: pd.DataFrame):
        scored = scores["sentence_id"].to_numpy()
        order = np.argsort(scored)
        value = np.append(scores["value"].to_numpy()[order], np.nan)  # the last: of a sentence without
        n_tokens = np.append(scores["n_tokens"].to_numpy()[order], 0).astype(np.int32)
        scored = scored[order]
        self._of_frame: dict[str, pd.DataFrame] = {}
        for shard in stimuli:
            wanted = shard["sentence_id"].to_numpy()
            at = np.searchsorted(scored, wanted)
            is_scored = at < len(scored)
            is_scored[is_scored] = scored[at[is_scored]] == wanted[is_scored]
            at = np.where(is_scored, at, -1)
            of_shard = pd.DataFrame({"value": value[at], "n_tokens": n_tokens[at]}, index=shard["region_name"])
            for frame, rows in shard.groupby("frame", sort=False).indices.items():
                chosen_rows = of_shard.iloc[rows]
                known = self._of_frame.get(frame)
                self._of_frame[frame] = chosen_rows if known is None else pd.concat([known, chosen_rows])

    def of(self, region_names: Iterable[str], frames: Iterable[Frame]) -> np.ndarray:
        """(n_regions, n_frames), natural-log means; nan if a sentence was refused or is not among the stimuli."""
        return self._column("value", np.nan, region_names, frames)

    def n_tokens(self, region_names: Iterable[str], frames: Iterable[Frame]) -> np.ndarray:
        """(n_regions, n_frames) tokens, without special ones; 0 if a sentence is not among the stimuli."""
        return self._column("n_tokens", 0, region_names, frames).astype(np.int32)

    def _column(self, name: str, absent: float, region_names: Iterable[str], frames: Iterable[Frame]) -> np.ndarray:
        names, none = list(region_names), pd.DataFrame({name: []})
        columns = [
            self._of_frame.get(frame_text(frame), none)[name].reindex(names, fill_value=absent).to_numpy()
            for frame in frames
        ]
        return np.stack(columns, axis=1)
