"""Looking into a network: what a token on show hangs on, in a turn of its own, as a decoding has."""

from __future__ import annotations

from typing import TypedDict

from demo.i18n import say
from demo.requests.checks import RequestError
from demo.requests.why import WhyRequest
from demo.service.context import AppContext
from demo.service.decoding.watch import Watch


class Explanation(TypedDict):
    """What each token contributes by one method."""

    title: str  # of the method, in the reader's language
    paper: str
    source: list[float]  # for each token that was read, or each cell of a picture
    prefix: list[float] | None  # for each token that was written before, the start token first
    gap: float | None  # nats that the scores should add up to and do not, if they should
    signed: bool  # whether a token may speak against the answer


class Explained(TypedDict):
    """Why one token was written."""

    value: float  # nats: its log-probability, or by how much it beats its rival's
    methods: dict[str, Explanation]  # by name, those that apply


def explained(context: AppContext, request: WhyRequest) -> Explained:
    """Every method's answer. Raises RequestError, UnknownCheckpointError, CheckpointError."""
    from models.decoding.limits import DecodingError, check_source
    from models.inspection.attribution import InspectionError, Question, attribute
    from models.inspection.methods import METHODS

    context.check_fits(request.checkpoint, request.text)
    checkpoint = context.checkpoint(request.checkpoint)
    tokenizer = checkpoint.tokenizer
    replacement = tokenizer.unk_id if tokenizer.unk_id >= 0 else tokenizer.pad_id
    try:
        source = check_source(checkpoint.model, tokenizer, request.text).ids
        prefix = (tokenizer.bos_id, *request.prefix)
        question = Question(source, prefix, request.token, request.rival, replacement)
        with context.turns.turn(Watch()):
            value, found = attribute(checkpoint.model, question)
    except (DecodingError, InspectionError) as error:
        raise RequestError(error.message) from error
    return {
        "value": value,
        "methods": {
            name: {
                "title": say(METHODS[name].title),
                "paper": METHODS[name].paper,
                "source": list(each.source),
                "prefix": None if each.prefix is None else list(each.prefix),
                "gap": each.gap,
                "signed": METHODS[name].signed,
            }
            for name, each in found.items()
        },
    }
