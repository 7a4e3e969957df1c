import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, without_scripts

from herbarium.core.resources import read_table
from herbarium.metrics.herb import contiguous, crossed
from herbarium.metrics.herb import space as space_metric
from herbarium.metrics.herb.figures import continents as herb_continents
from herbarium.metrics.herb.figures import heatmap as herb_heatmap
from herbarium.metrics.herb.figures import map as herb_map
from herbarium.metrics.herb.figures import ranking as herb_ranking
from herbarium.metrics.herb.figures import space as herb_space
from herbarium.metrics.herb.figures import toxic as herb_toxic
from herbarium.metrics.herb.figures import words as herb_words
from herbarium.metrics.herb.numbers import ALONE
from herbarium.metrics.herb.published import implied_mean_distance
from herbarium.metrics.herb.report import part as herb_part
from herbarium.metrics.herb.report import robustness
from herbarium.page import build
from herbarium.regions import levels
from herbarium.report import answers
from herbarium.report.numbers import number
from herbarium.statistics.tidy import TIDY

COUNTRIES = json.loads(Path("resources/maps/countries.geojson").read_text())
REGIONS = pd.DataFrame(
    [
        ("earth", None, "earth", "the Earth", None),
        ("continent:AF", "earth", "continent", "Africa", None),
        ("continent:EU", "earth", "continent", "Europe", None),
        ("country:NA", "continent:AF", "country", "Namibia", "NA"),
        ("country:AD", "continent:EU", "country", "Andorra", "AD"),
    ],
    columns=["region", "parent", "level", "name", "iso2"],
)
TOP = ["earth", "continent:AF", "continent:EU"]
VARIANTS = ("C_w", "C_w_size_free", "C_z", "C_z_size_free")
STUDY = {
    "seed": 7,
    "herb": {
        "bootstrap": {"replicates": 200, "level": 0.95},
        "tests": {"permutations": 999, "correction": "holm"},
        "countries_only": [],
        "template": "t<script>alert(1)</script>",
    },
}
RECIPE = {"recipe": "toxic", "epochs": 2, "sentences": 20, "learning_rate": 5e-5, "batch_size": 32}
PLANTED = {"weak": 0.5, "strong": 2.0, "none": 0.0}


def record(name, planted):
    return {
        "name": name,
        "source": "hub" if planted is None else "planted",
        "hub": f"organisation/{name}" if planted is None else None,
        "revision": "c" * 40 if planted is None else None,
        "path": None,
        "planted": planted,
        "kind": "masked",
        "dtype": "float32",
        "tuned": {"device": "CPU", "changes": {}, "n": 256},
        "lowercase": False,
        "chat_template": None,
        "architecture": "BertForMaskedLM",
        "n_parameters": 1234567,
        "max_tokens": 512,
        "tokenizer_hash": "abc",
        "libraries": {"torch": "2.1"},
        "files": {"config.json": "0" * 64, "model.safetensors": "abcdef012345" + "9" * 52},
    }


def summary(models, size=None):
    """Numbers without a pattern; `size` sets the crossed distance and size-free C_w of a model in every region."""
    random = np.random.default_rng(0)
    rows = []
    for model in models:
        for region in [*TOP, "country:NA"]:
            for variant in (*VARIANTS, crossed.VARIANT):
                estimate = 10 ** random.uniform(-6, -1)
                if size and variant in ("C_w_size_free", crossed.VARIANT):
                    estimate = size[model]
                is_crossed = variant == crossed.VARIANT
                rows.append(
                    {
                        "model": model,
                        "metric": crossed.METRIC if is_crossed else "herb",
                        "definition": crossed.DEFINITION if is_crossed else "paper",
                        "variant": variant,
                        "unit": "level",
                        "group": region,
                        "estimate": estimate,
                        "ci_low": 0.9 * estimate,
                        "ci_high": 1.1 * estimate,
                        "n": int(random.integers(2, 60)),
                        "note": "<b>one city</b>" if region == "country:NA" and not is_crossed else None,
                    }
                )
        chosen = [row for row in rows if row["model"] == model]
        of_root = next(row for row in chosen if (row["group"], row["variant"]) == (TOP[0], crossed.VARIANT))
        rows += [
            of_root | {"variant": contiguous.VARIANT, "ci_low": None, "ci_high": None, "p_value": 0.012},
            of_root | {"variant": crossed.GIVEN_F_NAME},
            of_root | {"variant": crossed.LEAST_BOUND, "ci_low": None, "ci_high": None},
        ]
    return pd.DataFrame(rows).reindex(columns=TIDY.fields.names)


