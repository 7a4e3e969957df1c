from tests.refusals import refused

from herbarium.vectors import pairs

OURS = "resources/vectors/english_pairs.csv"


def test_a_table_and_two_lists(tmp_path):
    table, male, female = (tmp_path / name for name in ("pairs.csv", "male.txt", "female.txt"))
    table.write_text("# mine\nmale,female\nhe,she\nKing,Queen\nhe,she\n")
    male.write_text("he\nKing\nhe\n")
    female.write_text("she\nQueen\nshe\n")
    assert pairs.read([table]) == pairs.read([male, female]) == [("he", "she"), ("king", "queen")]
    female.write_text("she\n")
    with refused("male.txt", 3, "female.txt 1"):
        pairs.read([male, female])
    table.write_text("male,female\nhe,\n")
    with refused("pairs.csv, row 1"):
        pairs.read([table])


def test_our_list():
    """Begins with the pair of `direction: pair`, and has each word once."""
    result = pairs.read([OURS])
    assert result[0] == ("he", "she")
    assert len(result) >= 100
    assert pairs.disjoint(result) == pairs.of_one_gender(result) == result


def test_words_on_both_sides_and_in_two_pairs():
    listed = [("he", "she"), ("his", "her"), ("him", "her"), ("grooms", "brides"), ("brides", "grooms")]
    assert pairs.of_one_gender(listed) == listed[:3]
    assert pairs.disjoint(listed) == [listed[0], listed[1], listed[3]]
