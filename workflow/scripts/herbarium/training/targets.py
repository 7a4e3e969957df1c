"""Which texts of corpora are fetched from elsewhere."""

from herbarium.core.errors import check_all
from herbarium.core.targets import Source, Targets
from herbarium.models import sources


def targets(study) -> Targets:
    """Of the corpora of a study (`study.config.Study`)."""
    fetched = {name: corpus for name, corpus in study.corpora.items() if corpus.hub or corpus.git}
    return Targets(
        sources=[
            Source(f"corpora.{name}", corpus.model_dump(mode="json"), True, "read_corpus", {"corpus": name})
            for name, corpus in fetched.items()
        ]
    )


def require_files(corpora: dict) -> None:
    """Raise HerbariumError, with all of them, for local tables that are not as corpora want them."""
    local = [corpus for corpus in corpora.values() if corpus.path]
    check_all([lambda of=of: sources.require_columns(of.path, [of.text]) for of in local])
