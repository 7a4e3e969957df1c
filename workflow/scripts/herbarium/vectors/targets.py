"""The targets of a study for sources of vectors: files on the hub."""

from herbarium.core.targets import Source, Targets


def targets(study) -> Targets:
    """study: a `study.config.Study`."""
    return Targets(
        sources=[
            Source(f"vectors.{name}", of.entry, False, "represent", {"source": name})
            for name, of in study.vectors.items()
            if of.hub
        ]
    )
