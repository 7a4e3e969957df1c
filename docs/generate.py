"""Write what the documentation takes from the code (`make docs`): the parameter table and the picture of the DAG."""

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


PAGES = {Path("config/README.md"): ("parameter table", parameter_table), Path("README.md"): ("rule graph", rule_graph)}


def generated(page: Path) -> str:
    """The text of a page with its generated part made anew."""
    name, make = PAGES[page]
    start, end = f"<!-- {name}: `make docs` -->", f"<!-- end of {name} -->"
    return re.sub(f"{start}.*?{end}", lambda _: f"{start}\n{make()}\n{end}", page.read_text(), flags=re.DOTALL)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(generated(page))
