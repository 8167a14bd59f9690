"""2,000 sentences by a shipped translator at beam 4, against CTranslate2.

Searches end by themselves, as on a test set, whereas `corpus` forces every length. The sources are samples of
the translator of the opposite direction for its examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, cast

import torch

from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.decoding.outputs import outputs
from models.networks.packed import pack_linears
from models.networks.transformer.model import TransformerModel
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
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
from tests.benchmarks.pairs import ratio
from tests.benchmarks.peers import MISSING, CTranslate2, Lengths, has_ctranslate2
from tests.browser.conftest import ROOT

REGISTRY = Registry(ROOT / "checkpoints")
TRANSLATOR, OPPOSITE = "spa-eng-transformer", "eng-spa-transformer"
TIMES = 7
DRAWS = 100  # samples for one source at a time
WARM = 1.0  # temperature of the samples


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Return table rows, the ratio ours / theirs (median of the turns) and the share of equal sentences."""
    if not has_ctranslate2():
        return [{"what": MISSING}], {}
    translator = loaded(TRANSLATOR)
    texts = sources(SENTENCES)
    ours, theirs = both(translator, texts)
    encoded = translator.tokenizer.encode_ids(texts)
    # The longest first, as in our own order, so that the last core has only a short batch left.
    starts = reversed(range(0, SENTENCES, BATCH))
    batches = [[list(ids) for ids in encoded[start : start + BATCH]] for start in starts]
    middle = batches[len(batches) // 2 :][:TURN]
    quick = fastest(theirs, middle, lambda batch: Lengths(1, translator.config.max_length))
    # All batches in one call, as for a test set, so that each side may choose their order.
    translations, turns = in_turn([ours, quick], batches * TIMES, len(batches))
    same = sum(a == b for a, b in zip(*translations, strict=True)) / (SENTENCES * TIMES)
    assert same >= SAME, f"only {same:.1%} of the sentences are the same: nothing to compare"
    figures = {"translation_ratio_ctranslate2": ratio(turns, 1), "translation_same_ctranslate2": same}
    return [total(f"{TIMES} x {SENTENCES} translations: ctranslate2", turns, 1)], figures


def loaded(name: str) -> Checkpoint:
    """Return a checkpoint with packed weights, as on the page and in evaluations."""
    checkpoint = REGISTRY.load(name, torch.device("cpu"))
    pack_linears(checkpoint.model)
    return checkpoint


def both(translator: Checkpoint, texts: Sequence[str]) -> tuple[Translate, CTranslate2]:
    """Return our translator, which looks up each text by its ids, and theirs."""
    tokenizer = translator.tokenizer
    options = DecodingOptions(beam_size=BEAMS, max_length=translator.config.max_length)
    text_of = {tuple(ids): text for ids, text in zip(tokenizer.encode_ids(texts), texts, strict=True)}

    def translate(batches: Sequence[Sentences]) -> Sentences:
        some = [text_of[tuple(ids)] for batch in batches for ids in batch]
        return [list(output.tokens) for output in outputs(translator.model, tokenizer, some, options)]

    model = cast("TransformerModel", translator.model)
    return translate, CTranslate2(model, tokenizer.bos_id, tokenizer.eos_id, tokenizer.forbidden_ids)


def sources(number: int) -> list[str]:
    """Return different sentences in the translator's source language, short ones first."""
    tokenizer = REGISTRY.tokenizer(TRANSLATOR)
    texts: dict[tuple[int, ...], str] = {}
    for text in _sampled_sources(loaded(OPPOSITE)):
        texts.setdefault(tuple(tokenizer.encode_ids([text])[0]), text)
        if len(texts) == number:
            break
    return [texts[ids] for ids in sorted(texts, key=len)]


def _sampled_sources(checkpoint: Checkpoint) -> Iterator[str]:
    for seed in count():
        options = DecodingOptions("sampling", num_samples=DRAWS, temperature=WARM, seed=seed)
        for example in checkpoint.config.examples:
            trace = decode(checkpoint.model, checkpoint.tokenizer, example, options)
            yield from (hypothesis.text for hypothesis in trace.hypotheses)
