"""Which texts that recipes need are fetched from elsewhere."""

from collections.abc import Iterable

from herbarium.core.errors import check_all
from herbarium.core.targets import Source, Targets
from herbarium.models import sources
from herbarium.training import parallel


def targets(study) -> Targets:
    """Of the corpora and parallel texts of a study (`study.config.Study`)."""
    found = [(f"corpora.{name}", corpus, "read_corpus", {"corpus": name}) for name, corpus in study.corpora.items()]
    found += [
        (f"parallel.{name}.texts.{language}", texts, "read_parallel", {"parallel": name, "language": language})
        for name, of in study.parallel.items()
        for language, texts in of.texts.items()
    ]
    return Targets(
        sources=[
            Source(key, of.model_dump(mode="json"), True, rule, wildcards)
            for key, of, rule, wildcards in found
            if of.hub or of.git
        ]
    )


def require_files(study) -> None:
    """Raise HerbariumError, with all of them, for local tables that are not as corpora and parallel texts want them."""
    aligned = [texts for of in study.parallel.values() for texts in of.texts.values()]
    local = [of for of in [*study.corpora.values(), *aligned] if of.path]
    check_all([lambda of=of: sources.require_columns(of.path, [of.text]) for of in local])


def require_equal(study, names: Iterable[str]) -> None:
    """Raise HerbariumError for parallel texts, of these names, whose local files are not of as many rows."""
    for name in names:
        of = study.parallel[name]
        n_rows = {language: sources.count_rows(texts.path) for language, texts in of.texts.items() if texts.path}
        if of.alignments:
            n_rows[str(of.alignments)] = len(parallel.read_alignments(of.alignments))
        parallel.require_equal(name, n_rows)
