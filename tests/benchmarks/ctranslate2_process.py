"""CTranslate2 in its own process: one line of JSON for each question and each answer.

In one process with torch, two of its threads take five times as long, because each library brings its own
OpenMP. This file therefore imports nothing else and is run by its path.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import ctranslate2


def main() -> None:
    """Read questions of `peers.CTranslate2` and print the tokens of each sentence. Argument: model folder."""
    folder = sys.argv[1]
    translators: dict[tuple[int, ...], ctranslate2.Translator] = {}
    for line in sys.stdin:
        question = json.loads(line)
        threads = tuple(question["threads"])
        if threads not in translators:
            workers, threads_each = threads
            translators[threads] = ctranslate2.Translator(
                folder,
                device="cpu",
                compute_type="float32",
                inter_threads=workers,
                intra_threads=threads_each,
            )
        print(json.dumps(_translated(translators[threads], question)), flush=True)


def _translated(translator: ctranslate2.Translator, question: dict[str, Any]) -> list[list[int]]:
    waiting = [
        translator.translate_batch(
            [[str(token) for token in source] for source in batch],
            beam_size=question["beams"],
            length_penalty=0.0,
            min_decoding_length=least,
            max_decoding_length=most,
            suppress_sequences=[[str(token)] for token in question["never"]] or None,
            return_end_token=True,
            asynchronous=True,
        )
        for batch, (least, most) in zip(question["batches"], question["lengths"], strict=True)
    ]
    return [[int(token) for token in result.result().hypotheses[0]] for batch in waiting for result in batch]


if __name__ == "__main__":
    main()
