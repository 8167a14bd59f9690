"""The view of a token's gradient back through time, and of clipping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.i18n import in_page, later, quoted, say
from demo.i18n.display import number_text, short_text
from demo.inspect.time.over_time import NormCurve, StepAxis, norms_figure
from demo.inspect.view import Inspected, InspectView, is_recurrent
from demo.widgets.answers.content import Cell, Chart, Content, Table
from models.networks.config import ConfigError
from models.registry.card import CheckpointError
from models.registry.name import UnknownCheckpointError

if TYPE_CHECKING:
    from models.inspection.question import ExplainedPrediction
    from models.inspection.recurrence import ThroughTime
    from models.registry.checkpoint import Checkpoint

ALONE, ALL = "alone", "all"
MIN_EXPONENT, MAX_EXPONENT = -4.0, 2.0  # powers of ten of the threshold


@dataclass(frozen=True)
class NetworkNorms:
    """One network's norms for one of the cell's states."""

    name: str
    source: Sequence[Sequence[float]]  # values for each direction, the forward one first
    output: Sequence[float]

    @property
    def forward(self) -> Sequence[float]:
        """The norms along the source in its order; empty if the encoder is not recurrent."""
        return self.source[0] if self.source else ()

    @property
    def last(self) -> float:
        """The norm at the step that predicts the token."""
        return self.output[-1]

    @property
    def first(self) -> float:
        """The norm at the network's first step."""
        return (*self.forward, *self.output)[0]

    @property
    def steps(self) -> int:
        """Number of steps from the first to the last, including the source."""
        return len(self.forward) + len(self.output) - 1


def compute(inspected: Inspected) -> Content:
    """Norms at every step up to the explained one, for the checkpoint and others beside it."""
    from models.inspection.recurrence import clip_norms, through_time

    result = through_time(inspected.prediction)
    states = [(name, name) for name in result.output[0]]
    state = inspected.choose("state", say("gradient of"), states) if len(states) > 1 else states[0][0]
    layer = inspected.choose_layer(len(result.output))
    of_checkpoint = _norms(inspected.checkpoint_label, result, state, layer)
    others = _others(inspected, state)
    power = inspected.number(
        "theta", say("threshold θ of clipping, as a power of ten"), MIN_EXPONENT, MAX_EXPONENT, 0.1, 0
    )
    threshold = 10**power
    clipped_curve = NormCurve(
        say("clipped at θ"),
        clip_norms(of_checkpoint.forward, threshold),
        clip_norms(of_checkpoint.output, threshold),
    )
    labels = (*inspected.prefix_labels[1:], inspected.token)
    steps = StepAxis(inspected.source_labels if of_checkpoint.source else (), labels, len(labels) - 1)
    clipping = _of_clipping(of_checkpoint, result.weights, threshold)
    height = say(
        "Compare how curves fall, not how high they lie: a token of which the network is nearly certain has "
        "a small gradient everywhere."
    )
    sentences = [_finding(inspected, of_checkpoint), clipping, height, _trust(inspected)]
    from_end = say("{name}, read from the end", name=of_checkpoint.name)
    curves = [
        NormCurve(of_checkpoint.name, of_checkpoint.forward, of_checkpoint.output),
        *(NormCurve(from_end, norms, (), backward=True) for norms in of_checkpoint.source[1:]),
        *(NormCurve(other.name, other.forward, other.output, is_current=False) for other in others),
    ]
    figure = norms_figure(steps, curves, clipped_curve, threshold)
    title = say("Norm of the gradient of {token} at every step", token=quoted(inspected.token))
    facts = _facts(of_checkpoint)
    facts |= {"weights_norm": result.weights, "clipping_factor": _factor(result.weights, threshold)}
    for other in others:
        facts |= {f"{other.name.replace('-', '_')}_{name}": value for name, value in _facts(other).items()}
    return Content(
        sentences, [Chart("gradient", title, figure)], _table([of_checkpoint, *others]), facts=facts
    )


def _facts(norms: NetworkNorms) -> dict[str, float | str]:
    """Norms at the last and the first step, the factor per step back, and all norms of the source."""
    result: dict[str, float | str] = {
        "steps_back": norms.steps,
        "last_norm": norms.last,
        "first_norm": norms.first,
        "per_step": (norms.first / norms.last) ** (1 / max(norms.steps, 1)) if norms.last > 0 else 0.0,
    }
    output = {f"output_norm_{index}": value for index, value in enumerate(norms.output, 1)}
    return result | output | {f"norm_{index}": value for index, value in enumerate(norms.forward, 1)}


def _norms(name: str, gradients: ThroughTime, state: str, layer: int) -> NetworkNorms:
    """The norms of one state and layer; h and the last layer if the network lacks them."""
    output = gradients.output[min(layer, len(gradients.output) - 1)]
    source = gradients.source[min(layer, len(gradients.source) - 1)] if gradients.source else ()
    state = state if state in output else "h"
    return NetworkNorms(name, [side[state] for side in source], output[state])


