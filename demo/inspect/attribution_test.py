"""The view of tests of attribution methods where the relevant tokens are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demo.i18n import in_page, later, say
from demo.i18n.display import percent_text
from demo.inspect.view import Inspected, InspectView
from demo.widgets.answers.content import Chart, Content, LinkCell, Table
from demo.widgets.figures.drawing import (
    bars_across,
    chart_layout,
    error_bars,
    legend_above,
    note,
    scatter_trace,
    upright_line,
)
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.inspection.attribution_test.rates import AttributionTestResult, Rate

NOW = "now"  # the trial that runs while the reader waits
FEW_SOURCES = 2  # sources of that trial, which has one network with random weights
TASK_TITLES = {
    "reversal": later("reversal: each letter depends on the one that it mirrors"),
    "copy": later("copy: each letter depends on the one in its position"),
    "sort": later("sort: each letter depends on all that are the same"),
    "dates": later("dates: each digit depends on the part that says year, month or day"),
    "histories": later("histories: each step depends on the one in its position"),
    "shapes": later("pictures: a word depends on the shape that it names"),
}
# One colour and one dash for each method, in their order.
LINE_STYLES = (
    *((LIGHT.output, "solid"), (LIGHT.output, "dot"), (LIGHT.attention, "solid"), (LIGHT.source, "solid")),
    *((LIGHT.source, "dot"), (LIGHT.edit, "solid"), (LIGHT.edit, "dot"), (LIGHT.muted, "solid")),
)


def compute(inspected: Inspected) -> Content:
    """Rates and curves of one checkpoint, stored or computed now, and the rates of all stored ones."""
    from models.inspection.attribution_test.rates import shipped_results

    shipped = shipped_results()
    note, result = _test_result(inspected, shipped)
    trained, untrained, task = result.trained, result.random, result.task
    sentences = [note, _finding(trained, untrained), say(TASK_TITLES[task]) if task in TASK_TITLES else ""]
    caveat = say(
        "{count} random sources; the 95% intervals take the steps to be independent. A good curve "
        "falls at once without the strongest tokens, and rises at once with them alone (Petsiuk et "
        "al. 2018). What does well for random weights looks at the text, not at what was learnt "
        "(Adebayo et al. 2018).",
        count=result.sources,
    )
    without, alone = (curves_figure(trained, kind) for kind in ("deletion", "insertion"))
    charts = [
        Chart("trial", say("Steps whose strongest token is the right one"), rates_figure(trained, untrained)),
        Chart("deletion", say("Probability without the strongest tokens"), without),
        Chart("insertion", say("Probability with the strongest tokens alone"), alone),
    ]
    every = {name: result.trained for name, result in shipped.items()}
    facts = {
        f"{checkpoint.replace('-', '_')}_{name}_{network}": rate.share
        for checkpoint, result in shipped.items()
        for network, rates in (("found", result.trained), ("found_at_random", result.random))
        for name, rate in rates.items()
    }
    return Content([*filter(None, sentences), caveat], charts, _side_by_side(every), facts=facts)


def _test_result(
    inspected: Inspected, shipped: Mapping[str, AttributionTestResult]
) -> tuple[str, AttributionTestResult]:
    """A note, empty unless the result is another checkpoint's, and the result."""
    from models.inspection.attribution_test.rates import (
        ATTRIBUTION_TEST_SEED,
        AttributionTestResult,
        known_pairs,
        measure_rates,
    )
    from models.inspection.question import InspectionError

    checkpoint = inspected.checkpoint
    names = [(name, name) for name in shipped]
    has_truth = True
    try:
        known_pairs(checkpoint.config.task, 1)
    except InspectionError:
        has_truth = False  # the shipped ones are shown
    else:
        names = [(NOW, say("{name}, tried now", name=inspected.checkpoint_label)), *names]
    default = checkpoint.name if checkpoint.name in shipped else names[0][0]
    name = inspected.choose("of", say("checkpoint"), names, default)
    if name != NOW:
        return "" if name == checkpoint.name else _note_on_another(name, has_truth), shipped[name]
    count = 1 if checkpoint.config.reads_pictures else FEW_SOURCES  # a picture's pixels take much longer
    rates = measure_rates(checkpoint, count, networks=1)
    return "", AttributionTestResult(NOW, checkpoint.config.task, count, ATTRIBUTION_TEST_SEED, *rates)