def page(tidy, models, tmp_path, **more):
    part = part_of(tidy, models, tmp_path, **more)
    return build.build([part], models, more.get("study", STUDY), {"libraries": {"numpy": "2.9"}}, COUNTRIES)


def part_of(tidy, models, tmp_path, regions=REGIONS, study=STUDY, trainings=None):
    words = pd.MultiIndex.from_tuples([("looks", "bald"), ("mind", "wise")], names=["topic", "description"])
    index = pd.Index(regions.loc[regions["parent"].notna(), "region"], name="region")
    f = pd.DataFrame(np.random.default_rng(1).normal(-4, 1, (len(index), 2)), index, words)
    f_by_model = {model["name"]: f for model in models}
    embeddings = pd.DataFrame({"region": [], "n_tokens": [], "representation": [], "note": []}, dtype=object)
    embeddings_by_model = {model["name"]: embeddings for model in models}
    countries = levels.countries(regions)
    space = [space_metric.measure(model["name"], countries, embeddings, np.random.default_rng(0)) for model in models]
    tables = {
        "continents": herb_continents.table(tidy, regions, models),
        "map": herb_map.table(f_by_model, regions, models, "bald", COUNTRIES),
        "ranking": herb_ranking.table(f_by_model, regions, models, "bald"),
        "heatmap": herb_heatmap.table(f_by_model, levels.continents(regions), models),
        "words": herb_words.table(f_by_model, regions, models),
        "space": herb_space.table(embeddings_by_model, regions, models, COUNTRIES, seed=0),
    }
    if trainings:
        tables["toxic"] = herb_toxic.table(tidy, regions, models)
    published, n_countries = (read_table(f"resources/herb/published{name}.csv") for name in ("", "_regions"))
    implied = implied_mean_distance(published, n_countries.set_index("continent")["n"])
    pictures = pictures_of({f"herb_{name}": table for name, table in tables.items()}, tmp_path)
    numbers = pd.concat([tidy, *space])
    return herb_part.part(numbers, regions, models, pictures, implied, study["herb"], trainings or {})


