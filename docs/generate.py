"""Write what the documentation takes from code and environment (`make docs`): parameters, stages, licences."""

import importlib.metadata
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Set
from pathlib import Path

from herbarium.study.config import parameter_table

Edge = tuple[str, str]


def stage_graph() -> str:
    """The stages of the demo, each with what its file says of it, and what hangs on what, as a Mermaid diagram."""
    command = ["snakemake", "--rulegraph", "mermaid-js", "--configfile", "config/demo.yaml"]
    graph = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rule = dict(re.findall(r"(id\d+)\[(\w+)\]", graph))
    stages = {file.stem: file.read_text() for file in sorted(Path("workflow/rules").glob("*.smk"))}
    stage = {name: stem for stem, text in stages.items() for name in re.findall(r"^rule (\w+):", text, re.MULTILINE)}
    arrows = [(stage.get(rule[a]), stage.get(rule[b])) for a, b in re.findall(r"(id\d+) --> (id\d+)", graph)]
    edges = without_detours(Counter((a, b) for a, b in arrows if a and b and a != b))
    said = {stem: re.match(r'"""[^:]+: ([^.\n]+)', text) for stem, text in stages.items()}
    nodes = [f'    {stem}["<b>{stem}</b><br>{said[stem].group(1)}"]' for stem in sorted({*sum(edges, ())})]
    return "\n".join(["```mermaid", "flowchart TB", *nodes, *(f"    {a} --> {b}" for a, b in sorted(edges)), "```"])


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
    said = subprocess.run(["Rscript", "-e", ask, *packages], check=True, capture_output=True, text=True).stdout
    rows += ["", "| R package | licence |", "|---|---|"]
    rows += [
        f"| {name} | {of.replace('|', 'or')} |" for name, of in zip(packages, said.strip().splitlines(), strict=True)
    ]
    return "\n".join(rows)


def licence(name: str) -> str:
    """What an installed package says of its licence: in an expression or a line, by its kind, or as a title."""
    said = importlib.metadata.metadata(name)
    own = said.get("License", "").strip()
    if short := said.get("License-Expression") or (own if "\n" not in own else ""):
        return short
    if kinds := [kind.rpartition(" :: ")[2] for kind in said.get_all("Classifier", []) if kind.startswith("License")]:
        return " or ".join(kinds)
    files = [file.read_text() for file in importlib.metadata.files(name) if file.name.startswith("LICENSE")]
    return next((text.strip().partition("\n")[0] for text in [own, *files] if text), "")


def without_detours(edges: Counter[Edge]) -> set[Edge]:
    """The edges without those between what others connect already; those that stand for the fewest go first."""
    kept = set(edges)
    for edge in sorted(edges, key=lambda edge: (edges[edge], edge)):
        if edge[1] in reached(edge[0], kept - {edge}):
            kept.remove(edge)
    return kept


def reached(node: str, edges: Set[Edge]) -> set[str]:
    """What the edges lead to from a node."""
    found, waiting = set(), [node]
    while waiting:
        at = waiting.pop()
        following = {b for a, b in edges if a == at} - found
        found |= following
        waiting += following
    return found


# What each page takes, and the target of the Makefile that writes it anew.
PAGES = {
    Path("config/README.md"): ("parameter table", "docs", parameter_table),
    Path("README.md"): ("stage graph", "dag", stage_graph),
    Path("docs/licences.md"): ("licences", "docs", licences),
}


def generated(page: Path) -> str:
    """The text of a page with its generated part made anew."""
    name, target, make = PAGES[page]
    start, end = f"<!-- {name}: `make {target}` -->", f"<!-- end of {name} -->"
    return re.sub(f"{start}.*?{end}", lambda _: f"{start}\n{make()}\n{end}", page.read_text(), flags=re.DOTALL)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]) if len(sys.argv) > 1 else PAGES:
        page.write_text(generated(page))