def _note_on_another(name: str, has_truth: bool) -> str:
    """A sentence about another checkpoint's result; has_truth: whether the current one can be tested."""
    if has_truth:
        return say("This is the test of {name}, not of the current checkpoint.", name=name)
    return say(
        "This is the test of {name}. What the outputs of the current checkpoint depend on is not known.",
        name=name,
    )


def rates_figure(trained: Mapping[str, Rate], untrained: Mapping[str, Rate]) -> Figure:
    """A bar with its interval for each method and for random weights, and a line for chance."""
    chance = next(iter(trained.values())).chance
    bars = [
        _bars(trained, say("trained"), LIGHT.output),
        _bars({name: untrained[name] for name in trained}, say("random weights"), LIGHT.grid),
    ]
    font = {"color": LIGHT.edit, "size": 11}
    layout = chart_layout(
        88 + 46 * len(trained),
        (150, 24, 34, 28),
        min_width=380,
        barmode="group",
        legend=legend_above(1, traceorder="normal"),
        xaxis={"range": [0, 1.02], "tickformat": ".0%", "fixedrange": True},
        yaxis={"range": [len(trained) + 0.1, -0.5], "fixedrange": True},  # space for the word below the bars
        shapes=[upright_line(chance, LIGHT.edit, dash="dot", width=2)],
        annotations=[note(say("chance"), chance, 0, "left bottom", paper="y", font=font)],
    )
    return Figure(bars, layout)


def _bars(by_method: Mapping[str, Rate], name: str, colour: str) -> dict[str, object]:
    rates = by_method.values()
    shares, intervals = [rate.share for rate in rates], [rate.interval for rate in rates]
    return bars_across(
        name,
        colour,
        shares,
        list(map(_title, by_method)),
        error_x=error_bars(shares, intervals, color=LIGHT.muted, thickness=1, width=3),
        text=[f"{rate.hits}/{rate.steps}" for rate in rates],
        textposition="none",
        hover="%{y}: %{x:.1%} (%{text})",
    )


def curves_figure(trained: Mapping[str, Rate], kind: str) -> Figure:
    """A line for each method: the token's probability against the share of tokens."""
    from models.inspection.attribution_test.rates import TOKEN_SHARES

    lines = [
        scatter_trace(
            "lines",
            name=_title(name),
            x=list(TOKEN_SHARES),
            y=list(getattr(rate.curves, kind)),
            line={"color": colour, "dash": dash, "width": 2},
            hovertemplate=say("{share} of the tokens", share="%{x:.0%}") + ": %{y:.1%}",
        )
        for (name, rate), (colour, dash) in zip(trained.items(), LINE_STYLES, strict=False)
    ]
    title = {"text": say("share of the source's tokens"), "font": {"size": 11, "color": LIGHT.muted}}
    layout = chart_layout(
        260,
        (48, 12, 10, 40),
        min_width=380,
        legend={"font": {"size": 11}},
        xaxis={"tickformat": ".0%", "title": title, "fixedrange": True},
        yaxis={"range": [0, 1.02], "tickformat": ".0%", "fixedrange": True},
    )
    return Figure(lines, layout)


def _title(method: str) -> str:
    from models.inspection.methods import METHODS

    return say(METHODS[method].title)


def _finding(trained: Mapping[str, Rate], untrained: Mapping[str, Rate]) -> str:
    best = max(trained, key=lambda name: trained[name].share)
    worst = min(trained, key=lambda name: trained[name].share)
    return say(
        "{best} finds the right token in {most} of the steps, {worst} in {least}; for random weights the "
        "best method finds it in {random}, by chance {chance}.",
        best=_title(best).capitalize(),
        most=percent_text(trained[best].share),
        worst=_title(worst),
        least=percent_text(trained[worst].share),
        random=percent_text(max(rate.share for rate in untrained.values())),
        chance=percent_text(trained[best].chance),
    )


def _side_by_side(every: Mapping[str, Mapping[str, Rate]]) -> Table:
    """A table of methods against checkpoints."""
    from models.inspection.methods import METHODS

    links = [LinkCell(name, f"tab=decode&checkpoint={name}&open=why") for name in every]
    rows = []
    for name in METHODS:
        shares = (percent_text(rates[name].share) if name in rates else "–" for rates in every.values())
        rows.append([_title(name), *shares])
    return Table([say("method"), *links], rows)


VIEW = InspectView(
    "trial",
    in_page("Explanations tested"),
    later("Which explanation can be trusted, where it is known what the answer depends on?"),
    position=90,
    compute=compute,
    paper="Adebayo et al. 2018",
    for_lessons=True,
)
