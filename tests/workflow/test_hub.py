"""Hub models, end to end, from a hub that runs in the test: pinning, fetching, and the cache without a network."""

import hashlib
import http.server
import json
import threading
from pathlib import Path

import pytest
import yaml

from herbarium import store

pytestmark = pytest.mark.slow  # runs part of the workflow three times (half a minute)

COMMIT = "c" * 40


class Hub(http.server.BaseHTTPRequestHandler):
    """As much of the Hugging Face hub's interface as fetching one public model takes."""

    folder: Path

    def answer(self, body: bytes, **headers: str) -> None:
        self.send_response(200)
        for name, value in {"Content-Length": str(len(body)), "X-Repo-Commit": COMMIT, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        files = sorted(file for file in self.folder.iterdir() if file.is_file())
        if path.startswith("/api/models/org/name/tree/"):
            tree = [{"type": "file", "path": f.name, "size": f.stat().st_size, "oid": f.name} for f in files]
            self.answer(json.dumps(tree).encode(), Content_Type="application/json")
        elif path in ("/api/models/org/name", f"/api/models/org/name/revision/{COMMIT}"):
            info = {"id": "org/name", "sha": COMMIT, "siblings": [{"rfilename": f.name} for f in files]}
            self.answer(json.dumps(info).encode(), Content_Type="application/json")
        elif path.startswith(f"/org/name/resolve/{COMMIT}/") and (self.folder / Path(path).name) in files:
            body = (self.folder / Path(path).name).read_bytes()
            self.answer(body, ETag=f'"{hashlib.sha256(body).hexdigest()}"')
        else:
            self.send_error(404)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *arguments) -> None:
        pass


@pytest.fixture
def hub(model_folder):
    """The address of a hub that has the tiny BERT as org/name."""
    handler = type("TinyHub", (Hub,), {"folder": model_folder("bert")})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_hub_model_is_pinned_fetched_and_then_used_without_a_network(project, hub, tmp_path):
    online = {"HF_ENDPOINT": hub, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_DISABLE_XET": "1"}
    project.configure(models={"m": {"hub": "org/name", "kind": "masked"}})

    done = project.snakemake("pin_models", **online)
    assert done.returncode == 0, done.stdout
    assert yaml.safe_load((project.folder / "config/models.lock.yaml").read_text()) == {"org/name": COMMIT}

    done = project.snakemake("results/plans/m/herb/sentences-0.parquet", **online)
    assert done.returncode == 0, done.stdout
    record = store.read_json(project.folder / "results/models/m.json")
    assert (record["source"], record["hub"], record["revision"]) == ("hub", "org/name", COMMIT)
    assert record["path"] is None  # the cache lies elsewhere on every machine

    offline = {**online, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "1"}
    done = project.snakemake("herb", **offline)
    assert done.returncode == 0, done.stdout
    assert (project.folder / "results/metrics/herb/m.parquet").exists()
