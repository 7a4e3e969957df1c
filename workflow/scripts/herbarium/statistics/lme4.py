"""Linear mixed models fitted by lme4 with lmerTest, in R, through pymer4.

R starts with the first fit (about three seconds), once per process. Nothing that R prints is shown: it is in the notes
of a fit.
"""

import ctypes
import functools
import math
import mmap
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pandas as pd

from herbarium.core.errors import HerbariumError

# Messages of lme4 and lmerTest that a fit is not at the minimum.
_FAILURE = re.compile("converge|unable to evaluate scaled gradient|Gradient contains NAs|nearly unidentifiable")
# The search ends when theta has settled. By default it ends earlier, at the xtol_rel of nloptr (1e-4) or the ftol_abs
# of lme4, with five digits of theta; the rounding of the criterion allows six.
_CONTROL = "lme4::lmerControl(optCtrl = list(xtol_rel = 0, xtol_abs = 1e-9, ftol_abs = 0, maxeval = 1e4))"
# Results of a fitted model: tables whose columns are those of `_TABLES`, and single values.
_PARTS = """
function(model) {
  fixed <- coef(summary(model))
  terms <- anova(model)
  spread <- subset(as.data.frame(lme4::VarCorr(model)), grp != "Residual")
  single <- is.na(spread$var2)
  modes <- as.data.frame(lme4::ranef(model, condVar = TRUE))
  list(
    fixed = data.frame(
      rownames(fixed), fixed[, c("Estimate", "Std. Error", "df", "t value", "Pr(>|t|)"), drop = FALSE]
    ),
    terms = data.frame(rownames(terms), as.data.frame(terms)[, c("F value", "NumDF", "DenDF", "Pr(>F)")]),
    variances = spread[single, c("grp", "var1", "sdcor")],
    correlations = spread[!single, c("grp", "var1", "var2", "sdcor")],
    random_effects = with(modes, data.frame(
      as.character(grpvar), as.character(grp), as.character(term), condval, condsd
    )),
    sigma = sigma(model), reml = lme4::REMLcrit(model), n = nobs(model), singular = lme4::isSingular(model),
    optimizer = model@optinfo$conv$opt
  )
}
"""
_TABLES = {
    "fixed": ("term", "estimate", "std_error", "df", "t", "p_value"),
    "terms": ("term", "f", "num_df", "den_df", "p_value"),
    "variances": ("group", "term", "sd"),
    "correlations": ("group", "term", "other", "correlation"),
    "random_effects": ("group", "level", "term", "estimate", "std_error"),
}


_UPPER = 2**31  # set in an address of the upper half of 4 GB
_NO_PLACE = ctypes.c_void_p(-1).value  # of mmap


class RefusedError(HerbariumError):
    """lme4 cannot fit this model to these data, and says why."""


@dataclass(frozen=True)
class Fit:
    """A model fitted by REML, with p-values from Satterthwaite's degrees of freedom."""

    fixed: pd.DataFrame  # one row per coefficient: term, estimate, std_error, df, t, p_value
    terms: pd.DataFrame  # one row per fixed term, F test of all its coefficients: term, f, num_df, den_df, p_value
    variances: pd.DataFrame  # one row per random effect: group, term, sd
    correlations: pd.DataFrame  # one row per pair of random effects of a group: group, term, other, correlation
    random_effects: pd.DataFrame  # one row per random effect of a level: group, level, term, estimate, std_error
    theta: dict[str, float]  # sd / sigma of the groups whose only random effect is the intercept
    sigma: float  # standard deviation of a residual of weight 1
    reml: float  # -2 log restricted likelihood
    n: int
    converged: bool  # the optimizer says so, and the checks of lme4 and lmerTest do not contradict it
    singular: bool  # a variance of 0 or a correlation of 1 (lme4's isSingular)
    notes: list[str]  # messages and warnings of lme4 and lmerTest


