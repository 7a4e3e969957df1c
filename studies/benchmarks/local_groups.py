"""The permutation null of local group bias, at the size of one comparison: 2,000 instances, 64 features, 10 clusters.

All permutations side by side, and one after the other, which gives the same to the last bit (`make bench`). Of
those one after the other a few are run, and their time is scaled.
"""

import numpy as np
from studies.benchmarks.shared import Figure, say, size, timed

from herbarium.metrics.local_group_bias import null
from herbarium.metrics.local_group_bias import score as lgb

INSTANCES, FEATURES, PERMUTATIONS = size(2_000, 200), size(64, 8), size(200, 10)
CLUSTERS, RESTARTS, STRENGTH, ALONE = 10, 3, 5, 5


def main() -> None:
    random = np.random.default_rng(0)
    x = 0.8 * random.normal(size=(INSTANCES, FEATURES))
    x[:, :5] += 1.5 * random.integers(5, size=(INSTANCES, 1))
    group, correct = random.integers(2, size=INSTANCES), random.random(INSTANCES) < 0.85
    kind = null.free(group, correct, PERMUTATIONS, random)
    starts = lgb.starts(x, CLUSTERS, RESTARTS, random)
    initial, order = lgb.k_means(x, starts), random.permutation(INSTANCES)
    say(f"{PERMUTATIONS} permutations of {RESTARTS} restarts {'side by side':>14} {'one by one':>12} {'ratio':>6}")
    for name, fit in (
        (lgb.EXACT, lambda kind: lgb.exact(x, kind, initial, STRENGTH, order)),
        (lgb.PUBLISHED, lambda kind: lgb.published(x, kind, starts, STRENGTH)),
    ):
        seconds, together = timed(lambda fit=fit: fit(kind))
        scaled, single = timed(lambda fit=fit: [fit(one[None]) for one in kind[:ALONE]])
        scaled *= PERMUTATIONS / ALONE
        for row, one in enumerate(single):
            np.testing.assert_array_equal(one.cluster[0], together.cluster[row])
        say(
            f"    {name:31} {seconds:12.1f} s {scaled:10.0f} s {scaled / seconds:6.0f}",
            Figure(name, seconds, "s"),
            Figure(name, seconds / scaled, peer="permutations one by one"),
        )


if __name__ == "__main__":
    main()
