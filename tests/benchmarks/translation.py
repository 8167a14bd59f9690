"""2,000 sentences by a shipped translator at beam 4, each as long as it turns out: against CTranslate2.

Where `corpus` forces every length, here searches end by themselves, as those of a test set do. The sources
are what the translator of the other direction writes of its examples, drawn at random.
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
DRAWS = 100  # of one source at a time
WARM = 1.0  # the temperature of the draws: what the network itself holds likely


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Rows for people, the ratio ours / theirs (median of the turns) and the share of equal sentences."""
    if not has_ctranslate2():
        return [{"what": MISSING}], {}
    translator = loaded(TRANSLATOR)
    texts = sources(SENTENCES)
    ours, theirs = both(translator, texts)
    encoded = translator.tokenizer.encode_ids(texts)
    # The longest first, as ours takes them too: whichever core ends last has a short batch then.
    starts = reversed(range(0, SENTENCES, BATCH))
    batches = [[list(ids) for ids in encoded[start : start + BATCH]] for start in starts]
    middle = batches[len(batches) // 2 :][:TURN]
    quick = fastest(theirs, middle, lambda batch: Lengths(1, translator.config.max_length))
    # All at once, as a test set comes: what either side gains by the order of its batches counts.
    found, measured = in_turn([ours, quick], batches * TIMES, len(batches))
    same = sum(a == b for a, b in zip(*found, strict=True)) / (SENTENCES * TIMES)
    assert same >= SAME, f"only {same:.1%} of the sentences are the same: nothing to compare"
    figures = {"translation_ratio_ctranslate2": ratio(measured, 1), "translation_same_ctranslate2": same}
    return [total(f"{TIMES} x {SENTENCES} translations: ctranslate2", measured, 1)], figures


def loaded(name: str) -> Checkpoint:
    """As the page and the evaluation decode with it."""
    checkpoint = REGISTRY.load(name, torch.device("cpu"))
    pack_linears(checkpoint.model)
    return checkpoint


def both(translator: Checkpoint, texts: Sequence[str]) -> tuple[Translate, CTranslate2]:
    """Ours, which knows each of the texts by its ids, and theirs."""
    tokenizer = translator.tokenizer
    asked = DecodingOptions(beam_size=BEAMS, max_length=translator.config.max_length)
    text_of = {tuple(ids): text for ids, text in zip(tokenizer.encode_ids(texts), texts, strict=True)}

    def translate(batches: Sequence[Sentences]) -> Sentences:
        some = [text_of[tuple(ids)] for batch in batches for ids in batch]
        return [list(output.tokens) for output in outputs(translator.model, tokenizer, some, asked)]

    model = cast("TransformerModel", translator.model)
    return translate, CTranslate2(model, tokenizer.bos_id, tokenizer.eos_id, tokenizer.forbidden_ids)


def sources(number: int) -> list[str]:
    """Different sentences in the translator's source language, short ones first."""
    tokenizer = REGISTRY.tokenizer(TRANSLATOR)
    found: dict[tuple[int, ...], str] = {}
    for text in _drawn(loaded(OPPOSITE)):
        found.setdefault(tuple(tokenizer.encode_ids([text])[0]), text)
        if len(found) == number:
            break
    return [found[ids] for ids in sorted(found, key=len)]


def _drawn(checkpoint: Checkpoint) -> Iterator[str]:
    for seed in count():
        asked = DecodingOptions("sampling", num_samples=DRAWS, temperature=WARM, seed=seed)
        for example in checkpoint.config.examples:
            trace = decode(checkpoint.model, checkpoint.tokenizer, example, asked)
            yield from (hypothesis.text for hypothesis in trace.hypotheses)
