"""The cards of the trace view; each declares its pane, HTML, script, figures, captions, and part in `hide=`.

Each module of `demo.trace.cards` with a `CARD` is found, and so is every figure of a decoding.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from demo.i18n import in_page
from demo.widgets.figures.figure import Figure
from demo.widgets.figures.trace_figure import HideablePart, TraceFigure, trace_figures
from demo.widgets.view.assets import DEMO, asset
from models.decoding.trace import DecodingTrace
from models.discovery import discover

if TYPE_CHECKING:
    from demo.inspect.view import InspectView

Caption = str | list[str] | Mapping[str, str]  # one sentence, one for each hypothesis, or several by name
PROBABILITIES = "probabilities"  # the part that hides every number of the model
# The labels of the panes, which stand side by side under the bands; a phone shows one at a time.
PANES = {
    "left": in_page("Step"),
    "centre": in_page("Search"),
    "right": in_page("Source"),
    "inspect": in_page("Inspect"),  # replaces the others, since its views need room
}
# Place of the stepper, the last band above the panes, which shares its line with the switch between them.
LINE = 40
INSPECT = 1000  # added to the positions of the views of Inspect, which follow all other cards


@dataclass(frozen=True)
class Card:
    """One card: a tab of a pane, or a band across the view."""

    name: str
    position: int  # the smaller, the higher on the page, or the further ahead among the tabs of its pane
    html: str  # its content
    part: HideablePart | None = None  # the part that hides it
    # Further parts that hide it. The default is safe: most cards show a number of the model.
    hidden_by: tuple[str, ...] = (PROBABILITIES,)
    parts: tuple[HideablePart, ...] = ()  # parts that hide some of its content
    covers: Mapping[str, str] = field(default_factory=dict)  # CSS of the content that a part hides, by part
    tag: str = "div"
    attributes: str = ""  # attributes of its element; by default those of a card
    pane: str = ""  # one of PANES; a band has none
    within: str = ""  # the card at whose end it stands; then it has no tab of its own
    title: str = ""  # the title of its tab
    for_lessons: bool = False  # whether its tab appears only when a lesson or a link opens it
    script: str = ""  # a module below `demo`, see trace_card.d.ts
    figures: Mapping[str, Callable[[DecodingTrace], Figure | None]] = field(default_factory=dict)
    captions: Mapping[str, Callable[[DecodingTrace], Caption]] = field(default_factory=dict)
    payload: Mapping[str, Callable[[DecodingTrace], Any]] = field(default_factory=dict)  # further data
    # The names of its charts in the hints of buttons, by `data-chart`; marked by `in_page`.
    downloads: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.pane and self.position <= LINE:
            raise ValueError(
                f"The card {self.name} is in the pane {self.pane}, below the stepper, but its position is "
                f"{self.position}: choose a position above {LINE}, or leave out the pane to make it a band."
            )

    @property
    def everywhere(self) -> str:
        """The CSS selector of the card, its tab and its part of the pane's menu."""
        marks = ("card", "tab", "more") if self.pane else ("card",)
        return ", ".join(f'[data-{mark}="{self.name}"]' for mark in marks)

    @property
    def hiding_parts(self) -> tuple[str, ...]:
        """The names of the parts whose hiding hides the whole card."""
        first = (self.part.name,) if self.part is not None else ()
        return (*first, *(name for name in self.hidden_by if name not in first))


@cache
def cards() -> tuple[Card, ...]:
    """All cards, from the top of the view to its end."""
    from demo.inspect import inspect_views

    views = map(inspect_card, inspect_views())
    return tuple(sorted([*drawn_cards(), *views], key=lambda card: card.position))


@cache
def drawn_cards() -> tuple[Card, ...]:
    """The cards that show the trace alone, from top to end. The views of Inspect ask the network again."""
    discovered = discover("demo.trace.cards", Card)
    return tuple(sorted([*discovered, *map(figure_card, trace_figures())], key=lambda card: card.position))


