"""Files of the authors: read by hand, and what is damaged, of another shape or would run code is refused by name."""

import os
import pickle

import numpy as np
import pytest
from tests.refusals import refused

from herbarium.core.errors import HerbariumError
from herbarium.metrics.amplification import formats
from herbarium.metrics.amplification.structured import MAN, NEITHER, NOT_THERE, THERE, WOMAN

WIDE = np.random.default_rng(0).normal(size=(5, formats.WIDTH))
# As Python 2 wrote it, `pickle.dumps([{'output': array([[1., 2.]])}], 2)`: bytes of the array stand there as a text.
PYTHON_2 = (
    b"\x80\x02]q\x00}q\x01U\x06outputq\x02cnumpy.core.multiarray\n_reconstruct\nq\x03cnumpy\nndarray\nq\x04K\x00\x85q"
    b"\x05U\x01bq\x06\x87q\x07Rq\x08(K\x01K\x01K\x02\x86q\tcnumpy\ndtype\nq\nU\x02f8q\x0bK\x00K\x01\x87q\x0cRq\r(K\x03U"
    b"\x01<q\x0eNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x0fb\x89U\x10\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00"
    b"\x00\x00\x00@q\x10tq\x11bsa."
)


def dumped(path, content, protocol=2):
    path.write_bytes(pickle.dumps(content, protocol))
    return path


@pytest.mark.parametrize("protocol", range(6))
def test_potentials_of_coco_in_any_protocol(tmp_path, protocol):
    path = dumped(tmp_path / "potentials_dev", [{"output": WIDE[:2]}, {"output": WIDE[2:], "n": np.int64(3)}], protocol)
    potentials_read = formats.read_coco(path)
    assert potentials_read.gender.tolist() == WIDE[:, :2].tolist()
    j = 7  # columns as in the released code
    assert potentials_read.objects[:, MAN, j, THERE].tolist() == WIDE[:, 2 + 2 * j].tolist()
    assert potentials_read.objects[:, MAN, j, NOT_THERE].tolist() == WIDE[:, 3 + 2 * j].tolist()
    assert potentials_read.objects[:, WOMAN, j, THERE].tolist() == WIDE[:, 162 + 2 * j].tolist()
    assert potentials_read.objects[:, WOMAN, j, NOT_THERE].tolist() == WIDE[:, 163 + 2 * j].tolist()
    assert potentials_read.constrained.tolist() == list(range(80))


def test_a_pickle_of_python_2_is_read(tmp_path):
    path = tmp_path / "old"
    path.write_bytes(PYTHON_2)
    with refused("old", "(1, 2)", 322, "'output'"):
        formats.read_coco(path)


def test_arrays_of_coco(tmp_path):
    np.save(tmp_path / "a.npy", WIDE)
    np.savez(tmp_path / "a.npz", output=WIDE)
    for name in ("a.npy", "a.npz"):
        assert formats.read_coco(tmp_path / name).gender.tolist() == WIDE[:, :2].tolist()


def test_labels_of_coco(tmp_path):
    man, woman = [0] * 322, [0] * 322
    man[0] = man[2 + 2 * 4] = man[162 + 2 * 5] = 1  # what stands with a woman is not looked at
    woman[1] = woman[162 + 2 * 6] = woman[163 + 2 * 7] = 1
    labels = formats.read_coco_labels(dumped(tmp_path / "dev.data", [{"annotation": man}, {"annotation": woman}]))
    assert labels.is_man.tolist() == [True, False]
    assert [np.flatnonzero(row).tolist() for row in labels.there] == [[4], [6]]


class Runs:
    def __init__(self, function, *arguments):
        self.reduced = function, arguments

    def __reduce__(self):
        return self.reduced


@pytest.mark.parametrize("function", [os.mkdir, eval, getattr, np.load])
@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_a_pickle_that_would_run_code_is_refused_and_does_not(tmp_path, function, protocol):
    made = tmp_path / "made"
    path = dumped(tmp_path / "potentials_dev", [{"output": Runs(function, str(made))}], protocol)
    with refused("potentials_dev", function.__name__):
        formats.read_coco(path)
    assert not made.exists()


def test_arrays_with_pickles_in_them_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([Runs(os.mkdir, str(tmp_path / "made"))], dtype=object), allow_pickle=True)
    with refused("a.npy", "allow_pickle"):
        formats.read_coco(tmp_path / "a.npy")
    assert not (tmp_path / "made").exists()


