"""`python -m herbarium`: the command `herbarium` without an installation."""

import sys

from herbarium.command.main import main

sys.exit(main())
