"""Write what the documentation takes from code and environment (`make docs`): parameters, the DAG, licences."""

import importlib.metadata
import re
import subprocess
from pathlib import Path

from herbarium.config import parameter_table


def rule_graph() -> str:
    """The rules of the demo and what passes between them, as a Mermaid diagram."""
    command = ["snakemake", "--rulegraph", "mermaid-js", "--configfile", "config/demo.yaml"]
    graph = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rule = dict(re.findall(r"(id\d+)\[(\w+)\]", graph))
    edges = sorted({f"    {rule[a]} --> {rule[b]}" for a, b in re.findall(r"(id\d+) --> (id\d+)", graph)})
    return "\n".join(["```mermaid", "flowchart TB", *edges, "```"])


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


PAGES = {
    Path("config/README.md"): ("parameter table", parameter_table),
    Path("README.md"): ("rule graph", rule_graph),
    Path("docs/licences.md"): ("licences", licences),
}


def generated(page: Path) -> str:
    """The text of a page with its generated part made anew."""
    name, make = PAGES[page]
    start, end = f"<!-- {name}: `make docs` -->", f"<!-- end of {name} -->"
    return re.sub(f"{start}.*?{end}", lambda _: f"{start}\n{make()}\n{end}", page.read_text(), flags=re.DOTALL)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(generated(page))