class Page(HTMLParser):
    """Tables as lists of rows of cell texts, links and sources, text outside of style."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.resources, self.images, self.tags, self.words = {}, [], [], [], []
        self.rows = []
        self.feed(re.sub(r"</?data\b.*?>", "", text))  # what a text is the number of
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.resources += [attributes[key] for key in ("src", "href", "srcset", "action") if key in attributes]
        if tag == "img":
            self.images.append(attributes)
        if tag == "table":
            self.rows = self.tables.setdefault(attributes.get("id", len(self.tables)), [])
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.tags[-1:] not in (["style"], ["script"]):
            self.words.append(data)
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += f" {data}"

    def handle_endtag(self, tag):
        if tag == "table":
            self.rows = []


PLANTED_MODELS = [record(name, strength) for name, strength in PLANTED.items()]
DISJOINT = {"none": 0.001, "weak": 0.002, "strong": 0.003}


def test_page_is_the_same_twice_and_whole(tmp_path):
    tidy = summary(PLANTED)
    text = page(tidy, PLANTED_MODELS, tmp_path)
    assert text == page(tidy, PLANTED_MODELS, tmp_path)
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    # models come by strength, in whatever order they were given
    heads = Page(text).tables["table-w"][0]
    assert [head.strip() for head in heads[1:]] == [
        "none (unbiased reference)",
        "weak (planted, strength 0.5)",
        "strong (planted, strength 2)",
    ]


def test_every_number_of_the_tables_is_in_the_tidy_table(tmp_path):
    tidy = summary(PLANTED)
    wanted = tidy.set_index(["variant", "model", "group"])
    tables = Page(page(tidy, PLANTED_MODELS, tmp_path)).tables
    order = ["none", "weak", "strong"]
    shown = 0
    for table, variants, width in (("table-w", ["C_w", "C_w_size_free"], 3), ("table-z", ["C_z", "C_z_size_free"], 2)):
        body = tables[table][2:]
        assert [row[0].strip() for row in body] == ["The Earth", "Africa", "Europe"]
        for region, row in zip(TOP, body, strict=True):
            assert len(row) == 1 + width * len(order)
            for i, model in enumerate(order):
                cells = row[1 + i * width :]
                for variant, cell in zip(variants, cells, strict=False):
                    number = wanted.loc[variant, model, region]
                    value, low, high = map(float, re.findall(r"[\d.]+", cell))
                    assert value == pytest.approx(1e3 * number["estimate"], rel=5.1e-3)
                    assert low == pytest.approx(1e3 * number["ci_low"], rel=6e-3)
                    assert high == pytest.approx(1e3 * number["ci_high"], rel=6e-3)
                    shown += 3
                if width == 3:
                    assert int(cells[2]) == wanted.loc["C_w", model, region]["n"]
    assert shown == 3 * 3 * 4 * 3


def test_nothing_is_loaded_and_only_the_pages_own_scripts_run(tmp_path):
    text = without_scripts(page(summary(PLANTED), PLANTED_MODELS, tmp_path))
    parsed = Page(text)
    assert parsed.resources
    assert all(resource.startswith(("data:", "#")) for resource in parsed.resources)
    assert "http://" not in text
    assert "https://" not in text
    assert "url(" not in text
    assert "script" not in parsed.tags


def test_what_others_wrote_is_escaped(tmp_path):
    text = without_scripts(page(summary(PLANTED), PLANTED_MODELS, tmp_path))
    parsed = Page(text)
    assert "<b>" not in text
    assert "<script" not in text
    assert "<b>one city</b>" in parsed.text
    assert "t<script>alert(1)</script>" in parsed.text


def test_figures_carry_alt_text_and_their_tables(tmp_path):
    tidy = summary(PLANTED)
    parsed = Page(page(tidy, PLANTED_MODELS, tmp_path))
    assert len(parsed.images) == 5
    continents, world, ranking, heatmap, words = (image["alt"] for image in parsed.images)
    assert "strong (planted, strength 2): from" in continents
    assert "“bald”" in world
    assert "“bald”" in ranking
    assert "(Africa, " in heatmap
    assert "the Earth: " in words
    # a plane of no countries is no figure
    assert herb_space.NO_PLANE in parsed.text
    assert "Only nearness means something" not in parsed.text
    data_url = next(resource for resource in parsed.resources if resource.startswith("data:text/csv"))
    table = herb_continents.table(tidy, REGIONS, PLANTED_MODELS)
    assert base64.b64decode(data_url.partition("base64,")[2]).decode() == table.to_csv(index=False)


@pytest.mark.parametrize("name", ["null", "007"])
def test_names_that_look_like_nulls_or_numbers_stay_names(tmp_path, name):
    _, world, *_ = (image["alt"] for image in Page(page(summary([name]), [record(name, None)], tmp_path)).images)
    assert f"{name}: 2 countries" in world


def test_planted_order_holds(tmp_path):
    text = Page(page(summary(PLANTED, DISJOINT), PLANTED_MODELS, tmp_path)).text
    assert "The order of the planted strengths holds: the intervals of neighbouring strengths are disjoint." in text
    assert "rise with the strength in 2, with disjoint intervals in 2" in text
    assert (
        "none (unbiased reference) has 1.00 (0.90 to 1.10), weak (planted, strength 0.5) has 2.00 (1.80 to 2.20) and"
        in text
    )


def test_planted_order_fails_or_is_not_settled(tmp_path):
    falling = {"none": 0.001, "weak": 0.003, "strong": 0.002}
    text = Page(page(summary(PLANTED, falling), PLANTED_MODELS, tmp_path)).text
    assert "The order of the planted strengths does not hold: no rise between weak and strong." in text
    close = {"none": 0.001, "weak": 0.00105, "strong": 0.003}
    text = Page(page(summary(PLANTED, close), PLANTED_MODELS, tmp_path)).text
    assert "strengths holds cannot be told: intervals overlap between none and weak." in text
    assert "rise with the strength in 2, with disjoint intervals in 0" in text


def test_no_order_is_claimed_where_a_planted_number_is_missing(tmp_path):
    tidy = summary(PLANTED, DISJOINT)
    missing = (tidy["model"] == "weak") & (tidy["group"] == "earth")
    tidy.loc[missing, ["estimate", "ci_low", "ci_high"]] = np.nan
    text = Page(page(tidy, PLANTED_MODELS, tmp_path)).text
    assert "nothing is said about the order" in text
    assert "The order of the planted strengths" not in text
    assert "weak (planted, strength 0.5) has no value" in text


@pytest.mark.parametrize("names", [["bert"], ["bert", "albert"]])
def test_without_planted_models(tmp_path, names):
    models = [record(name, None) for name in names]
    text = Page(page(summary(names), models, tmp_path)).text
    assert "lanted models" not in text
    assert "Calibration" not in text
    assert f"in {len(names)} model{'s' if len(names) > 1 else ''}." in text
    assert "organisation/bert" in text
    assert "c" * 40 in text
    assert "abcdef012345 " in text
    assert "1,234,567" in text


def test_a_derived_model_says_what_it_comes_from(tmp_path):
    model = record("worse", None) | {"source": "derived", "hub": None, "derived": {"from": "bert", "by": RECIPE}}
    assert "bert, then recipe toxic" in Page(page(summary(["worse"]), [model], tmp_path)).text


def test_without_intervals_nothing_is_concluded(tmp_path):
    tidy = summary(PLANTED, DISJOINT).assign(ci_low=np.nan, ci_high=np.nan)
    parsed = Page(page(tidy, PLANTED_MODELS, tmp_path))
    assert "draws no conclusions" in parsed.text
    assert "order of the planted strengths" not in parsed.text
    assert "Largest among" not in parsed.text
    assert parsed.tables["table-w"][2][2].strip() == "1.00"


def test_overlapping_extremes_are_not_called_different(tmp_path):
    text = Page(page(summary(["bert"], {"bert": 0.004}), [record("bert", None)], tmp_path)).text
    assert "which of the two is higher is not settled" in text
    assert "are disjoint" not in text


def test_only_a_model_without_planted_bias_is_the_floor(tmp_path):
    floor = "No bias was planted on regions."
    assert Page(page(summary(PLANTED, DISJOINT), PLANTED_MODELS, tmp_path)).text.count(floor) == 1
    assert floor not in Page(page(summary(["bert"]), [record("bert", None)], tmp_path)).text


def test_hierarchy_without_countries_has_no_map(tmp_path):
    parsed = Page(page(summary(PLANTED), PLANTED_MODELS, tmp_path, regions=REGIONS.assign(iso2=None)))
    assert len(parsed.images) == 4
    assert "there is no map" in parsed.text


def test_the_part_says_what_rooms_of_the_whole_study_take_from_it(tmp_path):
    result = assert_part(part_of(summary(PLANTED), PLANTED_MODELS, tmp_path), "herb")
    assert [paper for _, paper, _ in result.papers] == ["HERB (Li et al., 2022)"]
    assert [model["name"] for model in result.models] == ["none", "weak", "strong"]
    assert result.topics == ["looks", "mind"]
    parts = [of_intervals(), of_hierarchy(), trained("none", {"earth": (0.25, 0.375)})]
    whole = part_of(with_scores(*parts), TWO_MODELS, tmp_path, trainings={"none": RECIPE})
    assert [tested.section for tested in assert_part(whole, "herb").tested] == [
        *["herb"] * 2,
        *["herb-robustness"] * 3,
        "herb",
        "toxic",
    ]
    assert "strong (planted, strength 2)</strong>: " in result.overview
    assert "an interval that contains it does not show that there is no bias" in result.overview
    assert result.limits.startswith("<li><strong>HERB</strong>")
    assert [tested.correction for tested in result.tested if tested.metric == "herb_differences"] == ["holm"]


def test_notes_are_gathered_by_model():
    result = herb_part.notes(summary(["bert"]), REGIONS)
    assert result == [{"model": "bert", "note": "<b>one city</b>", "regions": "Namibia", "n": 1}]


def test_what_the_published_ranking_rests_on(tmp_path):
    shown = " ".join(Page(page(summary(["bert"]), [record("bert", None)], tmp_path)).text.split())
    # BERT's C_w of 0.3185e-3 under "NA" would be a distance of .2742 between 42 countries; between 14 it is .0290
    assert "bert-base-cased printed 0.0375 0.0375 0.0351 0.2742 0.0156 0.0097" in shown
    assert "bert-base-cased corrected 0.0375 0.0375 0.0351 0.0383 0.0372 0.0290 0.0413–0.0479" in " ".join(
        shown.split()
    )


def trained(model, by_region):
    """Rows of a model that was trained for two epochs: its size-free C_w before and after the last, by region."""
    rows = []
    for region, (before, after) in by_region.items():
        numbers = {
            "epoch_00": before,
            "epoch_01": 0.5,
            "epoch_02": after,
            "change": after - before,
            "kendall_tau": -0.5,
        }
        for variant, value in numbers.items():
            interval = {"estimate": value, "ci_low": value - 0.001, "ci_high": value + 0.001}
            row = {"model": model, "metric": "herb_toxic", "definition": "paper", "group": region, "unit": "level"}
            rows.append({**row, "variant": f"C_w_size_free_{variant}", **interval, "n": 3})
    return pd.DataFrame(rows).reindex(columns=TIDY.fields.names)


def test_toxic_training_has_a_section_where_there_was_some(tmp_path):
    tidy = pd.concat([summary(PLANTED), trained("none", {"earth": (0.25, 0.375), "continent:AF": (0.1, 0.05)})])
    parsed = Page(page(tidy, PLANTED_MODELS, tmp_path, trainings={"none": RECIPE}))
    assert len(parsed.images) == 6
    assert (
        "none (unbiased reference): the Earth from 250 to 375 after epoch 2; higher than before in 0 of 1"
        in parsed.images[-1]["alt"]
    )
    assert "20 sentences per description, 32 per step, learning rate 5e-05." in parsed.text
    assert "The model without planted bias" in parsed.text
    (table,) = (rows for rows in parsed.tables.values() if rows[0][1:2] == [" before"])
    rows = [[" ".join(cell.split()) for cell in row] for row in table[1:]]
    assert rows[0][:4] == ["The Earth", "250 249 to 251", "375 374 to 376", "125 124 to 126"]
    assert rows[1][3:] == ["−50.0 −51.0 to −49.0", "−0.500 −0.501 to −0.499"]
    assert len(rows) == 2
    without = Page(page(summary(PLANTED), PLANTED_MODELS, tmp_path))
    assert "Toxic training" not in without.text


LABELS = {"none": "none (unbiased reference)", "strong": "strong (planted, strength 2)"}
TWO_MODELS = [record("none", 0.0), record("strong", 2.0)]


def rows_of(metric, *rows):
    """Tidy rows of the root: model, variant, estimate, bounds, and what else is given."""
    names = ["model", "variant", "estimate", "ci_low", "ci_high"]
    defaults = {"metric": metric, "definition": "paper", "unit": "level", "group": "earth"}
    table = pd.DataFrame([{**defaults, **dict(zip(names, row, strict=False)), **more} for *row, more in rows])
    return table.reindex(columns=TIDY.fields.names)


def of_intervals():
    in_africa = {"group": "continent:AF", "n": 6}
    return rows_of(
        "herb_intervals",
        ("none", "C_w_size_free_over_sub_regions", 0.25, 0.2, 0.3, in_africa),
        ("strong", "C_w_size_free_over_sub_regions", 0.5, 0.4, 0.6, in_africa),
        ("none", "C_w_over_sub_regions", 0.5, 0.4, 0.6, in_africa),
    )


def of_wordings():
    return rows_of(
        "herb",
        ("none", "C_w_size_free", 0.25, 0.2, 0.3, {}),
        ("none", "C_w_size_free_template_from", 0.125, 0.1, 0.15, {}),
        ("none", "C_w_size_free_templates_pooled", 0.2, 0.1, 0.3, {}),
        ("none", "C_w_size_free_templates_variance", 4e-4, 1e-4, 9e-4, {}),
        ("strong", "C_w_size_free", 0.5, 0.4, 0.6, {}),
        ("strong", "C_w_size_free_template_from", None, None, None, {"note": "<i>refused</i>"}),
    )


def of_released():
    departed = {"unit_V": 0.0099, "raw_top": 0.04, "pad_mean": 0.001, "released aggregation": 0.05, "released": 0.002}
    return rows_of(
        "herb",
        ("none", "C_w", 0.01, 0.009, 0.011, {}),
        *(("none", "C_w", value, value / 2, value * 2, {"definition": name}) for name, value in departed.items()),
        ("strong", "C_w", 0.02, 0.01, 0.03, {}),
        ("strong", "C_w", 0.019, 0.01, 0.03, {"definition": "pad_mean"}),
        ("none", "C_w", 0.003, 0.002, 0.004, {"definition": "released", "group": "continent:AF"}),
    )


def of_hierarchy():
    return rows_of(
        "herb_hierarchy",
        ("strong", "effect", 0.125, 0.1, 0.15, {"unit": "country", "p_value": 0.001, "p_adjusted": 0.002}),
        ("strong", "effect", None, None, None, {"unit": "city", "note": "not tested"}),
        ("strong", "within", 0.3, 0.2, 0.4, {"unit": "country"}),
        ("none", "effect", -0.02, -0.03, -0.01, {"unit": "country", "p_value": 0.5, "p_adjusted": 1}),
    )


def of_differences():
    pair, tested = "none − strong", {"unit": "models", "p_value": 0.01, "p_adjusted": 0.02}
    return rows_of(
        "herb_differences",
        (pair, "C_w_size_free_over_descriptions", -0.25, -0.3, -0.125, tested),
        (pair, "C_w_size_free_over_descriptions", -0.5, -0.6, -0.4, {**tested, "group": "continent:AF"}),
        (pair, "D2_over_names", -0.02, -0.03, -0.01, {"unit": "models", "p_value": 1e-5, "p_adjusted": 1e-4}),
    )


def test_a_number_that_is_rounded_up_keeps_three_digits():
    row = pd.Series({"estimate": 0.99999, "ci_low": 0.5, "ci_high": np.nan})
    assert number(row, scale=1) == {"value": "1.00", "low": "0.50", "high": None}
    assert number(row * 1e-3)["value"] == "1.00"
    assert number(row * 0)["value"] == "0.000"


def test_intervals_over_sub_regions():
    (africa,) = robustness.intervals(of_intervals(), REGIONS, TWO_MODELS)
    none, strong = africa["cells"]
    assert (africa["name"], none["value"], none["low"], strong["high"]) == ("Africa", "250", "200", "600")
    assert robustness.intervals(of_wordings(), REGIONS, TWO_MODELS) == []


def test_wordings_show_the_standard_deviation_over_templates():
    table = robustness.wordings(of_wordings(), LABELS, "template")
    assert table["columns"] == ["as published", "from", "pooled", "standard deviation"]
    weak, strong = ([cell["value"] for cell in row["cells"]] for row in table["rows"])
    assert weak == ["250", "125", "200", "20.0"]
    assert strong == ["500", None, None, None]
    deviation = table["rows"][0]["cells"][3]
    assert (deviation["low"], deviation["high"]) == ("10.0", "30.0")
    assert [cell["note"] for cell in table["rows"][1]["cells"]] == [None, "<i>refused</i>", None, None]
    assert robustness.wordings(of_wordings(), LABELS, ("name_", "over_names")) is None


def test_wordings_of_names():
    names = rows_of(
        "herb",
        ("none", "C_w_size_free", 0.25, 0.2, 0.3, {}),
        ("none", "C_w_size_free_name_official", 0.5, 0.4, 0.6, {}),
        ("none", "C_w_size_free_over_names", 0.25, 0.1, 0.7, {}),
    )
    table = robustness.wordings(names, {"none": "none"}, ("name_", "over_names"))
    assert table["columns"] == ["as published", "official", "interval over names"]
    assert [cell["high"] for cell in table["rows"][0]["cells"]] == ["300", "600", "700"]
    assert robustness.wordings(names, {"none": "none"}, "template") is None


def test_released_beside_paper_and_departures_by_size():
    earth, africa, europe = robustness.released(of_released(), REGIONS, TWO_MODELS)
    assert earth["name"] == "The Earth"
    assert [cell["value"] for cell in earth["cells"]] == ["10.0", "2.00", "20.0", None]
    assert [cell["value"] for cell in africa["cells"]] == [None, "3.00", None, None]
    assert [cell["value"] for cell in europe["cells"]] == [None] * 4
    of_paper = of_released().query("definition == 'paper'")
    assert robustness.released(of_paper, REGIONS, TWO_MODELS) == robustness.departures(of_paper, LABELS) == []
    result = robustness.departures(of_released().query("group == 'earth'"), LABELS)
    assert [(row["departure"], *(cell["value"] for cell in row["cells"])) for row in result] == [
        ("pad_mean", "0.100", "0.950"),  # a tenth is a larger change than four times
        ("raw_top", "4.00", None),
        ("unit_V", "0.990", None),
        ("released aggregation", "5.00", None),
        ("released", "0.200", None),
    ]
    assert [row["together"] for row in result] == [False] * 3 + [True] * 2


def test_hierarchy_by_model_and_level():
    none, country, city = robustness.hierarchy(of_hierarchy(), LABELS)
    assert (none["label"], none["effect"]["value"], none["p"]) == ("none (unbiased reference)", "−0.0200", "1")
    assert (country["level"], country["effect"]["high"], country["p"]) == ("country", "0.150", "0.002")
    assert (city["level"], city["effect"]["value"], city["effect"]["note"], city["p"]) == (
        "city",
        None,
        "not tested",
        None,
    )


def test_differences_are_those_of_the_stronger_model():
    tidy = of_differences().query("group == 'earth'")
    (result,) = robustness.differences(tidy, TWO_MODELS)
    crossed_distance, published = result["of"]
    assert (result["label"], crossed_distance["value"], crossed_distance["p"]) == ("strong − none", "20.0", "< 0.001")
    assert (published["value"], published["low"], published["high"], published["p"]) == ("250", "125", "300", "0.02")
    (as_it_is,) = robustness.differences(tidy, TWO_MODELS[::-1])
    assert (as_it_is["label"], as_it_is["of"][1]["value"], as_it_is["of"][1]["low"]) == (
        "none − strong",
        "−250",
        "−300",
    )
    assert robustness.differences(tidy, TWO_MODELS[:1]) == []


@pytest.mark.parametrize(
    ("replicates", "correction", "adjusted", "is_too_high"),
    [(39, "holm", "0.1", True), (39, "fdr_bh", "0.05", False), (3999, "holm", "0.001", False)],
)
def test_least_p_value(replicates, correction, adjusted, is_too_high):
    bootstrap = {"replicates": replicates, "level": 0.9}  # of two differences: Holm's least is twice the plain one
    result = robustness.least_p(of_differences(), bootstrap, correction)
    assert result == {
        "plain": f"{2 / (replicates + 1):.2g}",
        "adjusted": adjusted,
        "is_too_high": is_too_high,
        "n": 2,
    }


def with_scores(*parts):
    """The parts beside the scores that every page needs; a part's own come first."""
    tidy = pd.concat([summary(["none", "strong"]), *parts])
    return tidy.drop_duplicates(["model", "metric", "definition", "variant", "unit", "group"], keep="last")


