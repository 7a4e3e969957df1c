"""All Python that the rules need: the validated study, input functions, and what makes a rule run again."""

import re
import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

SCRIPTS = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent / "scripts"
sys.path.insert(0, str(SCRIPTS))

from herbarium.study import config as configuration
from herbarium.core import provenance
from herbarium.models import loading as models, saving
from herbarium.metrics.downstream import sources
from herbarium.core.errors import HerbariumError
from herbarium.metrics.categorical_bias import stimuli as categorical_bias
from herbarium.metrics.herb import stimuli as herb
from herbarium.regions import hierarchy as regions
from herbarium.core.step import collect_rarely

collect_rarely()
try:
    STUDY = configuration.load(config, workflow.configfiles)
    for name, model in STUDY.models.items():
        if model.path:
            models.check_folder(model.path, name, accept_bin=model.convert_bin)
except HerbariumError as error:
    raise WorkflowError(str(error)) from None


def plain(section):
    """A section of the configuration as plain data, for the parameters of a rule."""
    return section.model_dump(mode="json")


# Every file says where in the results folder it belongs.
config["results"] = STUDY.results
SHARDS = range(STUDY.shards)
TOPICS = STUDY.herb.topics
WORDINGS = STUDY.herb.wordings
REGION_TABLE = STUDY.herb.regions.table or []
NAME_TABLES = [path for path in STUDY.herb.names.values() if path != regions.ASCII]
PADDED = {
    name: frames
    for name, frames in WORDINGS.items()
    if herb.is_padded(name, STUDY.herb.departures)
}
# A shard holds whole frames, so that a new description adds to its own shard alone.
FRAMES = herb.frames_by_shard(
    {name: frames for name, frames in WORDINGS.items() if name not in PADDED},
    STUDY.shards,
)
PUBLISHED_FRAMES = herb.frames_by_shard(
    {herb.PAPER: WORDINGS[herb.PAPER]}, STUDY.shards
)
# The wordings that differ in the template alone.
TEMPLATE_WORDINGS = [
    name
    for name in WORDINGS
    if name == herb.PAPER or name.startswith(herb.template_wording(""))
]
HERB_PROBES = ["herb", "herb_padded"] if PADDED else ["herb"]
HERB_NUMBERS = expand(
    "<results>/metrics/{metric}/{model}.parquet",
    metric=["herb", "herb_intervals", "herb_ablations", "herb_hierarchy", "herb_space"],
    model=STUDY.herb_models,
)
HERB_FIGURES = []
if STUDY.herb_models:
    HERB_NUMBERS.append("<results>/metrics/herb_differences.parquet")
    HERB_FIGURES += ["continents", "map", "ranking", "heatmap", "words", "space"]
TOXIC = STUDY.herb.toxic
TOXIC_EPOCHS = [f"{epoch:02}" for epoch in range(1, TOXIC.epochs + 1)]
TOXIC_NUMBERS = expand(
    "<results>/metrics/herb_toxic/{model}.parquet", model=TOXIC.models
)
HERB_FIGURES += ["toxic"] if TOXIC.models else []
LANGUAGES = plain(STUDY.categorical_bias)["languages"]
# What Categorical Bias measures: "model/language".
MEASURED = [
    f"{model}/{language}" for language, model in categorical_bias.measured(LANGUAGES)
]
# The folder of the list that leads in each language.
LEADING = {
    language: LANGUAGES[language]["lists"][name]
    for language, name in categorical_bias.leading(LANGUAGES).items()
}
CATEGORICAL_BIAS_NUMBERS = expand(
    "<results>/metrics/categorical_bias/{measured}.parquet", measured=MEASURED
)
CATEGORICAL_BIAS_FIGURES = []
if MEASURED:
    CATEGORICAL_BIAS_NUMBERS += [
        "<results>/metrics/categorical_bias_differences.parquet",
        "<results>/metrics/categorical_bias_divergences.parquet",
    ]
    CATEGORICAL_BIAS_FIGURES += ["scores", "distributions", "heatmap", "lengths"]
