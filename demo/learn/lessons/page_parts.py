"""Parts of the page that a step may point to: all that a link can hide, and a few more."""

from __future__ import annotations

from demo.i18n import later
from demo.links.hiding import parts

# Parts that no link hides: label and CSS selector.
UNHIDEABLE_PARTS: dict[str, tuple[str, str]] = {
    "comparison": (later("Comparison"), "#comparison .compare"),
    "lab": (later("Lab"), "#labs .lb-lab"),
    "scored": (later("The reference, scored by the model"), ".cp-verdict"),
    "inspect": (later("Inspect"), "#trace .tv-inspect-card.tv-open"),
    "run": (later("Decode button"), "#run"),
    # The output without the source tokens.
    "strip": (later("the output"), "#trace :is(.tv-result, .tv-strip, .tv-facts, .tv-weights-text)"),
    "quality": (later("Quality against source length"), "#gallery .cg-measured"),
    "gallery": (later("Checkpoints"), "#gallery .gallery"),
}
# The elements to point to where a part is folded away or has no box.
SUBSTITUTES = {"strategy": "#strategy-chip", "settings": "#strategy-chip", "source": "#source"}

# The selectors to cover where only a part's results would give an answer away, and not its settings.
RESULTS = {"lab": "#labs .lb-lab :is(.tv-inspect-summary, .tv-inspect-body, .tv-inspect-trust)"}


def covered_selectors(name: str) -> str:
    """Return the selectors covered until an answer is predicted. Raises KeyError as `part_named` does."""
    selectors = RESULTS.get(name) or part_named(name)[1]
    # The line above the output has greedy's output, which is often one of the ranking.
    return f"{selectors}, #trace .tv-result" if name == "ranking" else selectors


def part_named(name: str) -> tuple[str, str]:
    """Return the label and the selectors of a part. Raises KeyError for an unknown name."""
    if name in UNHIDEABLE_PARTS:
        return UNHIDEABLE_PARTS[name]
    part = parts()[name]
    substitute = SUBSTITUTES.get(name)
    return part.label, f"{part.selectors}, {substitute}" if substitute else part.selectors
