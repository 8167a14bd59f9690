"""Times of "Why" as a whole and by method, of every view of Inspect, and of a search in stored states.

The grid of heads is also measured on a network as large as most of the Hub's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch

from demo.inspect import inspect_views
from demo.inspect.inspection import explain, view_as_sent
from demo.inspect.requests import InspectRequest, WhyRequest
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from models.inspection.heads import measure_heads
from models.inspection.methods import METHODS, attribute
from models.inspection.neighbours.search import nearest
from models.inspection.question import ExplainedPrediction, Question
from models.inspection.recorded_pass import CROSS, DECODER, ENCODER
from models.networks.hugging_face import HuggingFaceModel
from models.registry.registry import Registry
from tests.browser.conftest import ROOT

TEXT = "Mi hermana quiere comprar una casa cerca del mar en el verano."  # twelve words
CHECKPOINTS = ("spa-eng-gru", "spa-eng-transformer", "spa-eng-lstm")
REPEATS = 15
HUB = {"layers": 6, "attention_heads": 8}  # in the encoder and in the decoder
STATES = 10_000  # number of states that are searched


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Return table rows and figures for a step in the middle of the output, on one thread."""
    torch.set_num_threads(1)  # as the page decodes
    context = AppContext(Registry(ROOT / "checkpoints"), "cpu")
    rows: list[dict[str, Any]] = []
    slowest: list[float] = []
    views: list[float] = []
    for name in CHECKPOINTS:
        request, output = _question(context, name)
        whole = _milliseconds(lambda request=request: explain(context, request))
        slowest.append(whole)
        rows.append({"what": f"why: {name}", "ours ms": whole})
        rows += [{"what": f"  {method}", "ours ms": took} for method, took in _methods(context, request)]
        for view in inspect_views():
            view_request = InspectRequest(view.name, request, output)
            try:
                took = _milliseconds(lambda view_request=view_request: view_as_sent(context, view_request))
            except RequestError:  # the view does not apply to this network
                continue
            views.append(took)
            rows.append({"what": f"  view: {view.name}", "ours ms": took})
    grids = [(kind, _milliseconds(_heads_of_the_hub(kind), repeats=3)) for kind in (CROSS, ENCODER, DECODER)]
    rows += [{"what": f"heads of 6 + 6 layers x 8: {kind}", "ours ms": took} for kind, took in grids]
    searched = _milliseconds(_search_of_states())
    rows.append({"what": f"nearest of {STATES:,} states", "ours ms": searched})
    slowest_ms = {"slowest_why_ms": max(slowest), "slowest_view_ms": max(views)}
    return rows, {**slowest_ms, "hub_heads_ms": max(took for _, took in grids), "search_states_ms": searched}


def _heads_of_the_hub(kind: str) -> Callable[[], object]:
    """Return the work on all heads of one kind in a network of the size of most translators of the Hub."""
    from transformers import MarianConfig, MarianMTModel

    tokens = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    sizes = {"d_model": 512, "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048}
    layers = {f"{side}_{what}": count for side in ("encoder", "decoder") for what, count in HUB.items()}
    model = HuggingFaceModel(MarianMTModel(MarianConfig(vocab_size=60_000, **tokens, **sizes, **layers)))
    question = Question(tuple(range(100, 115)), tuple(range(200, 207)), 207)
    return lambda: measure_heads(ExplainedPrediction(model, question), kind, tuple(range(201, 213)))


def _search_of_states() -> Callable[[], object]:
    """Return the search for the ten nearest states, as wide as the widest of a shipped checkpoint."""
    vectors = torch.randn(STATES, 512, generator=torch.Generator().manual_seed(0)).half()
    squares = vectors.double().square().sum(dim=1).float()
    query = vectors[STATES // 2].float()
    return lambda: nearest(vectors, query, 10, squares=squares)


def _question(context: AppContext, name: str) -> tuple[WhyRequest, tuple[int, ...]]:
    """Return the request for a step, and the whole output."""
    trace = context.decode(DecodeRequest(name, TEXT))
    ids = [node.token_id for node in trace.path(trace.hypotheses[0].node)]
    middle = len(ids) // 2
    return WhyRequest(name, TEXT, tuple(ids[:middle]), ids[middle]), tuple(ids)


def _methods(context: AppContext, request: WhyRequest) -> list[tuple[str, float]]:
    checkpoint = context.checkpoint(request.checkpoint)
    tokenizer = checkpoint.tokenizer
    prefix = (tokenizer.bos_id, *request.prefix)
    source = tokenizer.encode(request.text).ids
    question = Question(source, prefix, request.token, replacement=tokenizer.unk_id)
    applying = attribute(checkpoint.model, question)[1]
    return [
        (name, _milliseconds(lambda name=name: attribute(checkpoint.model, question, [name])))
        for name in METHODS
        if name in applying
    ]


def _milliseconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    def once() -> float:
        started = time.perf_counter()
        work()
        return 1000 * (time.perf_counter() - started)

    once()  # fill caches
    return median(once() for _ in range(repeats))