def _others(inspected: Inspected, state: str) -> list[NetworkNorms]:
    """Recurrent checkpoints of the same task on the same text, if the reader wants them."""
    from models.decoding.limits import DecodingError
    from models.inspection.question import InspectionError
    from models.inspection.recurrence import through_time

    names = [name for name in inspected.others.names if _is_recurrent(inspected, name)]
    if not names:
        return []
    options = [
        (ALONE, say("no other checkpoint")),
        (ALL, say("all of this task")),
        *((name, name) for name in names),
    ]
    selection = inspected.choose("beside", say("beside it"), options)
    selected = {ALONE: [], ALL: names}.get(selection, [selection])
    result = []
    for name in selected:
        try:
            checkpoint = inspected.others.open(name)
            gradients = through_time(_inquiry_for(inspected, checkpoint))
        except (CheckpointError, UnknownCheckpointError, DecodingError, InspectionError):
            continue  # it cannot be read, or cannot read this text
        result.append(_norms(name, gradients, state, len(gradients.output) - 1))
    return result


def _is_recurrent(inspected: Inspected, name: str) -> bool:
    from models.networks.architectures import network_config

    try:
        return is_recurrent(network_config(inspected.others.config(name).network))
    except (CheckpointError, UnknownCheckpointError, ConfigError):
        return False


def _inquiry_for(inspected: Inspected, other: Checkpoint) -> ExplainedPrediction:
    """The same question for another network, in the tokens of its vocabulary."""
    from models.decoding.limits import check_source
    from models.inspection.question import ExplainedPrediction, Question

    question, tokenizer = inspected.prediction.question, other.tokenizer
    source = check_source(other.model, tokenizer, inspected.text).ids
    current_tokenizer = inspected.checkpoint.tokenizer
    ids = tokenizer.target.encode(current_tokenizer.decode((*question.prefix[1:], question.token))).ids
    if question.token != current_tokenizer.eos_id and len(ids) > 1:
        ids = ids[:-1]  # the text goes on
    return ExplainedPrediction(other.model, Question(source, (tokenizer.bos_id, *ids[:-1]), ids[-1]))


def _finding(inspected: Inspected, norms: NetworkNorms) -> str:
    """A sentence about the factor from the last to the first step."""
    token = quoted(inspected.token)
    if norms.first <= 0 or norms.last <= 0:
        return say("The gradient of {token} does not reach the first step: it is 0 there.", token=token)
    factor = norms.last / norms.first
    fields = {"token": token, "steps": norms.steps, "last": _short(norms.last), "first": _short(norms.first)}
    if factor >= 1:
        return say(
            "Back through {steps} steps the gradient of {token} shrinks by a factor of {factor}: from {last} "
            "at its own step to {first} at the first.",
            factor=_short(factor),
            **fields,
        )
    return say(
        "Back through {steps} steps the gradient of {token} grows by a factor of {factor}: from {last} at "
        "its own step to {first} at the first.",
        factor=_short(1 / factor),
        **fields,
    )


def _factor(norm: float, threshold: float) -> float:
    """The factor by which clipping multiplies a gradient."""
    return min(1.0, threshold / norm) if norm > 0 else 1.0


def _of_clipping(norms: NetworkNorms, weights: float, threshold: float) -> str:
    values = [*norms.output, *(value for side in norms.source for value in side)]
    return say(
        "θ = {threshold} would cut {count} of {steps} of these norms. Training does not cut step by step: it "
        "multiplies the gradient of all weights by one factor, min(1, θ/norm). For this token alone the "
        "recurrent layers' weights have a gradient of norm {weights}, the factor is {factor}.",
        threshold=_short(threshold),
        count=sum(norm > threshold for norm in values),
        steps=len(values),
        weights=_short(weights),
        factor=_short(_factor(weights, threshold)),
    )


def _trust(inspected: Inspected) -> str:
    if inspected.prediction.model.attention_shape is not None:
        return say(
            "Attention reads every state of the source directly, so that the gradient need not pass through "
            "all the steps between (Bahdanau et al. 2015). It says what a very small change would do."
        )
    return say(
        "Each step back multiplies the gradient by the cell's own derivatives: where these are small it "
        "vanishes, where they are large it explodes (Bengio et al. 1994; Pascanu et al. 2013)."
    )


def _table(networks: Sequence[NetworkNorms]) -> Table:
    """The networks side by side."""
    rows: list[list[Cell]] = [
        [
            item.name,
            item.steps,
            _short(item.last),
            _short(item.first),
            _short((item.first / item.last) ** (1 / item.steps)) if item.last > 0 and item.steps else "",
        ]
        for item in networks
    ]
    head = [
        say("checkpoint"),
        say("steps"),
        say("norm at its step"),
        say("at the first"),
        say("per step back"),
    ]
    return Table(head, rows)


def _short(value: float) -> str:
    return short_text(value, 2) if value < 100 else number_text(value, 0)


VIEW = InspectView(
    "gradient",
    in_page("Gradient through time"),
    later("How far back does the gradient of this token reach, and what would clipping change?"),
    position=60,
    compute=compute,
    fits=is_recurrent,
    paper="Pascanu et al. 2013",
)
