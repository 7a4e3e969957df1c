import pandas as pd

from herbarium.drawing import tasks
from herbarium.metrics.amplification.figures import iterations


def test_a_set_that_has_ended_counts_with_what_it_ended_with():
    rows = [("rba", 1, 0, 2), ("rba", 1, 1, 0), ("rba", 2, 0, 4), ("rba", 2, 1, 2), ("rba", 2, 2, 1)]
    table = pd.DataFrame(rows, columns=["method", "set", "iteration", "violations"]).assign(model="m", task="reviews")
    assert iterations.table(table, tasks.places([("reviews", "m")], {}))["violations"].tolist() == [3, 1, 0.5]
