"""Facts that lessons may state about a page state: small pure functions of its outputs, by name.

Steps and ranks are counted from 1, as on the page. A lab or a view of Inspect adds the facts that it names.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from demo.i18n import say
from demo.i18n.display import METASPACE, display_token, short_text
from demo.widgets.figures.prefixes import prefix_tree
from models.decoding.judge.verdict import ScoredText
from models.decoding.status import Status, Stop
from models.decoding.trace import BeamNode, DecodedRow, DecodingTrace

EXTENSIONS = 4  # the next tokens of each prefix that a reader chooses from
CLEAR_LEAD = 0.05  # attention by which a token has to lead before a reader is asked where the network looks


@dataclass(frozen=True)
class LessonState:
    """The computed content of a link."""

    traces: Sequence[DecodingTrace] = ()  # one for each output that is compared
    facts: Mapping[str, Any] = field(default_factory=dict)  # the facts of a lab or a view of Inspect
    references: Sequence[ScoredText] = ()  # the reference as each trace's network scores it, if there is one
    contrasts: Mapping[str, LessonState] = field(default_factory=dict)  # other states of a step, by name


def fact(state: LessonState, name: str, arguments: tuple[Any, ...], which: int) -> Any:
    """Return a fact of output `which`, from 1. Raises KeyError for a name that the state does not know."""
    if name in state.facts and not arguments:
        return state.facts[name]
    if name in REFERENCED:
        return REFERENCED[name](state.references[which - 1], *arguments)
    if name not in FACTS:
        raise KeyError(f"there is no fact {name}; this state adds {', '.join(sorted(state.facts)) or 'none'}")
    if not 1 <= which <= len(state.traces):
        raise IndexError(f"there is no output {which}")
    return FACTS[name](state.traces[which - 1], *arguments)


def path(trace: DecodingTrace) -> Sequence[BeamNode]:
    """Return the tokens of the best hypothesis."""
    return trace.path(trace.hypotheses[0].node)


def _output(trace: DecodingTrace, rank: int = 1) -> str:
    return trace.hypotheses[rank - 1].text


def _log_probability(trace: DecodingTrace, rank: int = 1) -> float:
    return trace.hypotheses[rank - 1].log_prob


def _seen_mass(trace: DecodingTrace) -> float:
    tree = prefix_tree(trace)
    return tree.total if tree else 0.0


def _num_repeated(trace: DecodingTrace) -> int:
    return sum(count - 1 for count in Counter(_output(trace).lower().split()).values())


def _mentions(trace: DecodingTrace, words: str) -> int:
    in_output = set(re.findall(r"\w+", _output(trace).lower()))
    return sum(word in in_output for word in words.lower().split())


def _containing(trace: DecodingTrace, words: str) -> int:
    whole = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
    return sum(whole.search(item.text) is not None for item in trace.hypotheses)


def _probability(trace: DecodingTrace, step: int) -> float:
    return math.exp(path(trace)[step - 1].log_prob)


def _least_certain(trace: DecodingTrace) -> int:
    nodes = path(trace)
    return min(range(len(nodes)), key=lambda index: nodes[index].log_prob) + 1


def _row(trace: DecodingTrace, step: int) -> DecodedRow:
    """Return the network's distribution from which the output's token of this step was chosen."""
    return trace.row(path(trace)[step - 1])


def _num_searched(trace: DecodingTrace) -> int:
    return trace.exploration.expanded if trace.exploration else sum(len(step.rows) for step in trace.steps)


def _weights(trace: DecodingTrace, step: int) -> list[float]:
    """Return the attention to each source token, the mean of the last layer's heads."""
    attention = _row(trace, step).attention
    if not attention:
        raise ValueError("this checkpoint has no attention")
    heads = attention[-1]
    return [sum(head[index] for head in heads) / len(heads) for index in range(len(heads[0]))]


def _attended_place(trace: DecodingTrace, step: int) -> int:
    weights = _weights(trace, step)
    return weights.index(max(weights)) + 1


def _survivors(trace: DecodingTrace, step: int) -> list[BeamNode]:
    """Return the candidates of a step that the search did not drop, best first."""
    return [node for node in trace.steps[step - 1].nodes if node.status is not Status.PRUNED]


def _prefix(trace: DecodingTrace, node: int | None, token: str = "") -> str:
    tokens = [item.token for item in trace.path(node)] if node is not None else []
    return "".join((*tokens, token)).replace(METASPACE, " ").strip()


def _extensions(trace: DecodingTrace, step: int) -> dict[str, Any]:
    """Return the best extensions of the prefixes of a step, and which of them the search kept."""
    survivors = {(node.parent, node.token_id) for node in _survivors(trace, step)}
    rows = [(row.node, top) for row in trace.steps[step - 1].rows for top in row.top[:EXTENSIONS]]
    before = [math.exp(trace.nodes[node].cumulative) if node is not None else 1 for node, _ in rows]
    factors = [(p, math.exp(top.log_prob)) for p, (_, top) in zip(before, rows, strict=True)]
    return {
        "rows": [_prefix(trace, node, top.token) for node, top in rows],
        "columns": [say("keep"), say("drop")],
        "factors": [" × ".join(short_text(value, 2) for value in pair) for pair in factors],
        "keep": len(survivors),
        "values": [[1, 0] if (node, top.token_id) in survivors else [0, 1] for node, top in rows],
        "products": list(map(math.prod, factors)),
    }


def _source_tokens(trace: DecodingTrace) -> list[str]:
    return [display_token(item.surface) for item in trace.source]


