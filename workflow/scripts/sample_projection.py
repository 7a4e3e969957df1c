"""Find directions in the states of a sample of texts, and estimate what finding them in all will take (rule
sample_projection)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.costs import TRAIN, timed, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.models import devices, saving
from herbarium.scoring import classifiers
from herbarium.scoring.costs import named
from herbarium.training import corpora, costs, projection, swapping

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.model
texts = store.read_frame(given.corpus, corpora.CORPUS.name)
genders = swapping.genders(texts["text"], given.words) if params.terms == "gender" else None
pairs = projection.pairs(texts, genders)
is_used = pairs["split"] == "train"
method = params.settings["method"]
if method != "sentence_debias":
    is_used &= pairs["is_told"]
# nothing is trained step by step
row = {"stage": TRAIN, "jobs": 1, "files": len(saving.FILES) + 1, "sentences": 2 * len(pairs), "sampled": 0}
if given.get("model"):  # of one that the workflow trains, nothing is known before
    device = devices.choose(snakemake.resources.gpu)
    started = costs.language_model(store.read_record(given.model), device)
    sample = pairs.loc[costs.drawn(pairs.loc[is_used, "text"], stream(params.seed, "estimate", name)).index]
    takes = started.record["max_tokens"], started.record["lowercase"]
    sides = [classifiers.encode(started.tokenizer, sample[column], *takes) for column in ("text", "other")]

    def states(n):
        few = (costs.first(encoded, n) for encoded in sides)
        return projection.Sides(*(classifiers.mean_states(started.model, device, one, name) for one in few))

    n, seconds, _ = timed(states, len(sample), 32)
    seconds *= len(pairs) / n
    vectors, n_directions = states(len(sample)), params.settings.get(params.key, 1)
    by_number = {"sentence_debias": projection.sentence_debias, "inlp": projection.inlp}
    find = by_number.get(method, lambda sides, _: projection.leace(sides))
    n, seconds_of_directions, _ = timed(lambda n: find(vectors, n), n_directions)
    seconds += seconds_of_directions * n_directions / n * is_used.sum() / len(sample)
    hours = (started.seconds + seconds) / 3600
    row |= {
        "sampled": 2 * len(sample),
        "tokens": round(sum(encoded.lengths.mean() for encoded in sides) * len(pairs)),
        "hours": hours,
        "longest_job": hours,
        "bytes": started.bytes,
        "device": named(device, 1),
    }
    log.info("%s: %d of %d directions took %.1f seconds.", name, n, n_directions, seconds_of_directions)
write(snakemake.output[0], [row], name, f"recipes/{params.recipe}", made)
