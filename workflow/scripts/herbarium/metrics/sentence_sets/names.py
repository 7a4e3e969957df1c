"""What sets of sentences are called in files and in the configuration: their contrasts, and the sides of two of these.

What a contrast computes is in `contrasts`, on which no text depends.
"""

PAIRS, SHARE, CANDIDATES, ACCURACY = "pairs", "share", "candidates", "accuracy"
STEREOSET, BBQ, CHOICES = "stereoset", "bbq", "choices"
STEREOSET_SIDES = ("stereotype", "anti-stereotype", "unrelated")
BBQ_SIDES = (BIASED, COUNTER, UNKNOWN) = ("biased", "counter", "unknown")
LETTERS = ("A", "B", "C")  # before the answers among which a letter chooses
