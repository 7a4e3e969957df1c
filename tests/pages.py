"""What the pages of the documentation hold: blocks of code, and the files that those are."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHELL = ("", "bash")  # what languages of a fence may hold commands
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"`([\w./-]+\.\w+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block. file: the one that it is, the last that the paragraph before it names."""

    language: str
    text: str
    file: str | None


def blocks(page: str | Path, after: str = "", before: str | None = None) -> list[Block]:
    """The blocks of a page, or of its part after a heading and before another."""
    text = Path(page).read_text(encoding="utf-8")
    assert after in text
    assert before is None or before in text
    text = text.partition(after)[2] if after else text
    text = text.partition(before)[0] if before else text
    values = []
    for match in _BLOCK.finditer(text):
        paragraph = text[: match.start()].rstrip("\n").rpartition("\n\n")[2]
        is_file = match[1] not in SHELL and (paragraph.endswith(":") or paragraph.startswith("`"))
        named = _FILE.findall(paragraph) if is_file else []
        values.append(Block(match[1], match[2], named[-1] if named else None))
    return values
