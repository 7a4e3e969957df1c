"""Herbarium: social bias in language models, from templates through likelihood scores to metrics with uncertainty."""

import importlib

__version__ = "0.2.0"

_MODULES = {
    "load": "herbarium.api",
    "score": "herbarium.api",
    "results": "herbarium.study.results",
    "verify": "herbarium.study.verification",
    "SNAKEFILE": "herbarium.core.places",
}


def __getattr__(name: str) -> object:
    # imported when asked for: a script that needs one module of the library must not depend on all of it
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'herbarium' has no attribute '{name}'")
