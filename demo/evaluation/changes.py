"""What becomes of the outputs when their sources are changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from demo.answers.content import Chart, Shown, Table
from demo.answers.controls import Chosen
from demo.evaluation.part import COLOURS, NARROW, ROW, EvaluationPart, Report, chart
from demo.figures.figure import Figure
from demo.figures.palette import LIGHT
from demo.i18n import later, say
from demo.i18n.display import number_text

EACH = "each"
CHANGE, LOST = later("change of the source"), later("points of chrF lost")


def look(report: Report, chosen: Chosen) -> Shown:
    """Kinds of change, the most damaging first; or what one kind did to single outputs."""
    names = [each["system"] for each in report["changes"]]
    name = chosen.choose("system", say("system"), [(each, each) for each in names]) if names[1:] else names[0]
    kinds = next(each["kinds"] for each in report["changes"] if each["system"] == name)
    options = [(EACH, say("all of them")), *((kind["name"], say(kind["title"])) for kind in kinds)]
    which = chosen.choose("change", say(CHANGE), options)
    charts = [Chart("changes", say("Points of chrF lost by a change of the source"), changes_figure(kinds))]
    told = [_finding(kinds), *_ignored(kinds)]
    if which == EACH:
        return Shown(told, charts, _overview(kinds))
    kind = next(each for each in kinds if each["name"] == which)
    return Shown([say(kind["sentence"]), *told], charts, _worst(kind))


def changes_figure(kinds: Sequence[Mapping[str, Any]]) -> Figure:
    """A bar for each kind: orange where the output should have stayed as it was."""
    traces = []
    for keeps, colour, title in (
        (True, LIGHT.attention, say("the output should stay the same")),
        (False, COLOURS[0], say("the output should change")),
    ):
        shown = [each for each in kinds if each["keeps_meaning"] is keeps]
        bounds = [each["damage_interval"] or (each["damage"], each["damage"]) for each in shown]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": title,
                "x": [each["damage"] for each in shown],
                "y": [say(each["title"]) for each in shown],
                "marker": {"color": colour},
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [high - each["damage"] for each, (_, high) in zip(shown, bounds, strict=True)],
                    "arrayminus": [
                        each["damage"] - low for each, (low, _) in zip(shown, bounds, strict=True)
                    ],
                    "color": LIGHT.muted,
                },
                "hovertemplate": "%{x:.1f}<extra></extra>",
            }
        )
    order = [say(each["title"]) for each in kinds]
    yaxis = {"categoryorder": "array", "categoryarray": order, "autorange": "reversed", "showgrid": False}
    return chart(traces, NARROW, 110 + ROW * len(kinds), yaxis=yaxis)


def _overview(kinds: Sequence[Mapping[str, Any]]) -> Table:
    rows = []
    for kind in kinds:
        low, high = kind["damage_interval"] or (kind["damage"], kind["damage"])
        rows.append(
            [
                say(kind["title"]),
                kind["changed"],
                f"{number_text(kind['damage'], 1)} [{number_text(low, 1)}, {number_text(high, 1)}]",
                f"{kind['same']:.0f}%",
                say("the same") if kind["keeps_meaning"] else say("another"),
            ]
        )
    heads = [
        say(CHANGE),
        say("sources"),
        say(LOST),
        say("outputs unchanged"),
        say("output wanted"),
    ]
    return Table(heads, rows)


def _worst(kind: Mapping[str, Any]) -> Table:
    heads = [
        say("source"),
        say("changed source"),
        say("output"),
        say("output after"),
        say(LOST),
    ]
    rows = [
        [each["source"], each["changed"], each["before"], each["after"], each["damage"]]
        for each in kind["worst"]
    ]
    return Table(heads, rows)


def _finding(kinds: Sequence[Mapping[str, Any]]) -> str:
    keeping = [each for each in kinds if each["keeps_meaning"]]
    if not keeping:
        return say("No change that keeps the meaning could be made.")
    worst = keeping[0]
    return say(
        "Of the changes that keep the meaning the worst is {change}: it costs {points} points of chrF.",
        change=say(worst["title"]),
        points=number_text(worst["damage"], 1),
    )


def _ignored(kinds: Sequence[Mapping[str, Any]]) -> list[str]:
    """The change of meaning that is most often not seen at all."""
    moving = [each for each in kinds if not each["keeps_meaning"] and each["same"] > 0]
    if not moving:
        return []
    worst = max(moving, key=lambda each: each["same"])
    return [
        say(
            "{change} changes the meaning, and yet {share}% of the outputs stay as they were.",
            change=say(worst["title"]),
            share=f"{worst['same']:.0f}",
        )
    ]


PART = EvaluationPart(
    "changes",
    later("Changed sources"),
    later("What becomes of an output when its source is changed a little?"),
    80,
    look,
    lambda report: any(each["kinds"] for each in report["changes"]),
)
