"""Other users, whom root becomes for a command that stands behind these."""

import os

# Root without the right to write where it may not.
AS_ANYONE = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
# A user whom the system does not know and who owns nothing; what root may read, it may read.
NOBODY = 54321
AS_NOBODY = [
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
]
