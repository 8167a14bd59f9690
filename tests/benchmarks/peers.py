"""The peers on the weights of one Marian: Hugging Face's `generate` and CTranslate2 in float32."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import MarianMTModel

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


class CTranslate2:
    """One Marian converted; token i is called `str(i)`."""

    def __init__(self, model: MarianMTModel) -> None:
        import ctranslate2
        from ctranslate2.converters.transformers import BartLoader

        # As a Bart, which Marian's loader builds upon: that one starts from a vector of zeros, and the
        # padding of random weights is none.
        model.config.normalize_before = model.config.normalize_embedding = False
        with torch.no_grad():
            spec = BartLoader().get_model_spec(model)
        tokens = [str(token) for token in range(model.config.vocab_size)]
        spec.register_source_vocabulary(tokens)
        spec.register_target_vocabulary(tokens)
        spec.config.bos_token = spec.config.unk_token = spec.config.decoder_start_token = str(PAD)
        spec.config.eos_token = str(EOS)
        spec.validate()
        spec.optimize()
        with tempfile.TemporaryDirectory() as folder:
            spec.save(folder)
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
        lengths: Sequence[int],
        beams: int,
        threads: Threads,
    ) -> list[list[int]]:
        """Exactly `lengths[i]` tokens for each source of batch i; its workers share the batches."""
        translator = self._translators[threads]
        waiting = [
            translator.translate_batch(
                [[str(token) for token in source] for source in batch],
                beam_size=beams,
                length_penalty=0.0,
                min_decoding_length=length,
                max_decoding_length=length,
                asynchronous=True,
            )
            for batch, length in zip(batches, lengths, strict=True)
        ]
        return [
            [int(token) for token in found.result().hypotheses[0]] for batch in waiting for found in batch
        ]
