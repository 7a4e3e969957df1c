"""A hub on the loopback address: as much of the Hugging Face hub's interface as fetching public repositories takes.

And servers of files and repositories of Git, as texts are published in.
"""

import hashlib
import http.server
import json
import re
import subprocess
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

COMMIT = "c" * 40  # the one commit of every repository, but for its branches


def commit_of(branch: str) -> str:
    """The one commit of a branch; a commit is its own."""
    return branch if re.fullmatch(r"[0-9a-f]{40}", branch) else hashlib.sha1(branch.encode()).hexdigest()


class _Hub(http.server.BaseHTTPRequestHandler):
    repositories: dict[str, Path]
    gated: Collection[str]

    def answer(self, body: bytes, **headers: str) -> None:
        self.send_response(200)
        settings = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in {"Content-Length": str(len(body)), "X-Repo-Commit": COMMIT, **settings}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        path = self.path.split("?")[0].strip("/")
        names = {repository.partition("@")[0] for repository in self.repositories}
        is_known = any(f"{path}/".startswith((f"api/{name}/", f"{name.removeprefix('models/')}/")) for name in names)
        for repository, folder in self.repositories.items():
            key, _, branch = repository.partition("@")
            sha = commit_of(branch) if branch else COMMIT
            asked = [f"api/{key}/revision/{branch_name}" for branch_name in (sha, branch) if branch_name] + [
                f"api/{key}"
            ] * (not branch)
            files = {str(file.relative_to(folder)): file for file in sorted(folder.rglob("*")) if file.is_file()}
            if path.startswith(f"api/{key}/tree/{sha}"):
                tree = [
                    {"type": "file", "path": name, "size": path.stat().st_size, "oid": name}
                    for name, path in files.items()
                ]
                return self.answer(json.dumps(tree).encode(), Content_Type="application/json")
            if path in asked:
                info = {"id": key.partition("/")[2], "sha": sha, "siblings": [{"rfilename": name} for name in files]}
                return self.answer(json.dumps(info).encode(), Content_Type="application/json")
            file = files.get(path.removeprefix(f"{key.removeprefix('models/')}/resolve/{sha}/"))
            if file and key in self.gated:  # what it contains is no secret
                return self.refuse(403, "GatedRepo")
            if file:
                body = file.read_bytes()
                return self.answer(body, X_Repo_Commit=sha, ETag=f'"{hashlib.sha256(body).hexdigest()}"')
        if not is_known:
            return self.refuse(404, "RepoNotFound")
        return self.refuse(404, "RevisionNotFound" if path.startswith("api/") else "EntryNotFound")

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *arguments) -> None:
        pass


@contextmanager
def serve(repositories: dict[str, Path], gated: Collection[str] = ()) -> Iterator[str]:
    """The address of a hub with these repositories: "models/org/name" or "datasets/org/name", and behind an @ the name
    of a branch -> folder. gated: those among them whose files it gives to nobody."""
    handler = type("Hub", (_Hub,), {"repositories": repositories, "gated": gated})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def serve_files(folder: Path) -> Iterator[str]:
    """The address of a server that gives the files of a folder, as they are when they are asked for."""

    class Files(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments) -> None:
            super().__init__(*arguments, directory=str(folder))

        def log_message(self, *arguments) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def commit(folder: Path) -> str:
    """Commit the files of a folder, a Git repository from then on; the name of the commit."""

    def git(*arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "texts")
    return git("rev-parse", "HEAD")