def require() -> None:
    """Start R. Raises HerbariumError that says what is missing and how to fix it."""
    try:
        _r()
    except Exception as fault:
        raise HerbariumError(
            "Mixed-effects models are fitted by the R packages lme4 and lmerTest, through pymer4 and rpy2; these "
            f"cannot be loaded ({_line(fault)}): install them with `make setup` or from envs/analysis.yaml, or leave "
            "this part of the study out with `mixed_models: engine: none`."
        ) from fault


def versions() -> dict[str, str]:
    """The versions of R and of the packages that fit, once R has started."""
    from rpy2.robjects import r

    packages = {name: r(f"as.character(packageVersion('{name}'))")[0] for name in ("lme4", "lmerTest")}
    return {"R": r("as.character(getRversion())")[0], **packages}


def fit(data: pd.DataFrame, formula: str, weights: str | None = None) -> Fit:
    """Fit a model by REML.

    data: one row per observation. Numbers stay numbers; strings become a factor with sorted levels; a Categorical
    becomes a factor with its categories in order. The first level is the reference (treatment coding). formula: of
    lme4, such as "y ~ gender + (1|template)". weights: the column of the weights; the variance of a residual is
    sigma^2 / weight. None: all are 1.

    Raises HerbariumError if lme4 cannot be loaded, a column is missing or lacks a value, or a weight is not above 0,
    and RefusedError if lme4 refuses the model.
    """
    require()
    r = _r()
    with _captured() as messages:
        try:
            names = [*r.names(formula), *([weights] if weights else [])]
            _check(data, names, weights)
            frame = r.frame({name: r.vector(data[name]) for name in names})
            given = {"weights": frame.rx2(weights)} if weights else {}
            parts = r.parts(r.lmer(formula, data=frame, control=r.control, **given))
        except r.error as fault:
            raise RefusedError(f"lme4 refuses the model {formula}: {_line(fault)}") from fault
    return _fit(parts, _notes("".join(messages)))


def _line(fault: Exception) -> str:
    return " ".join(str(fault).split())


def _check(data: pd.DataFrame, names: list[str], weights: str | None) -> None:
    absent = [name for name in names if name not in data]
    if absent:
        raise HerbariumError(f"The data of a mixed model have no column {', '.join(absent)}.")
    lacking = [name for name in names if data[name].isna().any()]
    if lacking:
        raise HerbariumError(f"The data of a mixed model lack values in {', '.join(lacking)}.")
    if weights and not data[weights].between(0, math.inf, inclusive="neither").all():
        raise HerbariumError(f"The weights of a mixed model ({weights}) must be finite and above 0.")


@functools.cache
def _r() -> SimpleNamespace:
    """The needed parts of R, lme4 and lmerTest, by name."""
    with _captured(), _library_path_kept():
        import rpy2.robjects as ro
        from rpy2.rinterface_lib.embedded import RRuntimeError

        # each warning as it comes, not all at the end
        ro.r("options(warn = 1)")
        with _upper_addresses():
            lmer = _pymer4_lmer()
        return SimpleNamespace(
            lmer=lmer,
            control=ro.r(_CONTROL),
            parts=ro.r(_PARTS),
            names=ro.r("function(formula) all.vars(as.formula(formula))"),
            frame=ro.DataFrame,
            vector=functools.partial(_vector, ro),
            error=RRuntimeError,
        )


def _pymer4_lmer() -> Any:
    """pymer4's lmer, without its classes: these compute much more than the fit, which takes ten times as long.

    On import, pymer4 loads a dozen R packages, some of them three times, which takes five seconds; `report` may not
    even be installed, since Debian has no package of it. Here each is loaded when it is first used.
    """
    from rpy2.robjects import packages

    original = packages.importr
    load = functools.cache(original)
    for needed in ("lme4", "lmerTest"):
        load(needed)
    packages.importr = lambda name, *_, **__: _OnDemand(name, load)
    try:
        from pymer4.tidystats.lmerTest import lmer
    finally:
        packages.importr = original
    return lmer


