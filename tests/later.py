"""Large libraries are imported when a test first uses them: most runs collect many tests and run few.

A file of tests imports such a library as a whole (`import torch`): `from torch import nn` needs it at once.
"""

import sys
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType

LARGE = {
    *("torch", "transformers", "peft", "inflect", "snakemake.cli", "safetensors.torch", "fairlearn.metrics"),
    *("scipy.stats", "scipy.optimize", "seqeval.metrics", "statsmodels.api", "statsmodels.formula.api"),
    *(f"statsmodels.stats.{part}" for part in ("anova", "multitest", "power", "proportion")),
    *(f"sklearn.{part}" for part in ("decomposition", "linear_model", "metrics", "svm")),
    *(f"herbarium.training.{part}" for part in ("alignment", "projection")),  # which import some of these at once
}
PACKAGES = {name.partition(".")[0] for name in LARGE}
# What pytest asks of everything that a file of tests has.
ASKED = ("__test__", "__wrapped__", "__bases__", "_mock_name")
LOCK = RLock()


class Later(ModuleType):
    """A module that runs when it is first asked for something that it lacks."""

    def __getattr__(self, name):
        if name in ASKED:
            raise AttributeError(name)
        with LOCK:
            run = vars(self).pop("run", None)
            if run:
                run()
        module = sys.modules[self.__name__]  # a module may put another in its place
        if module is self and name not in vars(self):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(module, name)


class Loader:
    """Makes a module that runs later by its own loader."""

    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        path = vars(module).pop("__path__", None)  # whoever imports a part of a package asks for it

        def run():
            if path is not None:
                module.__path__ = path
            self.loader.exec_module(module)

        module.__spec__.loader = module.__loader__ = self.loader
        module.run = run
        module.__class__ = Later


class There:
    """Gives a part that came with its package: asked for its path, which the import of a part does, a package runs."""

    def create_module(self, spec):
        module = sys.modules[spec.name]
        self.spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.spec


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if target is None and name in sys.modules and name.partition(".")[0] in PACKAGES:
            return ModuleSpec(name, There())
        spec = PathFinder.find_spec(name, path, target) if name in LARGE else None
        if spec is not None:
            spec.loader = Loader(spec.loader)
        return spec


sys.meta_path.insert(0, Finder)
