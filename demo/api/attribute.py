"""The endpoint for programs that attributes a prediction to tokens."""

from __future__ import annotations

from demo.api.answers import Answer
from demo.api.arguments import CHECKPOINT, TARGET, TEXT, Argument
from demo.inspect.inspection import explain
from demo.inspect.requests import WhyRequest
from demo.widgets.view.payload import round_finite
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_CHARACTERS, MAX_OUTPUT_TOKENS, MAX_TYPED_CHARACTERS
from demo.work.requests.checks import RequestError, check_name, check_short_text, check_text, whole
from demo.work.requests.edit import typed_ids
from models.tokenization.tokenizer import Tokenizer

POSITION = Argument(
    "position",
    int,
    "The position of the explained token in the output, from 1; the end token is the last. Score lists them.",
    1,
)
RIVAL = Argument(
    "rival", str, "The token to contrast with, in the vocabulary's spelling; empty: all others.", ""
)


def attribute_arguments() -> tuple[Argument, ...]:
    """The arguments of attribution."""
    return CHECKPOINT, TEXT, TARGET, POSITION, RIVAL


def on_attribute(
    context: AppContext, checkpoint: object, text: object, target: object, position: object, rival: object
) -> Answer:
    """The contribution of each token of the source and of the prefix to one token of the output."""
    check_name(checkpoint)
    check_text(text)
    check_short_text("target", target, MAX_CHARACTERS)
    check_short_text("rival", rival, MAX_TYPED_CHARACTERS)
    tokenizer = context.tokenizer(str(checkpoint))

    from models.decoding.interventions import with_opening

    ids = with_opening(tokenizer.target.encode(str(target)).ids, tokenizer)[:MAX_OUTPUT_TOKENS]
    index = whole("position", position, 1, len(ids)) - 1
    request = WhyRequest(str(checkpoint), str(text), ids[:index], ids[index], _rival(tokenizer, str(rival)))
    result = explain(context, request)
    return {
        "checkpoint": str(checkpoint),
        "text": str(text),
        "target": str(target),
        "token": tokenizer.token(ids[index]),
        "rival": str(rival),
        "value": round_finite(result["value"]),
        "source": list(tokenizer.encode(str(text)).tokens),
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
