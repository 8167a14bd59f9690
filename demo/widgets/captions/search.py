"""Sentences about a search: its size, its gain over greedy search, and its end."""

from __future__ import annotations

import math
from collections.abc import Sequence

from demo.i18n import quoted, say
from demo.i18n.display import capitalize, display_token, number_text, percent_text, prefixes, reason_sentence
from demo.widgets.figures.lost_output import lost_output
from models.decoding.status import Reason, Status, Stop
from models.decoding.strategies import description_of
from models.decoding.trace import BeamNode, DecodingTrace, NextToken

FIXED_REASONS = {Reason.OPENING, Reason.CLOSING}  # tokens that every output of a checkpoint has


def exploration_caption(trace: DecodingTrace) -> str:
    """A sentence about the number of explored prefixes and candidates, and of those drawn."""
    explored = trace.exploration
    if explored is None:
        return ""
    counts = {"prefixes": prefixes(explored.expanded), "candidates": _candidates(explored.ranked)}
    sentence = say("The model has scored {prefixes}; {candidates} were weighed.", **counts)
    if explored.ranked > explored.recorded:
        sentence = say(
            "The model has scored {prefixes}; {candidates} were weighed, of which the tree shows {shown}.",
            **counts,
            shown=f"{explored.recorded:,}",
        )
    proof = description_of(trace.strategy).proof
    return f"{sentence} {say(proof)}" if proof and explored.stop is Stop.COMPLETE else sentence


def unfinished_caption(trace: DecodingTrace) -> str:
    """A sentence about a search that was stopped early; empty for a complete one."""
    explored = trace.exploration
    if explored is None or explored.stop is Stop.COMPLETE:
        return ""
    reason = {
        Stop.BUDGET: say("Its budget of {budget} prefixes was spent", budget=f"{explored.budget or 0:,}"),
        Stop.CANCELLED: say("You stopped it"),
        Stop.TIME: say("It took too long"),
        Stop.SHUTDOWN: say("The server is shutting down"),
    }[explored.stop]
    if explored.stop is Stop.BUDGET and explored.expanded < (explored.budget or 0):
        reason = say("A step had more candidates than the search can weigh")
    if description_of(trace.strategy).complete:
        return say(
            "The search is incomplete. {why}, so this is the best so far; a better one may exist.", why=reason
        )
    return say("The search is incomplete. {why}, so this is what had finished by then.", why=reason)


def lost_output_caption(trace: DecodingTrace) -> str:
    """A sentence about the step at which the search lost a better known output; empty without one."""
    lost = lost_output(trace)
    if lost is None:
        return ""
    better = say(
        "A better output is known: {text}, score {score} against {other}.",
        text=quoted(lost.better.text) if lost.better.text else say("(empty)"),
        score=number_text(lost.better.score, 3),
        other=number_text(trace.hypotheses[0].score, 3),
    )
    token, step = quoted(display_token(lost.better.tokens[lost.step].surface)), lost.step + 1
    if lost.dropped is None:
        how = say(
            "It was lost at step {step}: {token} is not among the candidates recorded there.",
            step=step,
            token=token,
        )
        return f"{better} {how}"
    how = say(
        "It was dropped at step {step}, at {token}, which had rank {rank} among all candidates.",
        step=step,
        token=token,
        rank=f"{lost.dropped.rank + 1:,}",
    )
    return f"{better} {how} {reason_sentence(lost.dropped.reason)}"


def tree_caption(trace: DecodingTrace) -> str:
    """A sentence about the difference between the best path and the model's first choices."""
    if not trace.hypotheses:
        return say("No hypothesis was finished.")
    path = trace.path(trace.hypotheses[0].node)
    overtaken = _overtaken(trace, path)
    if overtaken is not None:
        node, leader = overtaken
        return say(
            "At step {step} another path was ahead, through {token}: {value} against {other}. "
            "The one behind won in the end.",
            step=node.step + 1,
            token=quoted_token(leader),
            value=number_text(leader.cumulative),
            other=number_text(node.cumulative),
        )
    swerve = next((node for node in path if node.token_rank > 0), None)
    if swerve is None:
        return _closest_call_caption(trace, path)
    first = trace.row(swerve).top[0]
    return say(
        "At step {step} the model's first choice was {first}, {first_percent}; {path} takes "
        "{token}, {percent}.",
        step=swerve.step + 1,
        path=_first_path(trace),
        first=quoted_token(first),
        first_percent=percent(first),
        token=quoted_token(swerve),
        percent=percent(swerve),
    )


def _first_path(trace: DecodingTrace) -> str:
    """The name of the path to the first output. Samples are no search for the best one."""
    return say("sample 1") if description_of(trace.strategy).draws else say("the best path")


def _overtaken(trace: DecodingTrace, path: Sequence[BeamNode]) -> tuple[BeamNode, BeamNode] | None:
    """The step at which the best path lay furthest behind: its node there and the leader's."""
    strategy = description_of(trace.strategy)
    if strategy.draws or strategy.complete:  # no beam in which one could be ahead
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


def _closest_call_caption(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    """The closest call of a path that takes the model's first choice everywhere."""
    rows = [(node, trace.row(node).top) for node in path]
    calls = [(top[0].log_prob - top[1].log_prob, node, top[1]) for node, top in rows if len(top) > 1]
    subject = capitalize(_first_path(trace))
    if not calls:
        return say("{path} takes the model's first choice at every step.", path=subject)
    _, node, other = min(calls, key=lambda call: call[0])
    return say(
        "{path} takes the model's first choice at every step; closest call at step {step}: "
        "{token} {percent} against {other} {other_percent}.",
        path=subject,
        step=node.step + 1,
        token=quoted_token(node),
        percent=percent(node),
        other=quoted_token(other),
        other_percent=percent(other),
    )


def _candidates(number: int) -> str:
    return say("1 candidate") if number == 1 else say("{count} candidates", count=f"{number:,}")


def quoted_token(node: BeamNode | NextToken) -> str:
    """A token between quotation marks."""
    return quoted(display_token(node.token))


def percent(node: BeamNode | NextToken) -> str:
    """The probability of a token."""
    return percent_text(math.exp(node.log_prob))
