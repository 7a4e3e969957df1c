"""The one exception that people are meant to read."""

import difflib
import re
from collections.abc import Callable, Collection, Iterable

_MOST = 40  # names in a message


class HerbariumError(Exception):
    """Something that the user can fix: the message says what is wrong, where, and what would be right."""


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
    said = re.search(r"\(os error (\d+)\)", str(error))
    return int(said.group(1)) if said else getattr(error, "errno", None)


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """The end of a message about an invalid name: the nearest valid one, or else all valid ones, if they are few."""
    valid = list(valid)
    same_letters = [other for other in valid if other.casefold() == name.casefold()]
    near = same_letters or difflib.get_close_matches(name, valid, n=1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; valid: {', '.join(valid[:_MOST])}{', …' * (len(valid) > _MOST)}"


def require_known(key: str, name: str, known: Collection[str], what: str) -> None:
    """Raise ValueError if a key of the configuration has an unknown name. what: the known ones, in words."""
    if name not in known:
        raise ValueError(f"{key}: '{name}' is not one of the {what}{did_you_mean(name, known)}")
