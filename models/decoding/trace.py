"""The trace: the record of a search, written while it runs.

Numbers and strings only: no tensor, no torch, no figure. Written by `recorder`, read by every view. Records
that a trace has by the thousand are named tuples, made in a seventh of the time of a frozen dataclass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from models.decoding.record_json import (
    SCHEMA_VERSION,
    as_json,
    by_field,
    damage_error,
    drop_word_fields,
    log_prob,
    readable,
    tuples,
    with_ids,
    without_infinity,
)
from models.decoding.status import Reason, Status, Stop
from models.errors import reason_of

Attention = tuple[tuple[tuple[float, ...], ...], ...]  # (L, H, S), each innermost row sums to 1


@dataclass(frozen=True)
class Token:
    """One token of a text: `surface` is how the tokenizer spells it."""

    id: int
    surface: str
    unknown: bool = False
    start: int | None = None  # first character in the source text; None if it has none there
    end: int | None = None  # one past its last character


class BeamNode(NamedTuple):
    """One candidate: the extension of a live row by one token."""

    id: int  # unique in the trace, in the order of recording
    parent: int | None  # id of the node it extends; None at the first step
    step: int  # 0 for the first generated token
    token_id: int
    token: str
    log_prob: float  # the model's own log-probability of the token, in nats
    cumulative: float  # sum of `log_prob` from the first token to this one, in nats
    score: float  # `cumulative`, normalised by the length normaliser of the search
    rank: int  # 0 for the best candidate of its group in one step of the search
    token_rank: int  # 0 if the model gave this token the highest probability in its row
    status: Status
    reason: Reason
    rank_score: float | None = None  # the search ranked it by this value, if that is not `cumulative`
    group: int = 0  # the group of a diverse beam
    chance: float | None = None  # see `DecodedRow.chances`; None: the model's own


class NextToken(NamedTuple):
    """One of the most probable next tokens of a row."""

    token_id: int
    token: str
    log_prob: float  # in nats


@dataclass(frozen=True)
class AttentionOverride:
    """Cross-attention that replaces the model's own at one step."""

    step: int  # 0 for the first generated token
    weights: tuple[float, ...]  # S, sums to 1
    layer: int | None = None  # None: every layer
    head: int | None = None  # None: every head


@dataclass(frozen=True)
class DecodedRow:
    """The prediction of the model for one live row, before the search chose."""

    node: int | None  # the id of the node that this row ends in; None for the empty prefix
    top: tuple[NextToken, ...]  # best first, at most TOP_K
    entropy: float  # the entropy of the whole next-token distribution, in nats
    attention: Attention | None  # cross-attention while predicting; None if the model has none
    allowed: tuple[float, ...] | None = None  # `top` after the constraints, in nats; None: unchanged
    # The probabilities of `top` that the strategy ranked or drew by; None: the model's own.
    chances: tuple[float, ...] | None = None


@dataclass(frozen=True)
class DecodingStep:
    """One step of a trace: the expanded rows and the recorded candidates."""

    index: int  # tokens before the step; a depth-first search has one step for each length
    rows: tuple[DecodedRow, ...]
    nodes: tuple[BeamNode, ...]  # sorted by group and rank; in a depth-first search by probability


@dataclass(frozen=True)
class Hypothesis:
    """A finished sequence."""

    node: int  # id of its last node
    token_ids: tuple[int, ...]  # generated tokens, the end token included if there is one
    text: str
    log_prob: float  # sum over its tokens, in nats
    score: float  # `log_prob`, length-normalised
    ended: bool  # True: with an end token; False: cut off at the length limit
    rank_score: float | None = None  # the search ranked it by this value, if that is not `log_prob`
    group: int = 0  # the group of a diverse beam
    utility: float | None = None  # expected utility (minimum Bayes risk), 0 to 100
    word_steps: tuple[int, ...] = ()  # the step of the last token of each of the trace's `words`


@dataclass(frozen=True)
class RequiredPhrase:
    """A word or several that every output contains."""

    text: str  # the text that was typed
    token_ids: tuple[int, ...]  # the ids that the tokenizer writes


@dataclass(frozen=True)
class OutputWithoutWords:
    """The best output of the same search without the required words."""

    text: str
    token_ids: tuple[int, ...]
    log_prob: float  # in nats
    score: float  # `log_prob`, length-normalised


@dataclass(frozen=True)
class GreedyOutput:
    """The output that takes the most probable token at every step."""

    text: str
    token_ids: tuple[int, ...]


@dataclass(frozen=True)
class Exploration:
    """The part of the space of sequences that the search has visited."""

    expanded: int  # prefixes that the search has expanded
    recorded: int  # candidates in the trace
    ranked: int  # ranked candidates, recorded or not
    stop: Stop
    budget: int | None = None  # prefixes; None = no limit


@dataclass(frozen=True)
class Utilities:
    """The utility of each hypothesis with each other one as its reference (minimum Bayes risk)."""

    metric: str  # "chrf" or "bleu"
    signature: str  # sacrebleu's
    matrix: tuple[tuple[float, ...], ...]  # (N, N), 0 to 100; row: hypothesis, column: pseudo-reference


