"""One sentence decoded with a full trace, against Hugging Face's `generate` on the same weights."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch

from models.decoding.processors import MinLength
from models.decoding.recorder import Recorder
from models.decoding.scoring import LengthNormalizer
from models.decoding.search import search
from models.decoding.strategies import BeamSearch, DecodingStrategy, Greedy
from models.decoding.trace import DecodingTrace
from models.networks.packed import pack_linears
from models.networks.transformer import TransformerModel
from tests.marian import EOS, PAD, as_ours, random_marian

VOCAB_SIZE, WIDTH, LAYERS = 8000, 256, 3  # about 10 M parameters
SOURCE_TOKENS, TARGET_TOKENS = 12, 20
BEAMS = (1, 4, 8)
PAIRS = 15


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Rows for people, and the ratio ours / theirs at each number of beams (median of paired runs)."""
    torch.manual_seed(0)
    # Half-precision values, as in a shipped checkpoint, so that both sides have the same weights.
    theirs = random_marian(VOCAB_SIZE, WIDTH, LAYERS).half().float()
    ours = as_ours(theirs)
    pack_linears(ours)
    src = torch.randint(2, VOCAB_SIZE, (1, SOURCE_TOKENS))
    rows, figures = [], {}
    for beams in BEAMS:
        strategy = Greedy() if beams == 1 else BeamSearch(beams)

        def run_ours(strategy: DecodingStrategy = strategy) -> DecodingTrace:
            return trace(ours, strategy, src)

        def run_theirs(beams: int = beams) -> Any:
            return generate(theirs, beams, src)

        expected = run_theirs().sequences[0, 1:].tolist()
        assert list(run_ours().hypotheses[0].token_ids) == expected, "not the same tokens: nothing to compare"
        pairs = paired(run_ours, run_theirs)
        ratio = median(a / b for a, b in pairs)
        rows.append(
            {
                "what": f"trace, beam {beams}",
                "ours ms": 1000 * median(a for a, _ in pairs),
                "theirs ms": 1000 * median(b for _, b in pairs),
                "ratio": ratio,
            }
        )
        figures[f"decode_ratio_beam_{beams}"] = ratio
    return rows, figures


def trace(model: TransformerModel, strategy: DecodingStrategy, src: torch.Tensor) -> DecodingTrace:
    """Everything that the page needs, exactly TARGET_TOKENS long."""
    recorder = Recorder(str, str, LengthNormalizer(), isinstance(strategy, Greedy))
    with torch.inference_mode():
        steps = search(
            model,
            model.encode(src, torch.ones_like(src, dtype=torch.bool)),
            strategy,
            bos_id=PAD,
            eos_id=EOS,
            max_length=TARGET_TOKENS,
            rng=torch.Generator(),
            processors=[MinLength(TARGET_TOKENS, EOS)],
        )
        recorded, hypotheses = recorder.record(steps)
    return DecodingTrace("marian", "", (), strategy.name, {}, recorded, hypotheses)


def generate(model: Any, beams: int, src: torch.Tensor) -> Any:
    """What Hugging Face returns that comes closest to a trace."""
    with torch.inference_mode():
        return model.generate(
            input_ids=src,
            attention_mask=torch.ones_like(src),
            num_beams=beams,
            do_sample=False,
            length_penalty=0.0,
            min_new_tokens=TARGET_TOKENS,
            max_new_tokens=TARGET_TOKENS,
            output_attentions=True,
            output_scores=True,
            return_dict_in_generate=True,
        )


def paired(ours: Callable[[], object], theirs: Callable[[], object]) -> list[tuple[float, float]]:
    """Seconds of each, in turn, so that a machine that slows down slows both."""

    def seconds(run: Callable[[], object]) -> float:
        started = time.perf_counter()
        run()
        return time.perf_counter() - started

    for run in (ours, theirs):
        run()  # warm-up
    return [(seconds(ours), seconds(theirs)) for _ in range(PAIRS)]
