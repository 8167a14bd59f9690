"""The endpoint for programs that reads out each layer of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.api.answers import Answer
from demo.api.arguments import CHECKPOINT, TARGET, TEXT, Argument
from demo.inspect.inspection import read_out
from demo.widgets.view.payload import round_finite
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_CHARACTERS, MAX_OUTPUT_TOKENS
from demo.work.requests.checks import check_choice, check_name, check_short_text, check_text

if TYPE_CHECKING:
    from models.inspection.lens import LayerReadout
    from models.tokenization.tokenizer import Tokenizer

SIDES = ("decoder", "encoder")
SIDE = Argument("side", str, "The part whose layers are read out: decoder or encoder.", SIDES[0])


def lens_arguments() -> tuple[Argument, ...]:
    """The arguments of the lens."""
    return CHECKPOINT, TEXT, TARGET, SIDE


def on_lens(context: AppContext, checkpoint: object, text: object, target: object, side: object) -> Answer:
    """The prediction of each layer at each token of an output."""
    check_name(checkpoint)
    check_text(text)
    check_short_text("target", target, MAX_CHARACTERS)
    check_choice("side", side, SIDES)
    tokenizer = context.tokenizer(str(checkpoint))

    from models.decoding.interventions import with_opening

    ids = with_opening(tokenizer.target.encode(str(target)).ids, tokenizer)[:MAX_OUTPUT_TOKENS]
    layers = read_out(context, str(checkpoint), str(text), ids, encoder=side == "encoder")
    return {
        "checkpoint": str(checkpoint),
        "text": str(text),
        "target": str(target),
        "side": str(side),
        "tokens": [tokenizer.token(token_id) for token_id in ids],
        "layers": [[_reading(tokenizer, reading) for reading in row] for row in layers],
    }


def _reading(tokenizer: Tokenizer, reading: LayerReadout) -> Answer:
    top = zip(reading.top, reading.log_probs, strict=True)
    return {
        "log_prob": round_finite(reading.log_prob),
        "rank": reading.rank - 1,  # 0 is the first choice, as in a score
        "top": [{"token": tokenizer.token(token), "log_prob": round_finite(value)} for token, value in top],
    }
