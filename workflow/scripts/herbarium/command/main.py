"""The command `herbarium`: its subcommands and their arguments. Slow imports wait until they are needed."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from herbarium import __version__
from herbarium.core.errors import HerbariumError, of_the_machine

# Those that a sentence by itself has: no words of it are singled out, and no other one belongs to it.
_QUANTITIES = ("aul", "aula", "pll", "pppl", "pll_word_l2r", "ll", "loss")
_KINDS = ("masked", "causal", "seq2seq")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit status: 0, 1 for an error that the user can fix, 2 for wrong arguments.

    arguments: by default, those of the command line.
    """
    given = parse(sys.argv[1:] if arguments is None else arguments)
    try:
        status = given.run(given)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever reads wants no more
        _close_output()
        return 1
    except Exception as error:
        words = _in_words(error)
        if words is None:
            raise
        _close_output()
        print(f"Error: {words}", file=sys.stderr)
        return 1


def _in_words(error: Exception) -> str | None:
    """What the user can fix; None for an error of ours."""
    if isinstance(error, HerbariumError):
        return str(error)
    if isinstance(error, UnicodeEncodeError):
        return (
            f"standard output takes {error.encoding} only, which has no {error.object[error.start]!a}: set "
            "PYTHONIOENCODING=utf-8."
        )
    if words := of_the_machine(error):
        return f"{words}."
    return f"{str(error.filename)[:200]}: {error.strerror}." if isinstance(error, OSError) and error.filename else None


def _close_output() -> None:
    """Have nothing more written to standard output, by the end of the process either: it may be what failed."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The parsed arguments; `passed_on` are those after `--`, for subcommands that run snakemake; wrong ones end the
    process with a message."""
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    parser = _parser()
    given = parser.parse_args(arguments[:end])
    given.passed_on = list(arguments[end + 1 :])
    if given.passed_on and "targets" not in given:
        parser.error(f"`herbarium {given.subcommand}` does not run snakemake: it takes nothing after `--`")
    return given


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "herbarium", description="Social bias in language models: scores, studies, and what they need."
    )
    parser.add_argument("--version", action="version", version=__version__)
    subcommands = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")

    def add(name: str, run, summary: str, **options) -> argparse.ArgumentParser:
        subcommand = subcommands.add_parser(name, help=summary, description=summary, **options)
        subcommand.set_defaults(run=run)
        return subcommand

    score = add("score", _score, "Score sentences, one per line; writes CSV with the columns text, value and note.")
    score.add_argument("model", metavar="MODEL", help="folder, GGUF file, or hub id")
    score.add_argument("file", metavar="FILE", help="UTF-8 text with one sentence per line, or - for standard input")
    score.add_argument("--revision", help="commit of a hub model, 40 hex digits")
    score.add_argument("--gguf", metavar="FILE", help="the GGUF file to read of a folder or hub model that has several")
    score.add_argument("--kind", choices=_KINDS, help="what the model predicts, if its configuration does not say so")
    score.add_argument(
        "--quantity", choices=_QUANTITIES, help="what is computed (default: ll of a causal model, else aul)"
    )

    new = add("new", _new, "Make the folder of a new study: configuration, Snakefile, README.")
    new.add_argument("study", metavar="STUDY", type=Path, help="folder, which must not exist")
    new.add_argument(
        "--model", help="folder, GGUF file or hub id of the model to measure; without it, two planted ones"
    )
    new.add_argument("--kind", choices=_KINDS, help="what it predicts, if its configuration does not say so")

    for name, target, summary in (
        ("run", [], "Run a study: snakemake, with the options that Herbarium needs."),
        ("estimate", ["estimate"], "Measure what a study will cost on this machine: hours, disk, the longest job."),
    ):
        ran = add(
            name, _run, summary, epilog=f"Everything after `--` is for snakemake: herbarium {name} my-study -- -n"
        )
        ran.add_argument("study", metavar="STUDY", type=Path, nargs="?", default=Path(), help="folder (default: here)")
        ran.set_defaults(targets=target)

    sets = add("sets", _sets, "List the sets of sentences by others that a study can name, or show one of them.")
    sets.add_argument("name", metavar="NAME", nargs="?", help="the set to show, with some of its sentences")
    sets.add_argument("--fetch", action="store_true", help="fetch its sentences, or those of all, from their authors")

    add("doctor", _doctor, "Check what this machine has and lacks, what for, and what to do.")

    verify = add(
        "verify",
        _verify,
        "Compute every checksum of a results folder again, and report differences.",
    )
    verify.add_argument(
        "results", metavar="RESULTS", nargs="?", default="results", help="folder, a copy of it, or its page alone"
    )
    return parser


def _score(given: argparse.Namespace) -> int:
    from herbarium import api
    from herbarium.core.resources import LARGEST, read_text, text_of

    is_piped = given.file == "-"
    text = text_of(sys.stdin.buffer.read(LARGEST + 1), "standard input") if is_piped else read_text(given.file)
    # not what else ends a line for Python: a sentence may hold it
    texts = text.removesuffix("\n").split("\n") if text else []
    scores = api.score(texts, given.model, given.quantity, revision=given.revision, gguf=given.gguf, kind=given.kind)
    scores.to_frame("value").assign(note=scores.attrs[api.NOTES]).to_csv(sys.stdout)
    if n_refused := int(scores.isna().sum()):
        print(f"{n_refused} of {len(scores)} sentences were refused; the column 'note' says why.", file=sys.stderr)
    return int(n_refused > 0)


def _new(given: argparse.Namespace) -> int:
    from herbarium.command import studies

    studies.make(given.study, given.model, given.kind)
    print(f"Made {given.study}: look at {given.study / studies.CONFIGURATION}, then: herbarium run {given.study}")
    return 0


def _run(given: argparse.Namespace) -> int:
    from herbarium.command import studies

    return studies.run(given.study, [*given.targets, *given.passed_on])


def _sets(given: argparse.Namespace) -> int:
    from herbarium.command import sets

    print(sets.shown(given.name, given.fetch) if given.name else sets.listed(given.fetch))
    return 0


def _doctor(_given: argparse.Namespace) -> int:
    from herbarium.command import doctor

    findings = doctor.examine()
    print(doctor.describe(findings))
    return int(any(finding.is_needed and not finding.is_there for finding in findings))


def _verify(given: argparse.Namespace) -> int:
    from herbarium.study.verification import verified

    result = verified(given.results)
    print("\n".join(result.faults or [f"Everything in {given.results} is as its record says."]))
    print(result)
    return int(bool(result.faults))
