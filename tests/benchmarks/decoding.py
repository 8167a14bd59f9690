"""One sentence decoded with a full trace, against two peers with the same weights.

Hugging Face returns attentions and scores; CTranslate2 in float32 returns tokens only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from transformers import MarianMTModel

from models.decoding.record.recorder import Recorder
from models.decoding.search.loop import search
from models.decoding.search.step import SearchConditions
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.trace import DecodingTrace
from models.networks.packed import pack_linears
from models.networks.transformer.model import TransformerModel
from tests.benchmarks.pairs import ratio, rounds, row, seconds
from tests.benchmarks.peers import MISSING, CTranslate2, Lengths, Threads, generate, has_ctranslate2
from tests.fakes.hugging_face.marian import EOS, PAD, as_ours, random_marian

VOCAB_SIZE, WIDTH, LAYERS = 8000, 256, 3  # about 10 M parameters
SOURCE_TOKENS, TARGET_TOKENS = 12, 20
BEAMS = (1, 4, 8)
ROUNDS = 15


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Return table rows and the ratio ours / theirs at each number of beams (median of paired runs)."""
    theirs, ours = both()
    quick = CTranslate2(ours) if has_ctranslate2() else None
    src = torch.randint(2, VOCAB_SIZE, (1, SOURCE_TOKENS))
    rows: list[dict[str, Any]] = []
    figures = {}
    for beams in BEAMS:
        runs = _runs(theirs, ours, quick, src, beams)
        tokens = [run() for run in runs]
        assert all(output == tokens[0] for output in tokens), f"not the same tokens: {tokens}"
        times = rounds(runs, ROUNDS)
        rows.append(row(f"trace, beam {beams}", times, 1))
        figures[f"decode_ratio_beam_{beams}"] = ratio(times, 1)
        if quick is not None:
            rows.append(row(f"trace, beam {beams}: CTranslate2", times, 2))
            figures[f"decode_ratio_ctranslate2_beam_{beams}"] = ratio(times, 2)
    return rows if quick is not None else [*rows, {"what": MISSING}], figures


def both() -> tuple[MarianMTModel, TransformerModel]:
    """Return their and our network with the same weights in half precision, as in shipped checkpoints."""
    torch.manual_seed(0)
    theirs = random_marian(VOCAB_SIZE, WIDTH, LAYERS).half().float()
    ours = as_ours(theirs)
    pack_linears(ours)
    return theirs, ours


def trace(model: TransformerModel, strategy: DecodingStrategy, src: Tensor) -> DecodingTrace:
    """Decode with a full trace; these random weights never write the end token."""
    recorder = Recorder(str, str, strategy)
    with torch.inference_mode():
        steps = search(
            model,
            model.encode(src, torch.ones_like(src, dtype=torch.bool)),
            strategy,
            SearchConditions(PAD, EOS, TARGET_TOKENS),
            torch.Generator(),
        )
        recorded = recorder.record(steps)
    return DecodingTrace("marian", "", (), strategy.name, {}, recorded.steps, recorded.hypotheses)


def _runs(
    theirs: MarianMTModel, ours: TransformerModel, quick: CTranslate2 | None, src: Tensor, beams: int
) -> list[Callable[[], list[int]]]:
    """Return our run, Hugging Face's and, if installed, CTranslate2's with its faster number of threads."""
    strategy = Greedy() if beams == 1 else BeamSearch(beams)

    def trace_ours() -> list[int]:
        return list(trace(ours, strategy, src).hypotheses[0].token_ids)

    def generate_theirs() -> list[int]:
        ids: list[int] = generate(theirs, src, beams, TARGET_TOKENS).sequences[0, 1:].tolist()
        return ids

    if quick is None:
        return [trace_ours, generate_theirs]

    length = Lengths(TARGET_TOKENS, TARGET_TOKENS)

    def translate(threads: Threads) -> list[int]:
        return quick.translate([src.tolist()], [length], beams, threads)[0]

    def time_of(threads: Threads) -> float:
        return min(seconds(lambda: translate(threads)) for _ in range(5))

    fastest = min(((1, 1), (1, 2)), key=time_of)
    return [trace_ours, generate_theirs, lambda: translate(fastest)]
