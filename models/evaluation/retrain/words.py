"""A proposal and a result as lines of a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from models.evaluation.retrain.arms import ExperimentProgress
from models.evaluation.retrain.experiment import Experiment
from models.evaluation.retrain.propose import STATES, PairEvidence, Proposal

MAX_SHARED_WORDS, MAX_CHANGED_ROWS = 4, 10  # shared words of a pair, changed held-out outputs


def table_lines(proposal: Proposal, lines: Sequence[int]) -> list[str]:
    """A table with a row for each proposed pair; `lines` are the line numbers of all training pairs."""
    heading = [f"training pairs that may have caused it, out of {proposal.num_searched:,} searched:"]
    if proposal.note:
        heading.append(str(proposal.note))
    rows = [
        (
            f"{lines[proposed.index]}",
            f"{proposed.score:.4f}",
            "; ".join(map(_evidence, proposed.evidence)),
            f"{proposed.pair[0]} → {proposed.pair[1]}",
        )
        for proposed in proposal.pairs
    ]
    table = [("line", "score", "evidence, with its rank", "pair"), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(3)]
    return heading + [
        f"{line:>{widths[0]}}  {score:>{widths[1]}}  {evidence:<{widths[2]}}  {pair}"
        for line, score, evidence, pair in table
    ]


def _evidence(part: PairEvidence) -> str:
    detail = f"{part.value:.2f} away" if part.kind == STATES else ", ".join(part.shared[:MAX_SHARED_WORDS])
    return f"{part.kind} {part.rank} ({detail})"


def plan_line(experiment: Experiment) -> str:
    """A line on the pairs and steps of an experiment."""
    count, max_pairs = len(experiment.pairs), experiment.settings.max_pairs
    changes, held_out = experiment.changes, len(experiment.test_set.held_out)
    use = (
        f"each pair is seen {max_pairs / count:.1f} times"
        if count <= max_pairs
        else f"{max_pairs:,} of the pairs are seen"
    )
    return (
        f"fine-tuning on {count:,} pairs, and {_change_text(len(changes.dropped), len(changes.corrected))}: "
        f"{experiment.settings.steps:,} steps each, {use}; {held_out:,} pairs held out"
    )


def progress_line(progress: ExperimentProgress, steps: int, seconds: float) -> str:
    """The progress of an experiment after some seconds."""
    assert progress.step is not None
    per_arm = steps // 2
    seconds_left = seconds * (1 - progress.share) / progress.share
    number = progress.arm * per_arm + progress.step.number
    return f"step {number:,} of {steps:,}, loss {progress.step.loss:.3f}, {seconds_left:.0f} s left"


def result_lines(result: Mapping[str, Any]) -> list[str]:
    """The result of `experiment.result_json` in words, with 95 % intervals."""
    lines = []
    changed = _change_text(result["dropped"], result["corrected"])
    for name, arm_name in (("with all pairs", "before"), (changed, "after")):
        arm = result[arm_name]
        lines += [
            f"{name}: {arm['output']}",
            f"  log-probability of the wrong text {arm['wrong_log_prob']:.2f}, "
            f"of the wanted text {arm['wanted_log_prob']:.2f}",
        ]
    lines.append(_verdict(result))
    if held_out_scores := result["others"]:
        before, after, gained = (_interval(held_out_scores[name]) for name in ("before", "after", "gained"))
        lines += [
            f"{held_out_scores['changed']} of {held_out_scores['pairs']} held-out outputs change; "
            f"chrF {before} becomes {after}, higher by {gained}",
            *(
                f"  {row['source']}: {row['before']} → {row['after']} (reference: {row['reference']})"
                for row in result["held_out"][:MAX_CHANGED_ROWS]
            ),
        ]
    return lines


def _change_text(dropped: int, corrected: int) -> str:
    """The changes of the second arm."""
    parts = [f"without {dropped:,} of them"] if dropped else []
    return " and ".join([*parts, f"with {corrected:,} corrected"] if corrected else parts)


def _verdict(result: Mapping[str, Any]) -> str:
    if result["flipped"]:
        return "with these changes the output is the wanted one"
    if result["before"]["output"] == result["wanted"]:
        return "fine-tuning on all pairs gives the wanted output already, so these pairs are not to blame"
    return "with these changes the output is still not the wanted one"


def _interval(values: Sequence[float]) -> str:
    value, low, high = values
    return f"{value:.1f} ({low:.1f} to {high:.1f})"
