"""A metric, declared once: what it makes, and the functions that make it. workflow/rules/metric.smk has their rules."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import to_jsonable_python

from herbarium.core import steps
from herbarium.core.passages import Argument, Table, Text, arguments, tables_written
from herbarium.core.targets import Files, Targets, filled

# The steps that are functions of the declaration.
STEPS = ("instantiate", "measure", "compare", "calibrate", "plant")
# Those of several models and entries are of what planted models learn, not of all that is measured.
_OF_LEARNED = ("calibrate", "plant")


@dataclass(frozen=True)
class Metric:
    """
    - package: its folder, as Python imports it; the last part is its name, and that of its section
    - entries: the key of the section that has, by name, what is measured, each with its `models`
    - instantiate, measure, compare, calibrate, plant: what the rules of these names call; a step that it does without
      is made by rules of its own, or not at all. Their signatures say what they read and write (`core.passages`), and
      which settings they take (`settings`).
    - tables: for people, by name: the function that lays out each, and what it holds, in words
    - figures: what each shows, in words, by name; {package}.figures.{name} draws it
    - part: the settings that {package}.report.part takes; None without a part
    - in_shards: whether sentences are divided into the shards of the study
    - learns: whether a planted model learns an entry
    - further: targets that rules of its own make
    """

    package: str
    entries: str
    instantiate: Callable | None = None
    measure: Callable | None = None
    compare: Callable | None = None
    calibrate: Callable | None = None
    plant: Callable | None = None
    tables: Mapping[str, tuple[Callable, str]] = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)
    part: tuple[str, ...] | None = ("level", "correction")
    in_shards: bool = True
    learns: Callable[[Any], bool] = bool
    further: Callable[[Any], Targets] | None = None

    @property
    def name(self) -> str:
        return self.package.rpartition(".")[2]

    @property
    def files(self) -> Files:
        return Files(self.name)

    # --- what a study asks of it ---

    def section(self, study):
        return getattr(study, self.name)

    def of_entries(self, study) -> dict[str, Any]:
        return getattr(self.section(study), self.entries)

    def measured(self, study) -> list[tuple[str, str]]:
        """(model, entry) of everything measured."""
        return self.section(study).measured

    def models(self, study) -> list[str]:
        """Every model that is measured, once."""
        return self.section(study).models

    def learned(self, study) -> list[tuple[str, str]]:
        """(model, entry) of all that planted models learn."""
        if not self.plant:
            return []
        entries, planted = self.of_entries(study), study.planted(self.models(study))
        return [
            (model, name) for model, name in self.measured(study) if model in planted and self.learns(entries[name])
        ]

    def stimuli(self, name: str) -> str:
        return filled(steps.STIMULI, metric=self.name, name=name)

    def scored(self, study) -> list[tuple[str, str]]:
        """(model, stimuli) of all that models score for it."""
        return [(model, self.stimuli(name)) for model, name in self.measured(study)] if self.instantiate else []

    def shards(self, study) -> range:
        return range(study.shards if self.in_shards else 1)

    def targets(self, study) -> Targets:
        """Nothing without entries."""
        places, entries = self.measured(study), self.of_entries(study)
        if not places:
            return Targets()
        planted = list(dict.fromkeys(model for model, _ in self.learned(study)))
        changed = [name for name, entry in entries.items() if self.compare and study.compared(entry.models)]
        asked = Targets(
            shards={self.stimuli(name): len(self.shards(study)) for name in entries if self.instantiate},
            scored=self.scored(study),
            planted={model: [filled(self.files.planted, model=model)] for model in planted},
            numbers=self._of_places(steps.NUMBERS, places),
            items=self._of_places(steps.ITEMS, places) if self.has_items else [],
            changes=[filled(steps.CHANGES, metric=self.name, name=name) for name in changed],
            calibration=[self.files.calibration] if planted else [],
            validity=[self.files.validity],
            figures=self.files.figures(self.figures),
            tables=self.files.tables(self.tables),
            parts=[self.files.part] if self.has("part") else [],
        )
        if self.further:
            asked.add(self.further(study))
        return asked

    def _of_places(self, pattern: str, places: list[tuple[str, str]]) -> list[str]:
        return [filled(pattern, metric=self.name, model=model, name=name) for model, name in places]

    # --- what its functions are ---

    def has(self, step: str) -> bool:
        """Whether the rule of this name makes something of it."""
        if step == "part":
            return self.part is not None
        return bool({"table": self.tables, "draw": self.figures}.get(step) or getattr(self, step, None))

    @property
    def has_items(self) -> bool:
        """Whether the values that numbers are means of are written beside these."""
        return bool(self.measure) and steps.ITEMS in [table.path for table in tables_written(self.measure)]

    def known(self, study, wildcard: str) -> list[str]:
        """The values of a wildcard of its files."""
        return list({"name": self.of_entries(study), "table": self.tables, "figure": self.figures}[wildcard])

    def shows(self, wildcard: str, name: str) -> str:
        """What a figure shows or a table holds, in words."""
        return self.figures[name] if wildcard == "figure" else self.tables[name][1]

    def does(self, step: str, wildcards: Mapping[str, str]) -> list[str]:
        """What a job calls, each as `module:name`: where the hash of its code starts, beside its script."""
        if step == "draw":
            return [f"{self.package}.figures.{wildcards['figure']}:{name}" for name in ("table", "panels", "EMPTY")]
        if step == "part":
            return [f"{self.package}.report.part:part"]
        function = self._function(step, wildcards)
        return [f"{function.__module__}:{function.__qualname__}"]

    def calls(self) -> Iterator[tuple[str, list[str]]]:
        """What each of its jobs calls, with its step."""
        jobs = [(step, {}) for step in (*STEPS, "part") if self.has(step)]
        jobs += [("table", {"table": name}) for name in self.tables]
        jobs += [("draw", {"figure": name}) for name in self.figures]
        for step, wildcards in jobs:
            yield step, self.does(step, wildcards)

    def _function(self, step: str, wildcards: Mapping[str, str]) -> Callable:
        return self.tables[wildcards["table"]][0] if step == "table" else getattr(self, step)

    def _arguments(self, step: str, wildcards: Mapping[str, str]) -> dict[str, Argument]:
        return arguments(self._function(step, wildcards))

    # --- what they are given ---

    def places(self, study, step: str, wildcards: Mapping[str, str]) -> list[tuple[str, str]]:
        """(model, entry) of all that a job is of."""
        places = self.learned(study) if step in _OF_LEARNED else self.measured(study)
        asked = [(at, wildcards[wildcard]) for at, wildcard in enumerate(("model", "name")) if wildcard in wildcards]
        return [place for place in places if all(place[at] == value for at, value in asked)]

    def inputs(self, study, step: str, wildcards: Mapping[str, str]) -> dict[str, list[str]]:
        """The tables that a job reads, by argument."""
        given = {name: argument.passage for name, argument in self._arguments(step, wildcards).items()}
        places = self.places(study, step, wildcards)
        return {name: self._files(study, table, places) for name, table in given.items() if isinstance(table, Table)}

    def _files(self, study, table: Table, places: list[tuple[str, str]]) -> list[str]:
        if table.path == steps.NUMBERS:  # those that rules of its own make, too
            return self.targets(study).numbers
        patterns = dict.fromkeys(self._of_places(table.path, places))
        return list(dict.fromkeys(filled(one, shard=shard) for one in patterns for shard in self.shards(study)))

    def lists(self, study, step: str, wildcards: Mapping[str, str]) -> list[str]:
        """The handwritten files that a job reads: those of its entries, if its function takes a text."""
        if step in ("draw", "part") or not self._texts(step, wildcards):
            return []
        entries, names = self.of_entries(study), self._names(study, step, wildcards)
        return list(dict.fromkeys(file for name in names for file in entries[name].files))

    def texts(self, study, step: str, wildcards: Mapping[str, str]) -> dict[str, Any]:
        """What the readers of its texts are given, by argument: of one entry, or of several by name."""
        entries, names = self.of_entries(study), self._names(study, step, wildcards)
        given = {}
        for argument, (text, by, _) in self._texts(step, wildcards).items():
            of_names = {name: [to_jsonable_python(getattr(entries[name], key)) for key in text.keys] for name in names}
            given[argument] = of_names if by else of_names[names[0]]
        return given

    def _texts(self, step: str, wildcards: Mapping[str, str]) -> dict[str, Argument]:
        given = self._arguments(step, wildcards)
        return {name: argument for name, argument in given.items() if isinstance(argument.passage, Text)}

    def _names(self, study, step: str, wildcards: Mapping[str, str]) -> list[str]:
        if "name" in wildcards:
            return [wildcards["name"]]
        return list(dict.fromkeys(name for _, name in self.places(study, step, wildcards)))

    def settings(self, study, step: str, wildcards: Mapping[str, str]) -> dict[str, Any]:
        """The other arguments of a job, but for wildcards: of the study, of the section, or of the entry."""
        taken = [*self.part] if step == "part" else []
        if step not in ("draw", "part"):
            given = self._arguments(step, wildcards)
            taken = [name for name, argument in given.items() if argument.passage is None and name not in wildcards]
        return {name: self._setting(study, name, step, wildcards) for name in taken}

    def _setting(self, study, name: str, step: str, wildcards: Mapping[str, str]) -> Any:
        strengths, learned = study.strengths_in(self.name), dict.fromkeys(model for model, _ in self.learned(study))
        match name:
            case "seed":
                return study.seed
            case "n_shards":
                return study.shards
            case "strength":
                return strengths[wildcards["model"]]
            case "strengths":
                return {model: strengths[model] for model in learned}
            case "kinds":
                return {model: str(study.models[model].kind) for model in learned}
            case "compared":
                return study.compared(self.of_entries(study)[wildcards["name"]].models)
        section = self.section(study)
        if hasattr(section, name):
            return to_jsonable_python(getattr(section, name))
        entries = self.of_entries(study)
        of_names = {one: to_jsonable_python(getattr(entries[one], name)) for one in self._names(study, step, wildcards)}
        return of_names[wildcards["name"]] if "name" in wildcards else of_names