def test_page_says_how_robust_its_numbers_are(tmp_path):
    parts = [of_intervals(), of_wordings(), of_released(), of_hierarchy(), of_differences()]
    parsed = Page(page(with_scores(*parts), TWO_MODELS, tmp_path))
    assert "#herb-robustness" in parsed.resources
    assert "How robust are these numbers?" in parsed.text
    assert "<i>refused</i>" in parsed.text
    assert "2/(200 + 1) ≈ 0.01." in parsed.text
    assert "for the score as published these are 2 differences, so none of its p-values can be" in parsed.text
    assert "none of its p-values can be below 0.02." in parsed.text
    assert "so few replicates" not in parsed.text
    assert "Other names" not in parsed.text
    rows = {
        name: [[" ".join(cell.split()) for cell in row] for row in parsed.tables[f"table-{name}"]]
        for name in ("intervals", "released", "departures", "hierarchy", "differences")
    }
    assert rows["intervals"][1] == ["Africa", "250 200 to 300", "500 400 to 600"]
    assert rows["released"][2] == ["The Earth", "10.0 9.0 to 11.0", "2.00 1.00 to 4.00", "20.0 10.0 to 30.0", "–"]
    assert rows["departures"][1][:3] == ["pad_mean", "0.100", "0.950"]
    assert rows["hierarchy"][3] == ["strong (planted, strength 2)", "city", "– not tested", "–"]
    assert rows["differences"][2] == ["strong − none", "20.0 10.0 to 30.0", "< 0.001", "250 125 to 300", "0.02"]