class _OnDemand:
    """An R package that is loaded at its first use."""

    def __init__(self, name: str, load: Callable[[str], Any]):
        self._name, self._load = name, load

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._load(self._name), attribute)


def _vector(ro: Any, column: pd.Series) -> Any:
    if pd.api.types.is_numeric_dtype(column):
        return ro.FloatVector(column.to_numpy(float))
    factor = pd.Categorical(column).remove_unused_categories()
    vector = ro.IntVector(factor.codes + 1)
    vector.rclass = "factor"
    vector.do_slot_assign("levels", ro.StrVector([str(level) for level in factor.categories]))
    return vector


@contextmanager
def _captured() -> Iterator[list[str]]:
    """Collects what R would write to the console while this is open."""
    from rpy2.rinterface_lib import callbacks

    messages: list[str] = []
    names = ("consolewrite_print", "consolewrite_warnerror")
    originals = {name: getattr(callbacks, name) for name in names}
    for name in names:
        setattr(callbacks, name, messages.append)
    try:
        yield messages
    finally:
        for name, original in originals.items():
            setattr(callbacks, name, original)


@contextmanager
def _upper_addresses() -> Iterator[None]:
    """Have libraries that are loaded while this is open lie in the upper half of any 4 GB of addresses, on Linux.

    lme4 and Matrix can disagree on where a setting of CHOLMOD is: those of Debian 12 read the lower half of a pointer
    into Matrix as the number of orderings of a matrix to try. In the upper half that is a negative number, which means
    the default, as the 0 that should be there does; in the lower half, all are tried, and now and then another one is
    chosen, which rounds differently. Linux chooses addresses at random, so a process had one or the other.
    """
    if sys.platform != "linux":
        yield
        return
    system = ctypes.CDLL(None, use_errno=True)
    system.mmap.restype, system.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 4]
    system.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    blocks = []
    for size in (2**26, 2**22, 2**18):  # large gaps, then those between libraries
        while (place := system.mmap(None, size, 0, flags, -1, 0)) not in (None, _NO_PLACE):
            blocks.append((place, size))
            if place & _UPPER and place + size - 1 & _UPPER:
                system.munmap(*blocks.pop())  # where the next library will lie
                break
    try:
        yield
    finally:
        for mapping in blocks:
            system.munmap(*mapping)


@contextmanager
def _library_path_kept() -> Iterator[None]:
    """Undo R's changes to LD_LIBRARY_PATH, which it no longer reads once it runs.

    They include the system's folder, where a Python started later would find a libpython that is not its own.
    """
    path = os.environ.get("LD_LIBRARY_PATH")
    try:
        yield
    finally:
        os.environ.pop("LD_LIBRARY_PATH", None)
        if path is not None:
            os.environ["LD_LIBRARY_PATH"] = path


def _notes(text: str) -> list[str]:
    """Messages and warnings of R, each once, without the calls that they came from."""
    lines = [re.sub(r"^Warning( in .*? :|:)", "", line).strip() for line in text.splitlines()]
    return list(dict.fromkeys(line for line in lines if line))


def _fit(parts: Any, notes: list[str]) -> Fit:
    """parts: what `_PARTS` returns."""
    tables = {name: _table(parts.rx2(name), columns) for name, columns in _TABLES.items()}
    single = {name: parts.rx2(name)[0] for name in ("sigma", "reml", "n", "singular", "optimizer")}
    intercepts = (
        tables["variances"].groupby("group", sort=False).filter(lambda rows: list(rows["term"]) == ["(Intercept)"])
    )
    return Fit(
        **tables,
        theta=dict(zip(intercepts["group"], intercepts["sd"] / single["sigma"], strict=True)),
        sigma=single["sigma"],
        reml=single["reml"],
        n=single["n"],
        converged=single["optimizer"] == 0 and not any(_FAILURE.search(note) for note in notes),
        singular=bool(single["singular"]),
        notes=notes,
    )


def _table(frame: Any, columns: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame({name: list(column) for name, column in zip(columns, frame, strict=True)})
