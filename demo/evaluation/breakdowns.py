"""Where systems are good and where they are not."""

from __future__ import annotations

from demo.answers.content import Chart, Shown, Table
from demo.answers.controls import Chosen
from demo.evaluation.part import (
    COLOURS,
    NARROW,
    EvaluationPart,
    Report,
    chart,
    interval_text,
    label,
    whiskers,
)
from demo.figures.figure import Figure
from demo.i18n import later, say, tell
from demo.i18n.display import number_text


def look(report: Report, chosen: Chosen) -> Shown:
    """One breakdown: a group of segments or words a line, a system a column."""
    found = report["breakdowns"]
    options = [(each["name"], tell(each["title"])) for each in found]
    name = chosen.choose("by", say("taken apart"), options)
    each = next(one for one in found if one["name"] == name)
    names = [system["name"] for system in report["systems"]]
    rows = [
        [
            one["label"],
            one["count"],
            *(interval_text(one["figures"][name]) if name in one["figures"] else "–" for name in names),
        ]
        for one in each["bins"]
    ]
    return Shown(
        [_finding(each, names[0]), say("Few in a group make a wide interval: it says little then.")],
        [
            Chart(
                f"by_{name}", f"{tell(each['title'])}: {say(each['measure'])}", breakdown_figure(each, names)
            )
        ],
        Table([tell(each["title"]), say("count"), *names], rows),
    )


def breakdown_figure(each: Report, names: list[str]) -> Figure:
    """Bars side by side, with whiskers."""
    traces = []
    for at, name in enumerate(names):
        bins = [one for one in each["bins"] if name in one["figures"]]
        figures = [one["figures"][name] for one in bins]
        traces.append(
            {
                "type": "bar",
                "name": label(name),
                "x": [one["label"] for one in bins],
                "y": [figure["value"] for figure in figures],
                "marker": {"color": COLOURS[at]},
                **whiskers(figures, "y"),
                "customdata": [one["count"] for one in bins],
                "hovertemplate": "%{y:.1f} (n = %{customdata})<extra>" + label(name) + "</extra>",
            }
        )
    width = max(NARROW, 60 + len(each["bins"]) * (26 + 26 * len(names)))
    xaxis = {"type": "category", "showgrid": False}
    return chart(traces, width, 300, xaxis=xaxis, yaxis={"rangemode": "tozero"}, showlegend=len(names) > 1)


def _finding(each: Report, name: str) -> str:
    bins = [one for one in each["bins"] if name in one["figures"] and one["count"]]
    best, worst = (pick(bins, key=lambda one: one["figures"][name]["value"]) for pick in (max, min))
    return say(
        "{system}: {measure} is {high} at {best} and {low} at {worst}.",
        system=name,
        measure=tell(each["measure"]),
        high=number_text(best["figures"][name]["value"], 1),
        best=best["label"],
        low=number_text(worst["figures"][name]["value"], 1),
        worst=worst["label"],
    )


PART = EvaluationPart(
    "breakdowns",
    later("Breakdowns"),
    later("Where is it good and where bad: by length, by unknown words, by score?"),
    40,
    look,
    lambda report: bool(report["breakdowns"]),
)