def _alignment(trace: DecodingTrace) -> dict[str, Any]:
    """Return the attention of each output token that looks most at one source token, and clearly so."""
    rows = [(display_token(node.token), _weights(trace, step)) for step, node in enumerate(path(trace), 1)]
    clear = [(token, weights) for token, weights in rows if _lead(weights) > CLEAR_LEAD]
    return {
        "rows": [token for token, _ in clear],
        "columns": _source_tokens(trace),
        "values": [weights for _, weights in clear],
    }


def _lead(weights: Sequence[float]) -> float:
    first, second = sorted([*weights, 0.0], reverse=True)[:2]
    return first - second


def _probability_curve(trace: DecodingTrace) -> dict[str, Any]:
    nodes = path(trace)
    return {
        "columns": [display_token(node.token) for node in nodes],
        "values": [100 * math.exp(node.log_prob) for node in nodes],
    }


# Functions of a trace and the arguments of a term. A rank is that of a hypothesis, by default the best one.
# Facts without a rank are about the best one. Probabilities are 0 to 1; log-probabilities, entropies in nats.
FACTS: dict[str, Callable[..., Any]] = {
    "output": _output,
    # the number of different texts among the hypotheses
    "outputs": lambda trace: len({hypothesis.text for hypothesis in trace.hypotheses}),
    "score": lambda trace, rank=1: trace.hypotheses[rank - 1].score,  # the length-normalised log-probability
    "log_probability": _log_probability,  # the whole hypothesis
    "sequence_probability": lambda trace, rank=1: math.exp(_log_probability(trace, rank)),
    "utility": lambda trace, rank=1: trace.hypotheses[rank - 1].utility,  # in minimum Bayes risk, 0 to 100
    # the number of hypotheses with this text, and with these whole words in theirs
    "times_drawn": lambda trace, text: sum(item.text == text for item in trace.hypotheses),
    "containing": _containing,
    # the probability of all hypotheses together
    "mass": lambda trace: sum(map(math.exp, {h.token_ids: h.log_prob for h in trace.hypotheses}.values())),
    "seen_mass": _seen_mass,  # the probability of all outputs that the search met
    "length": lambda trace, rank=1: len(trace.hypotheses[rank - 1].token_ids),  # the end token included
    "words": lambda trace: len(_output(trace).split()),
    "source_words": lambda trace: len(trace.source_text.split()),
    "source_length": lambda trace: len(trace.source),  # in tokens
    "unknown_tokens": lambda trace: sum(token.unknown for token in trace.source),  # in the source
    "ended": lambda trace: trace.hypotheses[0].ended,  # whether the output has an end token
    "repeated": _num_repeated,  # the number of output words that occurred earlier in it
    "mentions": _mentions,  # how many of the given words are in the output
    "token": lambda trace, step: display_token(path(trace)[step - 1].token),
    "probability": _probability,  # an output token's, given the tokens before it
    "token_rank": lambda trace, step: path(trace)[step - 1].token_rank + 1,
    "least_certain": _least_certain,  # the step with the smallest probability
    "lowest_probability": lambda trace: _probability(trace, _least_certain(trace)),
    # the most probable next tokens
    "candidate": lambda trace, step, rank: display_token(_row(trace, step).top[rank - 1].token),
    "candidate_probability": lambda trace, step, rank: math.exp(_row(trace, step).top[rank - 1].log_prob),
    "candidates": lambda trace, step, count: list(  # best first, no two alike
        dict.fromkeys(display_token(item.token) for item in _row(trace, step).top)
    )[:count],
    # the probability with which sampling takes one of the `count` most probable tokens
    "drawn": lambda trace, step, count: sum((_row(trace, step).chances or ())[:count]),
    "entropy": lambda trace, step: _row(trace, step).entropy,  # the next token's
    "choices": lambda trace, step: math.exp(_row(trace, step).entropy),  # its perplexity
    # whether no output that the search left out can be more probable
    "proved": lambda trace: trace.exploration is not None and trace.exploration.stop is Stop.COMPLETE,
    "num_searched": _num_searched,  # the number of prefixes that the network was run on
    # a prefix that the search kept at a step, and its probability; best first
    "kept": lambda trace, step, rank: _prefix(trace, _survivors(trace, step)[rank - 1].id),
    "kept_probability": lambda trace, step, rank: math.exp(_survivors(trace, step)[rank - 1].cumulative),
    "extensions": _extensions,  # chosen by readers: the prefixes to keep at a step
    "attention": lambda trace, step, source: _weights(trace, step)[source - 1],
    # the source token with most attention, and its position
    "attended": lambda trace, step: _source_tokens(trace)[_attended_place(trace, step) - 1],
    "attended_place": _attended_place,
    # the number of cross-attention heads in all layers
    "attention_of_heads": lambda trace: sum(map(len, _row(trace, 1).attention or ())),
    "source_tokens": _source_tokens,  # the source as the network reads it
    # drawn by readers: the attention of output tokens to source tokens, and probabilities in percent
    "alignment": _alignment,
    "probability_curve": _probability_curve,
}
# Functions of a reference as a network scores it.
REFERENCED: dict[str, Callable[..., Any]] = {
    "reference_log_probability": lambda scored: scored.log_prob,
    "reference_score": lambda scored: scored.score,
    "reference_perplexity": lambda scored: scored.perplexity,
    "reference_length": lambda scored: len(scored.tokens),  # the end token included
    "reference_cross_entropy": lambda scored: -scored.log_prob / len(scored.tokens),  # nats for a token
    "reference_token": lambda scored, step: display_token(scored.tokens[step - 1].surface),
    "reference_rank": lambda scored, step: scored.tokens[step - 1].rank + 1,
    "reference_probability": lambda scored, step: math.exp(scored.tokens[step - 1].log_prob),
    # the number of tokens that no other token beats
    "reference_first_choices": lambda scored: sum(token.rank == 0 for token in scored.tokens),
}
