"""Why a token was written, method by method and as the page asks it, and a search of stored states."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch

from demo.requests.decode import DecodeRequest
from demo.requests.why import WhyRequest
from demo.service.context import AppContext
from demo.service.inspection import explained
from models.inspection.attribution import Question, attribute
from models.inspection.methods import METHODS
from models.inspection.neighbours.search import nearest
from models.registry.registry import Registry
from tests.browser.conftest import ROOT

TEXT = "Mi hermana quiere comprar una casa cerca del mar en el verano."  # twelve words
CHECKPOINTS = ("spa-eng-gru", "spa-eng-transformer", "spa-eng-lstm")
REPEATS = 15
STATES = 10_000  # that are searched


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Rows for people, and the figures: of a step in the middle of the output, on one thread."""
    torch.set_num_threads(1)  # as the page decodes
    context = AppContext(Registry(ROOT / "checkpoints"), "cpu")
    rows: list[dict[str, Any]] = []
    slowest: list[float] = []
    for name in CHECKPOINTS:
        request = _question(context, name)
        whole = _milliseconds(lambda request=request: explained(context, request))
        slowest.append(whole)
        rows.append({"what": f"why: {name}", "ours ms": whole})
        rows += [{"what": f"  {method}", "ours ms": took} for method, took in _methods(context, request)]
    searched = _milliseconds(_search_of_states())
    rows.append({"what": f"nearest of {STATES:,} states", "ours ms": searched})
    return rows, {"slowest_why_ms": max(slowest), "search_states_ms": searched}


def _search_of_states() -> Callable[[], object]:
    """For the ten nearest of so many states, as wide as the widest of a checkpoint that ships."""
    vectors = torch.randn(STATES, 512, generator=torch.Generator().manual_seed(0)).half()
    squares = vectors.double().square().sum(dim=1).float()
    query = vectors[STATES // 2].float()
    return lambda: nearest(vectors, query, 10, squares=squares)


def _question(context: AppContext, name: str) -> WhyRequest:
    trace = context.decode(DecodeRequest(name, TEXT))
    ids = [node.token_id for node in trace.path(trace.hypotheses[0].node)]
    middle = len(ids) // 2
    return WhyRequest(name, TEXT, tuple(ids[:middle]), ids[middle])


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


def _milliseconds(work: Callable[[], object]) -> float:
    def once() -> float:
        started = time.perf_counter()
        work()
        return 1000 * (time.perf_counter() - started)

    once()  # what is made when first needed
    return median(once() for _ in range(REPEATS))
