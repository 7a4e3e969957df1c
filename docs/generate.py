"""Write what the documentation takes from code, cards and environment (`make docs`): parameters, metrics, stages,
licences, and the table and the chart of benchmarks."""

import importlib.metadata
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Set
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from matplotlib.figure import Figure
from pandas.api.typing import DataFrameGroupBy

from herbarium.drawing import style
from herbarium.page.error_rates import NOMINAL, worst
from herbarium.page.glossary import terms
from herbarium.study import catalogue, parameters, scope, targets
from herbarium.study.config import by_kind

Edge = tuple[str, str]


# What the rules of metrics do before anything is scored, and what they do with the scores.
STIMULI, METRICS = "stimuli", "metrics"
SCORED_BY = "score_shard"


def stage_graph() -> str:
    """The stages of the demo, each with what its rule file says of it, and what depends on what, for Mermaid."""
    command = ["snakemake", "--rulegraph", "mermaid-js", "--configfile", "config/demo_full.yaml"]
    graph = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rule = dict(re.findall(r"(id\d+)\[(\w+)\]", graph))
    arrows = {(rule[a], rule[b]) for a, b in re.findall(r"(id\d+) --> (id\d+)", graph)}
    files = {file.stem: file.read_text() for file in sorted(Path("workflow/rules").glob("*.smk"))}
    file_of = {name: stem for stem, text in files.items() for name in re.findall(r"^rule (\w+):", text, re.MULTILINE)}
    sections = Path("workflow/scripts/herbarium/metrics").glob("*/section.py")
    metrics = {"metric", *(path.parent.name for path in sections)}
    after = reached(SCORED_BY, arrows)

    def stage(name: str) -> str | None:
        if file_of.get(name) not in metrics:
            return file_of.get(name)
        return STIMULI if name not in after and SCORED_BY in reached(name, arrows) else METRICS

    between = sorted({(stage(a), stage(b)) for a, b in arrows if stage(a) and stage(b) and stage(a) != stage(b)})
    within = sorted({(file_of[a], file_of[b]) for a, b in arrows if stage(a) == stage(b) == METRICS})
    first_sentences = {
        stem: match[1] for stem, text in files.items() if (match := re.match(r'"""[^:]+: ([^.\n;]+)', text))
    }
    first_sentences[STIMULI] = "the sentences of each metric, and the text that planted models learn"

    def node(stem: str) -> str:
        return f'    {stem}["<b>{stem}</b><br>{first_sentences[stem]}"]'

    lines = [
        *map(node, sorted({*sum(between, ())} - {METRICS})),
        f"    subgraph {METRICS}",
        *(f"    {node(stem)}" for stem in sorted(metrics & files.keys())),
        *(f"        {a} --> {b}" for a, b in within if a != b),
        "    end",
        *(
            f"    {a} {'<-->' if (b, a) in between else '-->'} {b}"
            for a, b in between
            if a < b or (b, a) not in between
        ),
    ]
    return "\n".join(["```mermaid", "flowchart TB", *lines, "```"])


def licences() -> str:
    """The licence of every package that is installed: Python's, with their versions, and those of R."""
    setup = Path("envs/setup.sh").read_text()
    direct = re.findall(r"^([\w.-]+)", Path("envs/requirements.in").read_text(), re.MULTILINE)
    direct = {"torch", *(name.lower().replace("_", "-") for name in direct)}
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", Path("envs/constraints.txt").read_text(), re.MULTILINE))
    pins["torch"] = re.search(r"^TORCH=(\S+)", setup, re.MULTILINE)[1]
    rows = ["| Python package | version | licence | |", "|---|---|---|---|"]
    for name, version in sorted(pins.items()):
        rows.append(f"| {name} | {version} | {licence(name)} | {'direct' if name in direct else ''} |")
    packages = re.search(r"^R_PACKAGES=\((.*)\)", setup, re.MULTILINE)[1].split()
    ask = "for (p in commandArgs(TRUE)) cat(packageDescription(p)$License, sep = '', fill = TRUE)"
    output = subprocess.run(["Rscript", "-e", ask, *packages], check=True, capture_output=True, text=True).stdout
    rows += ["", "| R package | licence |", "|---|---|"]
    rows += [
        f"| {name} | {license_name.replace('|', 'or')} |"
        for name, license_name in zip(packages, output.strip().splitlines(), strict=True)
    ]
    return "\n".join(rows)


