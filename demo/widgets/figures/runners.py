"""Paths of a search side by side: greedy, the winner and a dropped one, and their overtakings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from demo.widgets.figures.lost_output import LostOutput, lost_output
from demo.widgets.figures.prefixes import ROOT, Prefix, PrefixTree, prefix_tree
from demo.widgets.figures.trace_figure import per_trace
from models.decoding.status import Status
from models.decoding.trace import DecodingTrace

TIE_NATS = 1e-6  # nats; numbers of a trace have six decimals


class Who(str, Enum):
    """The role of a runner."""

    WINNER = "winner"
    GREEDY = "greedy"
    DROPPED = "dropped"  # the dropped path nearest to the winner, or furthest ahead of it
    BETTER = "better"  # an output of a comparison that is better than the winner


@dataclass(frozen=True)
class Runner:
    """The recorded part of one path."""

    who: Who
    path: tuple[Prefix, ...]  # prefixes of 1, 2, … tokens; their log-probabilities never rise
    ended: bool  # False: its continuation is not known

    def log_prob_after(self, step: int) -> float | None:
        """Return the log-probability after `step` tokens; None beyond the end of an unfinished path."""
        if step > len(self.path):
            return self.path[-1].log_prob if self.ended else None
        return self.path[step - 1].log_prob


@dataclass(frozen=True)
class Overtaking:
    """The first step after which another runner leads."""

    step: int  # counted from 1, after the forced tokens
    ahead: Runner  # the leader from this step on
    behind: Runner


@dataclass(frozen=True)
class Race:
    """The runners and their overtakings."""

    forced_length: int  # tokens that every path begins with
    winner: Runner
    greedy: Runner | None  # None where the winner is the path of greedy search
    dropped: Runner | None  # the better output, if one is known
    overtakings: tuple[Overtaking, ...]  # between the winner and each other runner, by step
    lost_step: int | None = None  # from 1, after the forced tokens; here the better output was dropped

    @property
    def runners(self) -> tuple[Runner, ...]:
        """All runners, the winner last so that it is drawn over the others."""
        return tuple(runner for runner in (self.dropped, self.greedy, self.winner) if runner is not None)


@per_trace
def race(trace: DecodingTrace) -> Race | None:
    """Return the race of a trace; None if nothing finished or the winner has no rival."""
    tree = prefix_tree(trace)
    if tree is None or not tree.hypotheses or not tree.path(tree.hypotheses[0]):
        return None
    winner = _runner(Who.WINNER, tree, tree.hypotheses[0])
    greedy = _runner(Who.GREEDY, tree, _greedy_end(tree))
    lost = lost_output(trace)
    if lost is not None and lost.step < tree.forced_length:
        lost = None
    dropped = _better(lost, tree.forced_length) if lost else _nearest_dropped(trace, tree, winner, greedy)
    # Greedy search is left out if its path is the winner's.
    greedy_apart = greedy if greedy.path != winner.path[: len(greedy.path)] else None
    others = [runner for runner in (greedy_apart, dropped) if runner is not None]
    if not others:
        return None
    changes = [overtaking for other in others for overtaking in overtakings(winner, other)]
    changes.sort(key=lambda overtaking: overtaking.step)
    return Race(
        tree.forced_length,
        winner,
        greedy_apart,
        dropped,
        tuple(changes),
        lost.step + 1 - tree.forced_length if lost else None,
    )


def overtakings(one: Runner, other: Runner) -> Iterator[Overtaking]:
    """Yield every change of the lead between two runners in the recorded part of both."""
    leader: Runner | None = None
    for step in range(1, max(len(one.path), len(other.path)) + 1):
        values = one.log_prob_after(step), other.log_prob_after(step)
        if values[0] is None or values[1] is None:
            return
        gap = values[0] - values[1]
        if abs(gap) <= TIE_NATS:
            continue
        ahead, behind = (one, other) if gap > 0 else (other, one)
        if leader is behind:
            yield Overtaking(step, ahead, behind)
        leader = ahead


def _runner(who: Who, tree: PrefixTree, end: int) -> Runner:
    return Runner(who, tree.path(end), tree.prefixes[end].ended or (end in tree.hypotheses))


def _greedy_end(tree: PrefixTree) -> int:
    """Return the last recorded prefix on the path of likeliest next tokens."""
    prefix = tree.prefixes[ROOT]
    while prefix.explored and prefix.children and not prefix.ended:
        prefix = tree.prefixes[prefix.children[0]]
    return prefix.index


def _better(lost: LostOutput, forced_length: int) -> Runner:
    """Return the better output as a runner with its whole path."""
    total = 0.0
    path: list[Prefix] = []
    for index, token in enumerate(lost.better.tokens[forced_length:], forced_length):
        total += token.log_prob
        nodes = tuple(node.id for node in lost.beginnings[index]) if index < len(lost.beginnings) else ()
        path.append(Prefix.elsewhere(len(path) + 1, token.surface, total, nodes))
    return Runner(Who.BETTER, tuple(path), ended=True)


def _nearest_dropped(trace: DecodingTrace, tree: PrefixTree, winner: Runner, greedy: Runner) -> Runner | None:
    """Return the dropped path that was nearest to the winner, or furthest ahead of it, when dropped."""
    on_kept_paths = {step.index for end in tree.hypotheses for step in tree.path(end)}
    on_kept_paths |= {step.index for step in greedy.path}
    best: tuple[float, int] | None = None
    for prefix in tree.prefixes:
        pruned = any(trace.nodes[node].status is Status.PRUNED for node in prefix.nodes)
        theirs = winner.log_prob_after(prefix.depth) if pruned and prefix.index not in on_kept_paths else None
        if theirs is not None and (best is None or prefix.log_prob - theirs > best[0] + TIE_NATS):
            best = prefix.log_prob - theirs, prefix.index
    return None if best is None else _runner(Who.DROPPED, tree, best[1])
