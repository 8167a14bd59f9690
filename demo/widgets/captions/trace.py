"""One sentence under each card: what to look for in this result, computed from its trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from demo.i18n import later, listed, say
from demo.i18n.display import display_token, number_text, short_text, whole_percent_text
from demo.widgets.captions.search import FIXED_REASONS, percent, quoted_token
from demo.widgets.figures.attention import attention_map
from demo.widgets.figures.score_curve import NORMALIZERS, score_curves
from demo.work.requests.checks import is_picture
from models.decoding.strategies import description_of
from models.decoding.trace import BeamNode, DecodingTrace
from models.tokenization.pictures import PictureGrid
from models.tokenization.plain_text import EOS

NO_ATTENTION = later("This model has no attention: its decoder sees the source through one vector only.")
SURE_PROBABILITY = 0.9  # probability from which a token counts as a safe choice
CERTAIN_NATS = 0.1  # nats of entropy below which a model does not hesitate


def output_caption(path: Sequence[BeamNode]) -> str:
    """A sentence about the least certain token of the output; tokens that every output has do not count."""
    path = [node for node in path if node.reason not in FIXED_REASONS] or path
    weakest = min(path, key=lambda node: node.log_prob)
    sure = sum(math.exp(node.log_prob) >= SURE_PROBABILITY for node in path)
    least = {
        "token": quoted_token(weakest),
        "step": weakest.step + 1,
        "percent": percent(weakest),
        "bound": whole_percent_text(SURE_PROBABILITY),
    }
    if sure == len(path):
        return say(
            "Least probable token: {token} at step {step}, {percent}; every token at {bound} or more.",
            **least,
        )
    return say(
        "Least probable token: {token} at step {step}, {percent}; {sure} of {all} tokens at {bound} or more.",
        **least,
        sure=sure,
        all=len(path),
    )


def ranking_caption(trace: DecodingTrace) -> str:
    """A sentence about the effect of length normalisation on the order of the hypotheses."""
    if not trace.hypotheses:
        return say("No hypothesis: nothing to rank.")
    if len(trace.hypotheses) == 1:
        return say("One hypothesis: nothing to rank.")
    if ranking := description_of(trace.strategy).ranking:
        return say(ranking)
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
    """Sentences about the changes of the lead as alpha rises, one for each normaliser."""
    curves = score_curves(trace)
    if curves is None:
        return {}
    flat = say("Without a normaliser the score is the log-probability: every line is flat, whatever α is.")
    sentences = {"none": flat}
    for kind in NORMALIZERS[1:]:
        changes = curves.takeovers[kind]
        first = changes[0].overtaken if changes else curves.leader(kind, curves.low)
        if not changes:
            low, high = (short_text(bound, 6) for bound in (curves.low, curves.high))
            sentences[kind] = say(
                "Hypothesis {rank} leads at every α from {low} to {high}.", rank=first + 1, low=low, high=high
            )
            continue
        takeovers = [
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
            changes=listed(takeovers),
        )
    return sentences


def step_caption(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    """A sentence about the step with the highest entropy on this path."""
    unsure = max(path, key=lambda node: trace.row(node).entropy)
    entropy = trace.row(unsure).entropy
    if entropy < CERTAIN_NATS:
        return say("The model never hesitated: its entropy stays below {bound} nats.", bound=CERTAIN_NATS)
    return say(
        "Highest entropy at step {step}: {entropy} nats, as if {count} tokens were equally likely.",
        step=unsure.step + 1,
        entropy=number_text(entropy, 1),
        count=number_text(math.exp(entropy), 1),
    )


def attention_caption(trace: DecodingTrace, node_id: int) -> str:
    """A sentence about the strongest weight's way through the source, over the mean of layers and heads."""
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
    """A sentence about the last forced token that was not the model's first choice, and edited attention."""
    sentences = []
    best_path = trace.path(trace.hypotheses[0].node) if trace.hypotheses else ()
    path = best_path[trace.opening : len(trace.forced)]
    costly = [node for node in path if node.token_rank > 0]
    if costly:
        node, first = costly[-1], trace.row(costly[-1]).top[0]
        sentences.append(
            say(
                "At step {step} the model's first choice was {first}, {first_percent}; the forced "
                "beginning has {token}, {percent}, its choice number {rank}.",
                step=node.step + 1,
                first=quoted_token(first),
                first_percent=percent(first),
                token=quoted_token(node),
                percent=percent(node),
                rank=f"{node.token_rank + 1:,}",
            )
        )
    elif path:
        sentences.append(say("Every forced token was the model's own first choice."))
    if trace.overrides:
        steps = sorted({override.step + 1 for override in trace.overrides})
        sentences.append(
            say("Attention was replaced by yours at step {steps}.", steps=listed(map(str, steps)))
        )
    return " ".join(sentences)


def picture_cells(trace: DecodingTrace) -> int | None:
    """Number of cells on a side of the picture; None if the source is not a picture."""
    side = math.isqrt(len(trace.source))
    if not is_picture(trace.source_text) or side == 0:
        return None
    names = tuple(token.surface for token in trace.source)
    return side if names == PictureGrid(side, side).names else None


def picture_attention_caption(trace: DecodingTrace, node_id: int) -> str:
    """A sentence about the word with the most concentrated attention; empty without attention."""
    attention = attention_map(trace, node_id)
    if attention is None:
        return ""
    words = [
        (_half(row), node.token)
        for node, row in zip(trace.path(node_id), attention.weights, strict=True)
        if node.token != EOS
    ]
    if not words:
        return say("It wrote nothing: there is no word to look for.")
    fewest, word = min(words, key=lambda item: item[0])
    values = {"word": display_token(word), "count": fewest, "all": len(attention.source)}
    if len(words) == 1:
        return say(
            "It looks most closely while writing “{word}”: {count} of {all} cells hold half its attention.",
            **values,
        )
    return say(
        "It looks most closely while writing “{word}”: {count} of {all} cells hold half its attention, "
        "against {mean} for a word on average.",
        **values,
        mean=number_text(sum(count for count, _ in words) / len(words), 1),
    )


def _half(weights: Sequence[float]) -> int:
    """The least number of weights that have half of the sum of all."""
    total, half = 0.0, sum(weights) / 2
    for count, weight in enumerate(sorted(weights, reverse=True), start=1):
        total += weight
        if total >= half:
            return count
    return len(weights)
