"""A masked token guessed from the left, from the right and from both, by three networks trained live."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.i18n import later, quoted, say
from demo.i18n.display import SPACE_SIGN, number_text, percent_text
from demo.labs import Lab, LabTraining, own_text
from demo.widgets.answers.content import Cell, Chart, Content, Controls, NotHereError, Program, Table
from demo.widgets.figures.curves.live import LiveCurve, live_figure
from demo.widgets.figures.drawing import bar_trace, error_bars
from demo.widgets.figures.figure import LIGHT, Figure
from models.labs.training import Progress, novel
from models.metrics.bootstrap import wilson_interval

if TYPE_CHECKING:
    from models.labs.masked import MaskedResult

WORDS, CHARACTERS = "words", "characters"
# Written for this lab.
SENTENCES = {WORDS: "So she _ down to the table.", CHARACTERS: "the q_een of hearts"}
BLANK = "_"
FORWARD, BACKWARD, BOTH = "forward", "backward", "both"
NETWORK_NAMES = {FORWARD: later("forward"), BACKWARD: later("backward"), BOTH: later("bidirectional")}
COLOURS = {FORWARD: LIGHT.source, BACKWARD: LIGHT.edit, BOTH: LIGHT.output}
CANDIDATES = 5  # candidates
INITIAL_LOSS = 6.4  # nats, before the training: the logarithm of the vocabulary's size
MAX_SENTENCE = 60  # tokens
MIN_VALUES = 400  # tokens of a text, some of which are held out


@dataclass(frozen=True)
class MaskedSettings:
    """The settings of the training."""

    unit: str
    layers: int
    text: str  # "" is the novel


def settings(controls: Controls) -> MaskedSettings:
    """Return the settings from the controls. Raises NotHereError for a text too short to learn from."""
    from models.labs.masked import tokens_of

    units = [(WORDS, say("words")), (CHARACTERS, say("characters"))]
    unit = controls.choose("unit", say("tokens are"), units)
    layers = int(controls.choose("layers", say("layers"), [(str(count), str(count)) for count in (1, 2, 3)]))
    text = own_text(controls)
    if text and len(result := tokens_of(text, unit)) < MIN_VALUES:
        raise NotHereError(
            "text_too_short_to_read",
            "A text of {count} tokens is too short, {least} are needed. With none, the novel is read.",
            count=len(result),
            least=MIN_VALUES,
        )
    return MaskedSettings(unit, layers, text)


def run(choices: MaskedSettings) -> Iterator[Progress[MaskedResult]]:
    """Train as `models.labs.masked.train` does."""
    from models.labs.masked import train

    return train(choices.text or novel(), choices.unit, choices.layers)


def compute(controls: Controls) -> Content:
    """Show the three networks' candidates side by side, their losses, and how often they are right."""
    from models.labs.masked import NUM_MASKED_STEPS, candidates

    choices = settings(controls)
    result_so_far: MaskedResult | None = controls.trained(choices)
    typed = controls.text_field("sentence", say("sentence with a blank (_)"), SENTENCES[choices.unit])
    before, behind = _around(typed, choices.unit)
    losses = result_so_far.losses if result_so_far else {}
    program = Program({"updates": sum(map(len, losses.values()))})
    facts: dict[str, float | str] = {
        "forward_reads": len(before),
        "backward_reads": len(behind),
        "both_reads": len(before) + len(behind),
        "both_layers": 2 * choices.layers,
    }
    figure = losses_figure(losses, NUM_MASKED_STEPS, choices.layers)
    charts = [Chart("losses", say("Loss of the three networks"), figure)]
    if result_so_far is None:
        paragraphs = [
            say(
                "Not trained yet. Press Train: three networks learn to fill the blank, one from what "
                "comes before it, one from what comes after it, one from both."
            ),
            *_meaning(),
        ]
        return Content(paragraphs, charts, _sides(before, behind), facts, program=program)
    fillings = candidates(result_so_far, before, behind, CANDIDATES)
    facts |= {f"{name}_guess": fillings[name][0][0] for name in NETWORK_NAMES}
    facts |= {f"{name}_probability": fillings[name][0][1] for name in NETWORK_NAMES}
    facts |= {f"{name}_loss": loss[-1] for name, loss in losses.items() if loss}
    counts = result_so_far.right if result_so_far.tested else {}
    facts |= {f"{name}_accuracy": count / result_so_far.tested for name, count in counts.items()}
    if len(counts) == len(NETWORK_NAMES):
        title = say("Right on text that was held out")
        charts = [Chart("accuracy", title, accuracy_figure(result_so_far)), *charts]
    paragraphs = [_finding(fillings), _accuracy(result_so_far), *_meaning()]
    return Content(paragraphs, charts, _table(fillings), facts, program=program)


def _around(typed: str, unit: str) -> tuple[list[str], list[str]]:
    """Return the tokens before the blank and those behind it, without the edges."""
    from models.labs.masked import tokens_of

    parts = typed.split(BLANK)
    if len(parts) != 2:
        raise NotHereError("not_one_blank", "Type a sentence with exactly one blank, a low line: _")
    if unit == WORDS:
        before, behind = ([token for token in tokens_of(part, unit) if token] for part in parts)
    else:
        before, behind = (list(" ".join(part.lower().splitlines())) for part in parts)
    if len(before) + len(behind) > MAX_SENTENCE:
        raise NotHereError(
            "sentence_too_long", "The sentence is too long: at most {count} tokens.", count=MAX_SENTENCE
        )
    return before, behind