MIXED_EFFECTS = plain(STUDY.mixed_effects)
MIXED_PROBES, CROWS_PAIRS = MIXED_EFFECTS["probes"], MIXED_EFFECTS["crows_pairs"]
# What the mixed models are fitted to: (model, probe).
OBSERVED = [
    (model, name) for name, probe in MIXED_PROBES.items() for model in probe["models"]
]
# What a fit hangs on: how p-values are adjusted is not among it.
MIXED_SETTINGS = {
    "bootstrap": MIXED_EFFECTS["bootstrap"],
    "tests": STUDY.mixed_effects.tests.model_dump(exclude={"correction"}),
}
# Models that are measured in two languages or more, which can be compared.
COMPARED_MODELS = []
if "categorical_bias" in MIXED_EFFECTS["regions"]:
    of_languages = [model for _, model in categorical_bias.measured(LANGUAGES)]
    COMPARED_MODELS = [
        model
        for model in STUDY.categorical_bias.models
        if of_languages.count(model) > 1
    ]
MIXED_MODELS, MIXED_GROUPS = [], []
if STUDY.mixed_effects.engine == "lme4":
    MIXED_MODELS = STUDY.mixed_effects.models
    if "herb" in MIXED_EFFECTS["regions"]:
        MIXED_GROUPS += STUDY.herb_models
    MIXED_GROUPS += [model for model in COMPARED_MODELS if model not in MIXED_GROUPS]
MIXED_FITS = expand(
    "<results>/metrics/mixed_effects/{model}.parquet", model=MIXED_MODELS
)
if MIXED_EFFECTS["sensitivity"]:
    MIXED_FITS += expand(
        "<results>/metrics/mixed_effects_further/{model}.parquet", model=MIXED_MODELS
    )
MIXED_FITS += expand(
    "<results>/metrics/mixed_effects_groups/{model}.parquet", model=MIXED_GROUPS
)
TASKS = STUDY.downstream.tasks
# Every description that a planted text can be made of, once.
DESCRIPTIONS = list(dict.fromkeys(word for words in TOPICS.values() for word in words))
SEEDS = range(1, STUDY.downstream.training.seeds + 1)
# What a fine-tuned model hangs on: how often that is done, and what is held out of its texts, is not among it.
TRAINING = STUDY.downstream.training.model_dump(exclude={"seeds", "validation_share"})
# What is probed: "task/model", of models that are fine-tuned and of published classifiers.
PROBED = [
    f"{task}/{name}"
    for task, entry in TASKS.items()
    for name in (*entry.models, *entry.classifiers)
]
# Every model with its planted bias, None of those that have none.
PLANTED = {name: model.planted for name, model in STUDY.models.items()}
PUBLISHED = {name for entry in TASKS.values() for name in entry.classifiers}
LOCAL_GROUPS = plain(STUDY.downstream.local_groups)
DOWNSTREAM_MEASURES = expand(
    "<results>/metrics/downstream/{probed}.parquet", probed=PROBED
)
TASK_PREFIXES = expand("<results>/downstream/{task}/prefixes.parquet", task=TASKS)
DOWNSTREAM_NUMBERS = [*DOWNSTREAM_MEASURES]
# In these local groups are looked for.
LOCAL = PROBED if LOCAL_GROUPS["pairs"] or LOCAL_GROUPS["continents"] else []
DOWNSTREAM_NUMBERS += expand(
    "<results>/metrics/local_group_bias/{probed}.parquet", probed=LOCAL
)
# Of these the intrinsic measures of countries are known.
PROPAGATED = [probed for probed in PROBED if probed.split("/")[1] in STUDY.herb_models]
DOWNSTREAM_NUMBERS += expand(
    "<results>/metrics/propagation/{probed}.parquet", probed=PROPAGATED
)
if PROBED:
    DOWNSTREAM_NUMBERS.append("<results>/metrics/propagation.parquet")
DOWNSTREAM_FIGURES = ["map", "ranking"] if PROBED else []
DOWNSTREAM_FIGURES += ["propagation"] if PROPAGATED else []
if PROBED and any(entry.data.planted is not None for entry in TASKS.values()):
    DOWNSTREAM_FIGURES.append("planted")
if STUDY.mixed_effects.engine == "lme4":
    MIXED_FITS += expand(
        "<results>/metrics/mixed_effects_downstream/{probed}.parquet", probed=PROBED
    )
MIXED_NUMBERS = expand(
    "<results>/metrics/crows_pairs/{model}.parquet", model=MIXED_MODELS
)
if MIXED_FITS:
    MIXED_NUMBERS.append("<results>/metrics/mixed_effects.parquet")
