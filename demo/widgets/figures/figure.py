"""A chart as Plotly's script draws it, and one colour per meaning, for a light and a dark page.

The hues are those of Okabe and Ito (2008), which colour-blind readers tell apart. They are the same in every
view.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Palette:
    """Hex colours by their meaning; all differ, so that themes can be exchanged."""

    text: str
    muted: str  # pruned candidates, axes
    grid: str
    surface: str  # the background of a chart
    source: str
    output: str
    edge: str  # an edge of the tree between surviving tokens
    attention: str  # weight 1; weight 0 is `attention_none`
    attention_none: str
    edit: str
    greedy: str  # the path of greedy search beside the chosen one
    column: str  # the current step's column


_COLOURS = {  # on a light page, and on a dark one
    "text": ("#1f2933", "#e6e9ed"),
    "muted": ("#66717e", "#98a2ae"),
    "grid": ("#dfe4ea", "#3a424d"),
    "surface": ("#ffffff", "#18181c"),
    "source": ("#00795a", "#2fc79b"),
    "output": ("#0072b2", "#56b4e9"),
    "edge": ("#73b1d4", "#3a6e8d"),
    "attention": ("#c04f00", "#f0a33a"),
    "attention_none": ("#fdf6ee", "#221d18"),
    "edit": ("#a3427c", "#e394c1"),
    "greedy": ("#b58900", "#f0e442"),
    "column": ("#e8f1f8", "#1c3040"),
}
LIGHT = Palette(**{name: light for name, (light, _) in _COLOURS.items()})
DARK = Palette(**{name: dark for name, (_, dark) in _COLOURS.items()})


def attention_ramp(palette: Palette) -> list[tuple[float, str]]:
    """Return colours for weights 0 to 1, steep at first: 0.1 among twenty tokens is a lot."""
    shares = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    return [(share**1.6, _mix(palette.attention_none, palette.attention, share)) for share in shares]


def dark_by_light() -> dict[str, str]:
    """Return the dark page's colour for each colour of a figure drawn for a light page."""
    return dict(zip(_colours(LIGHT), _colours(DARK), strict=True))


def css_variables(palette: Palette) -> str:
    """Return the palette as CSS custom properties, `--tv-source` and so on."""
    return "".join(f"--tv-{name.replace('_', '-')}:{colour};" for name, colour in asdict(palette).items())


def _colours(palette: Palette) -> list[str]:
    return [*asdict(palette).values(), *(colour for _, colour in attention_ramp(palette)[1:-1])]


def _mix(low: str, high: str, share: float) -> str:
    pairs = zip(bytes.fromhex(low[1:]), bytes.fromhex(high[1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


MIN_WIDTH = 280  # pixels; a narrower place scrolls
# Every layout without colours of its own has those of the card below the chart; see `_axis`, too.
ON_A_CARD = {"paper_bgcolor": LIGHT.surface, "plot_bgcolor": LIGHT.surface}


@dataclass(frozen=True)
class Figure:
    """Traces and layout, with the field names of https://plotly.com/javascript/reference.

    No `plotly.graph_objects.Figure`, which checks and copies every value: that was half of the time of an
    answer. Tests let it check each figure of ours; `graph_objects.Figure(figure.to_plotly_json())` makes one.
    The layout's `meta` is what our scripts want to know: the `min_width` and `max_width` of the chart in
    pixels, and whatever else a figure's own script reads there.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    def __post_init__(self) -> None:
        meta = {"min_width": MIN_WIDTH, **self.layout.get("meta", {})}
        axes = {
            name: _axis(axis) for name, axis in self.layout.items() if name.startswith(("xaxis", "yaxis"))
        }
        object.__setattr__(self, "layout", {**ON_A_CARD, **self.layout, **axes, "meta": meta})

    def to_plotly_json(self) -> dict[str, Any]:
        """Return the figure as JSON-ready data, which is shared and not copied."""
        return {"data": self.data, "layout": self.layout}


def _axis(axis: dict[str, Any]) -> dict[str, Any]:
    """Return an axis with our colours for its grid and its labels where it shows them and sets no colours."""
    if not axis.get("visible", True):
        return axis
    grid = {"gridcolor": LIGHT.grid} if axis.get("showgrid", True) else {}
    labelled = axis.get("showticklabels", True)
    labels = {"tickfont": {"color": LIGHT.muted, **axis.get("tickfont", {})}} if labelled else {}
    return {**grid, **axis, **labels}
