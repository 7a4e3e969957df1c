import json

from herbarium.metrics.herb import design
from herbarium.metrics.herb.stimuli import PAPER


def test_a_design_comes_back_from_a_record_in_its_order():
    wordings = {PAPER: [("[region] is [description].", "wise")], "a": [("[region]", None)]}
    topics = {"strength": ["weak", "hardy"], "mind": ["wise"]}
    published, others = (
        json.loads(json.dumps(record, sort_keys=True))
        for record in (
            design.as_record({PAPER: wordings[PAPER]}, topics, ["Prask"]),
            design.as_record({"a": wordings["a"]}),
        )
    )
    designed = design.wordings([published, others])
    assert designed == wordings
    assert list(designed) == list(wordings)
    assert list(design.topics(published).items()) == list(topics.items())
    assert published["made_up_names"] == ["Prask"]
    assert design.topics(others) == {}


def test_a_word_in_two_topics_is_two_dimensions_of_one_frame():
    frames = [("[region] is [description].", word) for word in ("weak", "wise", "weak")]
    record = design.as_record({PAPER: frames}, {"strength": ["weak"], "mind": ["wise", "weak"]})
    dimensions = design.dimensions(record)
    assert dimensions[["topic", "description"]].to_numpy().tolist() == [
        ["strength", "weak"],
        ["mind", "wise"],
        ["mind", "weak"],
    ]
    assert dimensions["frame"].tolist() == ["[region] is weak.", "[region] is wise.", "[region] is weak."]
