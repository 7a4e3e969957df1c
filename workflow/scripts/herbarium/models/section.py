"""The configuration's section on models."""

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

    hub: str | None = Field(None, pattern=HUB, description="Hub id of an adapter, `organisation/name`.")
    revision: str | None = Field(
        None,
        pattern=COMMIT,
        description="Commit of the hub adapter, 40 hex digits; if empty, as for the model.",
    )
    path: LocalPath | None = Field(
        None, description="Local folder with `adapter_config.json` and `adapter_model.safetensors`."
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

    system: str | None = Field(
        None, min_length=1, description="The system message; empty: the template's own, or none."
    )
    user: str | None = Field(
        None, min_length=1, description="The user's message; empty: none, which some templates reject."
    )
    question: bool = Field(
        False,
        description="Whether what stands before the words marked `asked` is the user's message, and these words are "
        "the assistant's answer: for sentences that are questions with answers, such as those of BBQ (docs/bbq.md).",
    )
    variables: dict[str, bool | str] = Field(
        {}, description="Further variables of the template, such as `date_string` or `enable_thinking`."
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
        description="Address of the server up to `/v1`; it must give the log-probabilities of a prompt, as vLLM does."
    )
    model: str = Field(min_length=1, description="The server's name for the model.")
    key_env: Annotated[str, AfterValidator(_as_variable)] | None = Field(
        None,
        description="Name of the environment variable that holds the server's key; never the key itself.",
    )
    concurrent: int = Field(8, ge=1, le=1024, description="Requests that a job sends at the same time.")
    compare: bool = Field(
        True,
        description="Compare the server's answers with those of the weights in `path` or `hub`, on a sample; `false`: "
        "only configuration and tokenizer are read there, and answers are compared with one another.",
    )


class Model(Section):
    """Exactly one of `SOURCES` says where the weights come from."""

    of_models: ClassVar[bool] = True

    hub: str | None = Field(
        None,
        pattern=HUB_OF_MODELS,
        description="Hub id, `organisation/name`. If `checkpoints` have repositories of their own, `{checkpoint}` "
        "stands for each.",
    )
    revision: str | None = Field(
        None,
        pattern=COMMIT,
        description="Commit of the hub model, 40 hex digits; if empty, the first run with a network writes the latest "
        "one to the lock file.",
    )
    path: LocalPath | None = Field(
        None, description="Local folder with configuration, tokenizer and safetensors weights; or a GGUF file."
    )
    gguf: str | None = Field(
        None,
        pattern=r"^[^/\\]+\.gguf$",
        description="For a model with `hub`, or a folder as `path`: the GGUF file to read, which has configuration and "
        "tokenizer, too. It is dequantised once, to float32 (docs/your_model.md).",
    )
    adapter: Adapter | None = Field(
        None,
        description="For a model with `hub` or `path`: a PEFT adapter that is merged into it (docs/your_model.md).",
    )
    checkpoints: list[Part] | None = Field(
        None,
        min_length=1,
        description="For a hub model: its branches or tags, pinned by the lock file; for a folder: its subfolders. "
        "Each is a model, `{name}-{checkpoint}`. A list of models that includes `{name}` includes all of them.",
    )
    checkpoints_are: Literal["steps", "seeds"] = Field(
        "steps",
        description="`steps`: checkpoints of one training in order, so that bias is drawn along it. `seeds`: trainings "
        "by one recipe, so that the part on reliability reports how far they differ.",
    )
    planted: float | None = Field(
        None,
        ge=0,
        le=10,
        description="Strength of the planted bias: the workflow trains the model itself (see `testbed`).",
    )
    tokenizer: Name | None = Field(
        None,
        description="For a planted model: the model of the study whose tokenizer it shares; empty: one token per word.",
    )
    planted_in: list[Name] | None = Field(
        None,
        description="For a planted model: the metrics whose training text has the bias; that of others has none. "
        "Empty: all.",
    )
    training_seed: int | None = Field(
        None,
        ge=0,
        le=2**32 - 1,
        description="For a planted model: the seed of its training, to see how far it alone moves a number. Empty: "
        "the study's.",
    )
    derived: Derived | None = Field(
        None,
        description="Another model, changed by a recipe; it has no other key, and that model's `kind` and `dtype`.",
    )
    kind: Kind | None = Field(
        None,
        description="What it predicts: `masked`, `causal`, `seq2seq` or `extractive`; nothing: `encoder`. Empty: what "
        "the class that it was saved from predicts; for a planted model the kind of the model whose tokenizer it "
        "shares, else `masked`.",
    )
    dtype: Literal["float32", "bfloat16", "float16", "auto"] = Field(
        "float32",
        description="Number format of the forward pass, if `precision` accepts it; `auto`: the first accepted of those "
        "that are faster on this device, else `float32`. Scores are float64 once they leave the model.",
    )
    lowercase: bool = Field(False, description="Lower-case every sentence before tokenization.")
    start: str | None = Field(
        None,
        min_length=1,
        description="For a `causal` model: the token from which it predicts the first of a sentence, as it is written. "
        "Empty: one that documents begin with (docs/scoring.md).",
    )
    chat_template: ChatTemplate | None = Field(
        None,
        description="For a `causal` model: score every sentence as the assistant's answer in a conversation, as the "
        "model's own template writes it; `true`: without other messages (docs/your_model.md).",
    )
    served: Served | None = Field(
        None,
        description="For a `causal` model in `path` or `hub`: a server that answers for it (docs/your_model.md).",
    )
    convert_bin: bool = Field(
        False,
        description="Accept weights that exist only in `pytorch_model.bin`: read once, only tensors, and kept as "
        "safetensors.",
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
        return values | {"path": folders.of_transformer(path)} if (path / folders.MODULES).is_file() else values

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
        if self.tokenizer is not None and self.planted is None:
            raise ValueError("'tokenizer' belongs to 'planted'; any other model has its own")
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
