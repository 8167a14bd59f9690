"""Faults that are planted in a system or a test set whose outputs were right, and their diagnoses.

`python -m tests.models.evaluation.triage.planted_faults` prints the confusion matrix and every mistake.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from models.decoding.options import DecodingOptions
from models.evaluation.run import run
from models.evaluation.segments import Segment, Segments, segments_of_pairs
from models.evaluation.systems import System
from models.evaluation.triage.causes import CAUSES
from models.evaluation.triage.triage import Diagnosis, triage
from models.metrics.sentence import words
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry

ROOT = Path(__file__).parents[4]
ANY = 99.0  # sentence chrF: every output that differs from the right one counts as bad
SOURCES = """\
El niño come una manzana roja.
Mi hermana vive en Londres con su marido.
¿Dónde está la estación de tren?
Hace mucho frío esta mañana.
El perro duerme debajo de la mesa.
Quiero aprender a tocar el piano.
Ella trabaja en un hospital grande.
No puedo encontrar mis llaves.
El tren llega a las siete de la tarde.
Los niños juegan en el jardín.
¿Puedes ayudarme con esta caja?
Mi abuelo tiene ochenta años.
Nosotros vamos a la playa en verano.
El médico me dijo que descansara.
Esta ciudad es muy hermosa de noche.
Tengo que estudiar para el examen.
Tom cerró la puerta y se fue.
Ella escribió una carta a su amigo.
¿Cuánto cuesta este vestido?
El gato negro saltó por la ventana.
Me gusta leer antes de dormir.
Él perdió su reloj en el parque.""".splitlines()
# Words that exist in no training data, of known letters.
NONSENSE = (
    "brunclote",
    "tropelisa",
    "murvento",
    "calpirona",
    "zandureta",
    "flemocho",
    "gartipelo",
    "vistronda",
)


@dataclass(frozen=True)
class Planted:
    """Systems and segments that all have one fault."""

    cause: str
    system: System
    segments: Segments
    word_counts: Counter[str] | None = None


class SourceBlindModel(torch.nn.Module):
    """A network that reads the same source for every input."""

    def __init__(self, model: Any, source: Sequence[int]) -> None:
        super().__init__()
        self.model, self.source = model, torch.tensor(list(source))

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(name) if name == "model" else getattr(super().__getattr__("model"), name)

    def encode(self, src: Tensor, src_mask: Tensor) -> Any:
        return self.model.encode(self._one(src), self._one(src_mask, fill=True))

    def features(self, batch: Any) -> Tensor:
        src = self._one(batch.src)
        return self.model.features(replace(batch, src=src, src_mask=torch.ones_like(src, dtype=torch.bool)))

    def _one(self, src: Tensor, *, fill: bool = False) -> Tensor:
        rows = self.source.expand(len(src), -1)
        return torch.ones_like(rows, dtype=torch.bool) if fill else rows


def faultless() -> tuple[System, Segments]:
    """A shipped checkpoint, and sources whose references are its own outputs."""
    checkpoint = Registry(ROOT / "checkpoints").load("spa-eng-gru", torch.device("cpu"))
    system = System("beam 4", checkpoint, DecodingOptions("beam", beam_size=4, max_length=60))
    (result,) = run([system], segments_of_pairs((source, source) for source in SOURCES))
    return system, segments_of_pairs(zip(SOURCES, result.outputs, strict=True))


def planted(system: System, segments: Segments) -> Iterator[Planted]:
    """One or two faults for each cause."""
    texts, rng = segments.all, random.Random(5)

    def with_options(**options: Any) -> System:
        return replace(system, options=replace(system.options, **options))

    def changed(change: Callable[[int, Segment], Segment]) -> Segments:
        return Segments(tuple(change(index, segment) for index, segment in enumerate(texts)))

    def replaced(word: Callable[[int], str]) -> Segments:
        """Replace the longest word of each source."""

        def change(index: int, segment: Segment) -> Segment:
            longest = max(words(segment.source), key=len)
            return replace(segment, source=segment.source.replace(longest, word(index)))

        return changed(change)

    shifted = changed(
        lambda index, segment: replace(segment, references=texts[(index + 7) % len(texts)].references)
    )
    yield Planted("reference", system, shifted)
    yield Planted(
        "reference", system, changed(lambda _, segment: replace(segment, references=(segment.source,)))
    )
    yield Planted("repetition", with_options(max_length=4), segments)
    yield Planted("unknown", system, replaced(lambda index: "☃♞♖"))
    yield Planted("search", with_options(strategy="sampling", temperature=1.6, seed=3), segments)
    for alpha in (-4.0, 5.0):
        yield Planted("length", with_options(length_penalty=alpha), segments)
    yield Planted("reliance", _blind_to_its_source(system), segments)
    word_counts = Counter(word for segment in texts for word in words(segment.source))
    yield Planted("unseen", system, replaced(lambda index: rng.choice(NONSENSE)), word_counts)
    yield Planted("model", _without_frequent_tokens(system, segments), segments)


def _blind_to_its_source(system: System) -> System:
    tokenizer = system.checkpoint.tokenizer
    (source,) = tokenizer.encode_ids(["Hola."])
    return _with(system, SourceBlindModel(system.checkpoint.model, source))


def _without_frequent_tokens(system: System, segments: Segments) -> System:
    """A network that no longer writes the tokens that stand in most of the references."""
    checkpoint = Registry(ROOT / "checkpoints").load(system.checkpoint.name, torch.device("cpu"))
    tokenizer = checkpoint.tokenizer
    ids = tokenizer.target.encode_ids([segment.references[0] for segment in segments.all])
    special = {tokenizer.eos_id}
    most = Counter(token for row in ids for token in set(row) - special).most_common(6)
    bias = next(p for name, p in checkpoint.model.named_parameters() if p.shape == (tokenizer.vocab_size,))
    with torch.no_grad():
        bias[[token for token, _ in most[1:]]] -= 30.0  # all but the full stop
    return replace(system, checkpoint=checkpoint)


def _with(system: System, model: Any) -> System:
    old = system.checkpoint
    return replace(system, checkpoint=Checkpoint(old.name, old.config, old.tokenizer, model))


def diagnosed(fault: Planted) -> list[Diagnosis]:
    """The diagnoses of the outputs that are wrong now."""
    (result,) = run([fault.system], fault.segments)
    return list(triage(result, fault.word_counts, ANY).diagnoses)


def main() -> None:
    """Print the confusion matrix: planted causes in rows, diagnosed ones in columns."""
    names = [cause.name for cause in CAUSES]
    lines = [f"{'planted':12}" + "".join(f"{name:>11}" for name in names)]
    right_causes = total = 0
    for fault in planted(*faultless()):
        diagnoses = diagnosed(fault)
        counts = Counter(diagnosis.cause.name for diagnosis in diagnoses)
        lines.append(f"{fault.cause:12}" + "".join(f"{counts[name] or '':>11}" for name in names))
        right_causes, total = right_causes + counts[fault.cause], total + len(diagnoses)
        lines += [
            f"    {wrong.details.segment.source} | {wrong.details.output} | {wrong.evidence}"
            for wrong in diagnoses
            if wrong.cause.name != fault.cause
        ]
    sys.stdout.write("\n".join([*lines, f"{right_causes} of {total} right", ""]))


if __name__ == "__main__":
    main()
