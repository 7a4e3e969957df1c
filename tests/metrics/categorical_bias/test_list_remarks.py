"""What is said of odd lists."""

from pathlib import Path

import pandas as pd
import pytest

from herbarium.metrics.categorical_bias import list_remarks
from herbarium.metrics.categorical_bias import stimuli as probe


def lists(templates=None, targets=None, attributes=None):
    tables = {
        "templates": {"one": "People from [target] are [plural].", "two": "A [singular] from [target]"}
        | (templates or {}),
        "targets": {"Peru": "Peru", "Cuba": "Cuba"} | (targets or {}),
        "attributes": {"spy": ("spy", "spies")} | (attributes or {}),
    }
    return probe.Lists(
        pd.DataFrame(tables["templates"].items(), columns=["key", "text"]),
        pd.DataFrame(
            [(key, "base", word) for key, word in tables["targets"].items()], columns=["key", "set", "target"]
        ),
        pd.DataFrame(
            [(key, "base", *words) for key, words in tables["attributes"].items()],
            columns=["key", "set", "singular", "plural"],
        ),
    )


def remarked(**by_name):
    rows = list_remarks.remarks({("english", name): lists_of_words for name, lists_of_words in by_name.items()})
    return list(rows[["list", "table", "key", "remark"]].itertuples(index=False, name=None))


def test_nothing_is_said_of_lists_that_agree():
    assert remarked(a=lists(), b=lists()) == []


def test_a_word_for_two_keys():
    result = remarked(a=lists(attributes={"agent": ("spy", "agents")}))
    assert result == [("a", "attributes", "agent", "singular: 'spy' is already used for spy")]


def test_letters_of_another_script_and_what_is_not_seen():
    odd = lists(targets={"Cuba": "Сuba"}, templates={"two": "A [singular] \u200bfrom [target]"})
    result = remarked(a=odd)
    assert result[0][1:3] == ("templates", "two")
    assert "U+200B" in result[0][3]
    assert result[1] == ("a", "targets", "Cuba", "target: not in Latin letters: С")


def test_slots_are_no_letters_of_a_list():
    greek = lists(
        templates={"one": "Από [target] είναι [plural].", "two": "Ένας [singular] από [target]"},
        targets={"Peru": "Περού", "Cuba": "Κούβα"},
        attributes={"spy": ("κατάσκοπος", "κατάσκοποι")},
    )
    assert remarked(a=greek) == []


def test_signs_in_words_but_for_hyphen_and_apostrophe():
    result = remarked(a=lists(attributes={"boss": ("C.E.O.", "vice-chiefs")}, targets={"Ivory Coast": "Côte d’Ivoire"}))
    assert result == [("a", "attributes", "boss", "singular: characters in the word that are not letters: .")]


def test_keys_that_another_list_has_and_meanings_of_templates_one_by_one():
    both = lists()
    both.templates["key"] = ["one two", "three"]
    result = remarked(a=lists(targets={"Fiji": "Fiji"}), b=both)
    assert result == [
        ("a", "templates", "", "2 keys; missing from other lists: three"),
        ("b", "targets", "", "2 keys; missing from other lists: Fiji"),
    ]


@pytest.mark.slow
def test_the_lists_of_the_project_are_odd_in_what_is_published_only():
    folders = sorted(Path("resources/categorical_bias").glob("*/*"))
    result = list_remarks.remarks({(folder.parent.name, folder.name): probe.read(folder) for folder in folders})
    ours = result[result["list"] == "grammatical"]
    assert set(ours["key"]) <= {"C.E.O."}
    assert "U+200B" in " ".join(result.loc[result["language"] == "spanish", "remark"])