# What mixed models are fitted to, in the order of figures and report.
MIXED_DATA = [*MIXED_PROBES, *(["crows_pairs"] if CROWS_PAIRS["models"] else [])]
# What measures them: "model/probe".
MIXED_MEASURED = []
if MIXED_MODELS:
    MIXED_MEASURED += [f"{model}/mixed_effects/{name}" for model, name in OBSERVED]
    MIXED_MEASURED += [f"{model}/crows_pairs" for model in CROWS_PAIRS["models"]]
MIXED_FIGURES = []
if MIXED_MODELS and MIXED_PROBES:
    MIXED_FIGURES += ["scores", "effect_sizes", "levels", "bins"]
# The strength of the texts of each task, None of those that are not planted.
PLANTED_TEXTS = {task: entry.data.planted for task, entry in TASKS.items()}
IS_CALIBRATED = any(
    strength is not None for strength in [*PLANTED.values(), *PLANTED_TEXTS.values()]
)
# What is scored: "model/probe".
SCORED = [
    *(f"{model}/{probe}" for model in STUDY.herb_models for probe in HERB_PROBES),
    *("{}/categorical_bias/{}".format(*measured.split("/")) for measured in MEASURED),
    *MIXED_MEASURED,
]
FIGURES = [
    *(f"herb_{figure}" for figure in HERB_FIGURES),
    *(f"categorical_bias_{figure}" for figure in CATEGORICAL_BIAS_FIGURES),
    *(f"mixed_effects_{figure}" for figure in MIXED_FIGURES),
    *(f"downstream_{figure}" for figure in DOWNSTREAM_FIGURES),
    *(["calibration"] if IS_CALIBRATED else []),
]
FIGURE_FILES = expand(
    "<results>/figures/{figure}.{suffix}",
    figure=FIGURES,
    suffix=["svg", "pdf", "png", "csv"],
)
# The parts of Snakemake's report; each has its caption in workflow/report/.
PARTS = {
    "herb": "HERB",
    "categorical_bias": "Categorical Bias",
    "mixed_effects": "Mixed effects",
    "downstream": "Downstream tasks",
    "study": "The whole study",
}


wildcard_constraints:
    model="|".join(map(re.escape, STUDY.models)),
    probe="herb|herb_padded|categorical_bias/[^/]+|mixed_effects/[^/]+|crows_pairs",
    language="|".join(map(re.escape, LANGUAGES)),
    shard=r"\d+",
    epoch=r"\d+",
    seed=r"\d+",
    task="|".join(map(re.escape, TASKS)),
    probed="|".join(map(re.escape, PROBED)),
    published="|".join(map(re.escape, PUBLISHED)),


@cache
def code(script):
    """Hash of the code that a script reaches. Among a rule's parameters it makes the rule run again when that code
    changes, and only then: Snakemake itself looks at no imported module."""
    return provenance.code_hash(SCRIPTS / f"{script}.py")


def growing(amount):
    """A resource of a rule: the amount, twice as much when the job is tried again, then three times as much."""
    return lambda wildcards, attempt: amount * attempt


def shown(file, metric, kind, labels):
    """A file that Snakemake's report shows. kind: "Figures" or "Tables"."""
    return report(
        file,
        caption=f"../report/{metric}.rst",
        category=PARTS[metric],
        subcategory=kind,
        labels=labels,
    )


def of_part(part, name):
    """The name of a figure or table: behind that of its part, but of the whole study alone."""
    return name if part == "study" else f"{part}_{name}"


def figure_files(metric, name):
    """A figure as output: the picture in each format, and the table that it was drawn from."""
    stem = f"<results>/figures/{of_part(metric, name)}"

    def labels(wildcards):
        shows = workflow.get_rule(f"figure_{of_part(metric, name)}").docstring
        return {"figure": name, "shows": shows}

    return {
        "pictures": [
            shown(f"{stem}.svg", metric, "Figures", labels),
            f"{stem}.pdf",
            f"{stem}.png",
        ],
        "csv": f"{stem}.csv",
    }


def table_files(metric, **tables):
    """Tables to read as output, by their names. tables: what each holds, in words."""
    prefix = "cb" if metric == "categorical_bias" else metric
    return {
        name: shown(
            f"<results>/tables/{of_part(prefix, name)}.csv",
            metric,
            "Tables",
            {"table": name, "holds": holds},
        )
        for name, holds in tables.items()
    }


