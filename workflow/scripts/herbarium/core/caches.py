"""Where libraries keep what they need not make twice: below the home folder, or where that cannot be written."""

import getpass
import os
from pathlib import Path

INSTEAD = Path(".snakemake", "caches")


def require_place() -> None:
    """Let every library keep its caches in the folder that Snakemake works in, where the home folder takes none, and
    give the user a name where the system knows none. For this process and all that it starts.

    To be called before Snakemake looks for a place of its own: containers and clusters run as users without a home.
    """
    try:
        getpass.getuser()
    except (KeyError, OSError):
        os.environ["USER"] = str(os.getuid())
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - that of Path raises an error where there is no home
    cache = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    if _is_writable(cache):
        return
    instead = INSTEAD.resolve()
    os.environ["XDG_CACHE_HOME"] = str(instead)
    os.environ.setdefault("MPLCONFIGDIR", str(instead / "matplotlib"))  # it has its caches beside its configuration
    if (fetched := cache / "huggingface").is_dir():  # models are read from where they are
        os.environ.setdefault("HF_HOME", str(fetched))


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)
