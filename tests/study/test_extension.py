"""A configuration on top of another: sections are merged, everything else takes the place of what is below."""

import pytest
import yaml
from tests.refusals import refused

from herbarium.study import extension


@pytest.fixture
def write(tmp_path):
    def to(name, **values):
        (tmp_path / name).write_text(yaml.safe_dump(values, sort_keys=False))
        return str(tmp_path / name)

    return to


def test_sections_are_merged_and_lists_are_replaced(write):
    base = write("base.yaml", seed=1, models={"a": {"kind": "masked"}, "b": {"kind": "causal"}}, herb={"models": ["a"]})
    values = {"extends": base, "seed": 2, "models": {"b": {"path": "b"}, "c": {}}, "herb": {"models": ["c"]}}
    files = extension.extend(values, ["mine.yaml"])
    assert values == {
        "seed": 2,
        "models": {"a": {"kind": "masked"}, "b": {"kind": "causal", "path": "b"}, "c": {}},
        "herb": {"models": ["c"]},
    }
    assert list(values["models"]) == ["a", "b", "c"]
    assert [str(file) for file in files] == [base, "mine.yaml"]


def test_what_is_extended_may_extend_another(write):
    first = write("first.yaml", seed=1, shards=1, results="first")
    second = write("second.yaml", extends=first, seed=2, shards=2)
    values = {"extends": second, "seed": 3}
    files = extension.extend(values, [])
    assert values == {"seed": 3, "shards": 2, "results": "first"}
    assert [str(file) for file in files] == [first, second]


def test_an_alias_of_yaml_is_merged_where_it_stands_alone(write):
    base = write("base.yaml", models={"a": {"by": {"corpus": "x"}}})
    values = yaml.safe_load("models: {a: {by: &by {recipe: r}}, b: {by: *by}}") | {"extends": base}
    extension.extend(values, [])
    assert values["models"] == {"a": {"by": {"corpus": "x", "recipe": "r"}}, "b": {"by": {"recipe": "r"}}}


def test_what_extends_nothing_stays_as_it_is():
    values = {"seed": 1}
    assert extension.extend(values, ["a.yaml"]) == [extension.Path("a.yaml")]
    assert values == {"seed": 1}


def test_what_cannot_be_extended_is_named(write, tmp_path):
    with refused("extends", "no.yaml"):
        extension.extend({"extends": str(tmp_path / "no.yaml")}, [])
    with refused("extends"):
        extension.extend({"extends": ["a.yaml"]}, [])
    round_trip = write("round.yaml", extends=str(tmp_path / "round.yaml"))
    with refused("extends", "round.yaml"):
        extension.extend({"extends": round_trip}, [])


def test_it_is_known_which_configuration_names_a_key(write):
    base = write("base.yaml", rules=["theirs.smk"], seed=1)
    above = {"mine.yaml": {"extends": base, "seed": 2}, "ours.yaml": {"extends": base, "rules": ["ours.smk"]}}
    for name, values in above.items():
        mine = write(name, **values)
        files = extension.extend(dict(values), [mine])
        assert str(extension.naming("rules", files)) == (mine if "rules" in values else base)
        assert str(extension.naming("seed", files)) == (mine if "seed" in values else base)
    assert extension.naming("herb", files) is None
