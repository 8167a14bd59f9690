"""One sentence under each view: what to look for in this result, computed from its trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from demo.figures.attention import attention_map
from demo.text import display_token, number_text, percent_text
from models.decoding.trace import BeamNode, DecodingTrace, NextToken, Status

NO_ATTENTION = "This model has no attention: its decoder sees the source through one vector only."
SURE = 0.9  # probability from which a token counts as a safe choice
CERTAIN = 0.1  # nats of entropy below which a model does not hesitate


@dataclass(frozen=True)
class Captions:
    """The sentences of one trace; those that depend on the path are given for each hypothesis."""

    ranking: str
    tree: str
    output: tuple[str, ...]
    step: tuple[str, ...]
    attention: tuple[str, ...]


def captions(trace: DecodingTrace) -> Captions:
    """Every sentence about a trace."""
    paths = [trace.path(hypothesis.node) for hypothesis in trace.hypotheses]
    return Captions(
        ranking=ranking_caption(trace),
        tree=tree_caption(trace),
        output=tuple(output_caption(path) for path in paths),
        step=tuple(step_caption(trace, path) for path in paths),
        attention=tuple(attention_caption(trace, path[-1].id) for path in paths),
    )


def output_caption(path: Sequence[BeamNode]) -> str:
    """Where this output was least certain."""
    weakest = min(path, key=lambda node: node.log_prob)
    sure = sum(math.exp(node.log_prob) >= SURE for node in path)
    share = "every token" if sure == len(path) else f"{sure} of {len(path)} tokens"
    return (
        f"Least certain token: {_quoted(weakest)} at step {weakest.step + 1}, {_percent(weakest)}; "
        f"{share} at {SURE:.0%} or more."
    )


def ranking_caption(trace: DecodingTrace) -> str:
    """Whether length normalisation decided the order of the hypotheses, and how close it was."""
    if len(trace.hypotheses) < 2:
        return "One hypothesis: nothing to rank."
    best, second = trace.hypotheses[:2]
    likeliest = max(range(len(trace.hypotheses)), key=lambda index: trace.hypotheses[index].log_prob)
    if likeliest:
        return (
            f"Length normalisation decides: by log-probability alone hypothesis {likeliest + 1} would win, "
            f"{number_text(trace.hypotheses[likeliest].log_prob)} against {number_text(best.log_prob)}."
        )
    lead = number_text(best.score - second.score, 3)
    return f"The first leads the second by {lead} in score, and in log-probability too."


def step_caption(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    """Where the model hesitated most on this path."""
    unsure = max(path, key=lambda node: trace.row(node).entropy)
    entropy = trace.row(unsure).entropy
    if entropy < CERTAIN:
        return f"The model never hesitated: its entropy stays below {CERTAIN} nats."
    return (
        f"The model was least sure at step {unsure.step + 1}: {number_text(entropy, 1)} nats, "
        f"as if {math.exp(entropy):.1f} tokens were equally likely."
    )


def attention_caption(trace: DecodingTrace, node_id: int) -> str:
    """Which way the strongest weight moves through the source, over the mean of layers and heads."""
    attention = attention_map(trace, node_id)
    if attention is None:
        return NO_ATTENTION
    peaks = [max(range(len(row)), key=row.__getitem__) for row in attention.weights]
    moves = list(pairwise(peaks))
    if not moves:
        return "One step only: no movement to read."
    forward = sum(after >= before for before, after in moves)
    backward = sum(after <= before for before, after in moves)
    if backward > forward:
        return f"The strongest weight moves backwards, or stays, in {backward} of {len(moves)} moves."
    return f"The strongest weight moves forwards, or stays, in {forward} of {len(moves)} moves."


def tree_caption(trace: DecodingTrace) -> str:
    """What the search gained over always taking the model's first choice, or lost."""
    if not trace.hypotheses:
        return "No hypothesis was finished."
    path = trace.path(trace.hypotheses[0].node)
    overtaken = _overtaken(trace, path)
    if overtaken is not None:
        node, leader = overtaken
        return (
            f"At step {node.step + 1} another path was ahead, through {_quoted(leader)}: "
            f"{number_text(leader.cumulative)} against {number_text(node.cumulative)}. "
            "The one behind won in the end."
        )
    swerve = next((node for node in path if node.token_rank > 0), None)
    if swerve is None:
        return _greedy_caption(trace, path)
    first = trace.row(swerve).top[0]
    return (
        f"At step {swerve.step + 1} the model's first choice was {_quoted(first)}, {_percent(first)}; "
        f"the best path takes {_quoted(swerve)}, {_percent(swerve)}."
    )


def _overtaken(trace: DecodingTrace, path: Sequence[BeamNode]) -> tuple[BeamNode, BeamNode] | None:
    """The step at which the best path lay furthest behind: its node there and the leader's."""
    if trace.strategy == "sampling":  # samples do not compete
        return None
    behind = []
    for node in path:
        leader = max(
            (other for other in trace.steps[node.step].nodes if other.status is not Status.PRUNED),
            key=lambda other: other.cumulative,
            default=node,
        )
        if leader.cumulative > node.cumulative:
            behind.append((node, leader))
    return max(behind, key=lambda pair: pair[1].cumulative - pair[0].cumulative, default=None)


def _greedy_caption(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    """The closest call of a path that takes the model's first choice everywhere."""
    rows = [(node, trace.row(node).top) for node in path]
    calls = [(top[0].log_prob - top[1].log_prob, node, top[1]) for node, top in rows if len(top) > 1]
    if not calls:
        return "The best path takes the model's first choice at every step."
    _, node, other = min(calls, key=lambda call: call[0])
    return (
        f"The best path takes the model's first choice at every step; closest call at step {node.step + 1}: "
        f"{_quoted(node)} {_percent(node)} against {_quoted(other)} {_percent(other)}."
    )


def _quoted(node: BeamNode | NextToken) -> str:
    return f"“{display_token(node.token)}”"


def _percent(node: BeamNode | NextToken) -> str:
    return percent_text(math.exp(node.log_prob))
