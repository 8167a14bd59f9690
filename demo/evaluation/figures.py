"""How good each system is, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator

from demo.answers.content import Chart, Shown, Table
from demo.answers.controls import Chosen
from demo.evaluation.part import (
    COLOURS,
    NARROW,
    ROW,
    EvaluationPart,
    Report,
    chart,
    interval_text,
    label,
    whiskers,
)
from demo.figures.figure import Figure
from demo.i18n import later, listed, say, tell
from demo.i18n.display import number_text

LEAD = "chrF"  # of one system alone, the figure that the finding is about
FEWEST = 10  # segments that may be drawn anew; of fewer an interval is hardly wider than a point


def look(report: Report, chosen: Chosen) -> Shown:
    """A line for each system, a column for each metric, intervals in brackets."""
    names = list(dict.fromkeys(each["name"] for system in report["systems"] for each in system["figures"]))
    rows = [
        [
            system["name"],
            *(interval_text(found[name]) if name in found else "–" for name in names),
        ]
        for system, found in ((system, _by_name(system)) for system in report["systems"])
    ]
    heads = [f"{say(name)} ↓" if _lower(report, name) else say(name) for name in names]
    return Shown(
        [_finding(report), *_circumstances(report), *_signatures(report)],
        [Chart("figures", say("Figures with their 95% intervals"), figures_figure(report))],
        Table([say("system"), *heads], rows),
        {system["name"]: _by_name(system)[LEAD]["value"] for system in report["systems"]},
    )


def figures_figure(report: Report) -> Figure:
    """BLEU, chrF and exact match, whose scale goes to 100, as points with whiskers."""
    shown = [name for name, figure in _by_name(report["systems"][0]).items() if not figure["lower_is_better"]]
    traces = []
    for at, system in enumerate(report["systems"]):
        found = [_by_name(system)[name] for name in shown]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": label(system["name"]),
                "x": [each["value"] for each in found],
                # Systems side by side within the line of a metric.
                "y": [line + 0.16 * (at - (len(report["systems"]) - 1) / 2) for line in range(len(shown))],
                "marker": {"color": COLOURS[at], "size": 10},
                **whiskers(found, "x"),
                "hovertemplate": "%{x:.1f}<extra>" + label(system["name"]) + "</extra>",
            }
        )
    yaxis = {"tickvals": list(range(len(shown))), "ticktext": [say(name) for name in shown]}
    yaxis |= {"range": [len(shown) - 0.5, -0.5], "showgrid": False, "zeroline": False}
    height = 90 + len(shown) * (ROW + 12 * len(report["systems"]))
    return chart(
        traces,
        NARROW,
        height,
        xaxis={"range": [0, 101]},
        yaxis=yaxis,
        showlegend=len(report["systems"]) > 1,
    )


def _finding(report: Report) -> str:
    systems, count = report["systems"], report["segments"]
    best = max(systems, key=lambda system: _by_name(system)[LEAD]["value"])
    figure = _by_name(best)[LEAD]
    alike = [each["name"] for each in systems if _by_name(each)[LEAD]["value"] == figure["value"]]
    if len(alike) > 1:
        sentence = later("On {count} segments {system} are alike by chrF, {value}.")
    elif len(systems) > 1 and count < FEWEST:
        sentence = later(
            "On {count} segments {system} is best by chrF, {value}; so few say nothing of other test sets."
        )
    elif count < FEWEST:
        sentence = later(
            "On {count} segments {system} has chrF {value}; so few say nothing of other test sets."
        )
    elif len(systems) > 1:
        sentence = later(
            "On {count} segments {system} is best by chrF, {value}: other test sets like it would "
            "give {low} to {high}."
        )
    else:
        sentence = later(
            "On {count} segments {system} has chrF {value}: other test sets like it would give "
            "{low} to {high}."
        )
    bounds = {name: number_text(figure[name], 1) for name in ("value", "low", "high")}
    return say(sentence, count=f"{count:,}", system=listed(alike), **bounds)


def _circumstances(report: Report) -> Iterator[str]:
    yield from (tell(note) for note in report["notes"])
    here = [f"{each['checkpoint']} ({each['decoding']})" for each in report["systems"] if each["checkpoint"]]
    if here:
        yield say("Evaluated on {date}: {systems}.", date=report["date"], systems=listed(here))
    if report["left_out_count"]:
        lines = listed(f"{row['line']:,}" for row in report["left_out"][:10])
        yield say(
            "Rows left out for lack of a text: {count} (in line {lines}).",
            count=f"{report['left_out_count']:,}",
            lines=lines,
        )
    speeds = [
        say("{system}: {seconds} s", system=each["name"], seconds=number_text(each["seconds"], 1))
        for each in report["systems"]
        if each["checkpoint"]
    ]
    if speeds:
        yield say("Time of decoding: {speeds}.", speeds=listed(speeds))


def _signatures(report: Report) -> Iterator[str]:
    found = {each["name"]: each["signature"] for each in report["systems"][0]["figures"] if each["signature"]}
    yield say("Signatures, which make figures comparable with those of papers: {signatures}.").format(
        signatures="; ".join(f"{name} {signature}" for name, signature in found.items())
    )


def _by_name(system: Report) -> dict[str, Report]:
    return {each["name"]: each for each in system["figures"]}


def _lower(report: Report, name: str) -> bool:
    return any(
        each["lower_is_better"]
        for system in report["systems"]
        for each in system["figures"]
        if each["name"] == name
    )


PART = EvaluationPart(
    "figures",
    later("Figures"),
    later("How good is each system, and how sure is that?"),
    10,
    look,
)
