"""A page names the files that it will need before Gradio's script asks for them."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from demo.server import early_files
from demo.server.early_files import PLAIN_HANDLERS, files_for

SCRIPT = re.compile(r'<script type="module" crossorigin src="\./assets/([^"]+)">')


@pytest.fixture
def fresh_cache() -> None:
    files_for.cache_clear()


@pytest.mark.slow
def test_the_page_preloads_existing_files_before_its_script(served: str) -> None:
    page = httpx.get(served).text
    before, script, _ = page.partition('<script type="module"')
    assert script
    assert PLAIN_HANDLERS in before
    named = re.findall(
        r'<link rel="(?:modulepreload|preload" as="style" crossorigin)" href="([^"]+)">', before
    )
    assert len(named) == len({*named}) > 40
    for address in named:
        assert httpx.get(f"{served}{address}").status_code == 200, address
    # The parts of the page that a visitor cannot do without, and its own modules.
    for part in ("views.js", "Blocks-", "HTML-", "core-"):
        assert any(part in address for address in named), part


def test_a_components_kind_determines_its_preloaded_files(served: str, fresh_cache: None) -> None:
    match = SCRIPT.search(httpx.get(served).text)
    assert match is not None
    any_page = files_for(match[1], ())
    with_slider = files_for(match[1], ("slider", "no such component"))
    assert with_slider[: len(any_page)] == any_page
    assert {Path(item).suffix for item in with_slider[len(any_page) :]} == {".js", ".css"}
    assert match[1] not in with_slider


def test_a_script_of_unknown_form_leaves_the_page_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_cache: None
) -> None:
    (tmp_path / "main.js").write_text('import("./Index-a.js")', encoding="utf-8")
    monkeypatch.setattr(early_files, "scripts_folder", lambda: tmp_path)
    assert files_for("main.js", ("slider",)) == ()
