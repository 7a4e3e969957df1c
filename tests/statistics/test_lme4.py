"""Fits through pymer4 against lmerTest called from an R script and against golden values; faults as people see them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.core.errors import HerbariumError
from herbarium.statistics import lme4

pytestmark = pytest.mark.slow  # fits models in R

FORMULA = "score ~ gender + (1 | template) + (1 | trait)"
ARGUMENTS = f"{FORMULA}, data = data, weights = weight"

# The tight search is part of what is tested, so R has it too.
SCRIPT = """
suppressMessages(library(lmerTest))
options(digits = 17)
data <- read.csv("data.csv", stringsAsFactors = TRUE)
model <- suppressMessages(lmer(ARGUMENTS, control = CONTROL))
fixed <- coef(summary(model))
terms <- anova(model)
modes <- as.data.frame(ranef(model, condVar = TRUE))
spread <- as.data.frame(VarCorr(model))
found <- list(
  term = rownames(fixed), estimate = fixed[, "Estimate"], std_error = fixed[, "Std. Error"], df = fixed[, "df"],
  t = fixed[, "t value"], p_value = fixed[, "Pr(>|t|)"], f = terms[["F value"]], den_df = terms[["DenDF"]],
  f_p_value = terms[["Pr(>F)"]], theta = getME(model, "theta"), sigma = sigma(model), reml = REMLcrit(model),
  group = spread$grp, spread = spread$sdcor, mode = modes$condval, mode_error = modes$condsd
)
text <- function(values) if (is.character(values)) sprintf('"%s"', values) else sprintf("%.17g", values)
lines <- mapply(function(name, values) sprintf('"%s": [%s]', name, paste(text(values), collapse = ", ")),
                names(found), found)