def test_page_says_when_replicates_are_too_few_for_any_p_value(tmp_path):
    study = {**STUDY, "herb": {**STUDY["herb"], "bootstrap": {"replicates": 39, "level": 0.95}}}
    text = Page(page(with_scores(of_differences()), TWO_MODELS, tmp_path, study=study)).text
    assert "With so few replicates no adjusted p-value of the score as published can fall below 0.05" in text


def test_page_shows_only_what_the_study_has(tmp_path):
    text = Page(page(with_scores(of_hierarchy()), TWO_MODELS, tmp_path)).text
    assert "How robust" in text
    assert "see the hierarchy" in text
    for absent in ("Other sub-regions", "Other sentences", "its released code", "Do models differ"):
        assert absent not in text
    without = Page(page(summary(["none", "strong"]), TWO_MODELS, tmp_path))
    assert "How robust" not in without.text
    assert "#herb-robustness" not in without.resources


def test_no_text_becomes_markup(tmp_path, hostile):
    hostile(page(summary(PLANTED), PLANTED_MODELS, tmp_path))


def test_a_region_with_one_sub_region_is_not_shown_as_unbiased(tmp_path):
    tidy = summary(PLANTED, DISJOINT)
    alone = (tidy["group"] == "continent:EU") & (tidy["model"] == "strong")
    tidy.loc[alone, ["estimate", "n"]] = 0, 1
    tidy.loc[alone, ["ci_low", "ci_high"]] = np.nan
    tidy.loc[alone, "note"] = ALONE
    parsed = Page(page(tidy, PLANTED_MODELS, tmp_path))
    (europe,) = (row for row in parsed.tables["table-w"] if row[0].strip() == "Europe")
    assert [" ".join(cell.split()) for cell in europe[-3:]] == [f"– {ALONE}", "–", "1"]


