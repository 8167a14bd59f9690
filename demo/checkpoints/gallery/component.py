"""All checkpoints at a glance, in chapters, and their quality on short and on long sources.

Root element: `section.gallery`, inside the block that `elem_id` names. `data-ready` counts the complete
drawings, charts included; `data-state` is waiting or shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from demo.i18n import later, say
from demo.widgets.answers.content import Chart, Content, Table, as_sent
from demo.widgets.captions.quality import quality_sentence
from demo.widgets.checkpoint_card.component import count_text, facts, metric_fact, network_text
from demo.widgets.figures.curves.quality_by_length import (
    QualityChart,
    dark_bands,
    interval_text,
    quality_charts,
    quality_figure,
    span,
    value_text,
)
from demo.widgets.figures.figure import dark_by_light
from demo.widgets.view.assets import asset
from demo.widgets.view.modules import plotly_address
from demo.widgets.view.payload import json_text
from demo.widgets.view.view import View, with_colours
from models.registry.card import NO_CHAPTER, CheckpointCard
from models.registry.hugging_face.card import HUB_CHAPTER as HUB
from models.registry.quality_by_length import QualityByLength

STYLES = ("checkpoints/gallery/view.css", "widgets/menus/menu.css", "widgets/answers/shown.css")
INSIDE = asset("widgets/answers/shown.html").replace("TITLE", "Quality against source length")


@dataclass(frozen=True)
class Gallery:
    """The checkpoints to choose from; a sentence replaces what cannot be read."""

    cards: Mapping[str, CheckpointCard | str]  # cards by the name of the checkpoint
    quality: Mapping[str, QualityByLength | str]
    titles: Mapping[str, str] = field(default_factory=dict)  # names in words by the name of the checkpoint


# The title and one sentence on each chapter, ordered by the history of the ideas.
CHAPTERS = {
    "toys": (
        later("Warming up: tasks with one right answer"),
        later("A rule makes the data, so every step can be checked, and training takes minutes."),
    ),
    "bottleneck": (
        later("The bottleneck: everything through one vector"),
        later(
            "The encoder reads the whole source into one vector, and the decoder has nothing else to write "
            "from: the longer the source, the more gets lost."
        ),
    ),
    "attention": (
        later("Attention: look back at every step"),
        later(
            "The decoder need not remember everything: for each token that it writes, it weighs the tokens "
            "of the source again."
        ),
    ),
    "transformers": (
        later("Transformers: attention is all there is"),
        later(
            "No token waits for the one before it: layers of attention, several heads in each, do all "
            "the work."
        ),
    ),
    "sounds": (
        later("Sounds: from letters to how they are said"),
        later(
            "A source need not be a sentence: the same networks read a word by its letters and write its "
            "sounds."
        ),
    ),
    "pictures": (
        later("Pictures: the source is an image"),
        later(
            "A network cuts a picture into cells, and the same decoder looks at them and writes what it sees."
        ),
    ),
    HUB: (
        later("Added from the Hugging Face Hub"),
        later(
            "Networks that others have trained, here on this machine; every view shows them like "
            "the ones above."
        ),
    ),
    NO_CHAPTER: (later("Other checkpoints"), later("Their cards name none of the chapters above.")),
}


def gallery_payload(gallery: Gallery) -> str:
    """The gallery as JSON text; the same checkpoints twice give the same text."""
    chapters: dict[str, list[CheckpointCard]] = {}
    problems = []
    for name, card in gallery.cards.items():
        if isinstance(card, CheckpointCard):
            chapters.setdefault(card.chapter if card.chapter in CHAPTERS else NO_CHAPTER, []).append(card)
        else:
            problems.append({"name": name, "problem": card})
    chapter_cards = [  # the simplest first
        (key, sorted(chapters[key], key=lambda card: (card.parameters, card.name)))
        for key in CHAPTERS
        if key in chapters
    ]
    parts = [
        {
            "section": key,
            **dict(zip(("title", "intro"), map(say, CHAPTERS[key]), strict=True)),
            "checkpoints": [_checkpoint(card, gallery.titles) for card in cards],
        }
        for key, cards in chapter_cards
    ]
    if problems:
        title = say("Not readable")
        intro = say("These folders hold no checkpoint that can be used; the others are not affected.")
        parts.append({"section": "unreadable", "title": title, "intro": intro, "checkpoints": problems})
    names = [card.name for _, cards in chapter_cards for card in cards]
    measurements = [gallery.quality[name] for name in names if name in gallery.quality]
    charts = quality_charts(
        measurement for measurement in measurements if isinstance(measurement, QualityByLength)
    )
    content = {
        "chapters": parts,
        "charts": [_chart(chart) for chart in charts],
        "problems": [measurement for measurement in measurements if isinstance(measurement, str)],
        "dark": dark_by_light() | dark_bands(),
    }
    return json_text(content)


def _checkpoint(card: CheckpointCard, titles: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": card.name,
        "title": titles.get(card.name, card.name),
        "summary": say(card.summary),
        "lesson": say(card.lesson),
        "quality": metric_fact(card.metrics[0]) if card.metrics else None,
        "network": network_text(card),
        "size": say("{count} parameters", count=count_text(card.parameters)),
        "facts": facts(card),
        "body": card.body,
    }


def _chart(chart: QualityChart) -> dict[str, Any]:
    """The answer for one test set, the name of its files and the title of its table."""
    strategy = f", {say(chart.strategy)}" if chart.strategy else ""
    rows = []
    for index, lengths in enumerate(chart.lines[0].bins):
        bins = [line.bins[index] for line in chart.lines]
        cells = [f"{value_text(one.value, chart.metric)} ({interval_text(one)})" for one in bins]
        rows.append([span(lengths), f"{lengths.sources:,}", *cells])
    head = [say(chart.unit), say("sources"), *(line.name for line in chart.lines)]
    figure = Chart("quality", f"{chart.title}{strategy}", quality_figure(chart))
    return {
        "name": "quality",
        "numbers": say("As a table, with {intervals}", intervals=chart.intervals),
        **as_sent(Content([quality_sentence(chart)], [figure], Table(head, rows)), ()),
    }


class CheckpointGallery(View):
    """Draws a `Gallery`; text of a card is never read as HTML.

    Event `open`: `{"name": str}`, the checkpoint to open; it comes from the browser, so check it.
    """

    reads_browser = False

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """The view is empty until its first value arrives; `options` are those of `gr.HTML`."""
        super().__init__(
            "checkpoints/gallery",
            template=asset("checkpoints/gallery/view.html").replace("SHOWN", INSIDE),
            style=with_colours(".gallery", *STYLES),
            events=("open",),
            elem_id=elem_id,
            plotly_source=plotly_address(),
            **options,
        )

    def postprocess(self, value: Gallery | None) -> str | None:
        """Convert the value to one string, which Gradio sends only if it differs from the last one."""
        return None if value is None else gallery_payload(value)
