"""2,000 sentences at beam 4 without a trace, in batches of similar length, against both peers.

Sources are 4 to 25 random tokens. Random weights know no natural end, so a batch decodes as many tokens as
its longest source has. All sides decode the same batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import MarianMTModel

from models.batch import pad
from models.decoding.search.constraints import MinLength
from models.decoding.search.loop import search
from models.decoding.search.parallel import side_by_side
from models.decoding.search.step import SearchConditions
from models.decoding.strategies.beam_search import BeamSearch
from models.networks.transformer.model import TransformerModel
from tests.benchmarks.batches import (
    BATCH,
    BEAMS,
    SAME,
    SENTENCES,
    TURN,
    Sentences,
    Translate,
    fastest,
    in_turn,
    total,
)
from tests.benchmarks.decoding import VOCAB_SIZE, both
from tests.benchmarks.pairs import ratio
from tests.benchmarks.peers import MISSING, CTranslate2, Lengths, generate, has_ctranslate2
from tests.fakes.hugging_face.marian import EOS, PAD

SHORTEST, LONGEST = 4, 25


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Return table rows, the ratios ours / theirs (median of the turns) and the shares of equal sentences."""
    theirs, ours = both()
    batches = _batches()
    sides: dict[str, Translate] = {
        "ours": lambda some: _search(ours, some),
        "hugging_face": lambda some: _generate(theirs, some),
    }
    if has_ctranslate2():
        sides["ctranslate2"] = fastest(
            CTranslate2(ours), batches[len(batches) // 2 :][:TURN], _length_of_longest
        )
    outputs, turns = in_turn(list(sides.values()), batches)
    rows: list[dict[str, Any]] = []
    figures = {}
    for peer, name in enumerate(list(sides)[1:], start=1):
        same = sum(a == b for a, b in zip(outputs[0], outputs[peer], strict=True)) / SENTENCES
        assert same >= SAME, f"{name}: only {same:.1%} of the sentences are the same: nothing to compare"
        figures |= {f"corpus_ratio_{name}": ratio(turns, peer), f"corpus_same_{name}": same}
        rows.append(total(f"{SENTENCES} sentences: {name}", turns, peer))
    return rows if "ctranslate2" in sides else [*rows, {"what": MISSING}], figures


def _batches() -> list[Sentences]:
    generator = torch.Generator().manual_seed(1)
    lengths = torch.randint(SHORTEST, LONGEST + 1, (SENTENCES,), generator=generator).sort().values.tolist()
    sources = [torch.randint(2, VOCAB_SIZE, (n,), generator=generator).tolist() for n in lengths]
    return [sources[start : start + BATCH] for start in range(0, SENTENCES, BATCH)]


def _search(model: TransformerModel, batches: Sequence[Sentences]) -> Sentences:
    """Decode several batches side by side, as `translate` does."""
    outputs: list[Sentences] = [[] for _ in batches]

    def search_batch(number: int) -> None:
        batch = batches[number]
        length = len(batch[-1])
        src, mask = pad(batch, PAD)
        with torch.inference_mode():
            for step in search(
                model,
                model.encode(src, mask),
                BeamSearch(BEAMS),
                SearchConditions(PAD, EOS, length, [MinLength(length, EOS)]),
                torch.Generator(),
            ):
                pools = step.pools
        outputs[number] = [list(pool.sequences[0].tokens) for pool in pools]

    side_by_side(search_batch, range(len(batches)), next(model.parameters()).device)
    return [sentence for batch in outputs for sentence in batch]


def _generate(model: MarianMTModel, batches: Sequence[Sentences]) -> Sentences:
    outputs: Sentences = []
    for batch in batches:
        src, _ = pad(batch, PAD)
        outputs += generate(model, src, BEAMS, len(batch[-1]), trace=False).sequences[:, 1:].tolist()
    return outputs


def _length_of_longest(batch: Sentences) -> Lengths:
    return Lengths(len(batch[-1]), len(batch[-1]))