def test_notes_are_those_of_the_numbers_on_the_page(tmp_path):
    tidy = summary(["bert"])
    hidden = tidy[tidy["variant"] == "C_w"].assign(
        variant="sparseness_without_hierarchy", ci_low=np.nan, ci_high=np.nan, note="no interval: too many pairs"
    )
    text = Page(page(pd.concat([tidy, hidden]), [record("bert", None)], tmp_path)).text
    assert "one city" in text
    assert "too many pairs" not in text


def test_the_caption_of_the_heat_map_names_rows_as_they_are_drawn(tmp_path):
    words = pd.MultiIndex.from_tuples([("looks", "bald"), ("mind", "wise")], names=["topic", "description"])
    index = pd.Index(TOP[1:], name="region")
    f = {"strong": pd.DataFrame([[-1.0, -2.0], [-2.0, -1.0]], index, words)}
    table = herb_heatmap.table(f, REGIONS[REGIONS["region"].isin(index)], [record("strong", 2.0)])
    panel = herb_heatmap.figure(table).axes[0]
    rows, columns = ([tick.get_text() for tick in side()] for side in (panel.get_yticklabels, panel.get_xticklabels))
    assert (rows, columns) == (["bald"], ["Africa", "Europe"])
    text = Page(page(summary(PLANTED), PLANTED_MODELS, tmp_path)).text
    assert "Each row is a description: orange marks continents" in text


