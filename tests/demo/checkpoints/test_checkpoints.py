"""The Checkpoints tab: its payload for complete, odd and damaged checkpoints, and its button."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.checkpoints.gallery.component import CHAPTERS, CheckpointGallery, Gallery, gallery_payload
from demo.checkpoints.tab import on_gallery, on_open
from demo.page.interface import build_demo
from demo.widgets.view.assets import asset, scripts
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from models.registry.card import CheckpointCard
from models.registry.checkpoint import CONFIG
from models.registry.registry import QUALITY, UnknownCheckpointError
from tests.demo.conftest import LETTERS, WORDS
from tests.demo.widgets.figures.curves.test_quality_by_length import quality

CARD = CheckpointCard(
    "one", "Says little.", "reversal", "GRU", (), "mit", "strings", 1000, 2000, (), "# one\n\nText."
)
EVIL = "<img src=x onerror=alert(1)></script>${alert(1)}"


def payload_of(cards: dict[str, CheckpointCard | str], **qualities: Any) -> dict[str, Any]:
    return json.loads(gallery_payload(Gallery(cards, qualities)))


def names(payload: dict[str, Any]) -> dict[str, list[str]]:
    return {part["title"]: [item["name"] for item in part["checkpoints"]] for part in payload["chapters"]}


def test_chapters_are_in_order_with_the_simplest_network_first() -> None:
    cards = {
        card.name: card
        for card in (
            replace(CARD, name="d", chapter="no such chapter"),
            replace(CARD, name="c", chapter="transformers"),
            replace(CARD, name="b", chapter="bottleneck", parameters=5),
            replace(CARD, name="a", chapter="bottleneck", parameters=9),
        )
    }
    titles = [CHAPTERS[key][0] for key in ("bottleneck", "transformers", "other")]
    assert list(names(payload_of(cards)).items()) == list(
        zip(titles, [["b", "a"], ["c"], ["d"]], strict=True)
    )


def test_a_checkpoint_shows_its_summary_lesson_and_facts() -> None:
    ((item,),) = (
        part["checkpoints"]
        for part in payload_of({"one": replace(CARD, lesson="It looks back.")})["chapters"]
    )
    assert (item["summary"], item["lesson"], item["body"]) == ("Says little.", "It looks back.", CARD.body)
    facts = {fact["name"]: fact["value"] + fact["note"] for fact in item["facts"]}
    assert facts["Network"] == "GRU"
    assert facts["Size"].endswith(" kB on disk")
    assert "mit" in facts["Trained on"]


def drawn_names(answer: dict[str, Any]) -> list[str]:
    """The names in the legend of an answer's chart."""
    return [trace["name"] for trace in answer["charts"][0]["data"] if trace.get("showlegend", True)]


def test_texts_of_cards_are_sent_unchanged() -> None:
    payload = payload_of({"one": replace(CARD, summary=EVIL, lesson=EVIL, body=EVIL), EVIL: EVIL})
    assert payload["chapters"][0]["checkpoints"][0]["summary"] == EVIL
    assert payload["chapters"][1]["checkpoints"] == [{"name": EVIL, "problem": EVIL}]


def test_charts_follow_the_order_of_the_story() -> None:
    cards = {
        "gru": replace(CARD, name="gru", chapter="attention"),
        "lstm": replace(CARD, name="lstm", chapter="bottleneck"),
    }
    payload = payload_of(cards, gru=quality("gru", 52, 50), lstm=quality("lstm", 50, 20))
    (chart,) = payload["charts"]
    assert drawn_names(chart) == ["lstm", "gru"]
    assert chart["table"]["head"] == ["words", "sources", "lstm", "gru"]
    assert chart["table"]["rows"][1] == ["4", "100", "20.0 (18.0 to 22.0)", "50.0 (48.0 to 52.0)"]
    assert chart["sentences"][0].startswith("lstm falls furthest behind at 4 words")
    assert chart["numbers"].startswith("As a table, with 95% intervals of 2,000 test sets drawn again")


def test_checkpoints_without_measurements_have_no_chart() -> None:
    assert payload_of({"one": CARD})["charts"] == []


def test_unreadable_files_are_named_and_the_rest_is_shown(context: AppContext, root: Path) -> None:
    (root / LETTERS / CONFIG).write_text("{", encoding="utf-8")
    (root / WORDS / QUALITY).write_text("{", encoding="utf-8")
    view = on_gallery(context)
    assert "config.json cannot be read" in str(view.cards[LETTERS])
    assert isinstance(view.cards[WORDS], CheckpointCard)
    payload = json.loads(CheckpointGallery(elem_id="x").postprocess(view) or "")
    assert names(payload) == {"Other checkpoints": [WORDS], "Not readable": [LETTERS]}
    (problem,) = payload["problems"]
    assert "quality_by_length.json cannot be used" in problem


