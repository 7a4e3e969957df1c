from tests.refusals import refused

from herbarium.metrics.gender_in_context import counts

OCCUPATIONS = {"nurse": "feminine", "construction worker": "masculine", "worker": "masculine"}


def test_pronouns_and_the_occupations_beside_them_by_hand():
    texts = [
        "The nurse said she was late. He met a construction worker and his nurse!",
        "Her workers left.\nShe met the nurse. The nurse left",
    ]
    masculine, feminine = counts.count("c", texts, OCCUPATIONS).to_dict("records")
    common = {"corpus": "c", "n_sentences": 5}
    assert masculine == common | {
        **{"pronouns": "masculine", "n_pronouns": 2},
        **{"n_masculine_occupations": 1, "n_feminine_occupations": 1},
    }
    assert feminine == common | {
        **{"pronouns": "feminine", "n_pronouns": 3},
        **{"n_masculine_occupations": 0, "n_feminine_occupations": 2},
    }


def test_a_corpus_without_pronouns_has_none():
    assert counts.count("c", ["Rain fell."], OCCUPATIONS)["n_pronouns"].tolist() == [0, 0]


def test_our_occupations_are_twenty_of_each():
    kinds = list(counts.read_occupations("resources/gender_in_context/occupations.csv").values())
    assert [kinds.count(kind) for kind in counts.KINDS] == [20, 20]


def test_an_unknown_stereotype_is_told(tmp_path):
    (tmp_path / "o.csv").write_text("occupation,stereotype\nnurse,female\n")
    with refused("o.csv, row 1", "'female'", "masculine", "feminine"):
        counts.read_occupations(tmp_path / "o.csv")
