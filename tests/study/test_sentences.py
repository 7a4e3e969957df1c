"""Some of the sentences behind the numbers, as the study lists them and the page shows them."""

import pandas as pd
import pyarrow as pa
import pytest

from herbarium.core import store
from herbarium.page.sentences import sentences
from herbarium.scoring.quantities import SCORES
from herbarium.study.sentences import SHOWN, examples, of_metrics

STIMULI = store.schema("stimuli_of_test", ("sentence_id", pa.int64()), ("text", pa.string()))


@pytest.fixture
def study(tmp_path):
    """Two files of stimuli of twenty sentences each, and the scores of a model that asks two quantities, whose rows are
    in another order; of another model that could not score one sentence, and asks one."""
    files = [str(tmp_path / f"{shard}.parquet") for shard in (0, 1)]
    ids = [*range(1, 40, 2), *range(0, 40, 2)]
    for shard, file in enumerate(files):
        rows = pd.DataFrame({"sentence_id": ids[20 * shard : 20 * shard + 20]})
        store.write_table(file, STIMULI, rows.assign(text=[f"Sentence {at}." for at in rows["sentence_id"]]))
    paths = {("a", "metric/set"): str(tmp_path / "a.parquet"), ("b", "metric/set"): str(tmp_path / "b.parquet")}
    for (model, _), path in paths.items():
        rows = pd.DataFrame({"sentence_id": ids[::-1], "n_tokens": 3, "given": ids[::-1], "note": None})
        tables = [rows.assign(quantity=name, value=rows["sentence_id"] / 8) for name in ("first", "second")]
        table = pd.concat(tables if model == "a" else tables[:1])
        if model == "b":
            table.loc[table["sentence_id"] == 3, ["value", "note"]] = [None, "refused: too long"]
        store.write_table(path, SCORES, table)
    return examples({"metric/set": files}, paths)


def test_a_sample_of_sentences_has_the_scores_of_every_model(study):
    asked = study[(study["model"] == "a") & (study["quantity"] == "second")]
    numbers = [int(sentence.split()[1][:-1]) for sentence in asked["sentence"]]
    assert numbers == list(range(SHOWN))  # the least of the ids, in whichever file
    assert asked["value"].tolist() == [number / 8 for number in numbers]
    assert len(study) == 3 * SHOWN
    assert [metric for metric, _ in of_metrics(study)] == ["metric"]


def test_the_page_has_a_row_for_each_sentence_and_quantity(study):
    page = sentences(study).html
    assert page.count("<tr>") == 1 + 2 * SHOWN
    assert 'id="sentences-metric"' in page
    assert "refused: too long" in page


def test_a_study_without_sentences_has_none(tmp_path):
    assert list(of_metrics(examples({}, {}))) == []
    stimuli, scores = str(tmp_path / "stimuli.parquet"), str(tmp_path / "scores.parquet")
    with store.table_writer(stimuli, STIMULI, None), store.table_writer(scores, SCORES, None):
        pass  # no sentence, or none that could be scored
    assert list(of_metrics(examples({"metric": [stimuli]}, {("a", "metric"): scores}))) == []
