"""Parts of the page that a link may hide (`hide=`), so that a class looks at one thing.

This is presentation, not access control: changing the link, or pressing “Show all”, shows everything. The
cards of a decoding declare their own parts; this module has those of several cards and of the rest of the
page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from demo.i18n import in_page
from demo.trace.trace_card import PROBABILITIES, Card, cards
from demo.widgets.figures.trace_figure import HideablePart

DECODE_AND_COMPARE = ("decode", "compare")
ALSO_EVALUATE = (*DECODE_AND_COMPARE, "evaluate")
ALL_TABS = (*ALSO_EVALUATE, "learn")


@dataclass(frozen=True)
class HiddenPart:
    """A part of the page with the elements that it hides."""

    label: str  # the label of a checkbox, after “hide”
    selectors: str  # CSS
    tabs: tuple[str, ...]  # the tabs that contain it


@dataclass(frozen=True)
class Preset:
    """A common choice of parts for a class."""

    label: str
    tabs: tuple[str, ...]
    hidden: tuple[str, ...] = ()  # names of parts
    visible: tuple[str, ...] = ()  # the only visible parts; empty: all parts are visible

    def hidden_on(self, tab: str) -> list[str]:
        """The names of the parts that the preset hides in a tab."""
        names = [name for name, part in parts().items() if tab in part.tabs]
        return [name for name in names if name in self.hidden or (self.visible and name not in self.visible)]


# Each part with the elements that it hides beside the cards of a decoding, in CSS.
PARTS_BEFORE_CARDS: tuple[tuple[HideablePart, str], ...] = (
    (HideablePart("header", in_page("the title of the page"), ALL_TABS), ".page-header > div"),
    (HideablePart("tabs", in_page("the other tabs"), ALL_TABS), "#tabs > .tab-wrapper"),
    (
        HideablePart("checkpoint", in_page("the choice of checkpoint"), DECODE_AND_COMPARE),
        "#checkpoint-chip, #compare-checkpoint, #compare-other-checkpoint,"
        " .compare-variant, .compare-other-variant",
    ),
    (HideablePart("card", in_page("facts and card of the checkpoint")), "#checkpoint-summary, #model-card"),
    (HideablePart("source", in_page("source text and Decode button")), "#source-line, #picture"),
    (HideablePart("tokens", in_page("source tokens")), "#source-tokens"),
    (HideablePart("examples", in_page("examples"), DECODE_AND_COMPARE), "#examples, #compare-examples"),
    (
        HideablePart("strategy", in_page("the choice of strategy"), DECODE_AND_COMPARE),
        "#strategy, #strategy-description, #compare-mode, #compare-strategies, #compare-strategy",
    ),
    (
        HideablePart("settings", in_page("settings")),
        "#strategy-card .settings, #strategy-card .seed-row, #constraints",
    ),
    (
        HideablePart(PROBABILITIES, in_page("probabilities and scores"), DECODE_AND_COMPARE),
        ".cp-number, .cp-verdict, .cp-mark, .cp-where, .cp-words, .cp-summary, .cp-side .cp-facts, "
        ".trace-view .hoverlayer",
    ),
)
PARTS_AFTER_CARDS: tuple[tuple[HideablePart, str], ...] = (
    (
        HideablePart("verdict", in_page("who made which mistake"), ("compare",)),
        ".cp-summary, .cp-verdict, .cp-mark, .cp-where",
    ),
    (HideablePart("reference", in_page("the reference"), ("compare",)), "#compare-reference, .cp-verdict"),
    (HideablePart("systems", in_page("systems and test set"), ("evaluate",)), "#evaluate-card"),
    (HideablePart("segments", in_page("the list of segments"), ("evaluate",)), ".ev-browser"),
    (HideablePart("labs", in_page("the list of labs"), ("learn",)), ".lb-list, .lb-intro, .labs > h2"),
    (
        HideablePart("captions", in_page("sentences under the charts"), DECODE_AND_COMPARE),
        ".tv-caption, .cp-caption",
    ),
    (HideablePart("edit", in_page("all edits (what if)")), ""),
    (HideablePart("teach", in_page("“Teach this”")), "#teach"),
    (HideablePart("downloads", in_page("downloads"), ALL_TABS), ".tv-downloads, .cp-files, .cp-signatures"),
    (HideablePart("copy", in_page("“Copy link”"), ALSO_EVALUATE), ".sh-row, .sh-by-hand"),
)
# `probabilities` would also hide the cards that these presets show.
FOCUSED = ("source", "output", "stepper", "captions", PROBABILITIES)
PRESETS: dict[str, Preset] = {
    "all": Preset(in_page("everything"), ALSO_EVALUATE),
    "attention": Preset(
        in_page("only the attention"), ("decode",), visible=(*FOCUSED, "attention", "heatmap")
    ),
    "tree": Preset(in_page("only the search tree"), ("decode",), visible=(*FOCUSED, "tree")),
    "exam": Preset(
        in_page("an exam: no numbers, no explanations"),
        DECODE_AND_COMPARE,
        hidden=(
            *("tabs", "examples", PROBABILITIES, "captions", "verdict", "reference", "edit", "teach"),
            "downloads",
        ),
    ),
}
COMPARISON_SELECTORS = {"attention": ".cp-attention"}  # the elements of a comparison that a card's part hides
# Containers that are hidden when all the parts in them are.
EMPTY = (
    (("strategy", "settings"), "#strategy-card, #strategy-chip"),
    (("source", "strategy", "settings"), "#rail"),
    (("tokens", "examples"), "#examples-chip"),
    (("copy", "downloads", "teach"), ".share-chip"),
)


@cache
def parts() -> Mapping[str, HiddenPart]:
    """Every part by its name, from the top of the page to its end."""
    of_cards = [(part, "") for card in cards() for part in _parts_of(card)]
    by_name: dict[str, HiddenPart] = {}
    for part, selectors in (*PARTS_BEFORE_CARDS, *of_cards, *PARTS_AFTER_CARDS):
        everywhere = (selectors, COMPARISON_SELECTORS.get(part.name, ""), *_of_cards(part.name))
        by_name[part.name] = HiddenPart(part.label, ", ".join(filter(None, everywhere)), part.tabs)
    for card in cards():
        if unknown := {*card.covers, *card.hiding_parts} - by_name.keys():
            raise ValueError(f"the card {card.name} names parts that are not declared: {sorted(unknown)}")
    return by_name


def hiding_rules() -> str:
    """The style rules that hide the parts named in `<html data-hide>`, also from the tab order."""
    rules = [f"{_where(name)} :is({part.selectors}, {_STRONG}) {_GONE}" for name, part in parts().items()]
    rules += [
        f"{''.join(map(_where, names))} :is({selectors}, {_STRONG}) {_GONE}" for names, selectors in EMPTY
    ]
    # The colour of a token shows its probability too.
    rules.append(f"{_where(PROBABILITIES)} :is(.tv-out, .cp-chip) {{ --share: 0.5 !important; }}")
    # The column of the checkpoints is free for the texts.
    columns = "repeat(auto-fit, minmax(min(100%, 20rem), 1fr))"
    rules.append(
        f"{_where('checkpoint')} .compare-fields .form {{ grid-template-columns: {columns} !important; }}"
    )
    return "\n".join(rules)


# Matches no element; it gives the rule a higher specificity than any rule of a component.
_STRONG = "#_#_#_"
_GONE = "{ display: none !important; }"


def _parts_of(card: Card) -> tuple[HideablePart, ...]:
    return (card.part, *card.parts) if card.part is not None else card.parts


def _of_cards(name: str) -> Iterator[str]:
    for card in cards():
        if name in card.hiding_parts:
            yield card.everywhere
        if name in card.covers:
            yield card.covers[name]


def _where(name: str) -> str:
    return f'[data-hide~="{name}"]'
