"""Helpers for the rules of all metrics: hashes of code, outputs as the report shows them, inputs of models and scores."""

import re

from herbarium.core.files import sidecars
from herbarium.core.targets import Card, Files, Targets, figure_files, list_tables, names_of, table_files
from herbarium.models import folders, saving, sources


def any_of(names):
    """The constraint of a wildcard that is one of some names."""
    return "|".join(map(re.escape, names)) or "(?!)"


def code_reached(step):
    """Hash of the code that the script of a step reaches, which is a parameter: it runs again when that code changes,
    imported modules too, and only then."""
    path, does = internals.script_of(step), step.params.get("does")
    if does:  # what a script of all metrics calls depends on the job
        return lambda wildcards: provenance.joint_hash([CODE[path.stem], code_called(does(wildcards))])
    return CODE[path.stem] if path.resolve().parent == SCRIPTS.resolve() else code_of_others(path)


def code_called(names):
    """Hash of the code that what is called by name uses."""
    return CODE[" ".join(names)]


def contents(*texts):
    """Hash of the contents of handwritten texts, without their comments. They are `ancient` inputs, and this is a
    parameter, so that a job runs again when the contents change, and only then."""
    return provenance.value_hash([provenance.text_hash(Path(text)) for text in texts])


def compared(original_data):
    """Why the models and the data of the study are not those of published figures, for each that is not: a parameter of
    rules that compare with these. original_data: of a metric's targets."""
    return lambda wildcards: {"models": originals.models(STUDY), "data": original_data(STUDY)}


def growing(amount):
    """A resource of a rule: the amount, twice as much when the job is retried, then three times as much."""
    return lambda wildcards, attempt: amount * attempt


def shown(kind, metric, files):
    """Files as Snakemake's report shows them, by their names, with the title of their metric and its caption, if there is
    one. kind: "Figures" or "Tables". files: path and what it shows, in words, by name."""
    caption = SCRIPTS.parent / f"report/{metric}.rst"
    place = {"caption": str(caption) if caption.exists() else None, "category": targets.title(metric)}
    place["subcategory"] = kind
    return {name: report(file, labels={"name": name, "shows": shows}, **place) for name, (file, shows) in files.items()}


def drawn(metric, **figures):
    """Figures as output of a rule: all files of each, by its name. figures: what each shows, in words."""
    files = dict(zip(figures, map(figure_files, names_of(metric, figures))))
    pictures = shown("Figures", metric, {name: (files[name][0], figures[name]) for name in figures})
    return {name: [pictures[name], *files[name][1:]] for name in figures}


def written(metric, **tables):
    """Tables to read as output of a rule, by their names, and their sidecars. tables: what each holds, in words."""
    files = table_files(*names_of(metric, tables))
    holds = {name: (file, tables[name]) for name, file in zip(tables, files)}
    return {**shown("Tables", metric, holds), "sidecars": sidecars(*files)}


def weight_files(folder):
    """The files of a model that the workflow writes. A folder as such does not have a checksum to compare."""
    return [f"{folder}/{file}" for file in saving.FILES]


def files_in(folder, source=None, with_weights=True):
    """The files that a model in a local folder is loaded from, so that a changed one is noticed; none for another model.
    source: as in `folders.read_files`."""
    return list(map(str, folders.read_files(folder, source, with_weights))) if folder else []


def written_folder(name):
    """Where the workflow writes the files of a model; None for one that comes from elsewhere."""
    model = STUDY.models[name]
    made = {shared.TESTBED: model.planted is not None, shared.DERIVED: model.derived is not None}
    # an adapter is merged into its base's weights in any format, which are not converted before
    made |= {shared.MERGED: model.adapter is not None, shared.CONVERTED: loading.source_file(plain(model)) is not None}
    return next((real_path(folder, model=name) for folder, is_made in made.items() if is_made), None)


def weights_of(name):
    """What a model is loaded from on this machine: a hub model, fetched by its commit, has no such file."""
    name = NEUTRALISED.get(name, name)
    folder = written_folder(name)
    if folder:
        return weight_files(folder)
    return files_in(STUDY.models[name].path, with_weights=loading.has_weights(plain(STUDY.models[name])))


def weights(wildcards):
    return weights_of(wildcards.model)


def written_record(name):
    """The record of the files of a model that the workflow wrote; none for one that comes from elsewhere."""
    folder = written_folder(name)
    return f"{folder}.json" if folder else []


