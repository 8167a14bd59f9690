"""One sentence under each view: what to look for in this result, computed from its trace."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from demo.figures.attention import attention_map
from demo.figures.sample_cloud import sample_cloud
from demo.figures.score_curve import KINDS, score_curves
from demo.figures.utility_matrix import utility_map
from demo.i18n import later, say
from demo.search_captions import (
    exploration_caption,
    percent,
    quoted_token,
    tree_caption,
    unfinished_caption,
)
from demo.text import number_text, percent_text
from models.decoding.trace import BeamNode, DecodingTrace, Reason

NO_ATTENTION = later("This model has no attention: its decoder sees the source through one vector only.")
GIVEN = {Reason.OPENING, Reason.CLOSING}
SURE = 0.9  # probability from which a token counts as a safe choice
CERTAIN = 0.1  # nats of entropy below which a model does not hesitate


@dataclass(frozen=True)
class Captions:
    """The sentences of one trace; those that depend on the path are given for each hypothesis."""

    ranking: str
    scores: Mapping[str, str]  # by normaliser; empty if there is nothing to rank
    tree: str
    exploration: str
    unfinished: str  # why the search ended before its promise was kept; empty if it kept it
    edit: str  # what the user imposed, and what it cost; empty if nothing
    cloud: str
    utilities: str
    output: tuple[str, ...]
    step: tuple[str, ...]
    attention: tuple[str, ...]


def captions(trace: DecodingTrace) -> Captions:
    """Every sentence about a trace."""
    paths = [trace.path(hypothesis.node) for hypothesis in trace.hypotheses]
    return Captions(
        ranking=ranking_caption(trace),
        scores=scores_captions(trace),
        tree=tree_caption(trace),
        exploration=exploration_caption(trace),
        unfinished=unfinished_caption(trace),
        edit=edit_caption(trace),
        cloud=cloud_caption(trace),
        utilities=utilities_caption(trace),
        output=tuple(output_caption(path) for path in paths),
        step=tuple(step_caption(trace, path) for path in paths),
        attention=tuple(attention_caption(trace, path[-1].id) for path in paths),
    )


def output_caption(path: Sequence[BeamNode]) -> str:
    """Where this output was least certain, but for the tokens that the checkpoint gives every output."""
    path = [node for node in path if node.reason not in GIVEN] or path
    weakest = min(path, key=lambda node: node.log_prob)
    sure = sum(math.exp(node.log_prob) >= SURE for node in path)
    least = {
        "token": quoted_token(weakest),
        "step": weakest.step + 1,
        "percent": percent(weakest),
        "bound": f"{SURE:.0%}",
    }
    if sure == len(path):
        return say(
            "Least certain token: {token} at step {step}, {percent}; every token at {bound} or more.", **least
        )
    return say(
        "Least certain token: {token} at step {step}, {percent}; {sure} of {all} tokens at {bound} or more.",
        **least,
        sure=sure,
        all=len(path),
    )


def ranking_caption(trace: DecodingTrace) -> str:
    """Whether length normalisation decided the order of the hypotheses, and how close it was."""
    if len(trace.hypotheses) < 2:
        return (
            say("One hypothesis: nothing to rank.")
            if trace.hypotheses
            else say("No hypothesis: nothing to rank.")
        )
    if trace.strategy == "mbr":
        return say(
            "Ranked by expected utility: the sample that the other samples agree with most comes first."
        )
    if trace.strategy == "stochastic":
        return say("Ranked by perturbed log-probability G: the first one is a plain sample of the model.")
    best = trace.hypotheses[0]
    second = next((other for other in trace.hypotheses if other.token_ids != best.token_ids), None)
    if second is None:
        return say("All {count} hypotheses are the same output.", count=len(trace.hypotheses))
    likeliest = max(range(len(trace.hypotheses)), key=lambda index: trace.hypotheses[index].log_prob)
    if likeliest:
        return say(
            "Length normalisation decides: by log-probability alone hypothesis {rank} would win, "
            "{value} against {other}.",
            rank=likeliest + 1,
            value=number_text(trace.hypotheses[likeliest].log_prob),
            other=number_text(best.log_prob),
        )
    lead = number_text(best.score - second.score, 3)
    if second is trace.hypotheses[1]:
        return say("The first leads the second by {lead} in score, and in log-probability too.", lead=lead)
    return say(
        "The first leads the next different one by {lead} in score, and in log-probability too.", lead=lead
    )


def scores_captions(trace: DecodingTrace) -> dict[str, str]:
    """Which alpha hands the lead to whom, under each normaliser."""
    curves = score_curves(trace)
    if curves is None:
        return {}
    flat = say("Without a normaliser the score is the log-probability: every line is flat, whatever α is.")
    sentences = {"none": flat}
    for kind in KINDS[1:]:
        changes = curves.takeovers[kind]
        first = changes[0].overtaken if changes else curves.leader(kind, curves.low)
        if not changes:
            low, high = (f"{bound:g}".replace("-", "−") for bound in (curves.low, curves.high))
            sentences[kind] = say(
                "Hypothesis {rank} leads at every α from {low} to {high}.",
                rank=first + 1,
                low=low,
                high=high,
            )
            continue
        told = [
            say(
                "hypothesis {rank} takes the lead at α = {alpha}",
                rank=to.leader + 1,
                alpha=number_text(to.alpha),
            )
            for to in changes
        ]
        sentences[kind] = say(
            "As α grows, hypothesis {rank} leads at first; {changes}.",
            rank=first + 1,
            changes=", ".join(told),
        )
    return sentences


def step_caption(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    """Where the model hesitated most on this path."""
    unsure = max(path, key=lambda node: trace.row(node).entropy)
    entropy = trace.row(unsure).entropy
    if entropy < CERTAIN:
        return say("The model never hesitated: its entropy stays below {bound} nats.", bound=CERTAIN)
    return say(
        "The model was least sure at step {step}: {entropy} nats, as if {count} tokens were equally likely.",
        step=unsure.step + 1,
        entropy=number_text(entropy, 1),
        count=f"{math.exp(entropy):.1f}",
    )


def attention_caption(trace: DecodingTrace, node_id: int) -> str:
    """Which way the strongest weight moves through the source, over the mean of layers and heads."""
    attention = attention_map(trace, node_id)
    if attention is None:
        return say(NO_ATTENTION)
    peaks = [max(range(len(row)), key=row.__getitem__) for row in attention.weights]
    moves = list(pairwise(peaks))
    if not moves:
        return say("One step only: no movement to read.")
    forward = sum(after >= before for before, after in moves)
    backward = sum(after <= before for before, after in moves)
    if backward > forward:
        return say(
            "The strongest weight moves backwards, or stays, in {count} of {all} moves.",
            count=backward,
            all=len(moves),
        )
    return say(
        "The strongest weight moves forwards, or stays, in {count} of {all} moves.",
        count=forward,
        all=len(moves),
    )


def edit_caption(trace: DecodingTrace) -> str:
    """What the forced tokens cost against the model's own first choices, and which attention was replaced."""
    sentences = []
    whole = trace.path(trace.hypotheses[0].node) if trace.hypotheses else ()
    path = whole[trace.opening : len(trace.forced)]
    costly = [node for node in path if node.token_rank > 0]
    if costly:
        node, first = costly[-1], trace.row(costly[-1]).top[0]
        cost = math.fsum(trace.row(node).top[0].log_prob - node.log_prob for node in costly)
        sentences.append(
            say(
                "At step {step} the model's first choice was {first}, {first_percent}; "
                "you forced {token}, {percent}, its number {rank}. "
                "Against first choices, what is forced costs {cost} nats.",
                step=node.step + 1,
                first=quoted_token(first),
                first_percent=percent(first),
                token=quoted_token(node),
                percent=percent(node),
                rank=f"{node.token_rank + 1:,}",
                cost=number_text(cost),
            )
        )
    elif path:
        sentences.append(
            say("Every forced token was the model's own first choice: forcing them costs nothing.")
        )
    if trace.overrides:
        steps = sorted({override.step + 1 for override in trace.overrides})
        sentences.append(
            say("Attention was replaced by yours at step {steps}.", steps=", ".join(map(str, steps)))
        )
    return " ".join(sentences)


