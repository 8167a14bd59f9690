"""The default folders stay those of earlier versions, so that runs and models are found again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from models.corpus.public.prepare import CorpusSettings
from models.environment import on_space
from models.hub.settings import HubSettings
from models.training.launch.launcher import TrainingLimits

SYSTEMS = {
    "linux": (Path(".local/share"), Path(".cache")),
    "darwin": (Path("Library/Application Support"), Path("Library/Caches")),
    "win32": (Path("AppData/Local"), Path("AppData/Local")),
}


def test_the_default_folders_of_this_system_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    data, caches = SYSTEMS[sys.platform]
    assert TrainingLimits().root == tmp_path / data / "unrolled" / "runs"
    assert HubSettings().root == tmp_path / caches / "unrolled" / "hub"
    assert CorpusSettings().root == tmp_path / caches / "unrolled" / "corpora"


@pytest.mark.skipif(sys.platform != "linux", reason="variables of the XDG specification")
def test_xdg_variables_set_the_default_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/d")
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    assert TrainingLimits().root == Path("/d/unrolled/runs")
    assert CorpusSettings().root == Path("/c/unrolled/corpora")


def test_a_space_is_recognised_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert not on_space()
    monkeypatch.setenv("SPACE_ID", "someone/space")
    assert on_space()
