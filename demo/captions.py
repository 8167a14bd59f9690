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
from demo.text import display_token, number_text, percent_text
from models.decoding.trace import BeamNode, DecodingTrace, NextToken, Status, Stop

NO_ATTENTION = "This model has no attention: its decoder sees the source through one vector only."
COMPLETE = ("exact", "exhaustive")  # strategies that promise the best of all outputs
SAMPLED = ("sampling", "mbr", "stochastic")  # strategies that do not look for the best
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
        return f"{'One' if trace.hypotheses else 'No'} hypothesis: nothing to rank."
    if trace.strategy == "mbr":
        return "Ranked by expected utility: the sample that the other samples agree with most comes first."
    if trace.strategy == "stochastic":
        return "Ranked by perturbed log-probability G: the first one is a plain sample of the model."
    best = trace.hypotheses[0]
    second = next((other for other in trace.hypotheses if other.token_ids != best.token_ids), None)
    if second is None:
        return f"All {len(trace.hypotheses)} hypotheses are the same output."
    likeliest = max(range(len(trace.hypotheses)), key=lambda index: trace.hypotheses[index].log_prob)
    if likeliest:
        return (
            f"Length normalisation decides: by log-probability alone hypothesis {likeliest + 1} would win, "
            f"{number_text(trace.hypotheses[likeliest].log_prob)} against {number_text(best.log_prob)}."
        )
    lead = number_text(best.score - second.score, 3)
    rival = "the second" if second is trace.hypotheses[1] else "the next different one"
    return f"The first leads {rival} by {lead} in score, and in log-probability too."


def scores_captions(trace: DecodingTrace) -> dict[str, str]:
    """Which alpha hands the lead to whom, under each normaliser."""
    curves = score_curves(trace)
    if curves is None:
        return {}
    flat = "Without a normaliser the score is the log-probability: every line is flat, whatever α is."
    sentences = {"none": flat}
    for kind in KINDS[1:]:
        changes = curves.takeovers[kind]
        first = changes[0].overtaken if changes else curves.leader(kind, curves.low)
        if not changes:
            span = f"{curves.low:g} to {curves.high:g}".replace("-", "−")
            sentences[kind] = f"Hypothesis {first + 1} leads at every α from {span}."
            continue
        told = [f"hypothesis {to.leader + 1} takes the lead at α = {number_text(to.alpha)}" for to in changes]
        sentences[kind] = f"As α grows, hypothesis {first + 1} leads at first; {', '.join(told)}."
    return sentences


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


def exploration_caption(trace: DecodingTrace) -> str:
    """How much of the space the search looked at, and how much of that is drawn."""
    explored = trace.exploration
    if explored is None:
        return ""
    looked = f"The model was asked about {_count(explored.expanded, 'prefix', 'prefixes')}"
    weighed = f"{_count(explored.seen, 'candidate', 'candidates')} were weighed"
    if explored.seen > explored.recorded:
        weighed += f", of which the tree shows {explored.recorded:,}"
    proof = ""
    if explored.stop is Stop.COMPLETE and trace.strategy == "exact":
        proof = " No output of this model is more probable than the first one."
    elif explored.stop is Stop.COMPLETE and trace.strategy == "exhaustive":
        proof = " These were all outputs up to the length limit."
    return f"{looked}; {weighed}.{proof}"


def unfinished_caption(trace: DecodingTrace) -> str:
    """A sentence for a search that was ended; empty if it came to its own end."""
    explored = trace.exploration
    if explored is None or explored.stop is Stop.COMPLETE:
        return ""
    why = {
        Stop.BUDGET: f"Its budget of {explored.budget or 0:,} prefixes was spent",
        Stop.CANCELLED: "You stopped it",
        Stop.TIME: "It took too long",
    }[explored.stop]
    if explored.stop is Stop.BUDGET and explored.expanded < (explored.budget or 0):
        why = "At some step there was more to weigh than it can"
    proven = (
        "the best so far; a better one may exist"
        if trace.strategy in COMPLETE
        else "what had finished by then"
    )
    return f"The search did not come to its end. {why}, so this is {proven}."


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
            f"At step {node.step + 1} the model's first choice was {_quoted(first)}, {_percent(first)}; "
            f"you forced {_quoted(node)}, {_percent(node)}, its number {node.token_rank + 1:,}. "
            f"Against first choices, what is forced costs {number_text(cost)} nats."
        )
    elif path:
        sentences.append("Every forced token was the model's own first choice: forcing them costs nothing.")
    if trace.overrides:
        steps = sorted({override.step + 1 for override in trace.overrides})
        sentences.append(f"Attention was replaced by yours at step {', '.join(map(str, steps))}.")
    return " ".join(sentences)


def cloud_caption(trace: DecodingTrace) -> str:
    """How different the samples are, and how much of the model's probability they cover."""
    cloud = sample_cloud(trace)
    if cloud is None:
        return ""
    best = max(cloud.points, key=lambda point: point.log_prob)
    different = "all different" if len(cloud.points) == cloud.samples else f"{len(cloud.points)} different"
    return (
        f"{_count(cloud.samples, 'sample', 'samples')}, {different}; together the different ones hold "
        f"{percent_text(min(cloud.mass, 1.0))} of the model's probability, the most probable alone "
        f"{percent_text(math.exp(best.log_prob))}."
    )


def utilities_caption(trace: DecodingTrace) -> str:
    """Whether the sample that the others agree with is also the most probable one."""
    utilities = utility_map(trace)
    if utilities is None:
        return ""
    likeliest = max(range(len(trace.hypotheses)), key=lambda at: trace.hypotheses[at].log_prob)
    same = trace.hypotheses[likeliest].token_ids == trace.hypotheses[0].token_ids
    other = number_text(utilities.expected[likeliest], 1)
    verdict = "it is also the most probable sample"
    if not same:
        verdict = f"the most probable one, number {likeliest + 1}, has {other}"
    return (
        f"The first sample agrees most with the others, expected {utilities.metric} "
        f"{number_text(utilities.expected[0], 1)}; {verdict}. Measured by sacrebleu, {utilities.signature}."
    )


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
    if trace.strategy in SAMPLED or trace.strategy in COMPLETE:  # no beam in which one could be ahead
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


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _quoted(node: BeamNode | NextToken) -> str:
    return f"“{display_token(node.token)}”"


def _percent(node: BeamNode | NextToken) -> str:
    return percent_text(math.exp(node.log_prob))
