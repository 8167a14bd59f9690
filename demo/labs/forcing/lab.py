"""Teacher forcing: its schedules, and the behaviour of a checkpoint that reads its own tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING

from demo.i18n import later, quoted, say
from demo.i18n.display import display_token, number_text, percent_text
from demo.labs import Lab
from demo.labs.forcing.figures import (
    CONSTANT,
    EXPONENTIAL,
    INVERSE_SIGMOID,
    LINEAR,
    SCHEDULE_NAMES,
    STEPS,
    cost_figure,
    schedule_figure,
)
from demo.labs.programs import checkpoint_program
from demo.widgets.answers.content import Cell, Chart, Content, Controls, NotHereError, Program, Table

if TYPE_CHECKING:
    from models.registry.checkpoint import CheckpointConfig
    from models.training.loop.exposure import Exposure

PREFERRED = "spa-eng-gru"
# A source and its reference for each task, written for this lab.
PAIRS: Mapping[tuple[str, str, str], tuple[str, str]] = {
    ("translation", "es", "en"): (
        "Cuando era niño, mi abuelo me contaba historias junto al fuego.",
        "When I was a child, my grandfather used to tell me stories by the fire.",
    ),
    ("translation", "en", "es"): ("My father taught me how to swim.", "Mi padre me enseñó a nadar."),
    ("reversal", "", ""): ("abcdefghijkl", "lkjihgfedcba"),
}
FORMULAS = {
    CONSTANT: "ε = s",
    LINEAR: "ε = s + (e − s) d",
    EXPONENTIAL: "ε = s kⁱ, kⁱ = (e / s)ᵈ",
    INVERSE_SIGMOID: "ε = e + (s − e) (k + 1) / (k + exp(i / k)), i / k = 10 d, k = e⁵",
}
MAX_PREFIX = 20
SMALLEST_GAP = 0.005  # nats, which rounding would hide


def compute(controls: Controls) -> Content:
    """Show the schedules, and one pair of a checkpoint teacher-forced, free-running and in between."""
    name = controls.choose(
        "schedule", say("schedule"), [(key, say(SCHEDULE_NAMES[key])) for key in SCHEDULE_NAMES], LINEAR
    )
    start = controls.number("start", say("ε at the start, s"), 0.05, 1, 0.05, 1)
    end = controls.number("end", say("ε at the end, e"), 0.05, 1, 0.05, 0.1)
    done = controls.number("done", say("training done, d (%)"), 0, 100, 5, 50) / 100
    if name != CONSTANT and end > start:
        raise NotHereError(
            "schedule_rises", "A schedule does not rise: choose an end no higher than the start."
        )
    ratios = {key: _ratios(key, start, end) for key in SCHEDULE_NAMES}
    ratio = ratios[name][round(done * STEPS)]
    paragraphs = [_of_schedule(name, ratio, done)]
    drawn = schedule_figure(name, ratios, done)
    charts = [Chart("schedule", say("Share of the reference's tokens"), drawn)]
    run = _run(controls, ratio)
    if run is None:
        return Content([*paragraphs, say("No checkpoint for this is here.")], charts, None, {"ratio": ratio})
    result, labels, num_given, program = run
    mixed_in = sum(one != other for one, other in zip(result.fed, result.reference, strict=False))
    facts = _facts(result, ratio)
    is_given = num_given == len(result.reference) - 1  # all but the end token, which is never read
    finding = (
        [
            say(
                "The whole reference is given, so the network is teacher-forced to the end. "
                "It gets {forced} of {count} tokens right.",
                forced=facts["teacher_forced_right"],
                count=facts["tokens"],
            )
        ]
        if is_given
        else [_finding(result, labels), *_of_prefix(num_given), *_meaning(facts)]
    )
    paragraphs += [
        say(
            "With that ε, one random draw changes {own} of the tokens that the network reads here, "
            "{count} in all: {cost} nats for each token.",
            own=mixed_in,
            count=len(result.fed),
            cost=number_text(float(facts["scheduled_cost"])),
        ),
        say(
            "A caveat: tokens are compared place by place, so a good sentence that is one word longer "
            "looks wrong from there on; and a reference is one good answer of many."
        ),
    ]
    cost_chart = Chart("cost", say("Cost of each token of the reference"), cost_figure(result, labels))
    table = _table(result, labels)
    return Content([*finding, *paragraphs], [cost_chart, *charts], table, facts, program=program)


def _ratios(name: str, start: float, end: float) -> list[float]:
    """Return the ratios from the first step of a training to the last."""
    from models.training.loop.optimizer import teacher_forcing_ratio
    from models.training.recipe.sections import TeacherForcingConfig

    settings = TeacherForcingConfig(schedule=name, start=start, end=min(start, end))
    return [teacher_forcing_ratio(settings, 1 + step, STEPS + 1) for step in range(STEPS + 1)]


def _run(controls: Controls, ratio: float) -> tuple[Exposure, Mapping[int, str], int, Program] | None:
    """Run a checkpoint on the reader's pair; None if there is none.

    Return the outcome, the tokens as they are shown, the number of tokens of the reference that the free
    output begins with, and the program.
    """
    from models.training.loop.exposure import exposure

    configs = {name: config for name, config in controls.networks.configs() if _task(config) in PAIRS}
    if not configs:
        return None
    name = controls.choose("checkpoint", say("network"), [(config, config) for config in configs], PREFERRED)
    source, reference = PAIRS[_task(configs[name])]
    source = controls.text_field("text", say("source"), source)
    reference = controls.text_field("reference", say("reference"), reference)
    prefix_length = round(
        controls.number("given", say("tokens of the reference given first"), 0, MAX_PREFIX, 1, 0)
    )
    seed = round(controls.number("draw", say("random draw"), 1, 99, 1, 1))
    if not source.strip() or not reference.strip():
        raise NotHereError(
            "source_and_reference_missing",
            "Type a source and its reference, which the network is compared with.",
        )
    with controls.networks.open_checkpoint(name) as (checkpoint, watch):
        model, tokenizer = checkpoint.model, checkpoint.tokenizer
        pair = (source, reference)
        result = exposure(
            model, tokenizer, pair, ratio=ratio, seed=seed - 1, prefix_length=prefix_length, on_step=watch
        )
    ids = {*result.reference, *result.teacher_forced, *result.free_running, *result.fed}
    cut = {"text": tokenizer.encode(source).ids, "reference": result.reference}
    constants = {key: [tokenizer.token(item) for item in tokens] for key, tokens in cut.items()}
    program = checkpoint_program(name, constants, {"recurrent": configs[name].network["architecture"]})
    labels = {item: display_token(tokenizer.token(item)) for item in ids}
    return result, labels, min(prefix_length, len(result.reference) - 1), program


def _task(config: CheckpointConfig) -> tuple[str, str, str]:
    return config.task, config.source_language, config.target_language


def _finding(outcome: Exposure, labels: Mapping[int, str]) -> str:
    index = outcome.divergence
    if index is None:
        return say("Free-running, the network writes the reference itself. Give it something harder.")
    nothing = say("nothing")
    return say(
        "Free-running, the network leaves the reference at token {number}: {free} in place of {wanted}. "
        "It gets {own} of {count} tokens right; teacher-forced, {forced}.",
        number=index + 1,
        free=quoted(labels[outcome.free_running[index]]) if index < len(outcome.free_running) else nothing,
        wanted=quoted(labels[outcome.reference[index]]) if index < len(outcome.reference) else nothing,
        own=_alike(outcome.free_running, outcome.reference),
        count=len(outcome.reference),
        forced=_alike(outcome.teacher_forced, outcome.reference),
    )


def _of_prefix(count: int) -> list[str]:
    """Say how many of the tokens that count as right were given, if any."""
    if not count:
        return []
    return [say("Tokens of the reference that were given, and so are right: {count}.", count=count)]


def _meaning(facts: Mapping[str, float | str]) -> list[str]:
    forced, exposed = float(facts["teacher_forced_cost"]), float(facts["free_running_cost"])
    costs = say(
        "A token of the reference costs {forced} nats on average if the network reads the "
        "reference, and {exposed} if it reads what it wrote itself. Training by teacher "
        "forcing never shows a network its own mistakes: this mismatch is called exposure bias.",
        forced=number_text(forced),
        exposed=number_text(exposed),
    )
    no_harm = later("On this pair it does no harm.")
    wording = later("Part of the gap may be mere wording, since a right paraphrase also counts as wrong.")
    return [costs, say(no_harm if exposed - forced < SMALLEST_GAP else wording)]


def _of_schedule(name: str, ratio: float, done: float) -> str:
    return say(
        "Scheduled sampling (Bengio et al. 2015) lets training meet them: each decoder input is the "
        "reference's token with probability ε, else the network's own. {schedule}: {formula}; "
        "at d = {done}, ε = {ratio}.",
        schedule=say(SCHEDULE_NAMES[name]).capitalize(),
        formula=FORMULAS[name],
        done=percent_text(done),
        ratio=number_text(ratio),
    )


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(first == second for first, second in zip(one, other, strict=False))


def _facts(outcome: Exposure, ratio: float) -> dict[str, float | str]:
    """Return mean costs in nats per token, over the places at which both texts have a token."""
    shared = len(outcome.exposed_costs)
    return {
        "ratio": ratio,
        "tokens": len(outcome.reference),
        "first_difference": 0 if outcome.divergence is None else outcome.divergence + 1,
        "teacher_forced_right": _alike(outcome.teacher_forced, outcome.reference),
        "free_running_right": _alike(outcome.free_running, outcome.reference),
        "teacher_forced_cost": sum(outcome.teacher_forced_costs[:shared]) / shared,
        "free_running_cost": sum(outcome.exposed_costs) / shared,
        "scheduled_cost": sum(outcome.fed_costs[:shared]) / shared,
        "compared": shared,
        "displaced_share": _displaced_cost(outcome) / sum(outcome.exposed_costs),
    }


def _displaced_cost(outcome: Exposure) -> float:
    """Return the cost at tokens of the output that the reference has, in this order, at another place."""
    costs = outcome.exposed_costs
    matcher = SequenceMatcher(None, outcome.free_running, outcome.reference, autojunk=False)
    moved = [block for block in matcher.get_matching_blocks() if block.a != block.b]
    return sum(sum(costs[block.a : block.a + block.size]) for block in moved)


def _table(outcome: Exposure, labels: Mapping[int, str]) -> Table:
    """Return the two outputs token by token, with a mark at each token that is not the reference's."""
    rows: list[list[Cell]] = []
    tokens = zip_longest(outcome.reference, outcome.teacher_forced, outcome.free_running)
    costs = zip_longest(outcome.teacher_forced_costs, outcome.exposed_costs, outcome.free_running_costs)
    for number, ((reference, forced, free), of_token) in enumerate(zip(tokens, costs, strict=False), 1):
        *both, free_cost = ("" if cost is None else number_text(cost) for cost in of_token)
        rows.append(
            [
                str(number),
                "" if reference is None else labels[reference],
                *both,
                _mark_difference(forced, reference, labels),
                _mark_difference(free, reference, labels),
                free_cost,
            ]
        )
    head = [
        say("token"),
        say("reference"),
        say("cost, teacher-forced"),
        say("cost, free-running"),
        say("teacher-forced"),
        say("free-running"),
        say("cost of its own"),
    ]
    return Table(head, rows)


def _mark_difference(token: int | None, reference: int | None, labels: Mapping[int, str]) -> str:
    if token is None:
        return ""
    return labels[token] if token == reference else f"≠ {labels[token]}"


LAB = Lab(
    "forcing",
    later("Teacher forcing"),
    later("What happens to a network that has to read its own mistakes?"),
    position=100,
    compute=compute,
)
