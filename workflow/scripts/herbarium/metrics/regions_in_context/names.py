"""Names of numbers of regions in context."""

METRIC = "regions_in_context"
FEWEST_WORDS, FEWEST_REGIONS = 6, 5  # with fewer, no permutation of them could give a small p
# The group of all; and what is held out from a classifier: all sentences with the word, or the sentence.
REGION = "region"
HELD_OUT = (WORDS, SENTENCES) = ("held_out_words", "held_out_sentences")
AGREEMENT, COMMON = "stereotype_agreement", "common_share"
ACCURACY, CONTROL, SELECTIVITY = "accuracy", "control_accuracy", "selectivity"
# Of a layer, in the order of the summary.
OF_LAYER = (
    *((AGREEMENT, REGION), (COMMON, REGION), (ACCURACY, WORDS)),
    *((variant, SENTENCES) for variant in (ACCURACY, CONTROL, SELECTIVITY)),
)
