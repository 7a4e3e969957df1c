"""Structured outputs side by side: planted fields, potentials in the authors' formats, each way to decide."""

import numpy as np
import pytest
from tests.metrics.amplification import structures, test_formats
from tests.refusals import refused

from herbarium.decisions.names import EXACT, POSTERIOR, RBA, RBA_PAPER, RBA_RELEASED
from herbarium.metrics.amplification import outputs
from herbarium.metrics.amplification.methods import AS_IT_IS
from herbarium.metrics.amplification.outputs import BOUND, PLANNED, Found, Posed
from herbarium.metrics.amplification.structured import MAN, NEITHER, WOMAN, Counted, OneActivity, Situations

MARGIN = 0.05


@pytest.fixture(scope="module")
def planted():
    return outputs.planted(3, 1)


@pytest.fixture(scope="module")
def decided(planted):
    told = []
    rows, iterations = outputs.side_by_side("field", planted, MARGIN, told.append)
    assert len(told) == len(planted) * (len(rows) - 1)  # of the bound nothing is told
    return rows.set_index("method"), iterations


def test_every_way_to_decide_is_there(decided):
    rows, iterations = decided
    algorithms = [RBA_PAPER, RBA_RELEASED, RBA]
    assert rows.index.tolist() == [AS_IT_IS, PLANNED, *algorithms, POSTERIOR, EXACT, BOUND]
    assert (rows["sets"] == outputs.SETS).all()
    assert (rows["instances"] == 3 * outputs.DECIDED).all()
    assert rows["activities"].eq(3).all()
    assert iterations["method"].unique().tolist() == algorithms
    last = iterations.groupby(["method", "set"], sort=False)["iteration"].max().groupby("method").mean()
    assert rows.loc[algorithms, "iterations"].tolist() == last[algorithms].tolist()


def test_no_way_that_meets_all_constraints_loses_less_than_the_optimum_and_that_no_less_than_the_bound(planted):
    for posed in planted:
        ways = dict(outputs.ways(posed, MARGIN))
        lost = {name: outputs.judged(posed, MARGIN, decided) for name, decided in ways.items()}
        assert lost[AS_IT_IS]["lost"] == 0
        assert lost[EXACT]["violations"] == 0
        for numbers in lost.values():
            assert numbers["violations"] > 0 or numbers["lost"] >= lost[EXACT]["lost"] - 1e-9
        rows, _ = outputs.side_by_side("field", [posed], MARGIN, print)
        assert rows.set_index("method").loc[BOUND, "lost"] <= lost[EXACT]["lost"] + 1e-9


def test_a_planted_field_amplifies_and_its_probabilities_do_not(decided):
    rows, _ = decided
    assert rows.loc[AS_IT_IS, "amplification"] > 0.05
    assert rows.loc[PLANNED, "amplification"] > 0.05
    assert abs(rows.loc[AS_IT_IS, "expected_amplification"]) < 0.03
    assert rows.loc[POSTERIOR, "expected_violations"] == 0
    assert rows.loc[POSTERIOR, "violations"] > 0  # the thesis's own point


def test_planted_sets_are_those_of_the_seed(planted):
    for ours, again, other in zip(planted, outputs.planted(3, 1), outputs.planted(3, 2), strict=True):
        np.testing.assert_array_equal(ours.rate, again.rate)
        assert (ours.rate != other.rate).any()
    assert (planted[0].rate != planted[1].rate).any()


