"""A masked token guessed from before, from behind and from both sides, by three networks trained live."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.answers.content import Cell, Chart, Content, NotHereError, Table
from demo.answers.controls import Controls
from demo.figures.builders import bar_trace, error_bars
from demo.figures.figure import Figure
from demo.figures.live_curve import LiveCurve, live_figure
from demo.figures.palette import LIGHT
from demo.i18n import later, quoted, say
from demo.i18n.display import SPACE_SIGN, number_text, percent_text
from demo.labs.lab import Lab, Trains
from demo.labs.own_text import own_text
from models.labs.novel import novel
from models.labs.progress import Progress
from models.metrics.bootstrap import wilson_interval

if TYPE_CHECKING:
    from models.labs.masked import Learnt

WORDS, CHARACTERS = "words", "characters"
# Written for this lab.
SENTENCES = {WORDS: "So she _ down to the table.", CHARACTERS: "the q_een of hearts"}
BLANK = "_"
FORWARD, BACKWARD, BOTH = "forward", "backward", "both"
NAMES = {
    FORWARD: later("forward"),
    BACKWARD: later("backward"),
    BOTH: later("bidirectional"),
}
COLOURS = {FORWARD: LIGHT.source, BACKWARD: LIGHT.edit, BOTH: LIGHT.output}
SHOWN = 5  # candidates
HIGHEST = 6.4  # nats, before the training: the logarithm of the vocabulary's size
MOST_TYPED = 60  # tokens
LEAST_READ = 400  # tokens of a text, some of which are held out


@dataclass(frozen=True)
class Settings:
    """What the training hangs on."""

    unit: str
    layers: int
    text: str  # "" is the novel


def settings(chosen: Controls) -> Settings:
    """Raises NotHereError for a text that is too short to learn from."""
    from models.labs.masked import tokens_of

    units = [(WORDS, say("words")), (CHARACTERS, say("characters"))]
    unit = chosen.choose("unit", say("tokens are"), units)
    layers = int(chosen.choose("layers", say("layers"), [(str(count), str(count)) for count in (1, 2, 3)]))
    text = own_text(chosen)
    if text and len(result := tokens_of(text, unit)) < LEAST_READ:
        raise NotHereError(
            "text_too_short_to_read",
            "A text of {count} tokens is too short, {least} are needed. With none, the novel is read.",
            count=len(result),
            least=LEAST_READ,
        )
    return Settings(unit, layers, text)


def run(asked: Settings) -> Iterator[Progress[Learnt]]:
    """See `models.labs.masked.train`."""
    from models.labs.masked import train

    return train(asked.text or novel(), asked.unit, asked.layers)


def look(chosen: Controls) -> Content:
    """The candidates of the three networks beside each other, their losses, and how often they are right."""
    from models.labs.masked import STEPS, candidates

    asked = settings(chosen)
    learnt: Learnt | None = chosen.trained(asked)
    typed = chosen.typed("sentence", say("sentence with a blank (_)"), SENTENCES[asked.unit])
    before, behind = _around(typed, asked.unit)
    losses = learnt.losses if learnt else {}
    facts: dict[str, float | str] = {
        "forward_reads": len(before),
        "backward_reads": len(behind),
        "both_reads": len(before) + len(behind),
        "both_layers": 2 * asked.layers,
    }
    curves = [Chart("losses", say("Loss of the three networks"), losses_figure(losses, STEPS, asked.layers))]
    if learnt is None:
        told = [
            say(
                "Not trained yet. Press Train: three networks learn to fill the blank, one from what is "
                "before it, one from what is behind it, one from both."
            ),
            *_meaning(),
        ]
        return Content(told, curves, _sides(before, behind), facts)
    result = candidates(learnt, before, behind, SHOWN)
    facts |= {f"{name}_guess": result[name][0][0] for name in NAMES}
    facts |= {f"{name}_probability": result[name][0][1] for name in NAMES}
    facts |= {f"{name}_accuracy": count / learnt.tested for name, count in learnt.right.items()}
    charts = curves
    if len(learnt.right) == len(NAMES):
        title = say("Right on text that was held out")
        charts = [Chart("accuracy", title, accuracy_figure(learnt)), *curves]
    told = [_finding(result), *_accuracy(learnt), *_meaning()]
    return Content(told, charts, _table(result), facts)


def _around(typed: str, unit: str) -> tuple[list[str], list[str]]:
    """The tokens before the blank and behind it, the edges left out."""
    from models.labs.masked import tokens_of

    parts = typed.split(BLANK)
    if len(parts) != 2:
        raise NotHereError("not_one_blank", "Type a sentence with exactly one blank, a low line: _")
    if unit == WORDS:
        before, behind = ([token for token in tokens_of(part, unit) if token] for part in parts)
    else:
        before, behind = (list(" ".join(part.lower().splitlines())) for part in parts)
    if len(before) + len(behind) > MOST_TYPED:
        raise NotHereError(
            "sentence_too_long", "The sentence is too long: at most {count} tokens.", count=MOST_TYPED
        )
    return before, behind


def losses_figure(losses: Mapping[str, Sequence[float]], steps: int, layers: int) -> Figure:
    """One curve for each network."""
    from models.labs.masked import steps_of

    curves = [
        LiveCurve(say(NAMES[name]), range(1, len(losses.get(name, ())) + 1), losses.get(name, ()), colour)
        for name, colour in COLOURS.items()
    ]
    figure = live_figure(curves, say("loss (nats)"), steps_of(steps, layers), log=False)
    highest = max((loss for item in losses.values() for loss in item), default=HIGHEST)
    axis = {**figure.layout["yaxis"], "range": [0, 1.05 * highest]}
    return Figure(figure.data, {**figure.layout, "yaxis": axis})


def accuracy_figure(learnt: Learnt) -> Figure:
    """A bar for each network, with its interval."""
    figure = live_figure([], say("right (%)"), len(NAMES), log=False)
    shares = {name: learnt.right[name] / learnt.tested for name in NAMES}
    intervals = {name: wilson_interval(share, learnt.tested) for name, share in shares.items()}
    bars = bar_trace(
        x=[say(NAMES[name]) for name in NAMES],
        y=[round(100 * share, 2) for share in shares.values()],
        marker={"color": list(COLOURS.values())},
        error_y=error_bars(
            [100 * (intervals[name][1] - share) for name, share in shares.items()],
            [100 * (share - intervals[name][0]) for name, share in shares.items()],
            color=LIGHT.text,
        ),
        hover="%{y:.1f}%",
    )
    axis = {**figure.layout["xaxis"], "title": {"text": ""}, "range": [-0.5, len(NAMES) - 0.5]}
    upright = {**figure.layout["yaxis"], "rangemode": "tozero"}
    return Figure([bars], {**figure.layout, "showlegend": False, "xaxis": axis, "yaxis": upright})


def _finding(found: Mapping[str, Sequence[tuple[str, float]]]) -> str:
    values = {f"{name}_token": quoted(_shown(found[name][0][0])) for name in NAMES}
    shares = {f"{name}_share": percent_text(found[name][0][1]) for name in NAMES}
    return say(
        "From before the blank: {forward_token} ({forward_share}). From behind it: {backward_token} "
        "({backward_share}). From both sides: {both_token} ({both_share}).",
        **values,
        **shares,
    )


def _accuracy(learnt: Learnt) -> list[str]:
    if len(learnt.right) < len(NAMES):
        return [say("How often they are right is counted when the training is over.")]
    fields: dict[str, str] = {}
    for name in NAMES:
        share = learnt.right[name] / learnt.tested
        low, high = wilson_interval(share, learnt.tested)
        fields[name] = f"{percent_text(share)} ({number_text(100 * low, 1)}–{number_text(100 * high, 1)})"
    return [
        say(
            "Of {count} tokens of the held-out end of the text, their first choice is right: forward "
            "{forward}, backward {backward}, both {both}. In brackets 95% Wilson intervals, somewhat too "
            "narrow, since neighbouring tokens hang together.",
            count=learnt.tested,
            **fields,
        )
    ]


def _meaning() -> list[str]:
    return [
        say(
            "The bidirectional network adds the logits of two stacks of GRUs, one reading up to the blank, "
            "one reading back to it; both share one output bias. Neither ever reads the blank itself."
        ),
        say(
            "Reading both sides helps to understand a text, as BERT does. It cannot write one from left to "
            "right: what is behind does not exist yet."
        ),
        say(
            "A caveat: these are small networks, trained for seconds on one text; another text or "
            "more training gives other numbers."
        ),
    ]


def _sides(before: Sequence[str], behind: Sequence[str]) -> Table:
    """What each network reads of the sentence."""
    first, last = " ".join(map(_shown, before)), " ".join(map(_shown, behind))
    rows: list[list[Cell]] = [
        [say(NAMES[FORWARD]), first, ""],
        [say(NAMES[BACKWARD]), "", last],
        [say(NAMES[BOTH]), first, last],
    ]
    return Table([say("network"), say("reads before"), say("reads behind")], rows)


def _table(found: Mapping[str, Sequence[tuple[str, float]]]) -> Table:
    rows: list[list[Cell]] = []
    for rank in range(len(found[BOTH])):
        row: list[Cell] = [str(rank + 1)]
        for name in NAMES:
            token, share = found[name][rank]
            row += [_shown(token), percent_text(share)]
        rows.append(row)
    head = [say("rank")]
    for name in NAMES:
        head += [say(NAMES[name]), say("probability")]
    return Table(head, rows)


def _shown(token: str) -> str:
    """The edge of a sentence is an empty token."""
    return {"": "</s>", " ": SPACE_SIGN}.get(token, token)


LAB = Lab(
    "masked",
    later("The masked token"),
    later("How much easier is it to guess a word if you may read on behind it?"),
    position=70,
    look=look,
    trains=Trains(settings, run),
)