def test_bytes_in_another_encoding_are_refused(tmp_path):
    path = tmp_path / "odd"
    path.write_bytes(b"\x80\x02]c_codecs\nencode\nX\x01\x00\x00\x00aX\x03\x00\x00\x00zip\x86Ra.")
    with refused("odd", "'zip'"):
        formats.read_coco(path)


@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_any_damage_is_read_or_named(tmp_path, protocol):
    random = np.random.default_rng(protocol)
    path = dumped(tmp_path / "dev", [{"output": np.zeros((1, 322)), "n": np.float64(2)}], protocol)
    whole = path.read_bytes()
    named = []
    for _ in range(50):
        damaged = bytearray(whole[:200] + whole[-150:])
        damaged[random.integers(len(damaged))] = random.integers(256)
        path.write_bytes(bytes(damaged[:200]) + whole[200:-150] + bytes(damaged[200:]))
        try:
            formats.read_coco(path)
        except HerbariumError as error:
            named.append(str(error))
    assert len(named) > 10
    assert all(error.startswith(str(path)) for error in named)


def test_damaged_files_are_named(tmp_path):
    whole = pickle.dumps([{"output": WIDE}], 2)
    for name, content in (("short", whole[:-50]), ("empty", b""), ("text", b"hello"), ("flipped", b"\xff" + whole[1:])):
        (tmp_path / name).write_bytes(content)
        with refused(name, "pickle"):
            formats.read_coco(tmp_path / name)
    with refused("none", "No such file"):
        formats.read_coco(tmp_path / "none")
    np.savez_compressed(tmp_path / "a.npz", output=WIDE)
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[200:260] = bytes(60)
    (tmp_path / "a.npz").write_bytes(bytes(content))
    with refused("a.npz"):
        formats.read_coco(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ([{"other": WIDE}], ("dev", "'output'")),
        ([{"output": WIDE[:, :300]}], ("dev", "(5, 300)")),
        ([{"output": [[1, 2], [3]]}], ("dev", 322)),
        ([{"output": ["a"] * 322}], ("dev", 322)),
        ([], ("dev", 322)),
        (5, ("dev", 322)),
        ([3], ("dev", 322)),
        ([{"output": np.where(np.arange(5)[:, None] == 2, np.nan, WIDE)}], ("dev, row 3", "finite")),
    ],
)
def test_other_contents_are_named(tmp_path, content, fault):
    with refused(*fault):
        formats.read_coco(dumped(tmp_path / "dev", content))


def within_itself(value, times, kind=list):
    for _ in range(times):
        value = kind([value, value])
    return value


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ([{"output": within_itself(1.0, 16)}], ("'output'",)),
        ([{"output": WIDE}] * 50, ("'output'",)),
        ([{"output": [WIDE.tolist()[0]] * 50}], ("'output'",)),
        ([{within_itself(1, 12, tuple): 1}], ("key",)),
        ([{within_itself(1, 12, tuple): 1, "a": 2}], ("key",)),
        ([{within_itself(1, 12, tuple)}], ()),  # as a call, in older protocols
        ([frozenset([within_itself(1, 12, tuple)])], ()),
    ],
    ids=["lists", "parts", "rows", "a key", "keys", "a set", "a frozen set"],
)
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_small_pickle_stays_small(tmp_path, content, fault, protocol):
    with refused("dev", *fault):
        formats.read_coco(dumped(tmp_path / "dev", content, protocol))