def entry(wildcards):
    return plain(STUDY.models[wildcards.model])


def commit(wildcards):
    """The pinned revision of a hub model, None for the others (and for an unpinned one, which no run starts with)."""
    return models.pinned(entry(wildcards), STUDY.lock)


def learned_frames(wildcards):
    """What a testbed model learns for HERB, if that measures it: by description, the frames of the templates."""
    if wildcards.model not in STUDY.herb_models:
        return {}
    return herb.frames_by_description(WORDINGS, TOPICS)


def learned_lists(wildcards):
    """What it learns for Categorical Bias: the leading list of each language that it is measured in."""
    return [
        folder
        for language, folder in LEADING.items()
        if wildcards.model in LANGUAGES[language]["models"]
    ]


def learned_probes(wildcards):
    """What it learns for the mixed-effects metric: the probes that it is measured with."""
    return [
        probe for probe in MIXED_PROBES.values() if wildcards.model in probe["models"]
    ]


def strength(wildcards):
    """The planted bias of a testbed model."""
    return STUDY.models[wildcards.model].planted


def weight_files(folder):
    """The files of a model that the workflow writes. A folder as such has no checksum to be compared by."""
    return [f"{folder}/{file}" for file in saving.FILES]


def weights(wildcards):
    """What the weights of a model are made from on this machine: a hub model, fetched by its commit, has no such file."""
    model = STUDY.models[wildcards.model]
    if model.planted is not None:
        return weight_files(f"{STUDY.results}/testbed/{wildcards.model}")
    if model.convert_bin:
        return weight_files(f"{STUDY.results}/converted/{wildcards.model}")
    return local_files(wildcards)


def gpus(wildcards):
    """GPUs of a job that runs a model or classifier. One of the testbed is so small that one core does it, and others
    the next."""
    name = wildcards.get("model") or wildcards.probed.split("/")[1]
    return int(PLANTED.get(name) is None)


def device_threads(wildcards):
    return 8 if gpus(wildcards) else 1


def device_group(wildcards):
    """On a cluster, jobs of the testbed share one: they take seconds. The others stay single, to be tasks of an array,
    all of which get what the first one asks for."""
    return None if gpus(wildcards) else "testbed"


def shards(pattern):
    """An input function: the results of a pattern for all shards of a probe. Those with few sentences have one."""

    def of_probe(wildcards):
        has_many = wildcards.probe in HERB_PROBES or wildcards.probe.startswith(
            "mixed_effects/"
        )
        numbers = SHARDS if has_many else [0]
        return expand(
            f"{STUDY.results}/{pattern}", shard=numbers, **dict(wildcards.items())
        )

    return of_probe


def lists(wildcards):
    """The folders of a language's lists, by name."""
    return LANGUAGES[wildcards.language]["lists"]


def list_files(wildcards):
    """The tables of a language's lists."""
    return tables(lists(wildcards).values())


def observed_probes(wildcards):
    """The probes of the mixed-effects metric that a model is measured with, and the folders of their lists."""
    return {
        name: probe["lists"]
        for name, probe in MIXED_PROBES.items()
        if wildcards.model in probe["models"]
    }


def observations(wildcards):
    """What is observed of them."""
    return expand(
        f"{STUDY.results}/observations/{wildcards.model}/mixed_effects/{{name}}.parquet",
        name=observed_probes(wildcards),
    )


def crows_pairs_observations(wildcards):
    """What is observed of CrowS-Pairs, if the model is measured with it."""
    if wildcards.model not in CROWS_PAIRS["models"]:
        return []
    return [f"{STUDY.results}/observations/{wildcards.model}/crows_pairs.parquet"]


def grouped_likelihoods(wildcards):
    """The f(S) of HERB that the mixed model compares continents by."""
    if (
        "herb" not in MIXED_EFFECTS["regions"]
        or wildcards.model not in STUDY.herb_models
    ):
        return []
    return f"{STUDY.results}/likelihoods/{wildcards.model}.parquet"


