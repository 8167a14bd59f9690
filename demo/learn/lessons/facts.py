"""Facts that lessons may state about a page state: small pure functions of its outputs, by name.

Steps and ranks are counted from 1, as on the page. A lab or a view of Inspect adds the facts that it names.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from demo.i18n.display import display_token
from demo.learn.lessons.reference_facts import REFERENCED
from demo.widgets.figures.prefixes import prefix_tree
from models.decoding.judge.scored_text import ScoredText
from models.decoding.status import Status
from models.decoding.trace import BeamNode, DecodedRow, DecodingTrace

Function = TypeVar("Function", bound=Callable[..., Any])
FACTS: dict[str, Callable[..., Any]] = {}  # functions of a trace and the arguments of a term


@dataclass(frozen=True)
class LessonState:
    """The computed content of a link."""

    traces: Sequence[DecodingTrace] = ()  # one for each output that is compared
    facts: Mapping[str, Any] = field(default_factory=dict)  # the facts of a lab or a view of Inspect
    references: Sequence[ScoredText] = ()  # the reference as each trace's network scores it, if there is one


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


def _fact(function: Function) -> Function:
    FACTS[function.__name__] = function
    return function


def path(trace: DecodingTrace) -> Sequence[BeamNode]:
    """Return the tokens of the best hypothesis."""
    return trace.path(trace.hypotheses[0].node)


@_fact
def output(trace: DecodingTrace, rank: int = 1) -> str:
    """Return the text of a hypothesis."""
    return trace.hypotheses[rank - 1].text


@_fact
def outputs(trace: DecodingTrace) -> int:
    """Return the number of different texts among the hypotheses."""
    return len({hypothesis.text for hypothesis in trace.hypotheses})


@_fact
def score(trace: DecodingTrace, rank: int = 1) -> float:
    """Return the length-normalised log-probability of a hypothesis."""
    return trace.hypotheses[rank - 1].score


@_fact
def log_probability(trace: DecodingTrace, rank: int = 1) -> float:
    """Return the log-probability of a whole hypothesis, in nats."""
    return trace.hypotheses[rank - 1].log_prob


@_fact
def sequence_probability(trace: DecodingTrace, rank: int = 1) -> float:
    """Return the probability of a whole hypothesis, 0 to 1."""
    return math.exp(log_probability(trace, rank))


@_fact
def mass(trace: DecodingTrace) -> float:
    """Return the probability of all hypotheses together, 0 to 1."""
    return sum(
        map(math.exp, {hypothesis.token_ids: hypothesis.log_prob for hypothesis in trace.hypotheses}.values())
    )


@_fact
def seen_mass(trace: DecodingTrace) -> float:
    """Return the probability of all outputs that the search met, 0 to 1."""
    tree = prefix_tree(trace)
    return tree.total if tree else 0.0


@_fact
def length(trace: DecodingTrace, rank: int = 1) -> int:
    """Return the number of tokens of a hypothesis, the end token included."""
    return len(trace.hypotheses[rank - 1].token_ids)


@_fact
def words(trace: DecodingTrace) -> int:
    """Return the number of words of the output."""
    return len(output(trace).split())


@_fact
def source_words(trace: DecodingTrace) -> int:
    """Return the number of words of the source."""
    return len(trace.source_text.split())


@_fact
def source_length(trace: DecodingTrace) -> int:
    """Return the number of source tokens that the network reads."""
    return len(trace.source)


@_fact
def unknown_tokens(trace: DecodingTrace) -> int:
    """Return the number of source tokens that are unknown to the tokenizer."""
    return sum(token.unknown for token in trace.source)


@_fact
def ended(trace: DecodingTrace) -> bool:
    """Return whether the output has an end token."""
    return trace.hypotheses[0].ended


@_fact
def repeated(trace: DecodingTrace) -> int:
    """Return the number of output words that occurred earlier in it."""
    return sum(count - 1 for count in Counter(output(trace).lower().split()).values())


@_fact
def mentions(trace: DecodingTrace, words: str) -> int:
    """Return how many of these words are in the output."""
    result = set(re.findall(r"\w+", output(trace).lower()))
    return sum(word in result for word in words.lower().split())


@_fact
def token(trace: DecodingTrace, step: int) -> str:
    """Return a token of the output."""
    return display_token(path(trace)[step - 1].token)


@_fact
def probability(trace: DecodingTrace, step: int) -> float:
    """Return the probability of an output token given those before it, 0 to 1."""
    return math.exp(path(trace)[step - 1].log_prob)


@_fact
def token_rank(trace: DecodingTrace, step: int) -> int:
    """Return the output token's rank; 1 if the model found no token more probable."""
    return path(trace)[step - 1].token_rank + 1


