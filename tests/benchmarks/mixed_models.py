"""Mixed models of one trait category: 17,000 rows, 6 templates, 13 traits (`make bench`).

(k) One fit by lme4 through pymer4, and by the engine. (l) The parametric bootstrap of the coefficient and of marginal
R², 1,000 replicates, by the engine and by bootMer of lme4, serial, in an R process of its own. bootMer draws
`--replicates`, and its time is scaled to 1,000; starting R and fitting the model do not count.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.statistics import lme4, mixed_model
from herbarium.statistics.inference import percentile_interval

ROWS, TEMPLATES, TRAITS, REPLICATES = 17_000, 6, 13, 1_000
FORMULA = "score ~ gender + (1 | template) + (1 | trait)"
SCRIPT = """
suppressMessages(library(lme4))
data <- read.csv("data.csv", stringsAsFactors = TRUE)
model <- lmer(FORMULA, data = data, weights = weight)
r2 <- function(model) {
  explained <- var(as.vector(getME(model, "X") %*% fixef(model)))
  c(fixef(model)[2], explained / (explained + sum(as.data.frame(VarCorr(model))$vcov)))
}
taken <- system.time(found <- suppressMessages(bootMer(model, r2, nsim = REPLICATES, seed = 1)))
cat(taken[["elapsed"]], quantile(found$t[, 2], c(0.025, 0.975)))
"""


def study() -> pd.DataFrame:
    random = np.random.default_rng(0)
    gender, template, trait = (random.integers(n, size=ROWS) for n in (2, TEMPLATES, TRAITS))
    weight = 1 / random.lognormal(3, 1, size=ROWS)
    score = 0.25 * gender + 0.4 * random.normal(size=TEMPLATES)[template] + 0.7 * random.normal(size=TRAITS)[trait]
    score += random.normal(size=ROWS) * np.sqrt(weight.mean() / weight)
    genders = pd.Categorical(np.array(["female", "male"])[gender])
    words = {"gender": genders, "template": [f"t{i}" for i in template], "trait": [f"word{i}" for i in trait]}
    return pd.DataFrame({"score": score, **words, "weight": weight})


def boot_mer(data: pd.DataFrame, replicates: int) -> list[float]:
    """Seconds, and the bounds of the interval of R²."""
    with tempfile.TemporaryDirectory() as folder:
        data.to_csv(Path(folder) / "data.csv", index=False)
        script = SCRIPT.replace("FORMULA", FORMULA).replace("REPLICATES", str(replicates))
        done = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=True)
    return [float(value) for value in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=100, help="that bootMer draws (default: %(default)s)")
    replicates = parser.parse_args().replicates
    data = study()
    lme4.require()
    start = time.perf_counter()
    theirs = lme4.fit(data, FORMULA, "weight")
    fitted = time.perf_counter()
    groups = [pd.factorize(data[name])[0] for name in ("template", "trait")]
    of = mixed_model.design(np.column_stack([np.ones(ROWS), data["gender"] == "male"]), groups, data["weight"])
    ours = mixed_model.fit(of, data["score"])
    engine = time.perf_counter()
    beta = dict(zip(theirs.fixed["term"], theirs.fixed["estimate"], strict=True))
    theta = {name: theirs.theta[name] for name in ("template", "trait")}
    mixed_model.agree(of, ours, beta, theta, theirs.sigma)
    print(f"(k) one fit: lme4 through pymer4 {fitted - start:.2f} s, engine with its design {engine - fitted:.3f} s")

    rows = []
    for name, weighted in (("engine, residuals by weight", True), ("engine, as bootMer draws", False)):
        start = time.perf_counter()
        drawn = mixed_model.bootstrap(of, ours, REPLICATES, np.random.default_rng(1), weighted)
        bounds = percentile_interval(mixed_model.r2_marginal(of, drawn), 0.95)
        rows.append((name, REPLICATES, time.perf_counter() - start, *bounds))
    seconds, *bounds = boot_mer(data, replicates)
    rows.append(("bootMer", replicates, seconds * REPLICATES / replicates, *bounds))
    print(f"(l) {'':30} {'replicates':>10} {'s per 1,000':>12} {'ratio':>7}  95 % interval of R²")
    for name, n, of_thousand, low, high in rows:
        print(f"    {name:30} {n:10,} {of_thousand:12.2f} {rows[-1][2] / of_thousand:7.0f}  {low:.4f} to {high:.4f}")


if __name__ == "__main__":
    main()