def figure_card(figure: TraceFigure) -> Card:
    """The card of a figure; a script with the figure's name lets it follow the selection."""
    script = f"trace/cards/figures/{figure.name}.js"
    title = html.escape(figure.title)
    inside = f"""<div class="tv-scroll" role="group" aria-label="{html.escape(figure.label)}">\
<div class="tv-{figure.name}" data-figure="{figure.name}"></div></div>
<p class="tv-caption" data-caption="{figure.name}"></p>"""
    # A figure at the end of another card is folded, since most charts need Plotly, which is slow to load.
    folded = f"<details><summary><h4>{title}</h4></summary>\n{inside}\n</details>"
    content = folded if figure.within else f"<header><h3>{title}</h3></header>\n{inside}"
    downloads = f'<div class="tv-more"><span class="tv-downloads" data-chart="{figure.name}"></span></div>'
    return Card(
        name=figure.name,
        position=figure.position,
        pane=figure.pane,
        within=figure.within,
        title=figure.title,
        html=f"{downloads}\n{content}",
        part=figure.part,
        hidden_by=figure.hidden_by,
        script=script if (DEMO / script).exists() else "",
        figures={figure.name: figure.draw},
        captions={figure.name: figure.caption},
        downloads={figure.name: figure.called},
    )


def inspect_card(view: InspectView) -> Card:
    """The card of a view of Inspect; all these cards have the same script."""
    title, question = html.escape(view.title), html.escape(view.question)
    answer = asset("widgets/answers/shown.html").replace("TITLE", title)
    head = f'<header>\n  <h3>{title}</h3>\n</header>\n<p class="tv-inspect-question">{question}</p>'
    return Card(
        name=view.name,
        position=INSPECT + view.position,
        pane="inspect",
        title=view.title,
        html=f"{head}\n{answer}",
        part=HideablePart(view.name, view.title),
        script="trace/cards/inspect/inspect.js",
        attributes='class="tv-card tv-inspect-card"',
        for_lessons=view.for_lessons,
    )


def cards_html() -> str:
    """The HTML of all cards: the bands above the stepper, its line, the panes, and the other bands."""
    bands = [card for card in cards() if not card.pane]
    above = [_element(card) for card in bands if card.position < LINE]
    line = [_element(card) for card in bands if card.position == LINE]
    below = [_element(card) for card in bands if card.position > LINE]
    panes = [_pane(*pane) for pane in PANES.items()]
    shared = ['<div class="tv-line">', *line, _switch(), "</div>", '<div class="tv-panes">', *panes, "</div>"]
    return "\n".join([*above, *shared, *below])


def _switch() -> str:
    """The buttons that choose a pane."""
    buttons = "".join(
        f'<button type="button" data-pane-shown="{pane}" aria-pressed="false">{called}</button>'
        for pane, called in PANES.items()
    )
    return f'<div class="tv-switch" role="group" aria-label="What to look at">{buttons}</div>'


def _tab(card: Card) -> str:
    mark = " data-for-lessons" if card.for_lessons else ""
    return f'<button type="button" role="tab" data-tab="{card.name}"{mark}>{html.escape(card.title)}</button>'


def _pane(pane: str, called: str) -> str:
    members = [card for card in cards() if card.pane == pane and not card.within]
    tabs = "".join(map(_tab, members))
    inside = "\n".join(map(_element, members))
    return f"""<section class="tv-pane" data-pane="{pane}" aria-label="{called}">
<div class="tv-pane-head">
<div class="tv-tabs" role="tablist" aria-label="{called}">{tabs}</div>
</div>
<div class="tv-pane-body">
{inside}
</div>
</section>"""


def _element(card: Card) -> str:
    kind, role = ("tv-within", "group") if card.within else ("tv-card", "tabpanel")
    attributes = card.attributes or f'class="{kind} tv-{card.name}-card"'
    if card.pane:
        attributes += f' role="{role}" aria-label="{html.escape(card.title)}"'
    script = f' data-script="{card.script}"' if card.script else ""
    inside = card.html.strip()
    for chart, called in card.downloads.items():
        mark = f'data-chart="{chart}"'
        inside = inside.replace(mark, f'{mark} data-name="{html.escape(called)}"')
    inside = "\n".join([inside, *(_element(inner) for inner in cards() if inner.within == card.name)])
    return f'<{card.tag} {attributes} data-card="{card.name}"{script}>\n{inside}\n</{card.tag}>'
