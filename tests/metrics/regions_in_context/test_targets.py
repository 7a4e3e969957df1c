"""What a study asks for of regions in context, and what of its configuration is refused."""

import pytest
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.metrics.regions_in_context import targets as regions_in_context
from herbarium.study import config


def study(model_folder, **regions_in_context):
    return {
        "models": {
            "weak": {"planted": 1.0, "kind": "masked"},
            "real": {"path": str(model_folder("bert")), "kind": "masked"},
        },
        "vectors": {
            "weak-layers": {"model": "weak", "layers": "all"},
            "real-layers": {"model": "real", "layers": [-1]},
            "static": {"model": "weak"},
        },
        "herb": {"models": ["weak"]},
        "regions_in_context": regions_in_context,
    }


def loaded(model_folder, **entry):
    return config.load(study(model_folder, sets={"few": {"vectors": ["weak-layers", "real-layers"]} | entry}))


def test_only_planted_models_beside_what_is_planted_are_calibrated(model_folder):
    of_both = loaded(model_folder, stereotypes="planted")
    assert regions_in_context.planted(of_both) == {"weak-layers": 1.0}
    assert regions_in_context.planted_sets(of_both) == ["few"]
    assert regions_in_context.targets(of_both).calibration == ["<work>/calibration/regions_in_context.parquet"]
    assert regions_in_context.planted_sets(loaded(model_folder)) == []
    of_real = loaded(model_folder, stereotypes="planted", vectors=["real-layers"])
    for without in (loaded(model_folder), of_real):
        assert regions_in_context.targets(without).calibration == []


def test_what_a_set_is_made_of(model_folder, tmp_path):
    (tmp_path / "template.txt").write_text("[region] has [description] people.\n")
    (tmp_path / "one.txt").write_text("wise\npoor\n")
    (tmp_path / "two.txt").write_text("poor\nkind\n")
    (tmp_path / "list.csv").write_text("region,description\ncountry:PE,wise\n")
    files = {name: str(tmp_path / name) for name in ("template.txt", "one.txt", "two.txt", "list.csv")}
    entry = loaded(
        model_folder,
        templates={"own": files["template.txt"]},
        descriptions=[files["one.txt"], files["two.txt"]],
        stereotypes=files["list.csv"],
        word="people",
    ).regions_in_context.sets["few"]
    assert regions_in_context.lists_of(entry) == list(files.values())
    assert regions_in_context.texts_of(entry) == {
        "templates": {"own": "[region] has [description] people."},
        "topics": {"wise": files["one.txt"], "poor": files["one.txt"], "kind": files["two.txt"]},
        "word": "people",
    }


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"vectors": ["weak"]}, (None, "'weak'")),
        ({"vectors": ["static"]}, (None, "'static'", "`model`")),
        ({"vectors": []}, ("regions_in_context.sets.few.vectors",)),
        ({"descriptions": ["none.txt"]}, (None, "none.txt")),
        ({"templates": {"own": "resources/herb/descriptions/strength.txt"}}, (None, "strength.txt")),
        ({"stereotypes": "none.csv"}, (None, "none.csv")),
    ],
)
def test_a_faulty_set_is_told(model_folder, entry, told):
    assert tells(faults(study(model_folder, sets={"few": {"vectors": ["weak-layers"]} | entry})), *told)


@pytest.mark.parametrize(
    ("word", "place", "fact"),
    [("People", "templates.published", "'causal-layers'"), ("persons", "word", "'persons'")],
)
def test_a_template_that_says_nothing_of_the_word_is_told(model_folder, word, place, fact):
    values = study(model_folder, sets={"few": {"vectors": ["real-layers", "causal-layers"]}})
    values["models"]["causal"] = {"path": str(model_folder("gpt2")), "kind": "causal"}
    values["vectors"]["causal-layers"] = {"model": "causal", "layers": "all"}
    regions_in_context.targets(config.load(values))
    values["regions_in_context"]["sets"]["few"]["word"] = word
    with refused(f"regions_in_context.sets.few.{place}", "'People in [region] are [description].'", fact):
        regions_in_context.targets(config.load(values))


def test_too_few_regions_are_told(model_folder):
    assert tells(faults(study(model_folder, max_regions=4)), None, "max_regions")


def test_stereotypes_that_cannot_be_measured_are_told_before_anything_runs(model_folder, tmp_path):
    file = tmp_path / "list.csv"
    regions = [f"country:{code}" for code in ("PE", "NZ", "DE", "NG", "IN")]
    key = "regions_in_context.sets.few.stereotypes"

    def targets(*rows):
        file.write_text("\n".join(["region,description", *(",".join(row) for row in rows)]) + "\n")
        return regions_in_context.targets(loaded(model_folder, stereotypes=str(file)))

    wise = [(region, "smart") for region in regions]
    assert targets(*wise).numbers
    with refused(f"{key}, row 6", "'smartt'", "'smart'", str(file)):
        targets(*wise, ("country:PE", "smartt"))
    with refused(key, str(file), "4 regions", "5"):
        targets(*wise[1:])