def planted_text(name):
    """The files with the text that a planted model learns; none without a name."""
    with told_plainly():
        files = targets.planted_text(STUDY, TARGETS, name) if name else []
    return [placed(file, STUDY.results) for file in files]


def gpus(wildcards):
    """GPUs of a job that runs a model or classifier."""
    return int(not STUDY.is_tiny(wildcards.model))


def device_threads(wildcards):
    return 8 if gpus(wildcards) else 1


def device_group(wildcards):
    """On a cluster, jobs of the testbed share one: they take seconds. The others stay single."""
    return None if gpus(wildcards) else "testbed"


def scoring_record(model, stimuli):
    """The record of a model as it scores these stimuli."""
    if not STUDY.is_tuned(model):
        return real_path(shared.MODEL, model=model)
    return real_path(shared.SCORING_MODEL, model=model, stimuli=TARGETS.tuned_by.get(stimuli, stimuli))


def probes(model, stimuli):
    """The file with what its server is asked again, if it has one."""
    if not STUDY.models[model].served:
        return []
    return real_path(shared.PROBES, model=model, stimuli=TARGETS.tuned_by.get(stimuli, stimuli))


def base_record(wildcards):
    """The record of the model that a derived one is made from."""
    return real_path(shared.MODEL, model=STUDY.models[wildcards.model].derived.base)


def timed_model(wildcards):
    """The model that one is timed as: the one that it comes from; none of the testbed, which is not trained for it."""
    name = STUDY.origin(wildcards.model)
    return {"model": real_path(shared.MODEL, model=name), "weights": weights_of(name)} if gpus(wildcards) else {}


def plan(pattern):
    """An input function: a file of the plan of a shard. A derived model has the tokenizer of the model that it comes from."""
    return lambda wildcards: real_path(pattern, origin=STUDY.origin(wildcards.model))


def shards(pattern):
    """An input function: the files of a pattern for all shards of its stimuli. {origin}: as in `plan`."""
    return lambda wildcards: real_paths(
        pattern, origin=STUDY.origin(wildcards.model), shard=range(TARGETS.shards[wildcards.stimuli])
    )


# --- what metric.smk asks of declarations ---


def metric_of(wildcards):
    return targets.DECLARED[wildcards.metric]


def told_by(method, step):
    """A function of wildcards: what the metric of a job tells of a step, by a method of its declaration."""
    return lambda wildcards: getattr(metric_of(wildcards), method)(STUDY, step, dict(wildcards.items()))


def read_by(step):
    """The inputs of a step: tables, by argument of what it calls, and handwritten lists."""
    tables, lists = told_by("inputs", step), told_by("lists", step)
    return lambda wildcards: {
        **{name: list(map(real_path, files)) for name, files in tables(wildcards).items()},
        "lists": list(map(ancient, lists(wildcards))),
    }


def told_to(step):
    """The parameters of a step: what it calls, and with what. The hash of its code follows from `does`."""
    lists = told_by("lists", step)
    return {
        "does": lambda wildcards: metric_of(wildcards).does(step, dict(wildcards.items())),
        "settings": told_by("settings", step),
        "texts": told_by("texts", step),
        "contents": lambda wildcards: contents(*lists(wildcards)),
    }


def made_by(step, wildcard=None, **further):
    """The constraints of the wildcards of a step: the metrics of this study that declare it, each before values of the
    wildcard that are its own. further: what else the declaration says of these metrics."""
    having = [metric for metric in targets.DECLARED.values() if metric.has(step) and metric.measured(STUDY)]
    having = [metric for metric in having if all(getattr(metric, key) == value for key, value in further.items())]
    if not wildcard:
        return {"metric": any_of(metric.name for metric in having)}
    known = {metric.name: any_of(metric.known(STUDY, wildcard)) for metric in having}
    before = [rf"{re.escape(name)}(?=.*[/_](?:{values})[/.])" for name, values in known.items()]
    return {"metric": "|".join(before) or "(?!)", wildcard: "|".join(known.values()) or "(?!)"}


def records_of(metric):
    """The records of the models that a metric measures, as they score its sentences if they do."""
    scored = [scoring_record(*place) for place in metric.scored(STUDY)]
    return scored or real_paths(shared.MODEL, model=metric.models(STUDY))


def listed(kind, wildcard):
    """How Snakemake's report lists a table or figure."""
    return {
        "category": lambda wildcards: targets.title(wildcards.metric),
        "subcategory": kind,
        "labels": lambda wildcards: {
            "name": wildcards[wildcard],
            "shows": metric_of(wildcards).shows(wildcard, wildcards[wildcard]),
        },
    }
