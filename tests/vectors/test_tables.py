import numpy as np

from herbarium.core import store
from herbarium.vectors import tables


def test_vectors_come_back_as_they_were_written(tmp_path):
    values = [np.arange(6.0).reshape(2, 3), None, -np.arange(6.0).reshape(2, 3)]
    table = tables.made_of(values, [1, 0, 2], [None, "refused: why", None])
    store.write_table(tmp_path / "v.parquet", tables.VECTORS, table, {"layers": ["0", "12"]})
    read = tables.read(tmp_path / "v.parquet")
    assert read.layers == ["0", "12"]
    assert read.values.shape == (3, 2, 3)
    np.testing.assert_array_equal(read.of("12")[[0, 2]], [[3, 4, 5], [-3, -4, -5]])
    assert np.isnan(read.values[1]).all()
    assert read.n_tokens.tolist() == [1, 0, 2]
    assert read.notes.tolist() == [None, "refused: why", None]


def test_bare_words_are_whole_texts():
    words = tables.bare(["nurse", "he"], gender=[0.0, 1.0])
    assert words[["text", "start", "end"]].to_numpy().tolist() == [["nurse", 0, 5], ["he", 0, 2]]
    assert words[["concept", "gender", "lean"]].to_numpy().tolist() == [["nurse", 0, 0], ["he", 1, 0]]
