"""Snakemake in one copy of the project, again and again: its library is imported once, and each call is a fork.

Started by `conftest.Again`, in the folder of the copy. Each line that it reads is a call: the arguments, the
environment and the file that takes the output; it answers with the exit status. What Snakemake has made of files of
rules is kept, by their content, for all copies.
"""

import json
import os
import pickle
import re
import sys
from pathlib import Path

import nbformat  # noqa: F401 (which Snakemake imports when it plans, as the next)
import smart_open  # noqa: F401
import snakemake.cli
import snakemake.workflow

FOLDER = str(Path.cwd())
PLACE = "<the copy>"
parse = snakemake.workflow.parse


def import_library() -> None:
    """What files of rules import at their beginning."""
    sys.path.insert(0, f"{FOLDER}/workflow/scripts")
    for file in [*Path("workflow/rules").glob("*.smk")]:
        for line in re.findall(r"^from herbarium.*$", file.read_text(encoding="utf-8"), re.MULTILINE):
            exec(line, {})
    del sys.path[0]


def parsed(path, workflow, linemap, overwrite_shellcmd=None, rulecount=0):
    """As Snakemake's `parse`, which takes as long as all else in the plan of a small study."""
    name = path.get_path_or_uri(secret_free=True)
    key = name.removeprefix(FOLDER), Path(name).read_bytes(), rulecount
    if key not in KNOWN:
        code, n_rules = parse(path, workflow, linemap, overwrite_shellcmd, rulecount)
        KNOWN[key] = code.replace(FOLDER, PLACE), n_rules, linemap.copy()
        RULES.with_suffix(".new").write_bytes(pickle.dumps(KNOWN))
        os.replace(RULES.with_suffix(".new"), RULES)
    code, n_rules, lines = KNOWN[key]
    linemap.update(lines)
    return code.replace(PLACE, FOLDER), n_rules


def call(arguments, environment, output) -> None:
    with open(os.devnull) as nothing, open(output, "wb") as file:
        for stream, number in ((nothing, 0), (file, 1), (file, 2)):
            os.dup2(stream.fileno(), number)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = arguments
    snakemake.workflow.parse = parsed
    snakemake.cli.main()


RULES = Path(sys.argv[1])
import_library()
snakemake.cli.get_argument_parser()  # looks for plugins, once
for line in sys.stdin:
    KNOWN = pickle.loads(RULES.read_bytes()) if RULES.exists() else {}
    if process := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
    else:
        call(*json.loads(line))
        break
