"""The endpoints for programs; those with the name of a tool may serve language models too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.api.answers import (
    Answer,
    card_answer,
    checkpoint_answer,
    score_answer,
    tokens_answer,
    translation_answer,
)
from demo.api.arguments import CHECKPOINT, SCORE, TEXT, TRANSLATE, Argument, described
from demo.checks import RequestError, check_choice, check_name, check_short_text, check_text, number, shown
from demo.context import AppContext
from demo.errors import guarded
from demo.i18n.library import heard
from demo.limits import MAX_CHARACTERS, MAX_LENGTH_PENALTY, MAX_OUTPUT_TOKENS
from demo.request import decode_request
from demo.strategy import NORMALIZERS
from demo.watch import Watch
from models.registry.card import CheckpointError

MEANING = "additional_description"  # Gradio's name for it, within the schema of an argument
# Who decodes waits in the page's queue; the rest answers in milliseconds.
DECODING: dict[str, Any] = {"concurrency_id": "decode"}
QUICK: dict[str, Any] = {"queue": False}


def on_checkpoints(context: AppContext) -> list[Answer]:
    """Every checkpoint that can be used."""
    found = []
    for name in context.registry.names():
        try:
            found.append(checkpoint_answer(context.registry.card(name), context.config(name)))
        except CheckpointError:  # the page says which, and why
            continue
    return found


def on_card(context: AppContext, checkpoint: object) -> Answer:
    """The whole card of a checkpoint."""
    check_name(checkpoint)
    return card_answer(context.registry.card(str(checkpoint)))


def on_tokenize(context: AppContext, checkpoint: object, text: object) -> Answer:
    """The tokens of a source."""
    check_name(checkpoint)
    check_text(text)
    context.check_fits(str(checkpoint), str(text))
    return tokens_answer(context.tokenizer(str(checkpoint)).encode(str(text)))


def on_translate(
    context: AppContext, checkpoint: object, text: object, strategy: object, trace: object, *settings: object
) -> Answer:
    """Decode, with the settings in the order of `TRANSLATE`."""
    if not isinstance(trace, bool):
        raise RequestError(f"trace must be true or false; got {shown(trace)}.")
    check_name(checkpoint)
    values = dict(zip((argument.name for argument in TRANSLATE[4:]), settings, strict=True))
    if values["max_length"] is None:
        values["max_length"] = min(context.config(str(checkpoint)).max_length, MAX_OUTPUT_TOKENS)
    request = decode_request(checkpoint, text, strategy, *values.values())
    return translation_answer(context.decode(request), trace)


def on_score(
    context: AppContext,
    checkpoint: object,
    text: object,
    target: object,
    length_penalty: object,
    normalizer: object,
) -> Answer:
    """Score a text as an output for a source."""
    check_name(checkpoint)
    check_text(text)
    check_short_text("target", target, MAX_CHARACTERS)
    alpha = number("length_penalty", length_penalty, -MAX_LENGTH_PENALTY, MAX_LENGTH_PENALTY)
    check_choice("normalizer", normalizer, NORMALIZERS)
    name, source = str(checkpoint), str(text)
    context.check_fits(name, source)

    from models.decoding.limits import DecodingError
    from models.decoding.rescore import rescore
    from models.decoding.scoring import LengthNormalizer

    loaded = context.checkpoint(name)
    try:
        with context.turns.turn(Watch()):
            scored = rescore(
                loaded.model, loaded.tokenizer, source, str(target), LengthNormalizer(str(normalizer), alpha)
            )
    except DecodingError as error:
        raise RequestError(heard(str(error))) from error
    return score_answer(loaded.name, source, scored)


@dataclass(frozen=True)
class Endpoint:
    """Something that programs may call; `tool` is its name for language models, if they may too."""

    name: str
    handler: Callable[..., Any]
    meaning: str
    arguments: tuple[Argument, ...]
    options: dict[str, Any]
    answer: Any = dict
    tool: str = ""


ENDPOINTS = (
    Endpoint(
        "checkpoints",
        on_checkpoints,
        "List the trained networks that can be asked: name, task, languages (BCP 47), architecture, "
        "parameters, licence, examples of sources, whether it reads pictures, and its max_length in tokens. "
        "Call it first: each network does one thing only, from one language or kind of text into another.",
        (),
        QUICK,
        list[dict],
        tool="list_checkpoints",
    ),
    Endpoint(
        "translate",
        on_translate,
        "Decode a text with one of the networks. Answers with the best output, all hypotheses (text, tokens, "
        "log-probabilities in nats, score), the settings used, and how the search ended: stop is complete, "
        "budget, or time. Only checkpoint and text are needed; settings that the strategy does not use are "
        "checked and ignored. Ask for the trace to see what the search considered and dropped, and why.",
        TRANSLATE,
        DECODING,
        tool="translate",
    ),
    Endpoint(
        "score",
        on_score,
        "Say how probable a network finds a given output for a source: log-probability in nats and rank (0: "
        "its first choice) of each token, the likeliest other token, their total, the length-normalised "
        "score and the perplexity. Compare it with what translate finds: a more probable target that was not "
        "found is a search error, a less probable one is the network's own preference.",
        SCORE,
        DECODING,
        tool="score",
    ),
    Endpoint(
        "tokenize",
        on_tokenize,
        "Cut a text into the tokens that a network reads, with their ids and characters.",
        (CHECKPOINT, TEXT),
        QUICK,
    ),
    Endpoint(
        "card",
        on_card,
        "All that is known of a network: data, figures measured, licence, and the text of its card.",
        (CHECKPOINT,),
        QUICK,
    ),
)


ARGUMENTS = {endpoint.name: endpoint.arguments for endpoint in ENDPOINTS}


def build_endpoints(context: AppContext) -> None:
    """Within Blocks: what programs may call. All else that the page calls is private."""
    page = gr.context.get_blocks_context()
    assert page is not None
    for endpoint in ENDPOINTS:
        call = described(
            guarded(endpoint.handler, context),
            endpoint.name,
            endpoint.meaning,
            endpoint.arguments,
            endpoint.answer,
        )
        event = gr.api(call, api_name=endpoint.name, **endpoint.options)
        # Gradio's list of endpoints would say "1st", "2nd" of them.
        for component, argument in zip(page.fns[event["id"]].inputs, endpoint.arguments, strict=True):
            component.label = argument.name
            component.api_info()[MEANING] = argument.meaning
