"""The names of checkpoints in words, in every list of the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from demo.checkpoints.tab import on_gallery
from demo.i18n import LANGUAGES, in_language, message_text
from demo.i18n.page_translations import localize
from demo.server.page import Page
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.demo.i18n.keys import CHECKPOINTS, whole_page

SHIPPED = AppContext(Registry(CHECKPOINTS))
NAMES = SHIPPED.registry.names()
MAX_CHARACTERS = 72  # two lines of a list at 390 pixels


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return whole_page(tmp_path_factory.mktemp("page"))


def lists(config: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The labels by the names, of each list that offers a checkpoint."""
    props = [item["props"] for item in config["components"]]
    choices = {item["elem_id"]: item.get("choices") or [] for item in props if item.get("elem_id")}
    by_name = {
        element: {str(value): str(label) for label, value in items} for element, items in choices.items()
    }
    return {element: labels for element, labels in by_name.items() if labels.keys() & {*NAMES}}


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_title_says_the_task_and_the_network_and_then_the_name(code: str) -> None:
    with in_language(code):
        titles = {name: SHIPPED.title(name) for name in NAMES}
    words = {name: title.removesuffix(f" · {name}") for name, title in titles.items()}
    assert all(words[name] and words[name] != titles[name] for name in NAMES)
    assert len(set(titles.values())) == len(NAMES)
    assert max(map(len, titles.values())) <= MAX_CHARACTERS
    alike = [name for name in NAMES if SHIPPED.config(name).reads_like(SHIPPED.config("spa-eng-gru"))]
    assert len({words[name] for name in alike}) == len(alike), "the chip shows the words alone"


def test_the_words_are_those_of_card_and_network() -> None:
    assert SHIPPED.title("spa-eng-lstm") == "Spanish → English, LSTM without attention · spa-eng-lstm"
    assert SHIPPED.title("shapes-captioner").startswith("Image captioning, CNN and GRU with attention")
    with in_language("es"):
        assert SHIPPED.title("reverse-rnn") == "Inversión, RNN de Elman sin atención · reverse-rnn"


@pytest.mark.parametrize("name", ["no-such-checkpoint", "spa-eng-gru@no-such-variant"])
def test_a_checkpoint_that_cannot_be_read_keeps_its_name(name: str) -> None:
    assert SHIPPED.title(name) == name


def test_a_damaged_card_leaves_the_name(context: AppContext) -> None:
    Path(str(context.registry.folder(LETTERS)), "README.md").write_text("---\n", encoding="utf-8")
    assert context.title(LETTERS) == LETTERS


@pytest.mark.slow
@pytest.mark.parametrize("code", LANGUAGES)
def test_every_list_of_the_page_has_the_titles(page: Page, code: str) -> None:
    with in_language(code):
        page_lists = lists(localize(dict(page.get_config_file()), {}, page.blocks))
        titles = {name: SHIPPED.title(name) for name in NAMES}
    assert page_lists.keys() >= {"checkpoint", "compare-checkpoint", "evaluate-checkpoints", "train-start"}
    for element, labels in page_lists.items():
        assert {name: labels[name] for name in labels.keys() & {*NAMES}}.items() <= titles.items(), element


def test_arrows_and_gallery_have_the_titles() -> None:
    from demo.decode.controls.checkpoint import neighbours

    for code in LANGUAGES:
        with in_language(code):
            for other, label in neighbours(SHIPPED, "spa-eng-gru", None):
                assert message_text(label).endswith(SHIPPED.title(other))
            assert on_gallery(SHIPPED).titles == {name: SHIPPED.title(name) for name in NAMES}
