"""The contrasts that a set of sentences can have, by their names in the configuration."""

from herbarium.metrics.sentence_sets.bbq_contrast import ANSWERED
from herbarium.metrics.sentence_sets.stereoset_contrast import STEREOSET
from herbarium.statistics.within_sets import ACCURACY, CANDIDATES, PAIRS, SHARE

CONTRASTS = {contrast.name: contrast for contrast in (PAIRS, SHARE, CANDIDATES, ACCURACY, STEREOSET, *ANSWERED)}
