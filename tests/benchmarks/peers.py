"""The peers with our weights: Hugging Face's `generate`, and CTranslate2 in float32."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import MarianMTModel

from models.networks.transformer.model import TransformerModel
from tests.benchmarks.conversion import converted
from tests.fakes.hugging_face.marian import EOS, PAD

MISSING = "CTranslate2 is not installed: its rows are left out (pip install 'ctranslate2>=4.8')"
Threads = tuple[int, int]  # workers, and the threads of each
THREADS: tuple[Threads, ...] = ((1, 1), (1, 2), (2, 1))
PROCESS = Path(__file__).with_name("ctranslate2_process.py")


def has_ctranslate2() -> bool:
    """Whether CTranslate2 is installed."""
    return importlib.util.find_spec("ctranslate2") is not None


def generate(model: MarianMTModel, src: Tensor, beams: int, length: int, trace: bool = True) -> Any:
    """Decode `length` tokens for each row of src (B, S); `trace` adds attentions and scores.

    Without a trace the length is forced; with one, the weights must not write the end token earlier.
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
    """The bounds on the length of outputs, the end token included."""

    least: int
    most: int


class CTranslate2:
    """One of our Transformers converted to CTranslate2, in its own process; see `ctranslate2_process`.

    A call takes a little longer than in one process. Special tokens default to those of a Marian.
    """

    def __init__(
        self, model: TransformerModel, bos_id: int = PAD, eos_id: int = EOS, never: Sequence[int] = ()
    ) -> None:
        """`never`: tokens that no output may contain."""
        self._never = list(never)
        self._folder = tempfile.TemporaryDirectory()
        converted(model, bos_id, eos_id, unk_id=bos_id).save(self._folder.name)
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(PROCESS), self._folder.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        weakref.finalize(self, self._process.kill)

    def translate(
        self,
        batches: Sequence[Sequence[Sequence[int]]],
        lengths: Sequence[Lengths],
        beams: int,
        threads: Threads,
    ) -> list[list[int]]:
        """Return the best output for each source; batch i has lengths[i], and workers share the batches."""
        question = {
            "batches": batches,
            "lengths": [(length.least, length.most) for length in lengths],
            "beams": beams,
            "threads": threads,
            "never": self._never,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(question), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"CTranslate2 ended with code {self._process.wait()}; see its message above")
        outputs: list[list[int]] = json.loads(answer)
        return outputs
