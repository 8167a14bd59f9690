"""The endpoints for programs; those with a tool name also serve language models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.api.answers import (
    Answer,
    card_answer,
    checkpoint_answer,
    score_answer,
    tokens_answer,
    translation_answer,
)
from demo.api.arguments import (
    CHECKPOINT,
    TEXT,
    Argument,
    score_arguments,
    settings_by_name,
    translate_arguments,
    with_documentation,
)
from demo.api.evaluate import evaluate_arguments, on_evaluate
from demo.api.explain import attribute_arguments, lens_arguments, on_attribute, on_lens
from demo.server.events import decoding
from demo.server.gradio_compat import functions_so_far
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.operator.caps import MAX_CHARACTERS, allowed_settings
from demo.work.requests.checks import RequestError, check_name, check_short_text, check_text
from demo.work.requests.decode import DecodeRequest, as_request_error, decoding_options
from models.errors import not_a_switch
from models.registry.card import CheckpointCard
from models.registry.name import CheckpointName

MEANING = "additional_description"  # Gradio's key for the meaning in the schema of an argument
# Decodings wait in the page's queue; other endpoints answer in milliseconds.
QUICK: dict[str, Any] = {"queue": False}


def on_checkpoints(context: AppContext) -> list[Answer]:
    """List all usable checkpoints; the page also shows unusable ones, with the reason."""
    configs, cards = context.registry.configs(), context.registry.cards()
    return [
        checkpoint_answer(card, configs[name])
        for name, card in cards.items()
        if isinstance(card, CheckpointCard) and name in configs
    ]


def on_card(context: AppContext, checkpoint: object) -> Answer:
    """Return the card of a checkpoint."""
    check_name(checkpoint)
    return card_answer(context.registry.card(str(checkpoint)))


def on_tokenize(context: AppContext, checkpoint: object, text: object) -> Answer:
    """Tokenize a source."""
    check_name(checkpoint)
    check_text(text)
    context.check_fits(str(checkpoint), str(text))
    return tokens_answer(context.tokenizer(str(checkpoint)).encode(str(text)))


def on_translate(
    context: AppContext, checkpoint: object, text: object, strategy: object, trace: object, *settings: object
) -> Answer:
    """Decode, with the settings in the order of `translate_arguments`."""
    if not isinstance(trace, bool):
        raise RequestError(not_a_switch("trace", trace))
    check_name(checkpoint)
    values = settings_by_name((strategy, *settings), context.config(str(checkpoint)))
    request = DecodeRequest(checkpoint, text, decoding_options(values))  # type: ignore[arg-type]
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
    with as_request_error():
        alpha = allowed_settings()["length_penalty"].checked_value(length_penalty)
        kind = allowed_settings()["normalizer"].checked_value(normalizer)
    name, source = CheckpointName.of(str(checkpoint)), str(text)
    context.check_fits(name, source)

    from models.decoding.search.strategy import LengthNormalizer

    with as_request_error():
        scored = context.score(name, source, str(target), LengthNormalizer(kind, alpha))
    return score_answer(str(name), source, scored)


@dataclass(frozen=True)
class Endpoint:
    """A function that programs may call; `tool` is its name for language models, "" if they may not."""

    name: str
    handler: Callable[..., Any]
    meaning: str
    takes: Callable[[], tuple[Argument, ...]]
    options: dict[str, Any]
    answer: Any = dict
    tool: str = ""

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments, with the strategies registered now."""
        return self.takes()


ENDPOINTS = (
    Endpoint(
        "checkpoints",
        on_checkpoints,
        "List the trained networks that can be asked: name, task, languages (BCP 47), architecture, "
        "parameters, licence, examples of sources, whether it reads pictures, and its max_length in tokens. "
        "Call it first: each network does one thing only, from one language or kind of text into another.",
        tuple,
        QUICK,
        list[dict[str, Any]],
        tool="list_checkpoints",
    ),
    Endpoint(
        "translate",
        on_translate,
        "Decode a text with one of the networks. Answers with the best output, all hypotheses (text, tokens, "
        "log-probabilities in nats, score), the settings used, and how the search ended: stop is complete, "
        "budget, time, or shutdown. Only checkpoint and text are needed; settings that the strategy does not "
        "use are checked and ignored. Ask for the trace to see what the search considered and dropped, and "
        "why.",
        translate_arguments,
        decoding(),
        tool="translate",
    ),
    Endpoint(
        "score",
        on_score,
        "Say how probable a network finds a given output for a source: log-probability in nats and rank (0: "
        "its first choice) of each token, the likeliest other token, their total, the length-normalised "
        "score and the perplexity. Compare it with what translate finds: a more probable target that was not "
        "found is a search error, a less probable one is the network's own preference.",
        score_arguments,
        decoding(),
        tool="score",
    ),
    Endpoint(
        "attribute",
        on_attribute,
        "Say why a network writes a token of an output: the contribution of each source token and of each "
        "earlier output token to its log-probability, in nats, or to its margin over a rival, by several "
        "methods. replaced and masked ask the network itself; gap is the part of the log-probability that "
        "integrated gradients miss; attention is where it looked, which is not an explanation.",
        attribute_arguments,
        decoding(),
    ),
    Endpoint(
        "lens",
        on_lens,
        "Say what a Transformer would write if its decoder, or its encoder, ended after each of its layers. "
        "The first row is the one before the first layer, the last row is the network's own: for each token "
        "of the output its log-probability in nats, its rank (0: the first choice) and the likeliest tokens.",
        lens_arguments,
        decoding(),
    ),
    Endpoint(
        "evaluate",
        on_evaluate,
        "Measure a network on up to 200 pairs: BLEU, chrF, TER, exact match and perplexity with intervals of "
        "95% and sacrebleu's signatures, calibration, words written too often or too rarely, breakdowns, "
        "and for each source its output, chrF, and the cause if it is bad: reference, repetition, unknown, "
        "search, length, reliance, unseen or model, with evidence and what would help.",
        evaluate_arguments,
        decoding(),
    ),
    Endpoint(
        "tokenize",
        on_tokenize,
        "Cut a text into the tokens that a network reads, with their ids and characters.",
        lambda: (CHECKPOINT, TEXT),
        QUICK,
    ),
    Endpoint(
        "card",
        on_card,
        "Return the card of a network: data, measured figures, licence, and text.",
        lambda: (CHECKPOINT,),
        QUICK,
    ),
)


def arguments_by_endpoint() -> dict[str, tuple[Argument, ...]]:
    """The arguments of each endpoint, by name."""
    return {endpoint.name: endpoint.arguments for endpoint in ENDPOINTS}


def build_endpoints(context: AppContext) -> None:
    """Add the endpoints, within Blocks. All other functions of the page are private."""
    functions = functions_so_far()
    for endpoint in ENDPOINTS:
        call = with_documentation(
            guard(endpoint.handler, context, for_programs=True),
            endpoint.name,
            endpoint.meaning,
            endpoint.arguments,
            endpoint.answer,
        )
        event = gr.api(call, api_name=endpoint.name, **endpoint.options)  # type: ignore[attr-defined]
        # Without labels Gradio's list of endpoints would say "1st", "2nd".
        for component, argument in zip(functions[event["id"]].inputs, endpoint.arguments, strict=True):
            assert isinstance(component, Component)  # `gr.api` makes one for each argument
            component.label = argument.name
            component.api_info()[MEANING] = argument.meaning
