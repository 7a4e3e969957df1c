"""The files of HERB that the configuration asks for."""

from herbarium.core.targets import Targets
from herbarium.metrics.herb import likelihoods, stimuli
from herbarium.models import originals
from herbarium.regions.section import Regions
from herbarium.scoring.sentences import shard_of

METRIC = "herb"
FIGURES = ("continents", "map", "ranking", "heatmap", "words")
TOXIC = "toxic"
SPACE = "space"
# The paper's tables that have a number that we measure, by their numbers.
PUBLISHED = ("table1", "table2", "table3", "table6")
TABLES = (*PUBLISHED, "intervals", "wordings", "differences", "hierarchy", "departures", "implied")
# Tidy numbers of each model, in the order of the summary.
OF_MODELS = ("herb_crossed", "herb", "herb_intervals", "herb_ablations", "herb_hierarchy")


def targets(study) -> Targets:
    """For a study (`study.config.Study`): nothing if no model is measured, except the stimuli of toxic training."""
    models = study.herb.measured(study.models)
    if not models:
        return Targets(shards={stimuli.SET: study.shards} if trainings(study) else {})
    along = measured_trainings(study)
    names = instantiated(study)
    planted = study.planted(models)
    return Targets(
        shards=dict.fromkeys(names, study.shards),
        # padded inputs, and other wordings, are scored as the published ones are
        tuned_by={name: stimuli.SET for name in names if name != stimuli.SET},
        scored=scored(study),
        planted={model: [f"<work>/testbed/text/{METRIC}/{model}.parquet"] for model in planted},
        grouped={(model, METRIC): f"<work>/grouped/{model}/{METRIC}.parquet" for model in models}
        if study.herb.groups
        else {},
        numbers=[
            *(path for of in OF_MODELS for path in of_models(f"metrics/{of}", models)),
            *(of_models("metrics/herb_space", models) if study.herb.representations else []),
            "<work>/metrics/herb_differences.parquet",
            *of_models("metrics/herb_toxic", along),
        ],
        replicates=of_models(f"replicates/{METRIC}", models),
        changes=[f"<work>/changes/{METRIC}.parquet"] if study.compared(models) else [],
        items=of_models(f"items/{METRIC}", models),
        validity=[f"resources/{METRIC}/validity.csv"],
        published=[f"<work>/published/{METRIC}.parquet"],
        calibration=[f"<work>/calibration/{METRIC}.parquet"] if planted else [],
        figures=[f"{METRIC}_{name}" for name in figures(study)],
        tables=[
            *(f"<results>/tables/{METRIC}_{name}.csv" for name in TABLES),
            f"<results>/figures/{METRIC}_heatmap_countries.csv",
        ],
        parts=[f"<work>/parts/{METRIC}.json"],
    )


def of_models(folder: str, models) -> list[str]:
    """One file per model, in a folder of the work."""
    return [f"<work>/{folder}/{model}.parquet" for model in models]


def figures(study) -> list[str]:
    """The names of its figures."""
    return [*FIGURES, *[SPACE] * study.herb.representations, *[TOXIC] * bool(measured_trainings(study))]


# --- stimuli ---


def sets(study) -> list[str]:
    """The sets of stimuli with which the models are measured."""
    wordings, departures = study.herb.wordings, study.herb.departures
    others = bool(stimuli.other_frames(wordings, departures) or study.regions.names)
    return [stimuli.SET, *[stimuli.WORDINGS_SET] * others, *[stimuli.PADDED_SET] * bool(padded(study))]


def instantiated(study) -> list[str]:
    """The sets of stimuli that are made: those, and what models along a measured toxic training are scored on."""
    along = [along_training(study)] if measured_trainings(study) else []
    return list(dict.fromkeys([*sets(study), *along]))


def padded(study) -> dict[str, list[stimuli.Frame]]:
    """The wordings whose sentences are scored in padded batches, by name."""
    departures = study.herb.departures
    return {name: frames for name, frames in study.herb.wordings.items() if stimuli.is_padded(name, departures)}