def test_a_small_archive_stays_small(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", output=np.zeros((1000, 322)))
    assert formats.read_coco(tmp_path / "a.npz").gender.shape == (1000, 2)
    monkeypatch.setattr(formats, "LARGEST_UNPACKED", 2_000_000)
    with refused("a.npz", "3 MB", "2 MB"):
        formats.read_coco(tmp_path / "a.npz")
    assert formats.LARGEST_UNPACKED < 2e9 < formats.LARGEST


WORDS = "n1\tman, adult male\nn2\twoman, adult female\nn3\tdog, domestic dog\nn4\tman and woman\nn5\tsnowman\n"
MAP = [
    (0, "cooking", "agent", "n1", 0, 0, 0),
    (1, "cooking", "agent", "n2", 0, 0, 1),
    (2, "cooking", "agent", "n3", 0, 0, 2),
    (3, "cooking", "food", "n3", 0, 1, 0),
    (4, "cooking", "food", "n1", 0, 1, 1),
    (5, "raining", "place", "null", 1, 0, 0),
    (6, "fixing", "Agent", "n4", 2, 0, 0),
    (7, "fixing", "Agent", "n5", 2, 0, 1),
    (8, "fixing", "Agent", "n1", 2, 0, 2),
]


def imsitu(folder, rows=MAP, words=WORDS, arg=None, verb=None):
    (folder / "potentials").mkdir()
    random = np.random.default_rng(1)
    arg = random.normal(size=(4, 9)) if arg is None else arg
    verb = random.normal(size=(4, 3)) if verb is None else verb
    np.savez(folder / "potentials" / "0.npz", arg=arg[:1], verb=verb[:1], label=np.zeros((1, 21)))
    np.savez(folder / "potentials" / "1.npz", arg=arg[1:], verb=verb[1:], label=np.zeros((3, 21)))
    (folder / "map.tab").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    (folder / "words.txt").write_text(words)
    return arg, verb


def read_imsitu(folder, **words):
    return formats.read_imsitu(folder / "potentials", folder / "map.tab", folder / "words.txt", **words)


def test_potentials_of_imsitu(tmp_path):
    arg, verb = imsitu(tmp_path, rows=MAP[::-1])
    situations = read_imsitu(tmp_path)
    assert situations.activities == ["cooking", "raining", "fixing"]
    potentials_read = situations.potentials
    best_food = np.maximum(arg[:, 3], arg[:, 4])  # a man as food is no agent
    np.testing.assert_allclose(potentials_read.activity, verb + np.column_stack([best_food, arg[:, 5], 0 * best_food]))
    np.testing.assert_array_equal(potentials_read.agent[:, 0], arg[:, :3])
    np.testing.assert_array_equal(potentials_read.agent[:, 1], [[-np.inf, -np.inf, 0]] * 4)
    np.testing.assert_array_equal(potentials_read.agent[:, 2, MAN], arg[:, 8])
    assert np.isneginf(potentials_read.agent[:, 2, WOMAN]).all()
    np.testing.assert_array_equal(potentials_read.agent[:, 2, NEITHER], np.maximum(arg[:, 6], arg[:, 7]))


def test_words_for_men_and_women_of_ones_own(tmp_path):
    arg, _ = imsitu(tmp_path)
    potentials_read = read_imsitu(tmp_path, men=["snowman"], women=["female", "dog"]).potentials
    np.testing.assert_array_equal(potentials_read.agent[:, 2, MAN], arg[:, 7])
    np.testing.assert_array_equal(potentials_read.agent[:, 0, WOMAN], np.maximum(arg[:, 1], arg[:, 2]))


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"rows": [*MAP[:-1], (8, "fixing", "Agent", "n9", 2, 0, 2)]}, ("map.tab", "'n9'", "words.txt")),
        ({"rows": [*MAP[:-1], (8, "fixing", "Agent", "n1", 2, 0)]}, ("map.tab, line 9",)),
        ({"rows": [*MAP[:-1], (8, "fixing", "Agent", "n1", "x", 0, 2)]}, ("map.tab, line 9",)),
        ({"rows": [*MAP[:-1], (7, "fixing", "Agent", "n1", 2, 0, 2)]}, ("map.tab", "lines")),
        ({"rows": []}, ("map.tab", "lines")),
        ({"rows": [*MAP[:5], *((*row[:4], row[4] + 1, *row[5:]) for row in MAP[5:])]}, ("map.tab", "verbs")),
        ({"rows": [*MAP[:-1], (8, "fixing", "agents", "n1", 2, 1, 0)]}, ("map.tab", "'fixing'", "2 agents")),
        ({"words": "n1 man\n"}, ("words.txt, line 1",)),
        ({"arg": np.zeros((4, 8))}, ("0.npz, 'arg'", "(1, 8)", "9 columns")),
        ({"verb": np.zeros((4, 4))}, ("0.npz, 'verb'", "(1, 4)", "3 columns")),
        ({"verb": np.zeros((3, 3))}, ("1.npz, 'arg'", "(3, 9)", "2 rows")),
        ({"arg": np.full((4, 9), np.nan)}, ("0.npz, 'arg'", "finite")),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, changed, fault):
    imsitu(tmp_path, **changed)
    with refused(*fault):
        read_imsitu(tmp_path)


def test_potentials_that_are_missing_are_named(tmp_path):
    imsitu(tmp_path)
    (tmp_path / "potentials" / "0.npz").unlink()
    with refused("potentials", "0.npz", "1.npz"):
        read_imsitu(tmp_path)
    np.savez(tmp_path / "potentials" / "0.npz", arg=np.zeros((1, 9)))
    with refused("0.npz", "verb", "arg"):
        read_imsitu(tmp_path)