cat("{", paste(lines, collapse = ", "), "}")
"""


@pytest.fixture(scope="module", autouse=True)
def _r_is_there():
    try:
        lme4.require()
    except HerbariumError as fault:
        pytest.skip(str(fault))


def study(n=2400, seed=0, sds=(0.4, 0.7), slope=0.0):
    """Scores as in the study: 6 templates, 7 traits, gender, and weights over two orders of magnitude."""
    random = np.random.default_rng(seed)
    template, trait, gender = random.integers(6, size=n), random.integers(7, size=n), random.integers(2, size=n)
    weight = 1 / random.lognormal(3, 1, size=n)
    score = 0.3 + 0.25 * gender + sds[0] * random.normal(size=6)[template] + sds[1] * random.normal(size=7)[trait]
    score += slope * random.normal(size=6)[template] * gender + 0.2 * random.normal(size=n) / np.sqrt(weight)
    return pd.DataFrame(
        {
            "score": score,
            "gender": pd.Categorical(np.array(["female", "male"])[gender]),
            "template": [f"t{number}" for number in template],
            "trait": [f"word{number}" for number in trait],
            "weight": weight,
        }
    )


def by_script(data, folder, arguments=ARGUMENTS):
    """What an R script finds."""
    data.to_csv(folder / "data.csv", index=False)
    script = SCRIPT.replace("ARGUMENTS", arguments).replace("CONTROL", lme4._CONTROL)
    done = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=True)
    return {name: np.array(values) for name, values in json.loads(done.stdout).items()}


def same(fit, expected):
    """Every number of two fits, to six digits of those that the search finds."""
    assert list(fit.fixed["term"]) == list(expected["term"])
    for column in ("estimate", "std_error", "df", "t", "p_value"):
        np.testing.assert_allclose(fit.fixed[column], expected[column], rtol=1e-6, err_msg=column)
    for column in ("f", "den_df"):
        np.testing.assert_allclose(fit.terms[column], expected[column], rtol=1e-6, err_msg=column)
    np.testing.assert_allclose(fit.terms["p_value"], expected["f_p_value"], rtol=1e-6)
    np.testing.assert_allclose(fit.sigma, expected["sigma"][0], rtol=1e-6)
    np.testing.assert_allclose(fit.reml, expected["reml"][0], rtol=1e-12)
    np.testing.assert_allclose(fit.random_effects["estimate"], expected["mode"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(fit.random_effects["std_error"], expected["mode_error"], rtol=1e-5)
    spread = [*fit.variances["sd"], *fit.correlations["correlation"], fit.sigma]
    np.testing.assert_allclose(sorted(spread), sorted(expected["spread"]), rtol=1e-6)


def test_equals_lmertest_called_from_a_script(tmp_path):
    data = study()
    fit = lme4.fit(data, FORMULA, "weight")
    expected = by_script(data, tmp_path)
    same(fit, expected)
    assert list(fit.theta) == ["trait", "template"]
    np.testing.assert_allclose(list(fit.theta.values()), expected["theta"], rtol=1e-6)
    assert fit.n == len(data)
    assert fit.converged
    assert not fit.singular
    assert fit.notes == []


def test_random_slopes_and_a_factor_of_many_levels_equal_lmertest(tmp_path):
    data = study(slope=0.5)
    arguments = ARGUMENTS.replace("gender + (1 | template)", "trait + (gender | template)").replace("+ (1 | trait)", "")
    fit = lme4.fit(data, arguments.split(",")[0], "weight")
    same(fit, by_script(data, tmp_path, arguments))
    assert list(fit.terms["term"]) == ["trait"]
    assert fit.terms["num_df"][0] == data["trait"].nunique() - 1
    assert fit.variances.drop(columns="sd").values.tolist() == [["template", "(Intercept)"], ["template", "gendermale"]]
    assert fit.correlations.iloc[0, :3].tolist() == ["template", "(Intercept)", "gendermale"]
    assert fit.theta == {}


def test_weights_are_used_and_their_scale_moves_sigma_alone():
    data = study()
    fit, unweighted = lme4.fit(data, FORMULA, "weight"), lme4.fit(data, FORMULA)
    assert abs(fit.fixed["estimate"][1] / unweighted.fixed["estimate"][1] - 1) > 0.001
    assert fit.fixed["std_error"][1] < 0.8 * unweighted.fixed["std_error"][1]
    scaled = lme4.fit(data.assign(weight=data["weight"] * 9), FORMULA, "weight")
    np.testing.assert_allclose(scaled.sigma, 3 * fit.sigma, rtol=1e-6)
    np.testing.assert_allclose(scaled.fixed.iloc[:, 1:3], fit.fixed.iloc[:, 1:3], rtol=1e-5)
    np.testing.assert_allclose(scaled.variances["sd"], fit.variances["sd"], rtol=1e-5)


def test_first_category_is_the_reference():
    data = study()
    fit = lme4.fit(data, FORMULA, "weight")
    turned = data.assign(gender=data["gender"].cat.reorder_categories(["male", "female"]))
    other = lme4.fit(turned, FORMULA, "weight")
    assert list(fit.fixed["term"]) == ["(Intercept)", "gendermale"]
    assert list(other.fixed["term"]) == ["(Intercept)", "genderfemale"]
    np.testing.assert_allclose(other.fixed["estimate"][1], -fit.fixed["estimate"][1], rtol=1e-6)
    # the levels of strings are sorted, wherever they stand; a category that no row has is no level
    strings = lme4.fit(data.assign(gender=data["gender"].astype(str))[::-1], FORMULA, "weight")
    more = lme4.fit(data.assign(gender=data["gender"].cat.add_categories("neo")), FORMULA, "weight")
    for same_model in (strings, more):
        np.testing.assert_allclose(same_model.fixed["estimate"], fit.fixed["estimate"], rtol=1e-6)
        assert same_model.notes == []


def test_random_effects_are_those_of_their_levels():
    data = study(sds=(3, 0))
    fit = lme4.fit(data, "score ~ 1 + (1 | template)", "weight")
    assert len(fit.terms) == 0
    means = data.groupby("template")["score"].mean() - fit.fixed["estimate"][0]
    modes = fit.random_effects.set_index("level")
    assert modes.index.tolist() == sorted(means.index)
    np.testing.assert_allclose(modes["estimate"], means[modes.index], atol=0.3)


def test_a_singular_fit_is_flagged():
    data = study(sds=(0, 0.7), seed=3)
    fit = lme4.fit(data, FORMULA, "weight")
    assert fit.singular
    assert fit.theta["template"] == pytest.approx(0, abs=1e-4)
    assert fit.notes == ["boundary (singular) fit: see help('isSingular')"]
    assert fit.converged


def test_a_fit_that_did_not_converge_says_so(monkeypatch, capfd):
    lme4.require()
    import rpy2.robjects as ro

    monkeypatch.setattr(lme4._r(), "control", ro.r("lme4::lmerControl(optCtrl = list(maxeval = 4))"))
    fit = lme4.fit(study(), FORMULA, "weight")
    assert not fit.converged
    assert any("NLOPT_MAXEVAL_REACHED" in note for note in fit.notes)
    assert any(note.startswith("Model failed to converge with max|grad|") for note in fit.notes)
    assert capfd.readouterr() == ("", "")


def test_dropped_coefficients_are_noted():
    data = study()
    data["copy"] = (data["gender"] == "male") * 2.0
    fit = lme4.fit(data, FORMULA.replace("gender", "gender + copy"), "weight")
    assert list(fit.fixed["term"]) == ["(Intercept)", "gendermale"]
    assert fit.notes == ["fixed-effect model matrix is rank deficient so dropping 1 column / coefficient"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"score": np.nan}, "values in score"),
        ({"trait": None}, "values in trait"),
        ({"weight": 0.0}, "(weight)"),
        ({"trait": "one"}, "score ~ gender + (1 | template) + (1 | trait)"),
    ],
)
def test_what_no_model_can_be_fitted_to_is_refused(change, fault, capfd):
    with refused(None, fault):
        lme4.fit(study(n=60).assign(**change), FORMULA, "weight")
    assert capfd.readouterr() == ("", "")


def test_absent_columns_are_named():
    with refused(None, "gender", "weight"):
        lme4.fit(study(n=60).drop(columns=["gender", "weight"]), FORMULA, "weight")


@pytest.mark.parametrize("path", [None, "/somewhere/lib"])
@pytest.mark.nightly
def test_processes_started_after_r_find_the_libraries_of_those_before(path):
    """With R's own LD_LIBRARY_PATH, a Python of pyenv finds the libpython of the system and fails."""
    code = "import os; from herbarium.statistics import lme4; lme4.require(); print(os.environ.get('LD_LIBRARY_PATH'))"
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    environment |= {"PYTHONPATH": "workflow/scripts"} | ({} if path is None else {"LD_LIBRARY_PATH": path})
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(path)


