"""The room of the page on what made it."""

from herbarium.page.build import Room, room


def provenance(made: dict, study: dict) -> Room:
    """made: what the page is made from (`step.begin`). study: the effective configuration."""
    facts = {
        **{key: made[key] for key in ("run", "code", "config")},
        "n_inputs": len(made["inputs"]),
        "results": study["results"],
        "seed": study["seed"],
        "models": [
            {"name": name, "revision": record["revision"], "files": record["files"]}
            for name, record in sorted(made["models"].items())
        ],
    }
    return room("provenance", "Provenance", facts)
