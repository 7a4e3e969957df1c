"""Remove directions from what the head of a model sees (rule project_model)."""

from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.models import devices, loading, saving, tokenizer_files
from herbarium.scoring import classifiers
from herbarium.training import alignment, corpora, projection, swapping

made = begin(snakemake)
torch.set_num_threads(1)  # on a CPU, sums of another number of threads round otherwise
device = devices.choose(snakemake.resources.gpu)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.model
base = store.read_record(given.base)
folder = loading.folder_of(base)
tokenizer = tokenizer_files.load_compared(base, folder)
model = loading.load_recorded(base, folder).to(device)
n = params.settings.get(params.key, 1)
projection.require_room(n, alignment.first_layer(model).in_features, params.key)

texts = store.read_frame(given.corpus, corpora.CORPUS.name)
genders = swapping.genders(texts["text"], given.words) if params.terms == "gender" else None
pairs = projection.pairs(texts, genders)
is_learned, is_held_out = (pairs["split"] == "train").to_numpy(), projection.held_out(pairs)
is_told = pairs["is_told"].to_numpy()


def states(column):
    """The model's vector of each text in a column of pairs."""
    encoded = classifiers.encode(tokenizer, pairs[column], base["max_tokens"], base["lowercase"])
    return classifiers.mean_states(model, device, encoded, name)


sides = projection.Sides(states("text"), states("other"))
match params.settings["method"]:
    case "sentence_debias":
        eraser = projection.without(projection.sentence_debias(sides.at(is_learned), n))
    case "inlp":
        eraser = projection.without(projection.inlp(sides.at(is_learned & is_told), n))
    case "leace":
        eraser = projection.leace(sides.at(is_learned & is_told))
target = Path(snakemake.output.weights[0]).parent
with store.atomic_folder(target) as written:
    saving.save(written, alignment.folded(model, eraser.matrix, eraser.offset), tokenizer)
report = projection.report(sides, is_told, is_learned, is_held_out, eraser)
training = {"settings": params.settings, **report}
saving.write_record(snakemake.output.record, name, target, devices.name(device), made, training=training)
accuracies = " before, ".join(f"{report[moment]['accuracy']:.3f}" for moment in ("before", "after") if report[moment])
log.info(
    "%s: %d directions; accuracy on held-out texts: %s.",
    name,
    eraser.n_directions,
    f"{accuracies} after" if accuracies else "none",
)
