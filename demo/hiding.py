"""Parts of the page that a link may leave out (`hide=`): for a class that shall look at one thing.

Presentation, not access control: who changes the link, or presses “Show all”, sees everything.
"""

from __future__ import annotations

from dataclasses import dataclass

from demo.i18n import in_page


@dataclass(frozen=True)
class Part:
    """Something on the page that can be left out."""

    label: str  # on a checkbox, after “hide”
    selectors: str  # CSS
    tabs: tuple[str, ...] = ("decode",)  # where it can be met


BOTH = ("decode", "compare")

PARTS: dict[str, Part] = {
    "header": Part(in_page("the title of the page"), ".page-header > div", BOTH),
    "tabs": Part(in_page("the other tabs"), "#tabs > .tab-wrapper", BOTH),
    "checkpoint": Part(
        in_page("the choice of checkpoint"),
        "#checkpoint-card, #compare-checkpoint, #compare-other-checkpoint,"
        " .compare-variant, .compare-other-variant",
        BOTH,
    ),
    "card": Part(in_page("facts and card of the checkpoint"), "#checkpoint-summary, #model-card"),
    "source": Part(in_page("source text and Decode button"), "#source-card"),
    "tokens": Part(in_page("source tokens"), "#source-tokens"),
    "examples": Part(in_page("examples"), "#examples, #compare-examples", BOTH),
    "strategy": Part(
        in_page("the choice of strategy"),
        "#strategy, #strategy-description, #compare-mode, #compare-strategies, #compare-strategy",
        BOTH,
    ),
    "settings": Part(in_page("settings"), "#strategy-card .settings, #strategy-card .seed-row, #constraints"),
    "output": Part(in_page("the output"), ".tv-output-card"),
    "probabilities": Part(
        in_page("probabilities and scores"),
        ".tv-out small, .tv-score, .tv-next-card, [data-caption=output], .tv-ranking-controls,"
        " .tv-scores-side, .tv-ranking-note, .tv-verdict, .tv-hypothesis > :is(.tv-bar, .tv-number),"
        " [data-caption=ranking], [data-caption=step], [data-caption=tree], .tv-versions-key,"
        " .tv-version .tv-number, .tv-candidates-head, .tv-candidates, .cp-number,"
        " .cp-verdict, .cp-mark, .cp-words, .cp-summary, .cp-side .cp-facts",
        BOTH,
    ),
    "next": Part(in_page("the next tokens"), ".tv-next-card"),
    "ranking": Part(in_page("the hypotheses and their ranking"), ".tv-ranking-card"),
    "stepper": Part(in_page("the stepper"), ".tv-stepper"),
    "attention": Part(in_page("the attention"), ".tv-attention-card, .cp-attention", BOTH),
    "heatmap": Part(in_page("the heatmap of all steps"), ".tv-heatmap-scroll"),
    "tree": Part(
        in_page("the search tree"),
        ".tv-tree-scroll, .tv-legend, .tv-tree-card .tv-toggle, [data-caption=tree]",
    ),
    "candidates": Part(in_page("the candidates of a step"), ".tv-candidates-head, .tv-candidates"),
    "samples": Part(in_page("charts of the samples"), ".tv-cloud-card, .tv-utilities-card"),
    "verdict": Part(in_page("who made which mistake"), ".cp-summary, .cp-verdict, .cp-mark", ("compare",)),
    "reference": Part(in_page("the reference"), "#compare-reference, .cp-verdict", ("compare",)),
    "captions": Part(in_page("sentences under the charts"), ".tv-caption, .cp-caption", BOTH),
    "edit": Part(
        in_page("everything to edit (what if)"),
        ".tv-force, .tv-typed, .tv-anew, .tv-edit-attention, .tv-row-editor, .tv-versions-card",
    ),
    "teach": Part(in_page("“Teach this”"), "#teach"),
    "downloads": Part(in_page("downloads"), ".tv-downloads, .tv-files, .cp-files, .cp-signature", BOTH),
    "copy": Part(in_page("“Copy link”"), ".share", BOTH),
}
# What is empty once all its parts are gone, and what takes the room of a neighbour that is.
EMPTY = (
    (("strategy", "settings"), "#strategy-card"),
    (("tree", "candidates"), ".tv-tree-card"),
    (("tree", "probabilities"), ".tv-tree-card"),
    (("source", "strategy", "settings"), ".cards"),
)


def hiding_rules() -> str:
    """The style sheet that hides what `<html data-hide>` names; nothing hidden takes the focus."""
    rules = [f"{_where(name)} :is({part.selectors}, {_STRONG}) {_GONE}" for name, part in PARTS.items()]
    rules += [
        f"{''.join(map(_where, names))} :is({selectors}, {_STRONG}) {_GONE}" for names, selectors in EMPTY
    ]
    for name in ("next", "probabilities", "attention"):
        rules.append(f"{_where(name)} .tv-panels {{ grid-template-columns: minmax(0, 1fr) !important; }}")
    # How probable a token is shows in its colour too.
    rules.append(f"{_where('probabilities')} :is(.tv-out, .cp-chip) {{ --share: 0.5 !important; }}")
    rules.append(
        f"{_where('probabilities')} .tv-ranking-body {{ grid-template-columns: minmax(0, 1fr) !important; }}"
    )
    # Their column is free for the texts.
    columns = "repeat(auto-fit, minmax(min(100%, 20rem), 1fr))"
    rules.append(
        f"{_where('checkpoint')} .compare-fields .form {{ grid-template-columns: {columns} !important; }}"
    )
    return "\n".join(rules)


# No element: makes the rule weigh more than any rule of a component.
_STRONG = "#_#_#_"
_GONE = "{ display: none !important; }"


def _where(name: str) -> str:
    return f'[data-hide~="{name}"]'
