"""What stands in the place of Python: has the server fork a process that runs the same arguments, and ends as it ends.

Arguments: the server's socket, the real Python, the path of what stands in its place, then the arguments of Python. The
fork has the same standard streams, environment, working folder, limits and mask of new files; it gets every signal that
the client gets, and is killed if the client is. With other options of Python's than `-m`, further open files, or no
server, the client becomes a new Python process.
"""

import _socket as socket
import array
import json
import os
import resource
import signal
import struct
import sys

LIMITS = [getattr(resource, name) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")]
FORWARDED = [
    getattr(signal, f"SIG{name}") for name in ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "ALRM", "CONT", "WINCH"]
]


def is_simple(arguments: list[str]) -> bool:
    """Whether Python is to run a file or a module, without options of its own, with the standard streams alone."""
    listed = os.listdir("/proc/self/fd")  # with the folder itself, which is closed by now
    if any(int(number) > 2 and os.path.lexists(f"/proc/self/fd/{number}") for number in listed):
        return False
    return bool(arguments) and (os.path.isfile(arguments[0]) or (arguments[0] == "-m" and len(arguments) > 1))


def ask(server: "socket.socket", executable: str, arguments: list[str]) -> int:
    """Have a process forked; its number. Raises OSError when the server is gone."""
    mask = os.umask(0)
    os.umask(mask)
    request = {
        "executable": executable,
        "arguments": arguments,
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "mask": mask,
        "niceness": os.nice(0),
        "limits": [[limit, *resource.getrlimit(limit)] for limit in LIMITS],
        "ignored": [int(number) for number in FORWARDED if signal.getsignal(number) == signal.SIG_IGN],
    }
    content = json.dumps(request).encode()
    streams = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))
    server.sendmsg([struct.pack("i", len(content))], [streams])
    while content:
        content = content[server.send(content) :]
    return receive(server)


def receive(server: "socket.socket") -> int:
    """A whole number from the server. Raises OSError when the server is gone."""
    content = server.recv(4, socket.MSG_WAITALL)
    if len(content) < 4:
        raise ConnectionError
    return struct.unpack("i", content)[0]


def end_as(process: int, server: "socket.socket") -> None:
    """Pass signals on to the fork, and end with its exit status or by the signal that killed it."""
    for number in FORWARDED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: os.kill(process, number))
    try:
        status = receive(server)
    except ConnectionError:
        sys.exit("The process that this job was forked from has ended, and the job with it.")
    if status >= 0:
        os._exit(status)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the fork has left one, if any
    if -status != signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)


def main(path: str, python: str, executable: str, *arguments: str) -> None:
    if is_simple([*arguments]):
        try:
            server = socket.socket(socket.AF_UNIX)
            server.connect(path)
            process = ask(server, executable, [*arguments])
        except OSError:
            server.close()
        else:
            end_as(process, server)
    os.execv(python, [python, *arguments])


main(*sys.argv[1:])
