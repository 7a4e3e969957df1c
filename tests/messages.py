"""The messages of errors, to read when they change: `python tests/messages.py` writes `tests/messages.txt` anew."""

import ast
from pathlib import Path

CODE = Path("workflow/scripts")
SNAPSHOT = Path("tests/messages.txt")
ERRORS = ("HerbariumError", "ValueError")  # the configuration shows its reader the latter, too


def snapshot():
    """The messages of each file in their order, with the code that fills a gap in braces."""
    by_path = ((path, messages(path.read_text(encoding="utf-8"))) for path in sorted(CODE.rglob("*.py")))
    return "\n".join(f"{path}\n" + "".join(f"- {message}\n" for message in some) for path, some in by_path if some)


def messages(code):
    """What the errors in this code say, in its order."""
    calls = [node for node in ast.walk(ast.parse(code)) if _is_error(node)]
    return [_shown(call.args[0]) for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset))]


def _is_error(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS and bool(node.args)


def _shown(node):
    """The text that an expression makes, on one line."""
    match node:
        case ast.Constant(value=str(text)):
            return text.replace("\n", "\\n")
        case ast.JoinedStr(values=parts):
            return "".join(map(_shown, parts))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _shown(left) + _shown(right)
        case ast.FormattedValue(value=gap) | gap:
            return f"{{{ast.unparse(gap)}}}"


if __name__ == "__main__":
    SNAPSHOT.write_text(snapshot(), encoding="utf-8")
