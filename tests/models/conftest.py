"""A hub for models, without the network."""

import pytest


@pytest.fixture
def connect(monkeypatch, tmp_path):
    """Connects to the hub of an address, or to none; the local cache is an empty one."""
    from huggingface_hub import constants

    def to(address: str | None) -> None:
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", address is None)
        monkeypatch.setattr(constants, "ENDPOINT", address)
        template = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)

    monkeypatch.setattr(constants, "HF_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "home/hub"))
    to(None)
    return to