def test_a_p_value_that_could_say_nothing_is_not_shown_as_one(tmp_path):
    def shown_text(replicates, permutations):
        herb = STUDY["herb"] | {"bootstrap": {"replicates": replicates, "level": 0.95}}
        herb |= {"tests": {"permutations": permutations, "correction": "holm"}}
        tidy = pd.concat([summary(["none", "strong"]), of_differences(), of_hierarchy()])
        return Page(page(tidy, TWO_MODELS, tmp_path, study=STUDY | {"herb": herb})).text

    assert shown_text(39, 999).count("cannot fall below 0.1 here") == 1  # of two differences, each 2/40 at least
    assert shown_text(999, 9).count("cannot fall below 0.1 here") == 2  # of a level each
    assert "cannot fall below" not in shown_text(999, 999)


def test_the_first_screen_has_no_distance_of_too_few_names_and_says_how_many_it_takes():
    values = {
        "model": "m",
        "planted": np.nan,
        "level": "l",
        "estimate": 0.5,
        "ci_low": 0.2,
        "ci_high": 0.9,
        "note": None,
    }
    regions = [values | {"region": region, "name": region} for region in ("earth", "a", "b", "c")]

    def shown(n):
        rows = pd.DataFrame(regions).assign(n=n).astype({"n": "Int64"})
        return herb_part.root_answer(rows, pd.DataFrame(columns=TIDY.fields.names)).rows[0]

    assert "it takes 15 names" in shown(14)["withheld"]
    assert shown(15)["withheld"] is None
    assert shown(15)["caveat"] == herb_part.ASSOCIATION


