"""A comparison as plain JSON for the browser, with each text and each difference once."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from demo.compare.view.widths import widths_payload
from demo.compare.work.pair import largest_change, parting, word_pairs
from demo.compare.work.reference import Scores, facts, judge, scores_of
from demo.compare.work.rows import (
    DecodingOutcome,
    Mark,
    PairComparison,
    PairSide,
    Row,
    StrategyComparison,
    marks,
)
from demo.compare.work.sentences import STOPS, caption, summary
from demo.i18n import later, say
from demo.i18n.display import display_token, number_text
from demo.widgets.answers.word_diff import diff_parts
from demo.widgets.captions.options import details, short_name
from demo.widgets.view.payload import round_finite
from demo.work.requests.checks import is_picture
from demo.work.requests.compare import ComparisonRequest, Side
from demo.work.requests.decode import chosen_settings
from models.decoding.judge.verdict import ScoredText
from models.decoding.options import DecodingOptions
from models.decoding.status import Stop

Label = Callable[[str], str]


def strategies_payload(
    comparison: StrategyComparison, label: Label = str, scores: Scores | None = None
) -> dict[str, Any]:
    """The comparison of strategies; see `table.js`. `label` returns the label of a checkpoint.

    `scores`: the BLEU and chrF of the texts if they are known; else they are computed.
    """
    request, rows, reference = comparison.request, comparison.rows, comparison.reference
    texts = list(dict.fromkeys(row.outcome.text for row in rows if row.outcome is not None))
    if request.reference and request.reference not in texts:
        texts.append(request.reference)
    bleu, chrf, signatures = scores or scores_of(texts, request.reference)
    standing = marks(rows, reference)
    sentences = summary(rows, standing)
    if reference is not None and comparison.finished:
        sentences.append(judge(reference, rows, comparison.translated).summary)
    utilities = [_score_of(row, bleu) for row in rows]
    return {
        "kind": "strategies",
        "checkpoint": label(request.checkpoint),
        "date": date.today().isoformat(),
        "request": _request_json(request),
        "finished": comparison.finished,
        "run": comparison.run,
        "summary": sentences,
        "caption": caption(rows, utilities),
        "signatures": signatures,
        **widths_payload(comparison, [_score_of(row, chrf) for row in rows]),
        "verdict": None if reference is None else _verdict(reference, comparison),
        "texts": texts,
        "diffs": {
            f"{a},{b}": diff_parts(one, other)
            for a, one in enumerate(texts)
            for b, other in enumerate(texts)
            if a != b
        },
        "reference": _reference(request, reference, texts),
        "rows": [
            {
                **_row(row, mark, texts),
                "id": index,
                "bleu": _score_of(row, bleu),
                "chrf": _score_of(row, chrf),
                "request": {
                    **_row_request(request.checkpoint, request.text, row.options),
                    "better": list(mark.better) if mark else [],
                },
            }
            for index, (row, mark) in enumerate(zip(rows, standing, strict=True))
        ],
    }


def pair_payload(comparison: PairComparison, label: Label = str) -> dict[str, Any]:
    """The comparison of a pair; see `pair.js`. `label` returns the label of a checkpoint."""
    left, right = comparison.sides
    outcomes = left.row.outcome, right.row.outcome
    outcome_pair = None if outcomes[0] is None or outcomes[1] is None else (outcomes[0], outcomes[1])
    pairs = word_pairs(*outcome_pair) if outcome_pair else []
    same_checkpoint = left.side.checkpoint == right.side.checkpoint
    return {
        "kind": "pair",
        "date": date.today().isoformat(),
        "request": {
            "sides": [asdict(left.side), asdict(right.side)],
            "settings": chosen_settings(comparison.settings),
        },
        "finished": comparison.finished,
        "run": comparison.run,
        "summary": _pair_summary(outcome_pair, same_checkpoint),
        "signatures": [],
        "strategy": f"{short_name(comparison.settings)}: {details(comparison.settings)}",
        "note": comparison.note,
        "caption": _pair_caption(outcome_pair, left.side, right.side),
        "sides": [
            {**_side(one, other, comparison.settings), "checkpoint": label(one.side.checkpoint)}
            for one, other in ((left, right), (right, left))
        ],
        "words": [
            {
                "left": pair.left and pair.left.text,
                "leftLogProb": pair.left and round_finite(pair.left.log_prob),
                "right": pair.right and pair.right.text,
                "rightLogProb": pair.right and round_finite(pair.right.log_prob),
                "difference": round_finite(pair.difference),
                "same": pair.same,
            }
            for pair in pairs
        ],
        "wordsCaption": largest_change(pairs) if pairs else "",
    }


def _row(row: Row, mark: Mark | None, texts: list[str]) -> dict[str, Any]:
    outcome = row.outcome
    return {
        "name": row.name,
        "details": details(row.options),
        "settings": chosen_settings(row.options),
        "state": row.state.value,
        "problem": row.problem,
        "text": None if outcome is None else texts.index(outcome.text),
        "ids": None if outcome is None else list(outcome.token_ids),
        "logProb": None if outcome is None else round_finite(outcome.log_prob),
        "score": None if outcome is None else round_finite(outcome.score),
        "length": None if outcome is None else len(outcome.token_ids),
        "ms": None if outcome is None else round(outcome.milliseconds, 1),
        "expanded": row.expanded if outcome is None else outcome.expanded,
        "note": "" if outcome is None else _note(outcome),
        "mark": None
        if mark is None
        else {"standing": mark.standing.value, "text": mark.text, "gap": round_finite(mark.gap)},
    }


def _side(side: PairSide, other: PairSide, settings: DecodingOptions) -> dict[str, Any]:
    """One side, with its differences from the other side."""
    outcome, against = side.row.outcome, other.row.outcome
    numbers: dict[str, float | None] = {}
    if outcome is not None:
        numbers = {
            later("log p (nats)"): round_finite(outcome.log_prob),
            later("per token (nats)"): round_finite(outcome.log_prob / len(outcome.token_ids)),
            later("length (tokens)"): len(outcome.token_ids),
            later("time (ms)"): round(outcome.milliseconds, 1),
            later("work (prefixes)"): outcome.expanded,
        }
        if outcome.score != outcome.log_prob:
            numbers[later("score")] = round_finite(outcome.score)
    sources = side.side.text, other.side.text
    differ = sources[0] != sources[1] and not any(map(is_picture, sources))
    return {
        "title": side.title,
        "source": side.side.text,
        "sourceParts": diff_parts(sources[1], sources[0]) if differ else None,
        "state": side.row.state.value,
        "problem": side.row.problem,
        "text": None if outcome is None else outcome.text,
        "parts": diff_parts(against.text, outcome.text) if outcome and against else None,
        "numbers": numbers,
        "facts": [[say(name), _number(name, value)] for name, value in numbers.items() if value is not None],
        "note": "" if outcome is None else _note(outcome),
        "attention": _attention(side),
        "attentionCaption": side.attention_caption,
        "request": _row_request(side.side.checkpoint, side.side.text, settings),
    }


def _attention(side: PairSide) -> dict[str, Any] | None:
    if side.attention is None:
        return None
    # Labels of figures are escaped for Plotly; these become text nodes.
    return {
        "source": [html.unescape(label) for label in side.attention.source],
        "output": [html.unescape(label) for label in side.attention.output],
        "weights": [[round(weight, 4) for weight in row] for row in side.attention.weights],
    }


def _verdict(reference: ScoredText, comparison: StrategyComparison) -> dict[str, Any]:
    rows = comparison.rows
    judgement = judge(reference, rows, comparison.translated)
    return {
        "kind": judgement.kind.value if judgement.kind else "",
        "sentence": judgement.explanation,
        "facts": [
            [fact.name, round_finite(fact.log_prob), fact.text, fact.note] for fact in facts(reference, rows)
        ],
        "tokens": [
            {
                "text": display_token(token.surface),
                "logProb": round_finite(token.log_prob),
                "rank": token.rank + 1,
                "ranked": say("rank {rank}", rank=f"{token.rank + 1:,}") if token.rank else "",
                "unknown": token.unknown,
                "alternative": token.alternative and display_token(token.alternative.token),
                "alternativeLogProb": token.alternative and round_finite(token.alternative.log_prob),
            }
            for token in reference.tokens
        ],
    }


def _reference(
    request: ComparisonRequest, reference: ScoredText | None, texts: list[str]
) -> dict[str, Any] | None:
    """The reference: its index among the texts, and its token ids if they are known."""
    if not request.reference:
        return None
    ids = None if reference is None else list(reference.token_ids)
    return {"text": texts.index(request.reference), "ids": ids}


def _score_of(row: Row, scores: Mapping[str, float]) -> float | None:
    return None if row.outcome is None else scores.get(row.outcome.text)


def _note(outcome: DecodingOutcome) -> str:
    """The reason why an output may not be what its strategy promises."""
    notes = []
    if outcome.stop is not Stop.COMPLETE:
        notes.append(
            say("The search ended early, when {why}: this is the best so far.", why=say(STOPS[outcome.stop]))
        )
    if not outcome.ended:
        notes.append(say("Cut off at the length limit."))
    return " ".join(notes)


def _pair_summary(
    outcomes: tuple[DecodingOutcome, DecodingOutcome] | None, same_checkpoint: bool
) -> list[str]:
    if outcomes is None:
        return []
    if same_checkpoint or outcomes[0].text == outcomes[1].text:
        return [parting(*outcomes)]
    one, other = (outcome.log_prob / len(outcome.token_ids) for outcome in outcomes)
    values = {"value": number_text(max(one, other)), "other": number_text(min(one, other))}
    if one > other:
        return [
            say(
                "The first model is surer of its own output: {value} against {other} nats per token.",
                **values,
            )
        ]
    return [
        say("The second model is surer of its own output: {value} against {other} nats per token.", **values)
    ]


def _pair_caption(outcomes: tuple[DecodingOutcome, DecodingOutcome] | None, left: Side, right: Side) -> str:
    if outcomes is None:
        return ""
    signs = say("Underlined: only in this one. Struck through: only in the one pinned as reference.")
    return signs if outcomes[0].text != outcomes[1].text or left.text != right.text else ""


def _row_request(checkpoint: str, text: str, settings: DecodingOptions) -> dict[str, Any]:
    return {"checkpoint": checkpoint, "text": text, "settings": chosen_settings(settings)}


def _request_json(request: ComparisonRequest) -> dict[str, Any]:
    return {
        "checkpoint": request.checkpoint,
        "text": request.text,
        "reference": request.reference,
        "strategies": [chosen_settings(settings) for settings in request.strategies],
    }


def _number(name: str, value: float) -> str:
    if name.startswith("time"):
        return number_text(value, 0)
    return f"{value:,}" if isinstance(value, int) else number_text(value, 2)