@_fact
def least_certain(trace: DecodingTrace) -> int:
    """Return the step with the smallest probability."""
    result = path(trace)
    return min(range(len(result)), key=lambda index: result[index].log_prob) + 1


@_fact
def lowest_probability(trace: DecodingTrace) -> float:
    """Return the smallest probability of an output token, 0 to 1."""
    return probability(trace, least_certain(trace))


def row_of(trace: DecodingTrace, step: int) -> DecodedRow:
    """Return the network's distribution from which the output's token of this step was chosen."""
    parent = path(trace)[step - 1].parent
    return next(row for row in trace.steps[step - 1].rows if row.node == parent)


@_fact
def candidate(trace: DecodingTrace, step: int, rank: int) -> str:
    """Return one of the most probable next tokens."""
    return display_token(row_of(trace, step).top[rank - 1].token)


@_fact
def candidate_probability(trace: DecodingTrace, step: int, rank: int) -> float:
    """Return the probability of one of the most probable next tokens, 0 to 1."""
    return math.exp(row_of(trace, step).top[rank - 1].log_prob)


@_fact
def candidates(trace: DecodingTrace, step: int, count: int) -> list[str]:
    """Return the most probable next tokens, best first, no two alike."""
    return list(dict.fromkeys(display_token(item.token) for item in row_of(trace, step).top))[:count]


@_fact
def entropy(trace: DecodingTrace, step: int) -> float:
    """Return the entropy of the next token, in nats."""
    return row_of(trace, step).entropy


@_fact
def choices(trace: DecodingTrace, step: int) -> float:
    """Return the perplexity of the next token, e to the entropy."""
    return math.exp(entropy(trace, step))


@_fact
def num_searched(trace: DecodingTrace) -> int:
    """Return the number of prefixes that the network was run on."""
    return trace.exploration.expanded if trace.exploration else sum(len(step.rows) for step in trace.steps)


@_fact
def pruned(trace: DecodingTrace) -> int:
    """Return the number of candidates that the search dropped."""
    return sum(node.status is Status.PRUNED for step in trace.steps for node in step.nodes)


def _weights(trace: DecodingTrace, step: int) -> list[float]:
    """Return the attention to each source token, the mean of the last layer's heads."""
    attention = row_of(trace, step).attention
    if not attention:
        raise ValueError("this checkpoint has no attention")
    heads = attention[-1]
    return [sum(head[index] for head in heads) / len(heads) for index in range(len(heads[0]))]


@_fact
def attention(trace: DecodingTrace, step: int, source: int) -> float:
    """Return the attention to a source token, 0 to 1, the mean of the last layer's heads."""
    return _weights(trace, step)[source - 1]


@_fact
def attended(trace: DecodingTrace, step: int) -> str:
    """Return the source token with most attention."""
    weights = _weights(trace, step)
    return display_token(trace.source[weights.index(max(weights))].surface)


@_fact
def attended_place(trace: DecodingTrace, step: int) -> int:
    """Return the position of the source token with most attention."""
    weights = _weights(trace, step)
    return weights.index(max(weights)) + 1


@_fact
def attention_of_heads(trace: DecodingTrace) -> int:
    """Return the number of cross-attention heads in all layers."""
    attention = row_of(trace, 1).attention
    return sum(len(layer) for layer in attention) if attention else 0


@_fact
def source_tokens(trace: DecodingTrace) -> list[str]:
    """Return the source as the network reads it."""
    return [display_token(item.surface) for item in trace.source]


@_fact
def alignment(trace: DecodingTrace) -> dict[str, Any]:
    """Return the attention, output tokens by source tokens, for a reader to draw."""
    nodes = path(trace)
    return {
        "rows": [display_token(node.token) for node in nodes],
        "columns": source_tokens(trace),
        "values": [_weights(trace, index) for index in range(1, len(nodes) + 1)],
    }


@_fact
def probability_curve(trace: DecodingTrace) -> dict[str, Any]:
    """Return the probability of each output token, in percent, for a reader to draw."""
    nodes = path(trace)
    return {
        "columns": [display_token(node.token) for node in nodes],
        "values": [100 * math.exp(node.log_prob) for node in nodes],
    }
