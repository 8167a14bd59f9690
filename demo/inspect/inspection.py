"""The service of Inspect: it explains a step of an output, in a turn of the queue like a decoding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from demo.i18n import say
from demo.i18n.display import display_token
from demo.inspect import inspect_views
from demo.inspect.requests import InspectRequest, WhyRequest
from demo.inspect.view import Inspected, InspectView, OtherCheckpoints
from demo.inspect.why_sentences import most_needed, rival_sentence, why_sentence
from demo.widgets.answers.content import Cell, Content, Control, LinkCell, Table, as_sent
from demo.work.context import AppContext
from demo.work.errors import sentence
from demo.work.pairs import example_pairs
from demo.work.requests.checks import RequestError
from demo.work.watch import Watch
from models.errors import Message, brief
from models.networks.config import ConfigError

if TYPE_CHECKING:
    from models.inspection.lens import Layers
    from models.inspection.methods import Attribution
    from models.inspection.question import Question
    from models.registry.checkpoint import Checkpoint, CheckpointConfig

MAX_CHECKPOINTS = 6  # checkpoints that are offered when a view does not apply
STOPPED = Message("question_replaced", "Stopped because you asked about something else.")
OUT_OF_TIME = Message(
    "inspection_out_of_time", "This took too long and was stopped. Ask about a shorter text."
)


def explain(context: AppContext, request: WhyRequest, watch: Watch | None = None) -> dict[str, Any]:
    """The result of every method that applies, unless `watch` stops it.

    `value`: its log-probability, or its margin over the rival's, in nats. `sentence`: the token that it needs
    most, in the reader's language. `methods`: title, paper and scores of each by its name.

    Raises RequestError, UnknownCheckpointError, CheckpointError.
    """
    from models.inspection.methods import METHODS, attribute

    with _question(context, request, watch) as (checkpoint, question):
        value, result = attribute(checkpoint.model, question)
    return {
        "value": value,
        "sentence": _need_sentence(checkpoint, question, value, result["replaced"]),
        "methods": {
            name: {
                "title": say(METHODS[name].title),
                "paper": METHODS[name].paper,
                **asdict(item),
                "signed": METHODS[name].signed,
            }
            for name, item in result.items()
        },
    }


def _need_sentence(checkpoint: Checkpoint, question: Question, value: float, losses: Attribution) -> str:
    """The sentence above the table; `losses` are those of the value without each token."""

    def label(token_id: int) -> str:
        return display_token(checkpoint.tokenizer.token(token_id))

    if checkpoint.config.reads_pictures:
        side = math.isqrt(len(losses.source))
        cells = (divmod(index, side) for index in range(len(losses.source)))
        source = [say("cell {row},{column}", row=row + 1, column=column + 1) for row, column in cells]
    else:
        source = [display_token(checkpoint.tokenizer.source_token(item)) for item in question.source]
    in_source = most_needed(source, losses.source)
    if question.rival is not None:
        return rival_sentence(label(question.token), label(question.rival), value, in_source)
    before = most_needed([label(token) for token in question.prefix], losses.prefix or ())
    return why_sentence(label(question.token), value, in_source, before)


def view_as_sent(context: AppContext, request: InspectRequest, watch: Watch | None = None) -> dict[str, Any]:
    """The content of a view as JSON; if it does not apply, the reason and checkpoints to which it does.

    Raises RequestError, UnknownCheckpointError, CheckpointError.
    """
    try:
        return as_sent(*content_of(context, request, watch))
    except RequestError as error:
        view, config = _view(request), context.config(request.why.checkpoint)
        if view is None or fits(view, config):
            raise
        table = elsewhere(view, config, context.registry.configs(), request.why.text)
        return {"refused": sentence(error), "table": asdict(table)}


def content_of(
    context: AppContext, request: InspectRequest, watch: Watch | None = None
) -> tuple[Content, list[Control]]:
    """Content and controls of a view. Raises RequestError, UnknownCheckpointError, CheckpointError."""
    from models.inspection.question import ExplainedPrediction, check_tokens

    view = _view(request)
    if view is None:
        raise RequestError("no_such_view", "There is no view {value}.", value=brief(request.view))
    with _question(context, request.why, watch) as (checkpoint, question):
        prediction = ExplainedPrediction(checkpoint.model, question)
        check_tokens(checkpoint.model, request.output)
        inspected = Inspected(
            checkpoint,
            prediction,
            request.output,
            request.why.text,
            OtherCheckpoints(_of_the_same_task(context, checkpoint), context.checkpoint, context.config),
            context.label(checkpoint.name),
            example_pairs(checkpoint.config),
            options=request.options,
        )
        return view.compute(inspected), inspected.controls


def _view(request: InspectRequest) -> InspectView | None:
    return next((view for view in inspect_views() if view.name == request.view), None)


def read_out(context: AppContext, name: str, text: str, output: tuple[int, ...], *, encoder: bool) -> Layers:
    """The predictions of each layer of the decoder or the encoder for an output.

    Raises RequestError, UnknownCheckpointError, CheckpointError.
    """
    from models.inspection import lens
    from models.inspection.question import check_tokens

    request = WhyRequest(name, text, output[:-1], output[-1])
    with _question(context, request, None) as (checkpoint, question):
        check_tokens(checkpoint.model, output)
        bos_id = checkpoint.tokenizer.bos_id
        return lens.read_out(checkpoint.model, question.source, output, bos_id, encoder=encoder)


@contextmanager
def _question(
    context: AppContext, request: WhyRequest, watch: Watch | None
) -> Iterator[tuple[Checkpoint, Question]]:
    """Open a checkpoint in a turn of its own with the question; errors of the library become RequestError."""
    from models.budget import letting_others_run
    from models.decoding.limits import DecodingError, check_source
    from models.inspection.question import InspectionError, Question

    context.check_fits(request.checkpoint, request.text)
    checkpoint = context.checkpoint(request.checkpoint)
    tokenizer = checkpoint.tokenizer
    replacement = tokenizer.unk_id if tokenizer.unk_id >= 0 else tokenizer.pad_id
    watch = watch or Watch()
    try:
        source = check_source(checkpoint.model, tokenizer, request.text).ids
        prefix = (tokenizer.bos_id, *request.prefix)
        with context.turns.turn(watch), letting_others_run(partial(watch.go_on, STOPPED, OUT_OF_TIME)):
            yield checkpoint, Question(source, prefix, request.token, request.rival, replacement)
    except (DecodingError, InspectionError) as error:
        raise RequestError(error.message) from error


def _of_the_same_task(context: AppContext, checkpoint: Checkpoint) -> list[str]:
    """Names of other public checkpoints with the same task and languages."""
    config = checkpoint.config
    task = (config.task, config.source_language, config.target_language)
    return [
        name
        for name, other in context.registry.configs().items()
        if (other.task, other.source_language, other.target_language) == task and name != checkpoint.name
    ]


def fits(view: InspectView, config: CheckpointConfig) -> bool:
    """Whether a view applies to a checkpoint; true if its network is unknown."""
    from models.networks.architectures import network_config

    try:
        return view.fits is None or view.fits(network_config(config.network))
    except ConfigError:
        return True


def elsewhere(
    view: InspectView, current: CheckpointConfig, configs: Mapping[str, CheckpointConfig], text: str
) -> Table:
    """Links to checkpoints to which a view applies, those that read the same kind of text first."""
    alike = {name: config.reads_like(current) for name, config in configs.items() if fits(view, config)}
    rows: list[list[Cell]] = []
    for name in sorted(alike, key=lambda name: not alike[name])[:MAX_CHECKPOINTS]:
        same = {"text": text} if alike[name] and text else {}
        query = urlencode({"tab": "decode", "checkpoint": name, **same, "inspect": view.name})
        rows.append([LinkCell(name, query), say("the same text") if alike[name] else ""])
    return Table([say("checkpoints that have an answer"), ""], rows)