def frames(study) -> dict[str, dict[str, list[list[stimuli.Frame]]]]:
    """Set of stimuli -> frames by shard: those filled with the `names` of regions, with `country_names`, those of
    continents and countries only, and with `other_names`."""
    wordings, departures = study.herb.wordings, study.herb.departures
    everywhere = {name: of for name, of in wordings.items() if name not in without_cities(study)}
    published = stimuli.published_frames(wordings)
    others = stimuli.other_frames(everywhere, departures)
    of_countries = [frame for frame in stimuli.other_frames(wordings, departures) if frame not in others]
    published, others, of_countries = (
        stimuli.by_shard(frames, study.shards) for frames in (published, others, of_countries)
    )
    none = [[]] * study.shards
    return {
        stimuli.SET: {"names": published, "country_names": none, "other_names": none},
        stimuli.COUNTRIES_SET: {"names": none, "country_names": published, "other_names": none},
        stimuli.WORDINGS_SET: {"names": others, "country_names": of_countries, "other_names": published},
    }


def without_cities(study) -> list[str]:
    """The wordings, and other names as wordings, that are measured over continents and countries only."""
    kinds = study.herb.countries_only
    namings = [likelihoods.named(naming) for naming in study.regions.names if "names" in kinds]
    return [*stimuli.of_kinds(study.herb.wordings, kinds), *namings]


def scored(study) -> list[tuple[str, str]]:
    """(model, stimuli): for models along a toxic training only the published wording."""
    pairs = [(model, name) for model in study.herb.measured(study.models) for name in sets(study)]
    pairs += [(model, along_training(study)) for models in measured_trainings(study).values() for model in models]
    return list(dict.fromkeys(pairs))


def shards(study, name: str) -> list[str]:
    """The files of a set of stimuli; none of one that is not made."""
    made = name in instantiated(study)
    return [f"<work>/stimuli/{name}/{shard}.parquet" for shard in range(study.shards) if made]


def shard_of_names(study) -> list[str]:
    """The file of HERB's stimuli with the bare names; none if nothing is measured."""
    names = shard_of(stimuli.frame_text(stimuli.BARE_NAME), study.shards)
    return shards(study, stimuli.SET)[names : names + 1]


# --- toxic training ---


def trainings(study) -> dict[str, list[str]]:
    """Model that is trained -> the models after each epoch of its toxic training."""
    derived = {name: of.derived for name, of in study.models.items() if of.derived and of.derived.by.recipe == TOXIC}
    found: dict[str, list[str]] = {}
    for name in sorted(derived, key=lambda name: derived[name].by.epochs):
        found.setdefault(derived[name].base, []).append(name)
    return found


def measured_trainings(study) -> dict[str, list[str]]:
    """The `trainings` of models that are measured themselves: HERB is reported epoch by epoch for these."""
    measured = study.herb.measured(study.models)
    return {base: models for base, models in trainings(study).items() if base in measured}


def along_training(study) -> str:
    """The stimuli on which models along a training are scored."""
    return stimuli.COUNTRIES_SET if "toxic" in study.herb.countries_only else stimuli.SET


def before(study, model: str) -> str:
    """The model from which an epoch of training continues. model: one after an epoch."""
    derived = study.models[model].derived
    return [derived.base, *trainings(study)[derived.base]][derived.by.epochs - 1]


def original_data(study) -> dict[str, str]:
    """Reasons why data are not those of published figures (`models.originals`), by "words" and
    "substitutes"."""
    herb = study.herb
    template = next(iter(herb.templates.values()))
    words, substitutes = ([template, *herb.descriptions.values()], herb.substitutes.values())
    digests = {"words": originals.texts_digest(words), "substitutes": originals.texts_digest(substitutes)}
    reasons = originals.data("herb", digests)
    ours, all_regions = (regions.model_dump(mode="json", exclude={"names"}) for regions in (study.regions, Regions()))
    if ours != all_regions:
        reasons["words"] = reasons["words"] or "the regions here are not all countries and cities of six continents"
    return reasons
