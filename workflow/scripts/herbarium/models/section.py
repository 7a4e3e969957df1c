"""The configuration's section on models."""

import os
import re
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, PrivateAttr, field_validator, model_validator

from herbarium.core.section import COMMIT, HUB, LocalPath, Name, Part, Section
from herbarium.models import folders, gguf
from herbarium.models.kinds import PLANTED, Kind
from herbarium.models.recipes import Derived

SOURCES = ("hub", "path", "planted", "derived")
# The placeholder for a checkpoint in a hub id, if each has its own repository.
_PLACE = "{checkpoint}"
HUB_OF_MODELS = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_](?:[A-Za-z0-9_.-]|\{checkpoint\})*$"


class Member(NamedTuple):
    """A model that is a checkpoint of another in the configuration: of which, and which one."""

    family: str
    checkpoint: str
    given: "Model"


class Adapter(Section):
    """Exactly one of `hub` and `path` says where the adapter is."""

    of_models: ClassVar[bool] = True

    hub: str | None = Field(None, pattern=HUB, description="Hub id of the adapter.")
    revision: str | None = Field(None, pattern=COMMIT, description="Its commit; empty: as for the model.")
    path: LocalPath | None = Field(
        None, description="Folder with `adapter_config.json` and `adapter_model.safetensors`."
    )
    made_for: str | None = Field(
        None,
        min_length=1,
        description="The base that it says it was made for, if that has another name here and is known to be the same.",
    )

    @model_validator(mode="after")
    def _one_source(self) -> "Adapter":
        if (self.hub is None) == (self.path is None):
            raise ValueError("an adapter has exactly one of 'hub' and 'path'")
        if self.revision is not None and self.hub is None:
            raise ValueError("'revision' belongs to 'hub'")
        return self


class ChatTemplate(Section):
    """The conversation that a sentence ends as the assistant's answer."""

    system: str | None = Field(None, min_length=1, description="System message; empty: the template's own, or none.")
    user: str | None = Field(
        None, min_length=1, description="User's message; empty: none, which some templates reject."
    )
    question: bool = Field(
        False, description="The user's message is what precedes the answer, which is marked `asked` (docs/bbq.md)."
    )
    variables: dict[str, bool | str] = Field(
        {}, description="Variables of the template, such as `date_string` or `enable_thinking`."
    )

    @model_validator(mode="after")
    def _one_message_of_the_user(self) -> "ChatTemplate":
        if self.question and self.user is not None:
            raise ValueError("'user' and 'question' exclude one another: the question is the user's message")
        return self