def licence(name: str) -> str:
    """What an installed package says of its licence: in an expression or a line, by its kind, or as a title."""
    metadata = importlib.metadata.metadata(name)
    license_text = metadata.get("License", "").strip()
    if short := metadata.get("License-Expression") or (license_text if "\n" not in license_text else ""):
        return short
    if kinds := [
        kind.rpartition(" :: ")[2] for kind in metadata.get_all("Classifier", []) if kind.startswith("License")
    ]:
        return " or ".join(kinds)
    files = [file.read_text() for file in importlib.metadata.files(name) if file.name.startswith("LICENSE")]
    return next((text.strip().partition("\n")[0] for text in [license_text, *files] if text), "")


def reached(node: str, edges: Set[Edge]) -> set[str]:
    """What the edges lead to from a node."""
    reached_nodes, waiting = set(), [node]
    while waiting:
        at = waiting.pop()
        following = {b for a, b in edges if a == at} - reached_nodes
        reached_nodes |= following
        waiting += following
    return reached_nodes


def trained() -> str:
    """What was found in trained models of known bias."""
    path = Path("resources/reliability/models.csv")
    made = path.read_text().partition("\n")[0].removeprefix("# ")
    statistics = pd.read_csv(path, comment="#", dtype={"of": str}, keep_default_na=False)
    statistics[["value", "low", "high"]] = statistics[["value", "low", "high"]].apply(pd.to_numeric)
    is_strength = statistics["of"].str.fullmatch(r"[\d.]+")
    parts = {
        "By strength": wide(statistics[is_strength], ["measure", "statistic"]),
        "Correlation with each planted trait": wide(
            statistics[statistics["statistic"] == "correlation with trait"], ["measure"]
        ),
        "Correlation with CrowS-Pairs of each trait": wide(with_crows_pairs(statistics), ["measure"]),
        "Another training: intraclass correlation over training seeds": wide(
            statistics[statistics["statistic"] == "retest"], ["measure"]
        ),
    }
    lines = [f"Trained models: {made}."]
    for title, table in parts.items():
        lines += ["", f"### {title}", "", *table]
    return "\n".join(lines)


def with_crows_pairs(statistics: pd.DataFrame) -> pd.DataFrame:
    """The correlations of other numbers with its shares."""
    rows = statistics[statistics["statistic"] == "correlation of measures"]
    turned = rows["measure"].str.startswith("crows_pairs")
    rows = rows.assign(measure=rows["measure"].mask(turned, rows["of"]), of=rows["of"].mask(turned, rows["measure"]))
    is_other = rows["of"].str.startswith("crows_pairs") & ~rows["measure"].str.startswith("crows_pairs")
    return rows[is_other]


@cache
def nominal_rates() -> DataFrameGroupBy:
    """The simulated designs of each test and interval."""
    tables = [pd.read_csv(path, comment="#") for path in sorted(Path("resources").glob("*/validity.csv"))]
    rates = pd.concat([table[table["what"].isin(NOMINAL)] for table in tables])
    return rates.groupby(["metric", "variant", "what"], sort=False)


@cache
def worst_rates() -> pd.DataFrame:
    """The worst design of every test and interval, and in how many of its designs it failed."""
    rows = []
    for keys, group in nominal_rates():
        worst_rate = worst(group)
        share = "{value} ({low} to {high})".format(**worst_rate["share"])
        rows.append([*keys, share, worst_rate["designs"], worst_rate["failed"], worst_rate["design"]])
    columns = ["metric", "test or interval", "rate", "worst", "designs", "failed", "worst design"]
    return pd.DataFrame(rows, columns=columns)


def count_failed() -> str:
    failed = worst_rates()["failed"] > 0
    return (
        f"Of {len(failed)} tests and intervals, {failed.sum()} have a false-positive rate or coverage off nominal in "
        "some simulated design: [each is listed](docs/known_limits.md)."
    )


def error_rates(fail: bool) -> str:
    """The tests and intervals that fail in some design, or those that hold in all."""
    rates = worst_rates()
    rows = rates[(rates["failed"] > 0) == fail]
    outcome = "fail in some design" if fail else "hold in every design"
    head = f"{len(rows)} of {len(rates)} tests and intervals {outcome}."
    return "\n".join([head, "", *grid([*rows.columns], rows.to_numpy().tolist())])


def wide(rows: pd.DataFrame, keys: list[str]) -> list[str]:
    """A row by what it is of, a column for each `of`."""
    table = rows.assign(text=[estimate(row) for _, row in rows.iterrows()]).pivot(
        index=keys, columns="of", values="text"
    )
    table = table.reset_index().fillna("")
    return grid([*table.columns], table.to_numpy().tolist())


