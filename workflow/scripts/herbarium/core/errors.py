"""The one exception that people are meant to read."""

import difflib
import errno
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping

_MOST = 40  # names in a message
# No space or quota, a read-only disk, no permission, too many open files.
_OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE}
_NO_MEMORY = (
    *("can't allocate memory", "Cannot allocate memory", "Unable to allocate"),
    *("out of memory", "bad_alloc", "failed to map segment"),
)


class HerbariumError(Exception):
    """Something that the user can fix: the message says what is wrong, where, and what would be right."""


class RefusedError(HerbariumError):
    """A server answered that it does not give something: it is gated, gone, or another than was pinned. Waiting does
    not help."""


def check_all(checks: Iterable[Callable[[], object]]) -> None:
    """Run all checks. Raises one HerbariumError with the messages of all that fail."""
    faults = []
    for check in checks:
        try:
            check()
        except HerbariumError as error:
            faults.append(str(error))
    if faults:
        raise HerbariumError("\n".join(faults))


def system_number(error: BaseException) -> int | None:
    """The system's number of an error, None if it has none; libraries in Rust have it only in their text."""
    match = re.search(r"\(os error (\d+)\)", str(error))
    return int(match.group(1)) if match else getattr(error, "errno", None)


def of_the_machine(error: BaseException) -> str | None:
    """What is wrong with the machine, in words: it has no space, permission or memory left; None for another error."""
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError) or any(mark in text for mark in _NO_MEMORY):
        return f"not enough memory ({text[:200] or type(error).__name__})"
    return text if system_number(error) in _OF_THE_MACHINE else None


def require_readable(path: str | os.PathLike) -> None:
    """Raise HerbariumError for a file that this user may not read, which libraries may call missing or damaged."""
    try:
        with open(path, "rb"):
            pass
    except PermissionError:
        raise denied(path) from None
    except OSError:  # for its reader to report
        pass


def denied(path: str | os.PathLike) -> HerbariumError:
    """The error for a file that this user may not read."""
    return HerbariumError(f"{path}: permission denied. Its owner can let you read it: `chmod -R a+rX` on its folder.")


def nearest(name: str, valid: Iterable[str], called: Mapping[str, str] | None = None) -> str | None:
    """The valid name that an invalid one is most like. called: what a valid name is also called -> the valid name."""
    names = {other: other for other in valid}
    for known in (names, called or {}):
        for other, meant in known.items():
            if other.casefold() == name.casefold():
                return meant
    names = (called or {}) | names
    return next((names[other] for other in difflib.get_close_matches(name, names, n=1)), None)


def did_you_mean(name: str, valid: Iterable[str], called: Mapping[str, str] | None = None) -> str:
    """The end of a message about an invalid name: the nearest valid one, or else all valid ones, if they are few.

    called: as for `nearest`."""
    valid = list(valid)
    if (meant := nearest(name, valid, called)) is not None:
        return f"; did you mean '{meant}'?"
    return f"; valid: {', '.join(valid[:_MOST])}{', …' * (len(valid) > _MOST)}"


def require_known(key: str, name: str, known: Collection[str], what: str) -> None:
    """Raise ValueError if a key of the configuration has an unknown name. what: the known ones, in words."""
    if name not in known:
        raise ValueError(f"{key}: '{name}' is not one of the {what}{did_you_mean(name, known)}")
