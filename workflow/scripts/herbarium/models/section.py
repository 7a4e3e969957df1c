"""The section of the configuration on models."""

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from herbarium.core.section import COMMIT, HUB, Section
from herbarium.scoring.quantities import Kind


class Model(Section):
    """Exactly one of `hub`, `path` and `planted` says where the weights come from."""

    of_models: ClassVar[bool] = True

    hub: str | None = Field(None, pattern=HUB, description="Hub id, `organisation/name`.")
    revision: str | None = Field(
        None,
        pattern=COMMIT,
        description="Commit of the hub model, 40 hex digits; else the lock file must have it (`snakemake pin_models`).",
    )
    path: Path | None = Field(None, description="Local folder with configuration, tokenizer and safetensors weights.")
    planted: float | None = Field(
        None, ge=0, description="Strength of the planted bias: the workflow trains the model itself (see `testbed`)."
    )
    kind: Kind = Field(description="What the model predicts: `masked`, `causal` or `seq2seq`.")
    dtype: Literal["float32", "bfloat16", "float16", "auto"] = Field(
        "float32",
        description="Number format of the forward pass, if `precision` accepts it; `auto`: the first accepted of those "
        "that are faster on this device, else `float32`. Scores are float64 once they leave the model.",
    )
    lowercase: bool = Field(False, description="Lower-case every sentence before tokenization.")
    convert_bin: bool = Field(
        False,
        description="Accept weights in `pytorch_model.bin` only: read once, tensors alone, kept as safetensors.",
    )

    @model_validator(mode="after")
    def _one_source(self) -> "Model":
        if sum(source is not None for source in (self.hub, self.path, self.planted)) != 1:
            raise ValueError("a model has exactly one of 'hub', 'path' and 'planted'")
        if self.revision is not None and self.hub is None:
            raise ValueError("'revision' belongs to 'hub'")
        if self.planted is not None and self.kind is not Kind.masked:
            raise ValueError("a planted model is 'kind: masked'")
        return self
