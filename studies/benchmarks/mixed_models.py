"""Mixed models of one trait category: 17,000 rows, 6 templates, 13 traits (`make bench`).

One fit by lme4 through pymer4, and by the engine. The parametric bootstrap of the coefficient and of marginal
R², 1,000 replicates, by the engine and by bootMer of lme4, serial, in an R process of its own. bootMer draws
fewer, and its time is scaled to 1,000; starting R and fitting the model do not count.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from studies.benchmarks.shared import Figure, say, size, timed

from herbarium.statistics import lme4, mixed_model
from herbarium.statistics.inference import percentile_interval

ROWS, TEMPLATES, TRAITS = size(17_000, 1_000), 6, 13
REPLICATES, OF_BOOT_MER = size(1_000, 20), size(100, 5)
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


def boot_mer(data: pd.DataFrame) -> list[float]:
    """Seconds, and the bounds of the interval of R²."""
    with tempfile.TemporaryDirectory() as folder:
        data.to_csv(Path(folder) / "data.csv", index=False)
        script = SCRIPT.replace("FORMULA", FORMULA).replace("REPLICATES", str(OF_BOOT_MER))
        done = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=True)
    return [float(value) for value in done.stdout.split()]


def main() -> None:
    data = study()
    lme4.require()
    by_lme4, theirs = timed(lambda: lme4.fit(data, FORMULA, "weight"))

    def engine() -> tuple:
        groups = [pd.factorize(data[name])[0] for name in ("template", "trait")]
        design = mixed_model.design(np.column_stack([np.ones(ROWS), data["gender"] == "male"]), groups, data["weight"])
        return design, mixed_model.fit(design, data["score"])

    by_engine, (design, ours) = timed(engine)
    beta = dict(zip(theirs.fixed["term"], theirs.fixed["estimate"], strict=True))
    theta = {name: theirs.theta[name] for name in ("template", "trait")}
    mixed_model.agree(design, ours, beta, theta, theirs.sigma, theirs.reml)
    say(
        f"one fit: lme4 through pymer4 {by_lme4:.2f} s, engine with its design {by_engine:.3f} s",
        Figure("one fit", by_engine, "s"),
        Figure("one fit", by_engine / by_lme4, peer="lme4 through pymer4"),
    )

    rows = []
    for name, weighted in (("engine, residuals by weight", True), ("engine, as bootMer draws", False)):

        def interval(weighted: bool = weighted) -> tuple[float, float]:
            drawn = mixed_model.bootstrap(design, ours, REPLICATES, np.random.default_rng(1), weighted)
            return percentile_interval(mixed_model.r2_marginal(design, drawn), 0.95)

        seconds, bounds = timed(interval)
        rows.append((name, REPLICATES, seconds * 1_000 / REPLICATES, *bounds))
    seconds, *bounds = boot_mer(data)
    rows.append(("bootMer", OF_BOOT_MER, seconds * 1_000 / OF_BOOT_MER, *bounds))
    say(f"{'':30} {'replicates':>10} {'s per 1,000':>12} {'ratio':>7}  95 % interval of R²")
    for name, n, of_thousand, low, high in rows:
        times = of_thousand / rows[-1][2]
        say(
            f"    {name:30} {n:10,} {of_thousand:12.2f} {1 / times:7.0f}  {low:.4f} to {high:.4f}",
            Figure(f"1,000 replicates, {name}", of_thousand, "s"),
            *([Figure(f"replicates, {name}", times, peer="bootMer")] if name != "bootMer" else []),
        )


if __name__ == "__main__":
    main()
