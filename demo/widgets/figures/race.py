"""The race: cumulative log-probability over steps for greedy, the winner and a dropped path."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from demo.i18n import in_page, later, quoted, say
from demo.i18n.display import (
    chances_text,
    display_token,
    number_text,
    percent_text,
    plotly_text,
    short_text,
    small_percent_text,
)
from demo.widgets.figures.drawing import (
    CHARACTER_WIDTH,
    chart_layout,
    legend_above,
    log_ticks,
    plain_axis,
    scatter_trace,
)
from demo.widgets.figures.figure import LIGHT, Figure
from demo.widgets.figures.runners import Overtaking, Race, Runner, Who, race
from demo.widgets.figures.trace_figure import HideablePart, TraceFigure, drawing
from models.decoding.trace import DecodingTrace

CHART_HEIGHT = 320  # pixels
MIN_LOG_PROB = -700.0  # nats; the exponential of 50 less is 0
AXIS_PADDING = 0.08  # share of the axis beyond the outermost points
RIGHT, TOP, BOTTOM = 20, 34, 46  # pixels, around the plot
TITLE_ROOM = 34  # pixels, of the axis' title, left of the labels

RUNNER_NAMES = {
    Who.WINNER: later("winner"),
    Who.GREEDY: Who.GREEDY.value,  # translated as a word of the cards
    Who.DROPPED: later("nearest dropped path"),
    Who.BETTER: later("better output"),
}
WINNER_IS_GREEDY = later("winner and greedy")
LINE_STYLES = {
    Who.WINNER: {"color": LIGHT.output, "width": 3},
    Who.GREEDY: {"color": LIGHT.greedy, "width": 2, "dash": "8px,3px"},
    Who.DROPPED: {"color": LIGHT.muted, "width": 2, "dash": "3px,3px"},
    Who.BETTER: {"color": LIGHT.edit, "width": 2, "dash": "9px,3px,2px,3px"},
}


def race_figure(race: Race) -> Figure:
    """Return a line for each runner and a ring at each overtaking; `customdata` are candidates' ids.

    The script that shows the figure writes the hover texts of the lines.
    """
    lines = [_line(race, runner) for runner in race.runners]
    chances = _chances(min(min(line["y"]) for line in lines))
    longest = max(map(len, chances["ticktext"]))
    layout = chart_layout(
        CHART_HEIGHT,
        (TITLE_ROOM + CHARACTER_WIDTH * longest, RIGHT, TOP, BOTTOM),
        dragmode="pan",
        legend=legend_above(font={"color": LIGHT.muted}),
        meta={"min_width": 320, "given": race.forced_length},
        xaxis=_steps(race),
        yaxis=chances,
    )
    return Figure([*lines, *_marks(race)], layout)


def _line(race: Race, runner: Runner) -> dict[str, Any]:
    path = [prefix for prefix in runner.path if math.isfinite(prefix.log_prob)]
    is_both = runner.who is Who.WINNER and race.greedy is None
    return scatter_trace(
        "lines+markers",
        name=say(WINNER_IS_GREEDY if is_both else RUNNER_NAMES[runner.who]),
        meta=runner.who.value,
        x=list(range(len(path) + 1)),
        y=[0.0, *(round(prefix.log_prob, 4) for prefix in path)],
        text=[say("start"), *(plotly_text(prefix.token) for prefix in path)],
        customdata=[[], *(prefix.nodes for prefix in path)],
        hover="%{hovertext}",
        line=LINE_STYLES[runner.who],
        marker={"size": 6, "color": LINE_STYLES[runner.who]["color"]},
        cliponaxis=False,
    )


def _marks(race: Race) -> Iterator[dict[str, Any]]:
    """Yield a ring at each overtaking, and a cross where the search dropped the better output."""
    if changes := race.overtakings:
        ring = {"size": 15, "symbol": "circle-open", "color": LIGHT.text, "line": {"width": 2}}
        points = [(change.step, change.ahead.log_prob_after(change.step)) for change in changes]
        yield _points("overtaking", points, [overtaking_sentence(race, change) for change in changes], ring)
    if race.lost_step is not None and race.dropped is not None:
        cross = {"size": 11, "symbol": "x-thin", "line": {"width": 3, "color": LIGHT.edit}}
        point = race.lost_step, race.dropped.log_prob_after(race.lost_step)
        yield _points("lost", [point], [say("dropped here")], cross)


def _points(
    meaning: str, points: Sequence[tuple[int, float | None]], hints: list[str], marker: dict[str, Any]
) -> dict[str, Any]:
    return scatter_trace(
        "markers",
        meta=meaning,
        showlegend=False,
        x=[step for step, _ in points],
        y=[log_prob for _, log_prob in points],
        hovertext=hints,
        hover="%{hovertext}",
        marker=marker,
        cliponaxis=False,
    )


def _steps(race: Race) -> dict[str, Any]:
    last = max(len(runner.path) for runner in race.runners)
    every = max(1, math.ceil(last / 20))
    ticks = range(0, last + 1, every)
    names = [str(tick + race.forced_length) if tick else say("start") for tick in ticks]
    return plain_axis(say("step"), "right", ticks=(list(ticks), names), range=[-0.3, last + 0.4])


def _chances(lowest: float) -> dict[str, Any]:
    """Return the y axis: log-probabilities in nats, each tick named by its percentage first."""
    room = max(AXIS_PADDING * -lowest, 0.05)
    ticks = _ticks(lowest - room)
    names = [round(tick, 6) for tick in ticks], [_tick_text(tick) for tick in ticks]
    return plain_axis(say("probability so far"), "up", ticks=names, range=[lowest - room, room])


def _ticks(lowest: float) -> list[float]:
    """Return ticks in nats, at round probabilities, or at round nats below the smallest float."""
    if lowest >= MIN_LOG_PROB:
        return [math.log(tick) for tick in log_ticks(math.exp(lowest), 1.0) if tick <= 1]
    step = 100 * math.ceil(lowest / MIN_LOG_PROB)
    return [float(-step * index) for index in range(math.floor(-lowest / step) + 1)]


def _tick_text(tick: float) -> str:
    """Return a tick's percentage and nats; only nats if the percentage is too small to be distinct."""
    percent, nats = _percent(math.exp(max(tick, MIN_LOG_PROB))), f"({number_text(tick, 1)})"
    return nats if percent.startswith("<") else f"{percent} {nats}"


