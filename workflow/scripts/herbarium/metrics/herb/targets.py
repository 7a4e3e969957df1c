"""The files of HERB that the configuration asks for."""

from herbarium.core import shared
from herbarium.core.section import paths
from herbarium.core.targets import Files, Targets, filled
from herbarium.metrics.herb import design, likelihoods, stimuli
from herbarium.models import originals
from herbarium.regions.section import Regions
from herbarium.scoring.sentences import shard_of

METRIC = "herb"
FILES = Files(METRIC, source="Li et al. 2022")
TOXIC = "toxic"
# What numbers need of the lists behind a set of stimuli: of the published wording, and of the others.
DESIGN = "<work>/designs/{stimuli}.json"
PUBLISHED_DESIGN = filled(DESIGN, stimuli=stimuli.SET)
# f(S) by region and description, and of made-up names.
LIKELIHOODS = "<work>/likelihoods/{model}.parquet"
CONTROL = "<work>/likelihoods/control/{model}.parquet"
EMBEDDINGS, PLANE = "<work>/embeddings/{model}/herb.parquet", "<work>/embeddings/herb_plane.parquet"
EXPECTED = "<work>/testbed/expected/herb/{model}.parquet"
# The sentences that toxic training takes.
SENTENCES = "<work>/toxic/{model}.parquet"
NUMBERS, CROSSED, INTERVALS, ABLATIONS, HIERARCHY, OF_SPACE, OF_TOXIC = (
    f"<work>/metrics/herb{kind}/{{model}}.parquet"
    for kind in ("", "_crossed", "_intervals", "_ablations", "_hierarchy", "_space", "_toxic")
)
DIFFERENCES = "<work>/metrics/herb_differences.parquet"
REPLICATES = "<work>/replicates/herb/{model}.parquet"
ITEMS = "<work>/items/herb/{model}.parquet"
INFLUENCES = "<work>/influences/herb/{model}.parquet"
GROUPED = "<work>/grouped/{model}/herb.parquet"
CHANGES = "<work>/changes/herb.parquet"
# What a model encodes about each country, for other metrics.
MEASURES = "<work>/metrics/country_measures/{model}.parquet"
VECTORS = "<work>/metrics/country_vectors/{model}.parquet"
HEATMAP = "<results>/figures/herb_heatmap_countries.csv"
FIGURES = {
    "continents": "HERB of the Earth and its continents, by model",
    "map": "What models say about one description, country by country",
    "ranking": "Countries and continents, ranked by one description",
    "heatmap": "Descriptive vectors of the continents, topic by topic",
    "words": "Which descriptions drive the bias of the root and of each continent",
}
SPACE_FIGURE = {"space": "Countries as models represent their names, compared with the real map"}
TOXIC_FIGURE = {TOXIC: "HERB against the epoch of toxic training"}
TABLES = {
    "table1": "C_w and C_z, as published and ours",
    "table2": "Sparseness without hierarchy, as published and ours",
    "table3": "C_w with each topic left out, as published and ours",
    "table6": "C_w with each topic's words replaced, as published and ours",
    "intervals": "Scores with intervals of every kind",
    "wordings": "Scores by template and by names of regions",
    "differences": "Differences between models and between continents, tested",
    "hierarchy": "Whether regions are closer to their siblings than chance would have it",
    "departures": "What each departure of the released code does",
    "implied": "The mean distances that the published Table 1 implies",
}
# Tidy numbers of each model, in the order of the summary.
OF_MODELS = (CROSSED, NUMBERS, INTERVALS, ABLATIONS, HIERARCHY)


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
        planted={model: [filled(FILES.planted, model=model)] for model in planted},
        grouped={(model, METRIC): filled(GROUPED, model=model) for model in models} if study.herb.groups else {},
        numbers=[
            *(path for pattern in OF_MODELS for path in of_models(pattern, models)),
            *(of_models(OF_SPACE, models) if study.herb.representations else []),
            DIFFERENCES,
            *of_models(OF_TOXIC, along),
        ],
        replicates=of_models(REPLICATES, models),
        changes=[CHANGES] if study.compared(models) else [],
        items=of_models(ITEMS, models),
        validity=[FILES.validity],
        published=[FILES.published],
        calibration=[FILES.calibration] if planted else [],
        figures=FILES.figures(figures(study)),
        tables=[*FILES.tables(TABLES), HEATMAP],
        parts=[FILES.part],
    )


