"""Notes about visitors, the progress of their downloads, and a page without the Hub's libraries."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from demo.checkpoints.hub_shelf.component import state_payload
from demo.work.hub import MAX_PROBLEMS, HubState, HubVisitor
from models.hub.download.fetch import DownloadProgress
from models.sizes import size_text

pytestmark = pytest.mark.slow


def test_the_number_of_a_visitors_kept_problems_is_bounded() -> None:
    visitor = HubVisitor()
    for number in range(3 * MAX_PROBLEMS):
        visitor.note(f"a/{number}", "No.")
    assert len(visitor.problems) == MAX_PROBLEMS


def test_progress_is_reported_in_bytes() -> None:
    state = HubState(1, {}, {"a/b": DownloadProgress("downloading", 120_000_000, 312_000_000)}, {})
    message = json.loads(state_payload(state))["adding"]["a/b"]
    assert message["text"] == "120 MB of 312 MB"
    assert message["share"] == pytest.approx(120 / 312)
    sizes = [size_text(count) for count in (10, 1e5, 999_999, 9.4e6, 1e7, 999_999_999, 2.46e9)]
    assert sizes == ["1 kB", "100 kB", "1.0 MB", "9.4 MB", "10 MB", "1.0 GB", "2.5 GB"]


@pytest.mark.full
def test_the_page_is_built_without_the_libraries_of_the_hub(root: Path, tmp_path: Path) -> None:
    program = (
        "import sys, gradio; from pathlib import Path\n"
        "before = set(sys.modules)\n"  # Gradio itself brings huggingface_hub
        "from demo.work.context import AppContext; from demo.work.hub import Hub\n"
        "from demo.page.interface import build_demo; from models.hub.settings import HubSettings\n"
        "from models.registry.registry import Registry\n"
        "hub = Hub(HubSettings(root=Path(sys.argv[2])))\n"
        "build_demo(AppContext(Registry(Path(sys.argv[1]), hub_models=hub), 'cpu', hub=hub))\n"
        "libraries = {'torch', 'transformers', 'huggingface_hub', 'safetensors'}\n"
        "print({name.split('.')[0] for name in set(sys.modules) - before} & libraries)"
    )
    command = [sys.executable, "-c", program, str(root), str(tmp_path)]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
