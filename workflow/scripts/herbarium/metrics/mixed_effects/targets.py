"""The targets of the mixed-effects metric."""

from herbarium.core.targets import Files, Targets, filled, list_tables
from herbarium.models import originals

FILES = Files("mixed_effects", source="Shrestha et al. 2025")
STIMULI = "mixed_effects/{name}"
DESIGN = "<work>/designs/mixed_effects/{name}.json"
OBSERVATIONS = "<work>/observations/{model}/mixed_effects/{name}.parquet"
MAIN, FURTHER, LEVELS = (
    f"<work>/fits/mixed_effects/{{model}}/{table}.parquet" for table in ("main", "further", "levels")
)
BINS = "<work>/metrics/mixed_effects_bins/{model}.parquet"
ITEMS = "<work>/items/mixed_effects/{model}.parquet"
CHANGES = "<work>/changes/mixed_effects/{name}.parquet"
FIGURES = {
    "scores": "Bias scores by dimension and model, with those of the maximal model",
    "effect_sizes": "R² by dimension and model, over Cohen's bands",
    "levels": "What mixed models predict for each template and each target",
    "bins": "Bias score and R² by pseudo-perplexity",
}
TABLES = {
    "table2": "Professions and nouns, as published and ours",
    "table3": "Traits, male against female, as published and ours",
    "table4": "Traits, all contrasts, as published and ours",
    "table5": "Negative traits among the targets, as published and ours",
    "table6": "Common pairs of words, as published and ours",
    "table7": "Direct and indirect templates, as published and ours",
    "table13": "Sentences by template and dimension, as published and ours",
    "table14": "A causal model, as published and ours",
    "table16": "A model after training on swapped genders, as published and ours",
    "text": "Figures in the text of the paper, and ours",
    "scores": "Every fit",
    "bins": "Scores and R² by pseudo-perplexity",
    "sentences": "Sentences by template and dimension",
}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Tidy numbers are those of all fits, for every metric (groups.smk)."""
    section = study.mixed_effects
    # models learn the same text with or without R
    learned = study.planted(section.models)
    results = Targets(planted={model: [filled(FILES.planted, model=model)] for model in learned})
    if not study.mixed_models.are_fitted or not section.stimuli:
        return results
    kinds = [MAIN, *([FURTHER] if section.sensitivity else [])]
    results.add(
        Targets(
            shards={filled(STIMULI, name=name): study.shards for name in section.stimuli},
            scored=[(model, filled(STIMULI, name=name)) for model, name in section.measured],
            fits=[filled(kind, model=model) for kind in kinds for model in section.models],
            changes=[
                filled(CHANGES, name=name) for name, entry in section.stimuli.items() if study.compared(entry.models)
            ],
            published=[FILES.published],
            calibration=[FILES.calibration] if learned else [],
            items=[filled(ITEMS, model=model) for model in section.models],
            validity=[FILES.validity],
            figures=FILES.figures(FIGURES),
            tables=FILES.tables(TABLES),
            parts=[FILES.part],
        )
    )
    return results


def original_data(study) -> dict[str, str]:
    """Reasons why data are not those of published figures (`models.originals`), by name of the stimuli."""
    stimuli = study.mixed_effects.stimuli
    digests = {
        name: originals.texts_digest(list_tables(entry.lists), entry.lowercase) for name, entry in stimuli.items()
    }
    return originals.data("mixed_effects", digests)