def of_models(pattern: str, models) -> list[str]:
    """The files of a pattern, one per model."""
    return [filled(pattern, model=model) for model in models]


def figures(study) -> dict[str, str]:
    """The content of its figures, by name."""
    captions = FIGURES | (SPACE_FIGURE if study.herb.representations else {})
    return captions | (TOXIC_FIGURE if measured_trainings(study) else {})


# --- stimuli ---


def sets(study) -> list[str]:
    """The sets of stimuli with which the models are measured."""
    wordings, departures = study.herb.wordings, study.herb.departures
    others = bool(stimuli.other_frames(wordings, departures) or study.regions.names)
    return [stimuli.SET, *[stimuli.WORDINGS_SET] * others, *[stimuli.PADDED_SET] * bool(padded(study))]


def sets_of(study, model: str) -> list[str]:
    """The sets of stimuli with which a model is measured: models of some kinds are not padded."""
    return [name for name in sets(study) if study.models[model].kind in stimuli.quantities(name)]


def padded_sets_of(study, model: str) -> list[str]:
    """The set of stimuli that a model scores in padded batches, if there is one."""
    return [name for name in sets_of(study, model) if name == stimuli.PADDED_SET]


def instantiated(study) -> list[str]:
    """The sets of stimuli that are made: those, and what models along a measured toxic training are scored on."""
    along = [along_training(study)] if measured_trainings(study) else []
    return list(dict.fromkeys([*sets(study), *along]))


def designs(study) -> dict[str, dict]:
    """Set of stimuli -> its design: that of the published wording does not change with other wordings."""
    herb = study.herb
    others = {name: frames for name, frames in herb.wordings.items() if name != stimuli.PAPER}
    published = design.as_record({stimuli.PAPER: herb.wordings[stimuli.PAPER]}, herb.topics, herb.made_up_names)
    return {stimuli.SET: published, stimuli.WORDINGS_SET: design.as_record(others)}


def listed(study) -> dict[str, list[str]]:
    """Set of stimuli -> the lists that its design comes from."""
    herb = study.herb
    template, *_ = herb.templates.values()
    published = [*herb.descriptions.values(), template, herb.forms, *filter(None, [herb.control])]
    return {stimuli.SET: sorted(map(str, published)), stimuli.WORDINGS_SET: sorted(set(map(str, paths(herb))))}


def padded(study) -> dict[str, list[stimuli.Frame]]:
    """The wordings whose sentences are scored in padded batches, by name."""
    departures = study.herb.departures
    return {name: frames for name, frames in study.herb.wordings.items() if stimuli.is_padded(name, departures)}


def frames(study) -> dict[str, dict[str, list[list[stimuli.Frame]]]]:
    """Set of stimuli -> frames by shard: those filled with the `names` of regions, with `country_names`, those of
    continents and countries only, and with `other_names`."""
    wordings, departures = study.herb.wordings, study.herb.departures
    everywhere = {name: wording for name, wording in wordings.items() if name not in without_cities(study)}
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
    pairs = [(model, name) for model in study.herb.measured(study.models) for name in sets_of(study, model)]
    pairs += [(model, along_training(study)) for models in measured_trainings(study).values() for model in models]
    return list(dict.fromkeys(pairs))


def shards(study, name: str) -> list[str]:
    """The files of a set of stimuli; none of one that is not made."""
    made = name in instantiated(study)
    return [filled(shared.STIMULI, stimuli=name, shard=shard) for shard in range(study.shards) if made]


def shard_of_names(study) -> list[str]:
    """The file of HERB's stimuli with the bare names; none if nothing is measured."""
    names = shard_of(stimuli.frame_text(stimuli.BARE_NAME), study.shards)
    return shards(study, stimuli.SET)[names : names + 1]


# --- toxic training ---


def trainings(study) -> dict[str, list[str]]:
    """Model that is trained -> the models after each epoch of its toxic training."""
    derived = {
        name: model.derived
        for name, model in study.models.items()
        if model.derived and model.derived.by.recipe == TOXIC
    }
    by_base: dict[str, list[str]] = {}
    for name in sorted(derived, key=lambda name: derived[name].by.epochs):
        by_base.setdefault(derived[name].base, []).append(name)
    return by_base


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
