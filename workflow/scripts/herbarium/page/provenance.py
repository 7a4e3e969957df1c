"""The part of the report on what made it: facts here, sentences in `provenance.html.j2`."""

from herbarium.page.build import Part


def part(made: dict, study: dict) -> Part:
    """The part of the page. made: what the page is made of (`step.begin`). study: the effective configuration."""
    facts = {
        **{key: made[key] for key in ("run", "code", "config")},
        "n_inputs": len(made["inputs"]),
        "results": study["results"],
        "seed": study["seed"],
        "models": [
            {"name": name, "revision": of["revision"], "weights": of["weights"]}
            for name, of in sorted(made["models"].items())
        ],
    }
    return Part("", [("provenance", "Provenance")], "provenance.html.j2", facts)