def _as_address(url: str) -> str:
    """The address of a server, to which names of its endpoints are added.

    ValueError for an unsuitable one; the message does not repeat it, as it may hold a secret.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("this should be the address of a server, such as http://localhost:8000/v1")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError(
            "the address holds a user name, password or key; put it in a variable and name that in 'key_env'"
        )
    path = parts.path.rstrip("/")
    if "chat" in path.split("/"):
        raise ValueError(
            "a chat endpoint gives no log-probabilities of a prompt; use the address of the server up to /v1 (for "
            "conversations, use 'chat_template')"
        )
    return f"{parts.scheme}://{parts.netloc}{path.removesuffix('/completions')}"


def _as_variable(name: str) -> str:
    """The name of an environment variable. ValueError for anything else; the message does not repeat it, as it may be
    the key."""
    if not re.fullmatch(r"[A-Z_][A-Z0-9_]*", name):
        raise ValueError("give the name of a variable (capital letters, digits and _), not the key itself")
    return name


class Served(Section):
    """A server that answers instead of the weights."""

    url: Annotated[str, AfterValidator(_as_address)] = Field(
        description="Address up to `/v1`; it must give log-probabilities of prompts, as vLLM does."
    )
    model: str = Field(min_length=1, description="The server's name for the model.")
    key_env: Annotated[str, AfterValidator(_as_variable)] | None = Field(
        None, description="Environment variable with the server's key; never the key itself."
    )
    concurrent: int = Field(8, ge=1, le=1024, description="Simultaneous requests of a job.")
    compare: bool = Field(
        True,
        description="Compare a sample of answers with the weights in `path` or `hub`; `false`: read only "
        "configuration and tokenizer.",
    )


class Model(Section):
    """Exactly one of `SOURCES` says where the weights come from."""

    of_models: ClassVar[bool] = True

    hub: str | None = Field(
        None,
        pattern=HUB_OF_MODELS,
        description="Hub id, `organisation/name`; `{checkpoint}` in it stands for each of `checkpoints`.",
    )
    revision: str | None = Field(
        None, pattern=COMMIT, description="Commit, 40 hex digits; empty: the first run pins the latest."
    )
    path: LocalPath | None = Field(
        None, description="Folder with configuration, tokenizer and safetensors weights; or a GGUF file."
    )
    gguf: str | None = Field(None, pattern=r"^[^/\\]+\.gguf$", description="GGUF file in `hub` or the folder `path`.")
    adapter: Adapter | None = Field(None, description="PEFT adapter, merged into `hub` or `path`.")
    checkpoints: list[Part] | None = Field(
        None,
        min_length=1,
        description="Branches or tags of `hub`, or subfolders of `path`, each a model: `{name}-{checkpoint}`.",
    )
    checkpoints_are: Literal["steps", "seeds"] = Field(
        "steps", description="`steps` of one training, or trainings with other `seeds`."
    )
    planted: float | None = Field(
        None, ge=0, le=10, description="Strength of the planted bias: the workflow trains the model (docs/testbed.md)."
    )
    tokenizer: Name | None = Field(
        None,
        description="If planted: model whose tokenizer it shares; empty: one token per word. Else, where they differ "
        "on the study's sentences: `file`, tokenizer.json as it is, or `library`, what transformers makes of it.",
    )
    planted_in: list[Name] | None = Field(
        None, description="If planted: metrics whose training texts have the bias; empty: all."
    )
    training_seed: int | None = Field(
        None, ge=0, le=2**32 - 1, description="If planted: seed of its training; empty: the study's."
    )
    derived: Derived | None = Field(None, description="Another model changed by a recipe; excludes all other keys.")
    kind: Kind | None = Field(
        None,
        description="What it predicts (docs/your_model.md). Empty: inferred; if planted, that of `tokenizer`, else "
        "`masked`.",
    )
    dtype: Literal["float32", "bfloat16", "float16", "auto"] = Field(
        "float32",
        description="Number format, if `precision` accepts it; `auto`: the first accepted one that is faster here, "
        "else `float32`.",
    )
    lowercase: bool = Field(False, description="Lower-case every sentence before tokenization.")
    start: str | None = Field(
        None,
        min_length=1,
        description="If causal: token before a sentence; empty: one that documents begin with (docs/scoring.md).",
    )
    chat_template: ChatTemplate | None = Field(
        None, description="If causal: score sentences as the assistant's answers; `true`: without other messages."
    )
    served: Served | None = Field(None, description="If causal: a server that answers for `path` or `hub`.")
    convert_bin: bool = Field(False, description="Accept weights that exist only as `pytorch_model.bin`.")
    unused_tensors: list[str] = Field(
        [],
        description="Tensors of the files that the model may do without; `*` for any part of a name.",
    )
    classes: Literal["library"] | None = Field(
        None,
        description="`library`: use transformers' own classes, though the folder names others, which are never run.",
    )

    _member: Member | None = PrivateAttr(None)

    @property
    def member(self) -> Member | None:
        """What it is a checkpoint of; None if it is not one."""
        return self._member

    @field_validator("chat_template", mode="before")
    @classmethod
    def _switched_on_or_off(cls, value: Any) -> Any:
        return {True: {}, False: None}[value] if isinstance(value, bool) else value

    @model_validator(mode="before")
    @classmethod
    def _file_in_its_folder(cls, values: Any) -> Any:
        path = Path(values["path"]) if isinstance(values, dict) and isinstance(values.get("path"), str | Path) else None
        if path is None or values.get("gguf") is not None:
            return values
        if path.suffix == gguf.SUFFIX:
            return values | {"path": path.parent, "gguf": path.name}
        is_of_parts = os.path.isfile(path / folders.MODULES)  # noqa: PTH113 - Path.is_file raises for a name too long
        return values | {"path": folders.of_transformer(path)} if is_of_parts else values

    @model_validator(mode="after")
    def _one_source(self) -> "Model":
        if sum(getattr(self, source) is not None for source in SOURCES) != 1:
            raise ValueError(f"a model has exactly one of {', '.join(map(repr, SOURCES[:-1]))} and {SOURCES[-1]!r}")
        if self.derived is not None:
            if others := sorted(self.model_fields_set - {"derived"}):
                raise ValueError(f"'{others[0]}' is taken from the model in 'derived.from'; leave it out")
            return self
        if self.revision is not None and self.hub is None:
            raise ValueError("'revision' belongs to 'hub'")
        self._require_sound_checkpoints()
        if self.adapter is not None and self.planted is not None:
            raise ValueError("'adapter' belongs to 'hub' or 'path'")
        if self.tokenizer not in (None, folders.FILE, folders.LIBRARY) and self.planted is None:
            raise ValueError("'tokenizer' of a model that is not planted is its own: 'file' or 'library'")
        for key in ("planted_in", "training_seed"):
            if getattr(self, key) is not None and self.planted is None:
                raise ValueError(f"'{key}' belongs to 'planted'")
        if self.gguf is not None:
            self._require_readable_alone()
        if self.kind is not None:
            self.require_settings_of(self.kind)
        if self.served is not None:
            self._require_servable()
        if self.planted is not None and self.kind not in (None, *PLANTED):
            raise ValueError("a planted model is 'kind: masked' or 'kind: causal'")
        return self

    def require_settings_of(self, kind: Kind) -> None:
        """ValueError if a key is set that does not apply to this kind of model. kind: its own, given or inferred."""
        if self.start is not None and self.chat_template is not None:
            raise ValueError("'start' and 'chat_template' exclude one another: a template begins the text itself")
        if self.adapter is not None and kind is Kind.encoder:
            raise ValueError("'adapter' belongs to a model with a head; this model is encoder")
        for key in ("start", "chat_template", "served", "gguf"):
            if getattr(self, key) is not None and kind is not Kind.causal:
                raise ValueError(f"'{key}' belongs to 'kind: causal'; this model is {kind}")

    def _require_readable_alone(self) -> None:
        if self.hub is None and self.path is None:
            raise ValueError("'gguf' belongs to 'hub' or 'path'")
        for key in ("convert_bin", "adapter", "checkpoints", "served"):
            if getattr(self, key):
                raise ValueError(f"'{key}' and 'gguf' exclude one another")

    def _require_servable(self) -> None:
        if self.dtype != "float32":
            raise ValueError("a served model has the 'dtype' that its server was started with; leave the key out")
        for key in ("convert_bin", "adapter", "checkpoints"):
            if getattr(self, key):
                raise ValueError(f"'{key}' and 'served' exclude one another")

    def _require_sound_checkpoints(self) -> None:
        if self.checkpoints is None:
            if self.checkpoints_are != "steps" or _PLACE in (self.hub or ""):
                raise ValueError("'checkpoints' is missing: the list of their names")
            return
        if self.hub is None and self.path is None:
            raise ValueError("'checkpoints' belongs to 'hub' or 'path'")
        if self.adapter is not None:
            raise ValueError("'adapter' changes a single model; leave out 'adapter' or 'checkpoints'")
        if self.revision is not None:
            raise ValueError(
                "'revision' is for a single model; 'checkpoints' are pinned by the lock file; leave it out"
            )
        if len(set(self.checkpoints)) < len(self.checkpoints):
            twice = next(checkpoint for checkpoint in self.checkpoints if self.checkpoints.count(checkpoint) > 1)
            raise ValueError(f"'checkpoints' has '{twice}' twice")

    def at(self, name: str, checkpoint: str) -> "Model":
        """One of its checkpoints. name: its own. One that is a branch or tag keeps it as its only checkpoint."""
        if self.path is not None:
            changes = {"path": self.path / checkpoint, "checkpoints": None}
        elif _PLACE in self.hub:
            changes = {"hub": self.hub.replace(_PLACE, checkpoint), "checkpoints": None}
        else:
            changes = {"checkpoints": [checkpoint]}
        model = self.model_copy(update=changes)
        model._member = Member(name, checkpoint, self)
        return model
