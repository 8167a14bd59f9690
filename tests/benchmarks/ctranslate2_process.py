"""CTranslate2 in a process of its own, a line of JSON for each question and for each answer.

Beside torch two threads of it take five times as long: each library brings an OpenMP of its own, and their
threads hold each other up. So nothing else is imported here, and the file is run by its path.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import ctranslate2


def main() -> None:
    """Argument: the model's folder. Input: what `peers.CTranslate2` asks. Output: tokens of each sentence."""
    folder = sys.argv[1]
    translators: dict[tuple[int, ...], ctranslate2.Translator] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        threads = tuple(asked["threads"])
        if threads not in translators:
            workers, threads_each = threads
            translators[threads] = ctranslate2.Translator(
                folder,
                device="cpu",
                compute_type="float32",
                inter_threads=workers,
                intra_threads=threads_each,
            )
        print(json.dumps(_translated(translators[threads], asked)), flush=True)


def _translated(translator: ctranslate2.Translator, asked: dict[str, Any]) -> list[list[int]]:
    waiting = [
        translator.translate_batch(
            [[str(token) for token in source] for source in batch],
            beam_size=asked["beams"],
            length_penalty=0.0,
            min_decoding_length=least,
            max_decoding_length=most,
            suppress_sequences=[[str(token)] for token in asked["never"]] or None,
            return_end_token=True,
            asynchronous=True,
        )
        for batch, (least, most) in zip(asked["batches"], asked["lengths"], strict=True)
    ]
    return [[int(token) for token in found.result().hypotheses[0]] for batch in waiting for found in batch]


if __name__ == "__main__":
    main()