def losses_figure(losses: Mapping[str, Sequence[float]], steps: int, layers: int) -> Figure:
    """Draw one curve for each network."""
    from models.labs.masked import steps_of

    curves = []
    for name, colour in COLOURS.items():
        values = losses.get(name, ())
        curves.append(LiveCurve(say(NETWORK_NAMES[name]), range(1, len(values) + 1), values, colour))
    figure = live_figure(curves, say("loss (nats)"), steps_of(steps, layers), log=False)
    highest = max((loss for item in losses.values() for loss in item), default=INITIAL_LOSS)
    axis = {**figure.layout["yaxis"], "range": [0, 1.05 * highest]}
    return Figure(figure.data, {**figure.layout, "yaxis": axis})


def accuracy_figure(result: MaskedResult) -> Figure:
    """Draw a bar for each network, with its interval."""
    figure = live_figure([], say("right (%)"), len(NETWORK_NAMES), log=False)
    shares = [result.right[name] / result.tested for name in NETWORK_NAMES]
    bounds = [wilson_interval(share, result.tested) for share in shares]
    intervals = [(100 * low, 100 * high) for low, high in bounds]
    bars = bar_trace(
        x=[say(NETWORK_NAMES[name]) for name in NETWORK_NAMES],
        y=[round(100 * share, 2) for share in shares],
        marker={"color": list(COLOURS.values())},
        error_y=error_bars([100 * share for share in shares], intervals, color=LIGHT.text),
        hover="%{y:.1f}%",
    )
    axis = {**figure.layout["xaxis"], "title": {"text": ""}, "range": [-0.5, len(NETWORK_NAMES) - 0.5]}
    upright = {**figure.layout["yaxis"], "rangemode": "tozero"}
    return Figure([bars], {**figure.layout, "showlegend": False, "xaxis": axis, "yaxis": upright})


def _finding(fillings: Mapping[str, Sequence[tuple[str, float]]]) -> str:
    values = {f"{name}_token": quoted(_token_text(fillings[name][0][0])) for name in NETWORK_NAMES}
    shares = {f"{name}_share": percent_text(fillings[name][0][1]) for name in NETWORK_NAMES}
    return say(
        "From the words before the blank: {forward_token} ({forward_share}). From those after it: "
        "{backward_token} ({backward_share}). From both sides: {both_token} ({both_share}).",
        **values,
        **shares,
    )


def _accuracy(result: MaskedResult) -> str:
    if not result.tested:
        return say("The held-out end of the text has no token that the networks know.")
    if len(result.right) < len(NETWORK_NAMES):
        return say("How often they are right is counted when the training is over.")
    fields: dict[str, str] = {}
    for name in NETWORK_NAMES:
        share = result.right[name] / result.tested
        low, high = wilson_interval(share, result.tested)
        fields[name] = f"{percent_text(share)} ({number_text(100 * low, 1)}–{number_text(100 * high, 1)})"
    return say(
        "Share of {count} tokens of the held-out end of the text for which the first choice is right: "
        "forward {forward}, backward {backward}, both {both}. The brackets hold 95% Wilson intervals; "
        "they are somewhat too narrow, since neighbouring tokens depend on each other.",
        count=result.tested,
        **fields,
    )


def _meaning() -> list[str]:
    return [
        say(
            "The bidirectional network adds the logits of two stacks of GRUs, one reading up to the blank, "
            "one reading back to it; both share one output bias. Neither ever reads the blank itself."
        ),
        say(
            "BERT reads both sides to understand a text. Such a network cannot write one from left to right, "
            "since what comes after does not exist yet."
        ),
        say(
            "A caveat: these are small networks, trained for seconds on one text; another text or "
            "more training gives other numbers."
        ),
    ]


def _sides(before: Sequence[str], behind: Sequence[str]) -> Table:
    """Return the parts of the sentence that each network reads."""
    first, last = " ".join(map(_token_text, before)), " ".join(map(_token_text, behind))
    rows: list[list[Cell]] = [
        [say(NETWORK_NAMES[FORWARD]), first, ""],
        [say(NETWORK_NAMES[BACKWARD]), "", last],
        [say(NETWORK_NAMES[BOTH]), first, last],
    ]
    return Table([say("network"), say("reads before"), say("reads after")], rows)


def _table(fillings: Mapping[str, Sequence[tuple[str, float]]]) -> Table:
    rows: list[list[Cell]] = []
    for rank in range(len(fillings[BOTH])):
        row: list[Cell] = [str(rank + 1)]
        for name in NETWORK_NAMES:
            token, share = fillings[name][rank]
            row += [_token_text(token), percent_text(share)]
        rows.append(row)
    head = [say("rank")]
    for name in NETWORK_NAMES:
        head += [say(NETWORK_NAMES[name]), say("probability")]
    return Table(head, rows)


def _token_text(token: str) -> str:
    """Return a token as text; the edge of a sentence is an empty token."""
    return {"": "</s>", " ": SPACE_SIGN}.get(token, token)


LAB = Lab(
    "masked",
    later("The masked token"),
    later("How much easier is a word to guess if you may also read what comes after it?"),
    position=70,
    compute=compute,
    training=LabTraining(settings, run),
)