def cloud_caption(trace: DecodingTrace) -> str:
    """How different the samples are, and how much of the model's probability they cover."""
    cloud = sample_cloud(trace)
    if cloud is None:
        return ""
    best = max(cloud.points, key=lambda point: point.log_prob)
    return say(
        "Samples: {count}, different ones: {different}; together the different ones hold {share} "
        "of the model's "
        "probability, the most probable alone {best}.",
        count=cloud.samples,
        different=len(cloud.points),
        share=percent_text(min(cloud.mass, 1.0)),
        best=percent_text(math.exp(best.log_prob)),
    )


def utilities_caption(trace: DecodingTrace) -> str:
    """Whether the sample that the others agree with is also the most probable one."""
    utilities = utility_map(trace)
    if utilities is None:
        return ""
    likeliest = max(range(len(trace.hypotheses)), key=lambda at: trace.hypotheses[at].log_prob)
    same = trace.hypotheses[likeliest].token_ids == trace.hypotheses[0].token_ids
    other = number_text(utilities.expected[likeliest], 1)
    verdict = say("it is also the most probable sample")
    if not same:
        verdict = say("the most probable one, number {rank}, has {value}", rank=likeliest + 1, value=other)
    return say(
        "The first sample agrees most with the others, expected {metric} {value}; {verdict}. "
        "Measured by sacrebleu, {signature}.",
        metric=utilities.metric,
        value=number_text(utilities.expected[0], 1),
        verdict=verdict,
        signature=utilities.signature,
    )
