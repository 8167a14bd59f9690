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
def test_a_page_names_files_that_there_are_before_its_script(served: str) -> None:
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


def test_a_kind_of_component_brings_what_it_needs(served: str, fresh_cache: None) -> None:
    match = SCRIPT.search(httpx.get(served).text)
    assert match is not None
    any_page = files_for(match[1], ())
    with_slider = files_for(match[1], ("slider", "no such component"))
    assert with_slider[: len(any_page)] == any_page
    assert {Path(item).suffix for item in with_slider[len(any_page) :]} == {".js", ".css"}
    assert match[1] not in with_slider


def test_a_script_built_in_another_way_leaves_the_page_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_cache: None
) -> None:
    (tmp_path / "main.js").write_text('import("./Index-a.js")', encoding="utf-8")
    monkeypatch.setattr(early_files, "scripts_folder", lambda: tmp_path)
    assert files_for("main.js", ("slider",)) == ()
