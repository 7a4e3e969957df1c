"""The engine of mixed models against lme4, replicate by replicate, and against golden values of lme4 and partR2."""

import dataclasses
import subprocess

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from tests.conftest import mostly_nightly
from tests.statistics.test_mixed_model import study

from herbarium.core.errors import HerbariumError
from herbarium.statistics import lme4
from herbarium.statistics import mixed_model as mm
from herbarium.statistics.inference import percentile_interval

pytestmark = pytest.mark.slow  # fits models in R


@pytest.fixture(scope="module")
def _r_is_there():
    try:
        lme4.require()
    except HerbariumError as fault:
        pytest.skip(str(fault))


def of_lme4(table, response="score"):
    """(beta, theta, sigma, reml) by name, and the fit."""
    fit = lme4.fit(table, f"{response} ~ gender + (1 | template) + (1 | trait)", "weight")
    theta = {name: fit.theta[name] for name in ("template", "trait")}
    return (dict(zip(fit.fixed["term"], fit.fixed["estimate"], strict=True)), theta, fit.sigma, fit.reml), fit


@pytest.mark.usefixtures("_r_is_there")
@pytest.mark.parametrize(
    ("seed", "sds"), [(0, (0.4, 0.7)), (1, (0.05, 3)), (2, (0, 0.7)), (3, (0, 0))], ids=["usual", "far", "one", "none"]
)
def test_a_fit_of_lme4_agrees_down_to_the_degrees_of_freedom(seed, sds):
    table, model_design, y = study(1500, seed, sds)
    fit = mm.fit(model_design, y)
    parameters, theirs = of_lme4(table)
    mm.agree(model_design, fit, *parameters)
    assert fit.reml == pytest.approx(theirs.reml, rel=1e-11)
    np.testing.assert_allclose(fit.std_error, theirs.fixed["std_error"], rtol=1e-5)
    np.testing.assert_allclose(fit.df, theirs.fixed["df"], rtol=1e-3 if theirs.singular else 1e-5)
    assert theirs.singular == (fit.theta == 0).any()


AGAIN = """
suppressMessages(library(lme4))
data <- read.csv("data.csv", stringsAsFactors = TRUE)
responses <- read.csv("responses.csv", header = FALSE)
model <- lmer(score ~ gender + (1 | template) + (1 | trait), data = data, weights = weight, control = CONTROL)
found <- function(again) {
  sds <- as.data.frame(VarCorr(again))
  explained <- var(as.vector(getME(again, "X") %*% fixef(again)))
  theta <- getME(again, "theta")[c("template.(Intercept)", "trait.(Intercept)")]
  c(fixef(again), theta, sigma(again), explained / (explained + sum(sds$vcov)))
}
save <- function(table, path) {
  write.table(format(t(table), digits = 17), path, sep = ",", row.names = FALSE, col.names = FALSE, quote = FALSE)
}
save(sapply(responses, function(y) found(update(model, data = transform(data, score = y)))), "fitted.csv")
save(sapply(responses, function(y) found(refit(model, y, control = CONTROL))), "refitted.csv")
"""


def assert_agree(model_design, fits, fitted):
    """found: (R, 6) what `AGAIN` saves."""
    r2 = mm.r2_marginal(model_design, fits)
    for replicate, values in enumerate(fitted):
        one = mm.Fits(*(value[replicate] for value in vars(fits).values()))
        beta = dict(zip(("(Intercept)", "gendermale"), values[:2], strict=True))
        theta = dict(zip(("template", "trait"), values[2:4], strict=True))
        mm.agree(model_design, one, beta, theta, values[4], np.nan)  # by the parameters alone
        assert r2[replicate] == pytest.approx(values[5], rel=1e-5), replicate


