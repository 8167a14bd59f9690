"""Places on the page that a step may point to: every part that a link can hide, and a few more."""

from __future__ import annotations

from demo.i18n import later
from demo.views.hiding import parts

# Parts that no link hides: label and CSS selector.
MORE: dict[str, tuple[str, str]] = {
    "comparison": (later("Comparison"), "#comparison .compare"),
    "lab": (later("Lab"), "#labs .lb-lab"),
    "scored": (later("The reference, scored by the model"), ".cp-verdict"),
    "inspect": (later("Inspect"), "#trace .tv-inspect-card.tv-open"),
    "run": (later("Decode button"), "#run"),
    # The output without the source tokens.
    "strip": (later("the output"), "#trace :is(.tv-strip, .tv-facts, .tv-looked-at)"),
    "quality": (later("Quality against source length"), "#gallery .cg-measured"),
    "gallery": (later("Checkpoints"), "#gallery .gallery"),
}
# The elements to point to where a part is folded away or has no box.
STAND_INS = {"strategy": "#strategy-chip", "settings": "#strategy-chip", "source": "#source"}

# Covered in place of the whole part: its results give an answer away, and its settings do not.
ANSWERS = {"lab": "#labs .lb-lab :is(.tv-inspect-summary, .tv-inspect-body, .tv-inspect-trust)"}


def covered(name: str) -> str:
    """Return the selectors covered until an answer is predicted. Raises KeyError as `place_named` does."""
    return ANSWERS.get(name) or place_named(name)[1]


def place_named(name: str) -> tuple[str, str]:
    """Return the label and the selectors of a place. Raises KeyError for an unknown name."""
    if name in MORE:
        return MORE[name]
    part = parts()[name]
    more = STAND_INS.get(name)
    return part.label, f"{part.selectors}, {more}" if more else part.selectors
