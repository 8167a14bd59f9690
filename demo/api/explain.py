"""The endpoints for programs that look into a network: grounds of a prediction, readings of its layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.api.answers import Answer
from demo.api.arguments import CHECKPOINT, TARGET, TEXT, Argument
from demo.inspect.inspection import explain, read_out
from demo.inspect.requests import WhyRequest
from demo.widgets.view.payload import round_finite
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_CHARACTERS, MAX_OUTPUT_TOKENS, MAX_TYPED_CHARACTERS
from demo.work.requests.checks import (
    RequestError,
    check_choice,
    check_name,
    check_short_text,
    check_text,
    whole,
)
from demo.work.requests.edit import typed_ids
from models.tokenization.tokenizer import Tokenizer

if TYPE_CHECKING:
    from models.inspection.lens import LayerReadout

POSITION = Argument(
    "position",
    int,
    "The position of the explained token in the output, from 1; the end token is the last. Score lists them.",
    1,
)
RIVAL = Argument(
    "rival", str, "The token to contrast with, in the vocabulary's spelling; empty: all others.", ""
)
SIDES = ("decoder", "encoder")
SIDE = Argument("side", str, "The part whose layers are read out: decoder or encoder.", SIDES[0])


def attribute_arguments() -> tuple[Argument, ...]:
    """The arguments of attribution."""
    return CHECKPOINT, TEXT, TARGET, POSITION, RIVAL


def on_attribute(
    context: AppContext, checkpoint: object, text: object, target: object, position: object, rival: object
) -> Answer:
    """The contribution of each token of the source and of the prefix to one token of the output."""
    question = _checked_question(checkpoint, text, target)
    check_short_text("rival", rival, MAX_TYPED_CHARACTERS)
    tokenizer, ids = _output(context, question)
    index = whole("position", position, 1, len(ids)) - 1
    request = WhyRequest(
        question["checkpoint"], question["text"], ids[:index], ids[index], _rival(tokenizer, str(rival))
    )
    result = explain(context, request)
    return {
        **question,
        "token": tokenizer.token(ids[index]),
        "rival": str(rival),
        "value": round_finite(result["value"]),
        "source": list(tokenizer.encode(question["text"]).tokens),
        "prefix": [tokenizer.token(token_id) for token_id in (tokenizer.bos_id, *ids[:index])],
        "methods": {
            name: {
                "paper": method["paper"],
                "source": [round_finite(score) for score in method["source"]],
                "prefix": method["prefix"] and [round_finite(score) for score in method["prefix"]],
                "gap": round_finite(method["gap"]),
            }
            for name, method in result["methods"].items()
        },
    }


def lens_arguments() -> tuple[Argument, ...]:
    """The arguments of the lens."""
    return CHECKPOINT, TEXT, TARGET, SIDE


def on_lens(context: AppContext, checkpoint: object, text: object, target: object, side: object) -> Answer:
    """The prediction of each layer at each token of an output."""
    question = _checked_question(checkpoint, text, target)
    check_choice("side", side, SIDES)
    tokenizer, ids = _output(context, question)
    layers = read_out(context, question["checkpoint"], question["text"], ids, encoder=side == "encoder")
    return {
        **question,
        "side": str(side),
        "tokens": [tokenizer.token(token_id) for token_id in ids],
        "layers": [[_reading(tokenizer, reading) for reading in row] for row in layers],
    }


def _checked_question(checkpoint: object, text: object, target: object) -> dict[str, str]:
    """The fields that both endpoints take, as their answers repeat it. Raises RequestError."""
    check_name(checkpoint)
    check_text(text)
    check_short_text("target", target, MAX_CHARACTERS)
    return {"checkpoint": str(checkpoint), "text": str(text), "target": str(target)}


def _output(context: AppContext, question: dict[str, str]) -> tuple[Tokenizer, tuple[int, ...]]:
    """The tokenizer, and the ids of the target as an output of the checkpoint."""
    from models.decoding.interventions import with_opening

    tokenizer = context.tokenizer(question["checkpoint"])
    ids = with_opening(tokenizer.target.encode(question["target"]).ids, tokenizer)
    return tokenizer, ids[:MAX_OUTPUT_TOKENS]


def _rival(tokenizer: Tokenizer, rival: str) -> int | None:
    if not rival:
        return None
    ids = typed_ids(tokenizer, rival)
    if len(ids) > 1:
        pieces = " ".join(map(tokenizer.token, ids))
        raise RequestError(
            "rival_is_several_tokens",
            "A rival must be one token; “{rival}” is {pieces}.",
            rival=rival,
            pieces=pieces,
        )
    return ids[0]


def _reading(tokenizer: Tokenizer, reading: LayerReadout) -> Answer:
    top = zip(reading.top, reading.log_probs, strict=True)
    return {
        "log_prob": round_finite(reading.log_prob),
        "rank": reading.rank - 1,  # 0 is the first choice, as in a score
        "top": [{"token": tokenizer.token(token), "log_prob": round_finite(value)} for token, value in top],
    }