@pytest.mark.usefixtures("_r_is_there")
@pytest.mark.parametrize(
    ("weighted", "sds"),
    mostly_nightly([(True, (0.4, 0.7)), (False, (0.4, 0.7)), (True, (0.05, 0.7))], False),
    ids=["model", "released", "zero"],
)
def test_replicates_are_those_of_lme4(tmp_path, monkeypatch, weighted, sds):
    R = 40
    table, model_design, y = study(1500, 4, sds)
    fit = mm.fit(model_design, y)
    responses = mm.simulate(model_design, fit, R, np.random.default_rng(0), weighted)
    table.to_csv(tmp_path / "data.csv", index=False)
    np.savetxt(tmp_path / "responses.csv", responses.T, delimiter=",", fmt="%.17g")
    script = AGAIN.replace("CONTROL", lme4._CONTROL)
    subprocess.run(["Rscript", "-e", script], cwd=tmp_path, check=True, capture_output=True)
    fitted, refitted = (np.loadtxt(tmp_path / name, delimiter=",") for name in ("fitted.csv", "refitted.csv"))
    assert len(fitted) == len(refitted) == R

    ours = mm.bootstrap(model_design, fit, R, np.random.default_rng(0), weighted)
    assert sds[0] > 0.1 or (ours.theta == 0).any()
    assert_agree(model_design, ours, fitted)

    # `refit`, by which bootMer and partR2 work, is not quite that fit: in lme4 1.1-31 it searches with n - 1 for n - p,
    # for it hands on that the criterion is restricted (TRUE, so 1) where `lmer` hands on p
    try:
        assert_agree(model_design, ours, refitted)
    except HerbariumError:
        p = model_design.x.shape[1]
        monkeypatch.setattr(mm.Design, "residual_df", property(lambda model_design: len(model_design.x) - 1))
        again = mm.fit(model_design, responses)
        sigma = again.sigma * np.sqrt((len(model_design.x) - 1) / (len(model_design.x) - p))
        assert_agree(model_design, dataclasses.replace(again, sigma=sigma), refitted)


@pytest.fixture(scope="module")
def golden(request):
    """By scale of the weights: the published figures, the design, and the fit."""
    folder = request.getfixturevalue("shared") / "golden/mixed_model"
    table, figures = pd.read_csv(folder / "data.csv"), pd.read_csv(folder / "lme4_partR2.csv").set_index("weights")
    x = np.column_stack([np.ones(len(table)), table["gender"] == "male"])
    groups = [pd.factorize(table[name])[0] for name in ("template", "trait")]
    raw = (1 / table["pppl"]).to_numpy()
    designs = {"raw": mm.design(x, groups, raw), "mean1": mm.design(x, groups, raw / raw.mean())}
    return {
        scale: (figures.loc[scale], model_design, mm.fit(model_design, table["association"].to_numpy()))
        for scale, model_design in designs.items()
    }


@pytest.mark.parametrize("scale", ["raw", "mean1"])
def test_golden_values_of_lme4_and_partr2(golden, scale):
    figures, model_design, fit = golden[scale]
    ours = {
        "intercept": fit.beta[0],
        "intercept_se": fit.std_error[0],
        "beta": fit.beta[1],
        "se": fit.std_error[1],
        "df": fit.df[1],
        "p": 2 * scipy.stats.t.sf(fit.beta[1] / fit.std_error[1], fit.df[1]),
        "sd_template": fit.theta[0] * fit.sigma,
        "sd_trait": fit.theta[1] * fit.sigma,
        "sigma": fit.sigma,
        "reml": fit.reml,
        "r2_marginal": mm.r2_marginal(model_design, fit),
    }
    for name, value in ours.items():
        assert value == pytest.approx(figures[name], rel=1e-5), name
    _, raw, of_raw = golden["raw"]
    at_mean = mm.r2_marginal(raw, of_raw, raw.weights.mean())
    assert at_mean == pytest.approx(golden["mean1"][0]["r2_marginal"], rel=1e-5)


@pytest.mark.parametrize("scale", ["raw", "mean1"])
def test_interval_that_ignores_the_weights_is_that_of_partr2(golden, scale):
    figures, model_design, fit = golden[scale]
    R = 4000
    released = mm.r2_marginal(
        model_design, mm.bootstrap(model_design, fit, R, np.random.default_rng(0), weighted=False)
    )
    for bound, tail in (("r2_lower", 0.025), ("r2_upper", 0.975)):
        # the share of one sample of replicates below a quantile of another, of 1,000, is nearly normal around the tail
        error = np.sqrt(tail * (1 - tail) * (1 / R + 1 / 1000))
        assert abs((released < figures[bound]).mean() - tail) < 3 * error, bound
    model = mm.r2_marginal(model_design, mm.bootstrap(model_design, fit, R, np.random.default_rng(1), weighted=True))
    (low, high), (of_released, to_released) = (percentile_interval(values, 0.95) for values in (model, released))
    print(f"{scale}: released {of_released:.5f} to {to_released:.5f}, of the model {low:.5f} to {high:.5f}")
    assert low < mm.r2_marginal(model_design, fit) < high
    if scale == "mean1":
        assert high - low < 0.85 * (to_released - of_released)
