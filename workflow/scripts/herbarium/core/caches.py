"""Where libraries keep their caches: below the home folder, or elsewhere if that is not writable."""

import getpass
import os
from pathlib import Path

INSTEAD = Path(".snakemake", "caches")


def require_place() -> None:
    """Let every library keep its caches in Snakemake's working folder if the home folder is not writable, and give the
    user a name if the system knows none. For this process and all that it starts.

    Call it before Snakemake looks for a place of its own: containers and clusters run as users without a home.
    """
    try:
        getpass.getuser()
    except (KeyError, OSError):
        os.environ["USER"] = str(os.getuid())
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path's raises an error if there is no home
    cache = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    if _is_writable(cache):
        return
    instead = INSTEAD.resolve()
    os.environ["XDG_CACHE_HOME"] = str(instead)
    os.environ.setdefault("MPLCONFIGDIR", str(instead / "matplotlib"))  # its caches are in its configuration folder
    if (fetched := cache / "huggingface").is_dir():  # models that are already there are read from there
        os.environ.setdefault("HF_HOME", str(fetched))


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)