def grouped_languages(wildcards):
    """The languages that it compares by Categorical Bias, and the names of their leading lists."""
    if wildcards.model not in COMPARED_MODELS:
        return {}
    return {
        language: name
        for language, name in categorical_bias.leading(LANGUAGES).items()
        if wildcards.model in LANGUAGES[language]["models"]
    }


def grouped_associations(wildcards):
    return [
        f"{STUDY.results}/associations/{wildcards.model}/{language}.parquet"
        for language in grouped_languages(wildcards)
    ]


def probe_files(wildcards):
    """The tables of a probe of the mixed-effects metric."""
    return tables([MIXED_PROBES[wildcards.name]["lists"]])


def tables(folders):
    return [
        str(file)
        for folder in folders
        for file in sorted(Path(folder).glob("[!.]*.csv"))
    ]


def is_tuned(model):
    """Whether it is measured how a model scores best. A model of the testbed is too small: it stays in float32."""
    return PLANTED[model] is None or STUDY.models[model].dtype != "float32"


def scoring_record(model, probe):
    """The record of a model as it scores a probe. For a padded one it was tuned on sentences that are not."""
    if not is_tuned(model):
        return f"{STUDY.results}/models/{model}.json"
    return f"{STUDY.results}/models/{model}/{probe.removesuffix('_padded')}.json"


def passes(model, probe):
    """The file that says how many tokens a pass of it takes, if that was measured."""
    if not is_tuned(model):
        return []
    return f"{STUDY.results}/passes/{model}/{probe.removesuffix('_padded')}.json"


def toxic_weights(wildcards):
    """What an epoch of toxic training starts from: the weights that the epoch before left, at first the model's own."""
    before = int(wildcards.epoch) - 1
    if before == 0:
        return weights(wildcards)
    return weight_files(f"{STUDY.results}/toxic/{wildcards.model}/weights-{before:02}")


def planted_texts(wildcards):
    """The strength of the texts of a task, None of those that are not planted."""
    task = wildcards.get("task") or wildcards.probed.split("/")[0]
    return TASKS[task].data.planted


def if_planted(value):
    """An input function or parameter: the value for a task with planted texts, nothing for others."""
    return lambda wildcards: value if planted_texts(wildcards) is not None else []


def task_table(wildcards):
    """The table of a task with a local one."""
    return TASKS[wildcards.task].data.path or []


def published_classifier(wildcards):
    """The entry of a published classifier."""
    return plain(TASKS[wildcards.task].classifiers[wildcards.published])


def published_weights(wildcards):
    """The files of one in a local folder, so that a changed one is noticed."""
    path = TASKS[wildcards.task].classifiers[wildcards.published].path
    return sorted(map(str, Path(path).glob("[!.]*"))) if path else []


def runs(probed):
    """The classifiers of a model in a task, one a seed; the one that is published."""
    task, name = probed.split("/")
    if name in TASKS[task].classifiers:
        return [f"{STUDY.results}/downstream/{probed}/published"]
    return expand(f"{STUDY.results}/downstream/{probed}/seed-{{n}}", n=SEEDS)


def of_runs(pattern):
    """An input function: the results of a pattern for the classifiers of a model in a task."""
    return lambda wildcards: expand(
        f"{{run}}/{pattern}", run=runs(wildcards.probed), shard=SHARDS
    )


def of_first_run(pattern):
    """The same for the first of them, in whose predictions local groups are looked for."""
    return lambda wildcards: f"{runs(wildcards.probed)[0]}/{pattern}"


def of_task(file):
    """An input function: a file of a task."""
    return lambda wildcards: (
        f"{STUDY.results}/downstream/{wildcards.probed.split('/')[0]}/{file}"
    )


def of_model(pattern):
    """An input function: a result of the model that was fine-tuned."""
    return lambda wildcards: (
        f"{STUDY.results}/{pattern.format(model=wildcards.probed.split('/')[1])}"
    )


def classifier_weights(wildcards):
    """What the weights of a classifier are on this machine: those of a published one have no such file."""
    if wildcards.run == "published":
        return []
    return weight_files(
        f"{STUDY.results}/downstream/{wildcards.probed}/{wildcards.run}/classifier"
    )


def local_files(wildcards):
    """The files of a model in a local folder, so that a changed one is noticed."""
    folder = STUDY.models[wildcards.model].path
    return (
        sorted(str(file) for file in folder.iterdir() if file.is_file())
        if folder
        else []
    )