def estimate(row: pd.Series) -> str:
    if pd.isna(row["value"]):
        return ""
    interval = "" if pd.isna(row["low"]) else f" ({row['low']:.2f} to {row['high']:.2f})"
    return f"{row['value']:.3g}{interval}".replace("-", "−")


def grid(head: list[str], rows: list[list]) -> list[str]:
    return [f"| {' | '.join(map(str, row))} |" for row in (head, ["---"] * len(head), *rows)]


def sources() -> str:
    """A table for each source: its tables and figures, and where they are or why they are not."""
    items = scope.read("resources/scope.csv")
    counts = scope.by_source(items)
    lines = grid(["source", *counts], counts.reset_index().to_numpy().tolist())
    items["target"] = items["target"].where(items["target"] == "", "`" + items["target"] + "`")
    for source, rows in items.groupby("source", sort=False):
        cells = rows[["item", "what", "status", "target", "reason"]].apply(lambda texts: texts.str.replace("|", r"\|"))
        head = ["table or figure", "shows", "status", "file of a run", "what is missing, or differs"]
        lines += ["", f"## {source}", "", *grid(head, cells.to_numpy().tolist())]
    return "\n".join(lines)


# The metrics, in the order of the summary.
MEASURED = {module.FILES.metric: module for module in (*targets.METRICS, targets.counterfactual)}
CARDS = Path("docs/metrics")
BY_KIND = by_kind()


def card(metric: str, page: Path) -> dict[str, str]:
    """What the card of a metric says, by its key: the first table below that heading on the metric's page. Links lead
    from another page to the same places."""
    own = CARDS / f"{metric}.md"
    rows = re.search(r"^## Card$.*?^\| \| \|\n\|---\|---\|\n(.*?)^$", own.read_text(), re.DOTALL | re.MULTILINE)[1]
    told = dict(row.strip("| ").split(" | ", 1) for row in rows.splitlines())
    return {
        key: re.sub(r"\]\((?!http)([^)#]*)", lambda link: f"]({place(own, link[1], page)}", text)
        for key, text in told.items()
    }


def place(own: Path, link: str, page: Path) -> str:
    """A link of one page as another page has it."""
    return os.path.relpath(own.parent / link if link else own, page.parent)


def metrics(page: Path, keys: list[str]) -> str:
    """A row a metric: its title, and what its card says for some keys; `models` are the kinds that it measures."""
    rows = []
    for metric in MEASURED:
        told = card(metric, page) | {"models": ", ".join(BY_KIND[metric].computed)}
        rows.append([titled(metric, page), *map(told.get, keys)])
    return "\n".join(grid(["metric", *keys], rows))


def titled(metric: str, page: Path) -> str:
    """The title of a metric as a link of a page."""
    return f"[{targets.title(metric)}]({place(CARDS / f'{metric}.md', '', page)})"


def instead() -> str:
    """A row a kind of model that metrics refuse, and what to use instead."""
    refusing = defaultdict(list)
    for metric in MEASURED:
        for kind, other in BY_KIND[metric].instead.items():
            refusing[kind, other].append(targets.title(metric))
    rows = [[f"`{kind}`", ", ".join(titles), other] for (kind, other), titles in sorted(refusing.items())]
    return "\n".join(grid(["kind", "refused by", "use"], rows))


def kinds_of(metric: str) -> str:
    """A line: the kinds of models that a metric takes, and what it computes of each."""
    alike = defaultdict(list)
    for kind, computed in BY_KIND[metric].computed.items():
        alike[computed].append(f"`{kind}`")
    taken = "; ".join(f"{', '.join(kinds)} ({computed})" for computed, kinds in alike.items())
    return f"**Models**: {taken}. [Other kinds](README.md#kinds-of-models) are refused."


def sets() -> str:
    """A row a set of the catalogue."""
    cards = {name: catalogue.card(name) for name in catalogue.names()}
    columns = {
        "name": [f"`{name}`" for name in cards],
        "set": [f"[{card.title}]({card.paper})" for card in cards.values()],
        "asks": [card.asks for card in cards.values()],
        "items": [f"{card.items:,}" for card in cards.values()],
        "languages": [", ".join(card.languages) for card in cards.values()],
        "models": [", ".join(card.kinds) for card in cards.values()],
        "licence": [card.licence for card in cards.values()],
        "caution": [" ".join(card.caution) for card in cards.values()],
    }
    return "\n".join(grid(list(columns), list(zip(*columns.values(), strict=True))))


