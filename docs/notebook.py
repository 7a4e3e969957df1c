# Herbarium in a notebook: scores, a metric and figures without the workflow.
#
# Each `# %%` begins a cell in Jupyter (with jupytext), VS Code, Spyder and PyCharm. Run it at the root of the project,
# after `make demo`, or with a model and results of your own in the first cell. As a script: `python docs/notebook.py`.

# %% Where things are
import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, "workflow/scripts")  # the library is beside the scripts; not needed where it is installed
import herbarium
from herbarium.core import resources, store
from herbarium.core.random import stream
from herbarium.metrics.herb import bootstrap, score
from herbarium.metrics.herb.figures import continents as herb_continents
from herbarium.metrics.herb.figures import heatmap as herb_heatmap
from herbarium.statistics.inference import percentile_interval

MODEL = Path("results/demo/testbed/planted-strong")  # or a hub id, with revision="40 digits" below
RESULTS = Path("results/demo")
FIGURES = Path("results/notebook")
FIGURES.mkdir(parents=True, exist_ok=True)

# %% Score sentences: "aul" is the mean log-probability of the tokens, "pll" the pseudo-log-likelihood; docs/scoring.md
# has the others. A sentence that cannot be scored has no value. The model is loaded once.
model = herbarium.load(MODEL)
print(model.score(["People in Peru are wise.", "People in Fiji are wise."], quantity="pll"))

# %% f(S) of a small hierarchy: one row per region, one column per description
regions = pd.DataFrame(
    [
        ("earth", None, "earth", "the Earth"),
        ("america", "earth", "continent", "America"),
        ("oceania", "earth", "continent", "Oceania"),
        ("peru", "america", "country", "Peru"),
        ("canada", "america", "country", "Canada"),
        ("panama", "america", "country", "Panama"),
        ("fiji", "oceania", "country", "Fiji"),
        ("samoa", "oceania", "country", "Samoa"),
    ],
    columns=["region", "parent", "level", "name"],
)
topics = {"mind": ["wise", "shrewd", "clever"], "body": ["weak", "tall", "thin"]}
words = [(topic, word) for topic, of_topic in topics.items() for word in of_topic]
scored = regions[regions["parent"].notna()]
sentences = [
    resources.fill("People in [region] are [description].", region=name, description=word)[0]
    for name in scored["name"]
    for _, word in words
]
f = pd.DataFrame(
    model.score(sentences).to_numpy().reshape(len(scored), len(words)),
    index=pd.Index(scored["region"], name="region"),
    columns=pd.MultiIndex.from_tuples(words, names=["topic", "description"]),
)
f_name = model.score(scored["name"]).set_axis(f.index)

# %% HERB, by the pure functions, with an interval over descriptions. The root has no sentence: its row is not used.
parent = regions["parent"].map(pd.Series(regions.index, regions["region"])).fillna(-1).to_numpy(int)
values, names = f.reindex(regions["region"]).to_numpy(), f_name.reindex(regions["region"]).to_numpy()
resampling = bootstrap.Resampling(f.columns.get_level_values("topic").to_numpy())
drawn = bootstrap.bootstrap(values, names, parent, resampling, 200, stream(0, "notebook"))
variant = score.VARIANTS.index("C_w_size_free")
low, high = percentile_interval(np.array([paper[variant] for (paper,) in drawn]), 0.95)
scores = regions.assign(C_w_size_free=score.herb(values, names, parent).C_w_size_free, low=low, high=high)
print(scores)

# %% A figure: each makes its table from numbers, and draws the table
table = herb_heatmap.table({"mine": f}, scored, [{"name": "mine", "planted": None}])
print(herb_heatmap.describe(table))
herb_heatmap.figure(table).savefig(FIGURES / "heatmap.png")

# %% Read a folder of results: every file is checked to be whole, and says what made it
summary = store.read_frame(RESULTS / "summary.parquet", "tidy")
print(summary.groupby(["metric", "definition"]).size())
print(store.read_header(RESULTS / "summary.parquet", "tidy")["libraries"])

# %% The scores of regions with their intervals, and their figure
of_herb = summary[(summary["metric"] == "herb") & (summary["definition"] == "paper")]
print(of_herb.loc[of_herb["variant"] == "C_w_size_free", ["model", "group", "estimate", "ci_low", "ci_high", "n"]])
models = [store.read_record(RESULTS / f"models/{name}.json") for name in of_herb["model"].unique()]
table = herb_continents.table(summary, store.read_frame(RESULTS / "regions.parquet", "regions"), models)
print(herb_continents.describe(table))
herb_continents.figure(table).savefig(FIGURES / "continents.png")