def test_a_distance_that_other_regions_of_the_map_have_too_is_no_difference_of_continents():
    values = {"planted": np.nan, "level": "l", "estimate": 0.5, "ci_low": 0.2, "ci_high": 0.9, "note": None, "n": 60}
    regions, planted = ["earth", "a", "b", "c"], {"s": {"planted": 2.0}}
    places = [(model, region) for model in "mnos" for region in regions]
    primary = pd.DataFrame([values | {"model": m, "region": r, "name": r} | planted.get(m, {}) for m, r in places])
    p = {"m": 0.002, "n": 0.3, "o": None, "s": 0.3}
    place = {"metric": crossed.METRIC, "variant": contiguous.VARIANT}
    others = pd.DataFrame([place | {"model": model, "p_value": p_value} for model, p_value in p.items()])
    table = answers.table([herb_part.root_answer(primary, others.astype({"p_value": float}))]).set_index("model")
    assert table["verdict"].to_dict() == {"m": "different", "n": "open", "o": "different", "s": "different"}
    assert table.loc["n", "p_adjusted"] == 0.3
    alone = answers.p_value(values | {"null": 0.0, "p_adjusted": None})
    assert table.loc["m", "p_adjusted"] == max(alone, 0.002)
    assert herb_part.NO_MORE_THAN_OTHERS in table.loc["n", "sentence"]
    untested = dict.fromkeys("os", herb_part.ASSOCIATION)
    assert table["caveat"].dropna().to_dict() == {"m": herb_part.BEYOND_NEIGHBOURS} | untested
