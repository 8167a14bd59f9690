"""A figure and a card for one test, whose modules are written to a temporary folder of their packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import demo.widgets.figures
from demo.links.hiding import parts
from demo.trace import cards as folder
from demo.trace.trace_card import cards, drawn_cards
from demo.widgets.figures.trace_figure import trace_figures

FIGURE = '''"""How unsure the model was at each step."""

from demo.widgets.figures.figure import Figure
from demo.widgets.figures.trace_figure import HideablePart, TraceFigure
from demo.i18n import in_page


def draw(trace):
    entropies = [step.rows[0].entropy for step in trace]
    return Figure([{"type": "scatter", "y": entropies}], {"height": 200}) if entropies else None


FIGURE = TraceFigure(
    name="planted",
    title="Entropy <of each> step",
    label="Entropy of each step",
    called="planted",
    part=HideablePart("planted", "the planted"),
    draw=draw,
    caption=lambda trace: f"{len(trace.steps)} steps.",
)
'''
CARD = '''"""How long the output is."""

from demo.widgets.figures.trace_figure import HideablePart
from demo.trace.trace_card import Card

CARD = Card(
    name="plantedcard",
    position=75,
    html='<header><h3>Length</h3></header><p class="tv-caption" data-caption="plantedcard"></p>',
    part=HideablePart("plantedcard", "the plantedcard"),
    captions={
        "plantedcard": lambda trace: [f"{len(output.token_ids)} tokens." for output in trace.hypotheses]
    },
    payload={"plantedcard": lambda trace: {"most": 7}},
)
'''
REGISTRIES = (trace_figures, drawn_cards, cards, parts)


@contextmanager
def throw_away_cards(path: Path) -> Iterator[None]:
    """Add the figure `planted` and the card `plantedcard` to their packages for a while."""
    modules = {demo.widgets.figures: ("entropy_of_steps", FIGURE), folder: ("length_of_output", CARD)}
    for package, (name, text) in modules.items():
        folder_path = path / package.__name__
        folder_path.mkdir(parents=True)
        (folder_path / f"{name}.py").write_text(text, encoding="utf-8")
        package.__path__.append(str(folder_path))
    _forget()
    try:
        yield
    finally:
        for package, (name, _) in modules.items():
            package.__path__.pop()
            sys.modules.pop(f"{package.__name__}.{name}", None)
        _forget()


def _forget() -> None:
    for registry in REGISTRIES:
        registry.cache_clear()
