"""Why outputs are bad: the causes, how frequent each is, and what would help."""

from __future__ import annotations

from demo.answers.content import Chart, NotHereError, Shown, Table
from demo.answers.controls import Chosen
from demo.evaluation.part import COLOURS, NARROW, ROW, EvaluationPart, Report, chart, label
from demo.figures.figure import Figure
from demo.figures.palette import LIGHT
from demo.i18n import later, say, tell
from demo.i18n.display import percent_text, plotly_text

COLOURS_OF_CAUSES = (*COLOURS, LIGHT.edge, LIGHT.muted, LIGHT.text, LIGHT.grid)


def look(report: Report, chosen: Chosen) -> Shown:
    """A bar for each system, a line for each cause."""
    systems = [each for each in report["systems"] if each.get("triage", {}).get("causes")]
    if not systems:
        raise NotHereError("no_bad_output", "No output is bad enough to ask for a cause.")
    titles = {cause["name"]: cause for system in systems for cause in system["triage"]["causes"]}
    shares = {
        system["name"]: {cause["name"]: cause["share"] for cause in system["triage"]["causes"]}
        for system in systems
    }
    rows = [
        [
            tell(cause["title"]),
            *(percent_text(shares[system["name"]].get(name, 0.0)) for system in systems),
            tell(cause["knob"]),
        ]
        for name, cause in titles.items()
    ]
    heads = [say("cause"), *(system["name"] for system in systems), say("what would help")]
    told = [_finding(system) for system in systems]
    return Shown(
        [
            *told,
            say(
                "Where several causes hold, the first is named, in the order of the guide: what "
                "spoils the comparison, then what a setting would change, then the model's own error."
            ),
        ],
        [Chart("causes", say("Causes of bad outputs"), causes_figure(systems))],
        Table(heads, rows),
        {system["name"]: system["triage"]["bad"] for system in systems},
    )


def causes_figure(systems: list[Report]) -> Figure:
    """One bar a system, its parts the shares of the causes."""
    titles = {cause["name"]: tell(cause["title"]) for each in systems for cause in each["triage"]["causes"]}
    traces = []
    for at, (name, title) in enumerate(titles.items()):
        shares = [
            next((cause["share"] for cause in each["triage"]["causes"] if cause["name"] == name), 0.0)
            for each in systems
        ]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": plotly_text(title, 40).replace("␣", " "),
                "x": [100 * share for share in shares],
                "y": [label(each["name"]) for each in systems],
                "marker": {"color": COLOURS_OF_CAUSES[at % len(COLOURS_OF_CAUSES)]},
                "hovertemplate": f"%{{x:.0f}}%<extra>{plotly_text(title, 40).replace('␣', ' ')}</extra>",
            }
        )
    return chart(
        traces,
        NARROW,
        130 + (ROW + 10) * len(systems),
        barmode="stack",
        xaxis={"range": [0, 100], "ticksuffix": "%"},
        yaxis={"autorange": "reversed", "showgrid": False},
    )


def _finding(system: Report) -> str:
    found = system["triage"]
    first = found["causes"][0]
    values = {
        "system": system["name"],
        "bad": f"{found['bad']:,}",
        "limit": f"{found['bad_below']:.0f}",
        "cause": tell(first["title"]),
        "share": percent_text(first["share"]),
    }
    sentence = say(
        "{system}: {bad} outputs have a sentence chrF below {limit}; the most frequent cause is "
        "{cause} ({share}).",
        **values,
    )
    if found["looked_into"] < found["bad"]:
        sentence += " " + say("Only the worst {count} were looked into.", count=f"{found['looked_into']:,}")
    return sentence


PART = EvaluationPart(
    "causes",
    later("Causes"),
    later("Why are the bad outputs bad, and what would help?"),
    30,
    look,
    lambda report: any(each.get("triage") for each in report["systems"]),
)
