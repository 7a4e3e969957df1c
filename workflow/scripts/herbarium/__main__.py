"""`python -m herbarium`: the command `herbarium` where nothing is installed."""

import sys

from herbarium.command.main import main

sys.exit(main())