@dataclass(frozen=True)
class DecodingTrace:
    """The whole record of decoding one source text."""

    checkpoint: str
    source_text: str
    source: tuple[Token, ...]  # S tokens, the end token included
    strategy: str  # `name` of a strategy
    settings: Mapping[str, Any]  # the strategy's parameters, constraints, length limit and seed
    steps: tuple[DecodingStep, ...]
    hypotheses: tuple[Hypothesis, ...]  # best first, as the strategy ranks them
    forced: tuple[int, ...] = ()  # ids of the first tokens, if the user chose them; after the opening ones
    opening: int = 0  # how many tokens every output begins with, counted in `forced` if that is not empty
    overrides: tuple[AttentionOverride, ...] = ()  # cross-attention that the user replaced
    exploration: Exploration | None = None  # None in traces of version 1
    utilities: Utilities | None = None  # the utilities of minimum Bayes risk
    words: tuple[RequiredPhrase, ...] = ()  # the required words, which every output contains
    # See `decode_with_and_without_words`; None for draws, and if a search was stopped.
    without_words: OutputWithoutWords | None = None
    greedy: GreedyOutput | None = None  # None if `greedy_output` finds it among the hypotheses; see there
    task: str = ""  # on the card of the checkpoint, such as "translation"
    languages: tuple[str, ...] = ()  # BCP 47: source and output, if the task is to translate
    schema_version: int = field(default=SCHEMA_VERSION)

    @cached_property
    def nodes(self) -> dict[int, BeamNode]:
        """All recorded candidates by id."""
        return {node.id: node for step in self.steps for node in step.nodes}

    @cached_property
    def _rows(self) -> dict[tuple[int, int | None], DecodedRow]:
        return {(step.index, row.node): row for step in self.steps for row in step.rows}

    def path(self, node_id: int) -> tuple[BeamNode, ...]:
        """The nodes from the first token to `node_id`, both included. KeyError if there is none."""
        path = [self.nodes[node_id]]
        while path[-1].parent is not None:
            path.append(self.nodes[path[-1].parent])
        return tuple(reversed(path))

    def row(self, node: BeamNode) -> DecodedRow:
        """The row that `node` was predicted from, whose attention belongs to it."""
        return self._rows[node.step, node.parent]

    def __iter__(self) -> Iterator[DecodingStep]:
        return iter(self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        trace: dict[str, Any] = as_json(self)
        return trace if self.words else drop_word_fields(trace)

    def to_json(self) -> str:
        """Return one line of strict JSON, with null for an infinite log-probability."""
        return json.dumps(without_infinity(self.to_dict()), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> DecodingTrace:
        """Read the JSON of `to_json`, or of an answer that has it. Raises TraceError with a remedy."""
        data = readable(text)
        try:
            return _trace(data)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise damage_error(reason_of(error)) from error


def _trace(data: Mapping[str, Any]) -> DecodingTrace:
    return DecodingTrace(
        checkpoint=data["checkpoint"],
        source_text=data["source_text"],
        source=tuple(Token(**token) for token in data["source"]),
        strategy=data["strategy"],
        settings=dict(data["settings"]),
        steps=tuple(
            DecodingStep(step["index"], tuple(map(_row, step["rows"])), tuple(map(_node, step["nodes"])))
            for step in data["steps"]
        ),
        hypotheses=tuple(_hypothesis(hypothesis) for hypothesis in data["hypotheses"]),
        forced=tuple(data.get("forced", ())),
        opening=data.get("opening", 0),
        overrides=tuple(
            AttentionOverride(**{**override, "weights": tuples(override["weights"])})
            for override in data.get("overrides", ())
        ),
        exploration=None
        if data.get("exploration") is None
        else Exploration(**{**by_field(data["exploration"]), "stop": Stop(data["exploration"]["stop"])}),
        utilities=None
        if data.get("utilities") is None
        else Utilities(**{**data["utilities"], "matrix": tuples(data["utilities"]["matrix"])}),
        words=tuple(RequiredPhrase(**with_ids(phrase)) for phrase in data.get("words", ())),
        without_words=None if data.get("free") is None else OutputWithoutWords(**with_ids(data["free"])),
        greedy=GreedyOutput(**with_ids(data["greedy"])) if data.get("greedy") else None,
        task=data.get("task", ""),
        languages=tuple(data.get("languages", ())),
    )


def _row(data: Mapping[str, Any]) -> DecodedRow:
    top = tuple(NextToken(**{**token, "log_prob": log_prob(token["log_prob"])}) for token in data["top"])
    allowed = None if data.get("allowed") is None else tuple(map(log_prob, data["allowed"]))
    chances = tuples(data.get("chances"))
    return DecodedRow(data["node"], top, data["entropy"], tuples(data["attention"]), allowed, chances)


def _node(data: Mapping[str, Any]) -> BeamNode:
    numbers = {name: log_prob(data[name]) for name in ("log_prob", "cumulative", "score")}
    status, reason = Status(data["status"]), Reason(data["reason"])
    return BeamNode(**{**by_field(data), **numbers, "status": status, "reason": reason})


def _hypothesis(data: Mapping[str, Any]) -> Hypothesis:
    numbers = {name: log_prob(data[name]) for name in ("log_prob", "score")}
    word_steps = tuple(data.get("written", ()))
    return Hypothesis(**{**by_field(with_ids(data)), **numbers, "word_steps": word_steps})