@pytest.mark.parametrize(
    ("location", "odd", "problem"),
    [
        ("bytes", ".inf", "README.md has no usable metadata"),
        ("data", "2024-01-01", "README.md has no usable metadata"),
        ("architecture", "[GRU]", "README.md has no usable metadata"),
        ("summary", "no", "README.md has no usable metadata"),
        ("value", 10**400, "quality_by_length.json cannot be used"),
        ("high", 200, "quality_by_length.json cannot be used"),
    ],
)
def test_an_odd_value_affects_only_its_own_field(
    location: str, odd: Any, problem: str, context: AppContext, root: Path
) -> None:
    (root / WORDS / QUALITY).write_text(quality(WORDS, 50).to_json(), encoding="utf-8")
    shutil.copytree(root / WORDS, root / "odd")
    file = root / "odd" / (QUALITY if location in {"value", "high"} else "README.md")
    text = file.read_text(encoding="utf-8")
    changed = re.sub(rf'"{location}": [^,\n}}]+', f'"{location}": {odd}', text, count=1)
    assert changed != text
    file.write_text(changed, encoding="utf-8")
    payload = json.loads(gallery_payload(on_gallery(context)))
    is_card = file.name == "README.md"
    assert names(payload) == (
        {"Other checkpoints": [LETTERS, WORDS], "Not readable": ["odd"]}
        if is_card
        else {"Other checkpoints": [LETTERS, "odd", WORDS]}
    )
    (chart,) = payload["charts"]
    assert drawn_names(chart) == [WORDS]
    assert str(root) not in json.dumps(payload)
    (message,) = [payload["chapters"][-1]["checkpoints"][0]["problem"]] if is_card else payload["problems"]
    assert problem in message


def test_a_measurement_is_shown_with_its_checkpoint(context: AppContext, root: Path) -> None:
    (root / WORDS / QUALITY).write_text(quality("elsewhere", 50).to_json(), encoding="utf-8")
    assert on_gallery(context).quality == {WORDS: quality(WORDS, 50)}


def test_the_same_checkpoints_are_sent_as_the_same_text(context: AppContext) -> None:
    assert gallery_payload(on_gallery(context)) == gallery_payload(on_gallery(context))


def test_a_button_chooses_the_checkpoint_and_turns_to_decode(context: AppContext) -> None:
    picker, tabs = on_open(context, None, {"name": WORDS})
    assert (picker["value"], tabs.selected) == (WORDS, "decode")
    assert [name for _, name in picker["choices"]] == [LETTERS, WORDS]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (None, RequestError),
        ([], RequestError),
        ({}, RequestError),
        ({"name": 3}, RequestError),
        ({"name": "x" * 10_000}, RequestError),
        ({"name": "../letters"}, UnknownCheckpointError),
        ({"name": EVIL}, UnknownCheckpointError),
    ],
)
def test_invalid_requests_of_the_browser_are_refused(
    context: AppContext, data: object, error: type[Exception]
) -> None:
    with pytest.raises(error):
        on_open(context, None, data)


def test_values_of_the_browser_are_not_read() -> None:
    assert CheckpointGallery(elem_id="x").preprocess(EVIL) is None


@pytest.mark.slow
def test_the_checkpoints_tab_follows_evaluate(context: AppContext) -> None:
    blocks = build_demo(context).blocks.values()
    tabs = [block.label for block in blocks if isinstance(block, gr.Tab)]
    assert tabs == ["Decode", "Compare", "Evaluate", "Checkpoints", "Learn"]
    assert [block.value for block in blocks if isinstance(block, CheckpointGallery)] == [None]


@pytest.mark.slow
def test_the_checkpoints_tab_reads_and_draws_nothing_before_it_is_opened(root: Path) -> None:
    """Building the page reads no cards and imports no library for charts."""
    program = (
        "import sys; from pathlib import Path\n"
        "from demo.work.context import AppContext; from demo.page.interface import build_demo\n"
        "from models.registry.registry import Registry\n"
        "read = []; cards = Registry.cards; Registry.cards = lambda self: read.append(1) or cards(self)\n"
        "build_demo(AppContext(Registry(Path(sys.argv[1])), 'cpu'))\n"
        "print(read, 'plotly.graph_objects' in sys.modules, 'torch' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(root)]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] False False"


def test_no_script_of_the_checkpoints_tab_writes_html() -> None:
    folders = ("checkpoints/", "training/push/", "widgets/")
    paths = [path for path in scripts() if path.startswith(folders)]
    assert len(paths) > 6
    for path in paths:
        code = asset(path)
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", code)