def test_numbers_by_hand():
    # Two activities; of the first, men and women are one each in decisions, of the second there is a woman.
    agent = np.full((3, 2, 3), -5.0)
    agent[0, 0, MAN] = agent[1, 0, WOMAN] = agent[2, 1, WOMAN] = 0.0
    field = OneActivity(np.zeros((3, 2)), agent, np.arange(2))
    labels = Situations(np.array([0, 0, 1]), np.array([MAN, WOMAN, MAN]))
    other = Situations(np.array([0, 0, 0]), np.array([MAN, WOMAN, NEITHER]))
    posed = Posed(field, np.array([0.6, 0.3]), labels)
    best = outputs.judged(posed, MARGIN, Found(field.best(), Counted(np.array([[0.6, 0.3]]), np.array([[0.4, 0.7]]))))
    assert best["violations"] == 2
    assert best["amplification"] == pytest.approx(((0.5 - 0.6) + 0.3) / 2)
    assert (best["expected_violations"], best["expected_amplification"]) == (0, pytest.approx(0))
    assert (best["without_rate"], best["lost"]) == (0, 0)
    assert best["accuracy"] == pytest.approx(2 / 3)
    emptied = outputs.judged(posed, MARGIN, Found(other, violations=np.array([2, 1])))
    assert (emptied["violations"], emptied["without_rate"]) == (1, 1)
    assert emptied["amplification"] == pytest.approx(-0.1)
    assert (emptied["lost"], emptied["iterations"]) == (pytest.approx(5 / 3), 1)


def test_objects_are_decided_too():
    field = structures.many_objects(0, n=40)
    posed = Posed(field, np.full(2, 0.5))
    rows, _ = outputs.side_by_side("objects", [posed], 0.1, print)
    rows = rows.set_index("method")
    assert rows.index.tolist() == [AS_IT_IS, RBA_PAPER, RBA_RELEASED, RBA, POSTERIOR]
    assert rows.loc[POSTERIOR, "expected_violations"] == 0
    assert rows.loc[RBA, "violations"] <= rows.loc[AS_IT_IS, "violations"]
    assert rows["accuracy"].isna().all()


def test_the_integer_program_is_left_out_where_outputs_are_many(monkeypatch, planted):
    monkeypatch.setattr(outputs, "_LARGEST", 10)
    rows, _ = outputs.side_by_side("field", planted[:1], MARGIN, print)
    assert EXACT not in set(rows["method"])
    assert BOUND in set(rows["method"])


def coco(folder, n=30):
    labels = []
    for number in range(n):
        row = [0] * test_formats.formats.WIDTH
        row[number % 2] = 1
        row[2 + 2 * 4 + 160 * (number % 2)] = 1  # the object 4, with a man and with a woman
        row[2 + 2 * 5] = 1  # the object 5, with a man alone; what a woman has there does not count
        labels.append({"annotation": row})
    return (
        test_formats.dumped(folder / "potentials", [{"output": test_formats.WIDE}]),
        test_formats.dumped(folder / "labels", labels),
    )


def test_of_coco_objects_that_stand_with_people_often_enough_are_constrained(tmp_path):
    files = coco(tmp_path)
    posed = outputs.of_coco(*files, 20)
    assert posed.potentials.constrained.tolist() == [4]
    assert posed.rate.tolist() == [0.5]
    assert outputs.of_coco(*files, 15).rate.tolist() == [0.5, 1.0]
    with refused("labels", 31, "'least_texts'"):
        outputs.of_coco(*files, 31)


def imsitu(folder, rates):
    test_formats.imsitu(folder)
    (folder / "rates.csv").write_text(f"activity,rate\n{rates}")
    return outputs.of_imsitu(folder / "potentials", folder / "map.tab", folder / "words.txt", folder / "rates.csv")


def test_of_imsitu_activities_of_the_table_are_constrained(tmp_path):
    posed = imsitu(tmp_path, "fixing,0.8\ncooking,.25\n")
    assert posed.potentials.constrained.tolist() == [2, 0]
    assert posed.rate.tolist() == [0.8, 0.25]
    rows, _ = outputs.side_by_side("vsrl", [posed], MARGIN, print)
    assert rows.set_index("method").loc[EXACT, "violations"] == 0


@pytest.mark.parametrize(
    ("rates", "fault"),
    [
        ("fixing,0.8\nflying,.5\n", ("rates.csv, row 2", "'flying'", "map.tab")),
        ("fixing,0.8\nfixing,.5\n", ("rates.csv, row 2", "'fixing'", "repeated")),
        ("fixing,1.5\n", ("rates.csv, row 1, column 'rate'", "'1.5'", "0 to 1")),
        ("fixing,half\n", ("rates.csv, row 1, column 'rate'", "'half'", "0 to 1")),
    ],
)
def test_faults_of_rates_are_named(tmp_path, rates, fault):
    with refused(*fault):
        imsitu(tmp_path, rates)
