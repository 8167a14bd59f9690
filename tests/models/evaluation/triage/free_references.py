"""Free but right references, beside those of other sentences, and how many of each are diagnosed as doubtful.

`python -m tests.models.evaluation.triage.free_references [CHECKPOINT ...]` prints the counts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from models.decoding.options import DecodingOptions
from models.evaluation.run import run
from models.evaluation.segments import segments_of_pairs
from models.evaluation.systems import System
from models.evaluation.triage.triage import triage
from models.registry.registry import Registry

CHECKPOINTS = ("spa-eng-transformer", "spa-eng-gru")
FREE = (
    ("¿Dónde está la biblioteca?", "How do I get to the library?"),
    ("Tengo mucha hambre.", "I could eat a horse."),
    ("No me importa.", "It's all the same to me."),
    ("Hace mucho frío hoy.", "It's freezing outside today."),
    ("Está lloviendo a cántaros.", "It's pouring."),
    ("Me gusta la música.", "Music is something I enjoy."),
    ("No tengo dinero.", "I'm broke."),
    ("Tom se fue.", "Tom has gone away."),
    ("Estoy muy cansado.", "I'm worn out."),
    ("¿Cuántos años tienes?", "What's your age?"),
    ("Me duele la cabeza.", "I've got a headache."),
    ("Él es médico.", "He works as a doctor."),
    ("Vamos a empezar.", "Let's get started."),
    ("Ten cuidado.", "Watch out."),
    ("No entiendo nada.", "It's all Greek to me."),
)
LITERAL = (
    ("Tengo un perro.", "I have a dog."),
    ("Bebo café.", "I drink coffee."),
    ("Ella es mi hermana.", "She is my sister."),
    ("Quiero comprar una casa.", "I want to buy a house."),
    ("Tom vive en Boston.", "Tom lives in Boston."),
    ("¿Quién eres?", "Who are you?"),
    ("El libro está en la mesa.", "The book is on the table."),
    ("Necesito tu ayuda.", "I need your help."),
    ("No puedo dormir.", "I can't sleep."),
    ("Nos vemos mañana.", "See you tomorrow."),
    ("Ellos no saben nadar.", "They can't swim."),
    ("Mi padre trabaja aquí.", "My father works here."),
    ("¿Puedes ayudarme?", "Can you help me?"),
    ("Ayer fui al cine.", "I went to the movies yesterday."),
    ("Estoy aprendiendo inglés.", "I am learning English."),
)
FOREIGN = tuple((source, FREE[(index + 6) % len(FREE)][1]) for index, (source, _) in enumerate(FREE))


def doubted(system: System, pairs: tuple[tuple[str, str], ...]) -> tuple[int, int]:
    """The number of doubtful references of bad outputs, and of bad outputs, among the first pairs."""
    (result,) = run([system], segments_of_pairs([*pairs, *LITERAL]))
    causes = [x.cause.name for x in triage(result).diagnoses if x.index < len(pairs)]
    return causes.count("reference"), len(causes)


def system_of(name: str) -> System:
    """A shipped checkpoint with a beam of 4."""
    checkpoint = Registry(Path(__file__).parents[4] / "checkpoints").load(name, torch.device("cpu"))
    return System(name, checkpoint, DecodingOptions("beam", max_length=60))


def main() -> None:
    """Print the counts of each checkpoint."""
    for name in sys.argv[1:] or CHECKPOINTS:
        system = system_of(name)
        for what, pairs in (("right but free", FREE), ("of other sentences", FOREIGN)):
            count, bad = doubted(system, pairs)
            sys.stdout.write(f"{name}: {count} of {bad} references {what} are doubtful\n")


if __name__ == "__main__":
    main()