def tables() -> str:
    """What the tables of each metric hold."""
    held = {metric: getattr(module, "TABLES", {}) for metric, module in MEASURED.items()}
    for metric, declared in targets.DECLARED.items():
        held[metric] = {name: holds for name, (_, holds) in declared.tables.items()}
    rows = [
        [f"[{targets.title(metric)}](metrics/{metric}.md)", f"`{metric}_{name}`", holds]
        for metric in MEASURED
        for name, holds in held[metric].items()
    ]
    return "\n".join(grid(["metric", "table", "holds"], rows))


# Written by hand, for each metric: what its tests compare with, and what became of published figures.
CHECKED = Path("docs/checked.csv")


def checked() -> str:
    """A row a metric: how its numbers were checked."""
    page, told = Path("docs/checked.md"), pd.read_csv(CHECKED, index_col="metric", keep_default_na=False)
    rows = [
        [
            titled(metric, page),
            told.loc[metric, "oracle"],
            published(metric, told.loc[metric, "published"]),
            simulated(metric),
            "yes" if Path(module.__file__).with_name("calibration.py").exists() else "no",
            ", ".join(real_models(metric)) or "none",
        ]
        for metric, module in MEASURED.items()
    ]
    head = ["metric", "compared with", "published figures", "error rates", "planted reference", "real models"]
    return "\n".join(grid(head, rows))


def published(metric: str, remark: str) -> str:
    """How many figures of which paper are on record, and what is said of them."""
    if metric not in targets.PUBLISHED:
        return remark
    figures = pd.read_csv(Path("resources", metric, "published.csv"), comment="#")
    return f"{len(figures)} of {targets.PUBLISHED[metric]}: {remark}"


def simulated(metric: str) -> str:
    """How many tests and intervals fail in a simulated design, and in how many designs one does."""
    rates = nominal_rates().obj
    rates = rates[rates["metric"] == metric]
    failed = rates[rates["holds"] == "no"]
    (n_failed, n), (n_failed_designs, n_designs) = (
        [len(rows.drop_duplicates(keys)) for rows in (failed, rates)] for keys in (["variant", "what"], ["design"])
    )
    return f"{n_failed} of {n} fail, in {n_failed_designs} of {n_designs} designs"


def real_models(metric: str) -> list[str]:
    """The models of `make real-models` that a metric measures."""
    study = yaml.safe_load(Path("docs/real_models/study.yaml").read_text())
    sources = {source: entry["model"] for source, entry in study["vectors"].items()}
    page = Path("docs/real_models.md").read_text()
    called = dict(re.findall(r"^\| `([\w.-]+)` \| ([^|(]+?) [|(]", page, re.MULTILINE))
    asked = {sources.get(text, text) for text in texts(study.get(metric))}
    return [called[name] for name in study["models"] if name in asked]