def _percent(share: float) -> str:
    return f"{short_text(100 * share)}%" if share >= 1e-3 else small_percent_text(share)


def overtaking_sentence(race: Race, overtaking: Overtaking) -> str:
    """Say which runner overtakes which at which step, with the probabilities of both."""
    values = {
        "step": overtaking.step + race.forced_length,
        "chances": chances_text(overtaking.ahead.log_prob_after(overtaking.step) or 0.0),
        "other": chances_text(overtaking.behind.log_prob_after(overtaking.step) or 0.0),
    }
    if overtaking.ahead.who is not Who.WINNER:
        return say("At step {step} another path passes the winner: {chances} against {other}.", **values)
    if overtaking.behind.who is Who.GREEDY:
        return say("At step {step} the winner overtakes greedy: {chances} against {other}.", **values)
    return say("At step {step} the winner overtakes the dropped path: {chances} against {other}.", **values)


def race_caption(trace: DecodingTrace) -> str:
    """Say where the winner left greedy's path and overtook it, and how near a dropped path came."""
    result = race(trace)
    if result is None:
        return ""
    sentences = [
        say("Greedy and the winner are the same path.") if result.greedy is None else _parting(result)
    ]
    sentences += [overtaking_sentence(result, overtaking) for overtaking in _last_overtakings(result)]
    sentences += [_greedy_end(result, result.greedy)] if result.greedy is not None else []
    sentences += [_nearest(result, result.dropped)] if result.dropped is not None else []
    return " ".join(filter(None, sentences))


def _last_overtakings(race: Race) -> list[Overtaking]:
    """Return the last change of the lead between the winner and each other runner, by step."""
    last = {
        (change.ahead if change.ahead is not race.winner else change.behind).who: change
        for change in race.overtakings
    }
    return sorted(last.values(), key=lambda change: change.step)


def _parting(race: Race) -> str:
    """Say at which step the winner takes another token than greedy."""
    greedy = race.greedy.path if race.greedy is not None else ()
    pairs = enumerate(zip(race.winner.path, greedy, strict=False), 1)
    step, (ours, theirs) = next((step, pair) for step, pair in pairs if pair[0] is not pair[1])
    return say(
        "At step {step} the winner takes {token} and greedy {other}: "
        "{chances} against {other_chances} so far.",
        step=step + race.forced_length,
        token=quoted(display_token(ours.token)),
        other=quoted(display_token(theirs.token)),
        chances=chances_text(ours.log_prob),
        other_chances=chances_text(theirs.log_prob),
    )


def _greedy_end(race: Race, greedy: Runner) -> str:
    if not greedy.ended:
        last = len(greedy.path) + race.forced_length
        return say("Greedy's path is known up to step {step}: the search did not extend it.", step=last)
    return say(
        "In the end greedy has {chances}, the winner {other}.",
        chances=chances_text(greedy.path[-1].log_prob),
        other=chances_text(race.winner.path[-1].log_prob),
    )


def _nearest(race: Race, dropped: Runner) -> str:
    if race.lost_step is not None:
        return say(
            "The better output was dropped at step {step}, at {token}. In the end it has {chances}, "
            "the winner {other}.",
            step=race.lost_step + race.forced_length,
            token=quoted(display_token(dropped.path[race.lost_step - 1].token)),
            chances=chances_text(dropped.path[-1].log_prob),
            other=chances_text(race.winner.path[-1].log_prob),
        )
    last = len(dropped.path)
    log_prob, theirs = dropped.path[-1].log_prob, race.winner.log_prob_after(last) or 0.0
    token_and_step = {
        "token": quoted(display_token(dropped.path[-1].token)),
        "step": last + race.forced_length,
    }
    if log_prob > theirs:
        return say(
            "The dropped path that was furthest ahead of the winner took {token} at step "
            "{step}: {chances} against {other}.",
            chances=chances_text(log_prob),
            other=chances_text(theirs),
            **token_and_step,
        )
    return say(
        "The dropped path that was nearest to the winner took {token} at step {step}: {share} "
        "as probable there ({gap} nats behind).",
        share=percent_text(math.exp(log_prob - theirs)),
        gap=number_text(theirs - log_prob),
        **token_and_step,
    )


FIGURE = TraceFigure(
    name="race",
    title="Race of the paths",
    label="Probability of each path after each step; the list of candidates shows the same data as buttons",
    called=in_page("race"),
    part=HideablePart("race", in_page("the race of the paths")),
    draw=drawing(race, race_figure),
    caption=race_caption,
    position=76,
    within="tree",
)