@pytest.mark.parametrize("missing", ["rpy2.robjects", "pymer4.tidystats.lmerTest"])
def test_one_sentence_says_what_to_install(monkeypatch, missing):
    lme4._r.cache_clear()
    monkeypatch.setitem(sys.modules, missing, None)
    with refused(None, "make setup", "mixed_models: engine: none"):
        lme4.fit(study(n=60), FORMULA)


@pytest.mark.parametrize("scale", ["raw", "mean1"])
def test_golden_values_of_lme4(shared, scale):
    data = pd.read_csv(shared / "golden/mixed_model/data.csv")
    golden = pd.read_csv(shared / "golden/mixed_model/lme4_partR2.csv").set_index("weights").loc[scale]
    data["weight"] = 1 / data["pppl"] / ((1 / data["pppl"]).mean() if scale == "mean1" else 1)
    fit = lme4.fit(data, "association ~ gender + (1 | template) + (1 | trait)", "weight")
    intercept, gender = fit.fixed.iloc[0], fit.fixed.iloc[1]
    sd = fit.variances.set_index("group")["sd"]
    fixed = fit.fixed["estimate"][1] * (data["gender"] == "male")
    ours = {
        "n": fit.n,
        "intercept": intercept["estimate"],
        "intercept_se": intercept["std_error"],
        "beta": gender["estimate"],
        "se": gender["std_error"],
        "df": gender["df"],
        "t": gender["t"],
        "p": gender["p_value"],
        "sd_template": sd["template"],
        "sd_trait": sd["trait"],
        "sigma": fit.sigma,
        "reml": fit.reml,
        "r2_marginal": fixed.var() / (fixed.var() + (sd**2).sum() + fit.sigma**2),
    }
    for name, value in ours.items():
        assert value == pytest.approx(golden[name], rel=1e-5), name


# Where a process may happen to be in memory: in one half of 4 GB of addresses, or in the other.
SOMEWHERE = """
import ctypes, sys
import numpy as np, pandas as pd

map_ = ctypes.CDLL(None).mmap
map_.restype, map_.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 4]
while bool(map_(None, 2**26, 0, 0x22, -1, 0) & 2**31) != (sys.argv[1] == "upper"):
    pass

from herbarium.statistics import lme4

random = np.random.default_rng(0)
for n in range(3):
    data = pd.DataFrame({"a": random.integers(12, size=600), "b": random.integers(30, size=600)})
    data["y"] = random.normal(size=600) + random.normal(size=12)[data["a"]] + random.normal(size=30)[data["b"]] / 3
    fit = lme4.fit(data.assign(a=data["a"].astype(str), b=data["b"].astype(str)), "y ~ 1 + (1|a) + (1|b)")
    print([float(of).hex() for of in (*fit.theta.values(), fit.reml, *fit.fixed.iloc[0, 1:])])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="addresses are chosen as Linux does")
@pytest.mark.nightly
def test_two_processes_fit_the_same_to_the_last_bit():
    environment = os.environ | {"PYTHONPATH": str(Path(lme4.__file__).parents[2])}
    processes = [
        subprocess.Popen([sys.executable, "-c", SOMEWHERE, half], env=environment, stdout=subprocess.PIPE, text=True)
        for half in ("upper", "lower")
    ]
    upper, lower = (process.communicate()[0] for process in processes)
    assert upper == lower
    assert upper.count("\n") == 3
