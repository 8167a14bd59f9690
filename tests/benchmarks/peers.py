"""The peers on the same weights as ours: Hugging Face's `generate`, and CTranslate2 in float32."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import MarianMTModel

from models.networks.transformer.model import TransformerModel
from tests.benchmarks.converted import converted
from tests.fakes.marian import EOS, PAD

MISSING = "CTranslate2 is not installed: its rows are left out (pip install 'ctranslate2>=4.8')"
Threads = tuple[int, int]  # workers, and the threads of each
THREADS: tuple[Threads, ...] = ((1, 1), (1, 2), (2, 1))


def has_ctranslate2() -> bool:
    """False where the rows against CTranslate2 must be left out."""
    return importlib.util.find_spec("ctranslate2") is not None


def generate(model: MarianMTModel, src: Tensor, beams: int, length: int, trace: bool = True) -> Any:
    """`length` tokens for each row of src (B, S); `trace` asks for attentions and scores too.

    Without a trace the length is forced; with one the weights must be such that nothing ends before it.
    """
    with torch.inference_mode():
        return model.generate(
            input_ids=src,
            attention_mask=(src != PAD).long(),
            num_beams=beams,
            do_sample=False,
            length_penalty=0.0,
            min_new_tokens=None if trace else length,
            max_new_tokens=length,
            output_attentions=trace,
            output_scores=trace,
            return_dict_in_generate=True,
        )


@dataclass(frozen=True)
class Lengths:
    """How long outputs are, the end token included."""

    least: int
    most: int


class CTranslate2:
    """One of our Transformers converted; its special tokens are a Marian's unless said otherwise."""

    def __init__(
        self, model: TransformerModel, bos_id: int = PAD, eos_id: int = EOS, never: Sequence[int] = ()
    ) -> None:
        """`never`: tokens that no output may hold."""
        import ctranslate2

        self._never = [[str(token)] for token in never]
        with tempfile.TemporaryDirectory() as folder:
            converted(model, bos_id, eos_id, unk_id=bos_id).save(folder)
            self._translators = {
                (workers, threads): ctranslate2.Translator(
                    folder,
                    device="cpu",
                    compute_type="float32",
                    inter_threads=workers,
                    intra_threads=threads,
                )
                for workers, threads in THREADS
            }

    def translate(
        self,
        batches: Sequence[Sequence[Sequence[int]]],
        lengths: Sequence[Lengths],
        beams: int,
        threads: Threads,
    ) -> list[list[int]]:
        """The best output for each source, of lengths[i] in batch i; its workers share the batches."""
        translator = self._translators[threads]
        waiting = [
            translator.translate_batch(
                [[str(token) for token in source] for source in batch],
                beam_size=beams,
                length_penalty=0.0,
                min_decoding_length=length.least,
                max_decoding_length=length.most,
                suppress_sequences=self._never or None,
                return_end_token=True,
                asynchronous=True,
            )
            for batch, length in zip(batches, lengths, strict=True)
        ]
        return [
            [int(token) for token in found.result().hypotheses[0]] for batch in waiting for found in batch
        ]