def texts(values: object) -> list[str]:
    """Every text in a section of a configuration."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, list):
        return [text for value in values for text in texts(value)]
    return [values] if isinstance(values, str) else []


SPEED = Path("docs/benchmarks.md")
_BESIDES_TIME = re.compile("memory|tokens|bytes|same bits|a second|change of")  # in the name of a case
_MORE_IS_BETTER = re.compile("same bits|a second")


def last_runs() -> pd.DataFrame:
    """Of each benchmark, the rows of its last run on each machine, with `case`, `machine` and `values`: the ratios of a
    case, of `start` those of all steps."""
    rows = pd.read_csv(SPEED.with_suffix(".csv"))
    by_run = rows.groupby(["benchmark", "processor"], sort=False)
    rows = rows[
        (rows["date"] == by_run["date"].transform("last")) & (rows["commit"] == by_run["commit"].transform("last"))
    ]
    is_step = (rows["benchmark"] == "start") & ~rows["what"].str.contains("torch")
    what = rows["what"].str.replace(r"^\(\w+\) ", "", regex=True)  # letters in rows of old runs
    machine = rows["processor"].str.extract(r"\(((?:\S+ ){2}\S+)", expand=False).fillna(rows["processor"])
    threads = rows["threads"].map(lambda n: f"{n} thread{'s' * (n > 1)}")
    named = rows.assign(
        case=what.mask(is_step, f"{is_step.sum()} steps"),
        machine=machine + (", " + threads).where(rows["processor"].str.startswith("CPU"), ""),
    )
    keys = ["benchmark", "case", "peer", "date", "machine"]
    return named.groupby(keys, sort=False)["value"].agg(list).rename("values").reset_index().sort_values("benchmark")


def benchmarks() -> str:
    """A row a case and what it is compared with."""
    rows = last_runs()
    columns = {
        "benchmark": rows["benchmark"].str.replace("_", " "),
        "case": rows["case"],
        "compared with": rows["peer"],
        "ours / theirs": rows["values"].map(with_range),
        "better": rows["case"].str.contains(_MORE_IS_BETTER).map({True: "more", False: "less"}),
        "date": rows["date"],
        "machine": rows["machine"],
    }
    return "\n".join(grid(list(columns), list(zip(*columns.values(), strict=True))))


def with_range(values: list[float]) -> str:
    """The median of ratios; if there are several, from which to which."""
    more = f" ({min(values):.3g} to {max(values):.3g})" if len(values) > 1 else ""
    return f"{np.median(values):.3g}{more}"


def chart() -> Figure:
    """Times as ratios: a bar for each benchmark and what it is compared with, the median of its cases, and a mark for
    each case."""
    rows = last_runs()
    rows = rows[~rows["case"].str.contains(_BESIDES_TIME)].explode("values")
    bars = rows.groupby(["benchmark", "peer"], sort=False)["values"].agg(list)
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 0.6 + 0.19 * len(bars)))
        axes = figure.subplots()
        axes.set_xscale("log")
        for row, values in enumerate(bars):
            axes.barh(row, np.median(values) - 1, left=1, height=0.7, color=style.COLOURS[5])
            axes.scatter(values, [row] * len(values), s=7, color=style.COLOURS[0], zorder=2)
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_yticks(range(len(bars)), [f"{name.replace('_', ' ')}: {peer}" for name, peer in bars.index])
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("our time / theirs, logarithmic: left of 1 ours takes less")
        axes.grid(axis="x")
    return figure


def on_gpu(page: Path) -> str:
    """Which GPUs `make bench` has measured."""
    processors = pd.read_csv(SPEED.with_suffix(".csv"))["processor"]
    gpus = sorted({*processors[~processors.str.startswith("CPU")]})
    what = f"Speed was measured on {', '.join(gpus)}" if gpus else "Speed was not measured on a GPU"
    return f"{what} ([{SPEED}]({place(SPEED, '', page)}))."


def glossary() -> str:
    """The terms of the page."""
    return "\n".join(grid(["term", "meaning"], [(entry.term, entry.meaning) for entry in terms()]))


KEYS = Path("config/README.md")  # notes between its tables stay

# What is written anew on each page, by the name of the part. `make dag` only writes the stage graph.
PAGES = {
    KEYS: {"index": parameters.index, "keys": lambda: parameters.tables(KEYS.read_text())},
    Path("docs/workflow.md"): {"stage graph": stage_graph},
    Path("docs/licences.md"): {"licences": licences},
    Path("README.md"): {"error rates": count_failed, "gpu": partial(on_gpu, Path("README.md"))},
    Path("docs/known_limits.md"): {"failed": partial(error_rates, fail=True)},
    Path("docs/error_rates.md"): {"held": partial(error_rates, fail=False), "trained": trained},
    Path("docs/checked.md"): {"checked": checked},
    Path("docs/scope.md"): {"scope": sources},
    Path("docs/glossary.md"): {"glossary": glossary},
    Path("docs/results.md"): {"tables": tables},
    Path("docs/sets.md"): {"sets": sets},
    **{
        page: {name: partial(metrics, page, keys)}
        for page, name, keys in (
            (CARDS / "README.md", "metrics", ["about", "question", "models", "from"]),
            (Path("docs/reading_the_numbers.md"), "null values", ["primary number", "null value"]),
        )
    },
    SPEED: {"benchmarks": benchmarks},
    Path("docs/cost.md"): {"gpu": partial(on_gpu, Path("docs/cost.md"))},
    **{CARDS / f"{metric}.md": {"kinds": partial(kinds_of, metric)} for metric in MEASURED},
}
PAGES[CARDS / "README.md"] |= {"instead": instead}
PICTURES = {SPEED.with_suffix(".svg"): chart}


def with_parts(text: str, parts: Mapping[str, str]) -> str:
    """A page with what stands between the marks of each part, by its name."""
    for name, part in parts.items():
        marks = rf"(<!-- {name}: `make [\w-]+` -->\n).*?(<!-- end of {name} -->)"
        text = re.sub(marks, lambda match, part=part: f"{match[1]}{part}\n{match[2]}", text, flags=re.DOTALL)
    return text


def generated(page: Path) -> str:
    """The text of a page with its generated parts made anew."""
    return with_parts(page.read_text(), {name: make() for name, make in PAGES[page].items()})


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]) if len(sys.argv) > 1 else [*PAGES, *PICTURES]:
        if path in PICTURES:
            style.save(PICTURES[path](), [path])
        else:
            path.write_text(generated(path))
