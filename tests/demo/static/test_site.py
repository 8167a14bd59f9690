"""The folder of the page without a server: every named file exists, and faults are found."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demo.i18n import LANGUAGES, complete_languages
from demo.static.__main__ import main
from demo.static.site.check import problems
from demo.static.site.checkpoints import select_names
from models.registry.name import UnknownCheckpointError
from models.registry.registry import Registry
from tests.demo.static.site import NAMES

pytestmark = pytest.mark.slow
REGISTRY = Registry(Path("checkpoints"))
NAME = "reverse-rnn"


@pytest.fixture(scope="module")
def folder(site_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the site, in which tests plant faults."""
    return Path(shutil.copytree(site_folder, tmp_path_factory.mktemp("static") / "site"))


def test_the_folder_has_no_fault(folder: Path) -> None:
    assert problems(folder) == []


def test_every_language_has_the_widgets_and_the_drawn_example(folder: Path) -> None:
    for code, word in {"en": "Decode", "es": "Decodificar", "zh": "解码"}.items():
        page = (folder / "texts" / code / "page.json").read_text(encoding="utf-8")
        assert word in page
        assert tuple(json.loads(page)["checkpoints"]) == NAMES
        drawn = json.loads((folder / "checkpoints" / NAME / f"drawn.{code}.json").read_text(encoding="utf-8"))
        assert drawn["trace"]["checkpoint"] == NAME


def test_every_setting_of_a_decoding_has_a_widget(folder: Path) -> None:
    page = json.loads((folder / "texts" / "en" / "page.json").read_text(encoding="utf-8"))
    settings = [name for name in page["config"]["defaults"] if name in page["config"]["parameters"]["decode"]]
    assert settings
    assert set(settings) <= page["controls"].keys()


def test_every_number_of_the_form_starts_at_its_default(folder: Path) -> None:
    page = json.loads((folder / "texts" / "en" / "page.json").read_text(encoding="utf-8"))
    values = {node["id"]: node.get("value", "") for node in _nodes(page["tree"])}
    starts = {name: values[page["controls"][name]] for name in page["config"]["defaults"]}
    assert starts == page["config"]["defaults"]


def test_the_first_page_names_every_language(folder: Path) -> None:
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert f'data-languages="{" ".join(LANGUAGES)}"' in index
    assert f'data-complete="{" ".join(complete_languages())}"' in index
    assert all((folder / "texts" / code / "page.json").is_file() for code in LANGUAGES)


def test_a_view_finds_plotly_in_the_folder(folder: Path) -> None:
    page = json.loads((folder / "texts" / "en" / "page.json").read_text(encoding="utf-8"))
    sources = [node.get("props", {}).get("plotly_source") for node in _nodes(page["tree"])]
    assert any(sources)
    assert all((folder / source).is_file() for source in sources if source)


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("children", ()):
        yield from _nodes(child)


@pytest.mark.parametrize(
    ("file", "added", "sentence"),
    [
        ("index.html", '<script src="lost.js"></script>', "index.html names lost.js"),
        ("index.html", '<script src="https://example.org/x.js"></script>', "fetches from another address"),
        ("texts/en/style.css", "a { background: url('lost.png'); }", "names lost.png"),
        (f"checkpoints/{NAME}/README.md", "\n", "README.md is not as files.json lists it"),
    ],
)
def test_the_check_finds_a_fault(folder: Path, file: str, added: str, sentence: str) -> None:
    path = folder / file
    before = path.read_bytes()
    path.write_bytes(before + added.encode())
    try:
        assert any(sentence in problem for problem in problems(folder))
    finally:
        path.write_bytes(before)


def test_the_check_finds_a_card_without_a_licence(folder: Path) -> None:
    card = folder / "checkpoints" / NAME / "README.md"
    before = card.read_text(encoding="utf-8")
    card.write_text(before.replace("\nlicense: ", "\nother: "), encoding="utf-8")
    try:
        assert f"The card of {NAME} names no licence." in problems(folder)
    finally:
        card.write_text(before, encoding="utf-8")


def test_without_names_the_small_checkpoints_and_one_translator_are_chosen() -> None:
    names = select_names(REGISTRY, [])
    assert "spa-eng-gru" in names
    assert NAME in names
    assert "spa-eng-transformer" not in names


def test_an_unknown_checkpoint_is_refused() -> None:
    with pytest.raises(UnknownCheckpointError):
        select_names(REGISTRY, ["reverse-rn"])


def test_an_empty_folder_is_no_page(tmp_path: Path) -> None:
    (tmp_path / "index.txt").write_text("", encoding="utf-8")
    with pytest.raises(SystemExit, match=re.escape(str(tmp_path))):
        main(["--check", "--output", str(tmp_path)])
