"""`python -m models.inspection.dossier --checkpoint NAME --layer 1 --head 2`: a head over a test set.

`--unit 17` chooses one of the output layer's inputs instead. The role of the part is measured on the
references (teacher forcing), its importance by the quality of free decoding without it. `--sentence` adds the
role in one sentence, which often differs from that over the test set.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from models.corpus.pairs import DataError
from models.device import resolve_device
from models.inspection.dossier.ablation import HeadIndex, NetworkPart, UnitIndex
from models.inspection.dossier.loss import QualityLoss, both_outputs, losses
from models.inspection.dossier.role import AttentionMeans, HeadRole, UnitRole, head_role, unit_role
from models.inspection.neighbours.states import Example, examples
from models.inspection.pair_arguments import add_pair_arguments, pairs_of
from models.inspection.question import InspectionError
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint
from models.registry.name import UnknownCheckpointError
from models.registry.registry import Registry

PAIRS_SEED, NUM_GENERATED_PAIRS = 13, 200


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table; the last line is one JSON object."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if (options.unit is None) == (options.head is None):
        parser.error("give --layer and --head, or --unit")
    part: NetworkPart = (
        HeadIndex(options.layer - 1, options.head - 1) if options.head else UnitIndex(options.unit - 1)
    )
    try:
        checkpoint = Registry(options.checkpoints).load(options.checkpoint, resolve_device(options.device))
        pairs = tuple(examples(checkpoint, pairs_of(checkpoint, options, PAIRS_SEED)))
        role = _role(checkpoint, part, pairs)
        in_sentence = _role_in_sentence(checkpoint, part, options)
        outputs = both_outputs(checkpoint, part, [example.pair for example in pairs])
        scores = losses(checkpoint, outputs)
    except (UnknownCheckpointError, CheckpointError, DataError, InspectionError) as error:
        sys.exit(str(error))
    heading = f"{options.checkpoint}, {_name(part)}, over {len(pairs):,} sentences"
    sys.stdout.write(_table(heading, checkpoint, role, in_sentence))
    sys.stdout.write(_losses(scores, outputs.changed))
    figures = {
        "checkpoint": options.checkpoint,
        "part": asdict(part),  # indices begin at 0
        "sentences": len(pairs),
        "role": asdict(role),
        "in_one_sentence": None if in_sentence is None else asdict(in_sentence),
        "changed": outputs.changed,
        "lost": [{**asdict(score), "lost": score.lost} for score in scores],
    }
    sys.stdout.write(f"{json.dumps(figures)}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.inspection.dossier", description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument(
        "--checkpoints", type=Path, default=Path("checkpoints"), help="folder of the checkpoints"
    )
    parser.add_argument("--layer", type=int, default=1, help="layer of the decoder, from 1")
    parser.add_argument("--head", type=int, help="head of the layer, from 1")
    parser.add_argument("--unit", type=int, help="unit: an input of the output layer, from 1")
    add_pair_arguments(parser, NUM_GENERATED_PAIRS)
    parser.add_argument("--sentence", nargs=2, metavar=("SOURCE", "TARGET"), help="a sentence to compare")
    parser.add_argument("--device", default="auto")
    return parser


def _role(checkpoint: Checkpoint, part: NetworkPart, pairs: Sequence[Example]) -> HeadRole | UnitRole:
    """The role of a part. Raises InspectionError."""
    if isinstance(part, HeadIndex):
        return head_role(checkpoint, part, pairs)
    return unit_role(checkpoint, part, pairs)


def _role_in_sentence(
    checkpoint: Checkpoint, part: NetworkPart, options: argparse.Namespace
) -> HeadRole | UnitRole | None:
    """The role in the one sentence of the options, if there is one. Raises InspectionError."""
    if options.sentence is None:
        return None
    return _role(checkpoint, part, tuple(examples(checkpoint, [tuple(options.sentence)])))


def _name(part: NetworkPart) -> str:
    if isinstance(part, UnitIndex):
        return f"unit {part.unit + 1}"
    return f"layer {part.layer + 1}, head {part.head + 1}"


def _table(
    heading: str, checkpoint: Checkpoint, role: HeadRole | UnitRole, in_sentence: HeadRole | UnitRole | None
) -> str:
    if isinstance(role, HeadRole):
        lines = _attention_lines(role, in_sentence.head if isinstance(in_sentence, HeadRole) else None)
    else:
        lines = _heights(checkpoint, role, in_sentence if isinstance(in_sentence, UnitRole) else None)
    return "\n".join([heading, *lines, ""])


def _attention_lines(role: HeadRole, in_sentence: AttentionMeans | None) -> list[str]:
    """A line for each number, beside even attention and the one sentence."""
    lines = []
    for name, value in asdict(role.head).items():
        columns = [_spelt(value), f"even attention {_spelt(getattr(role.even, name))}"]
        columns += [] if in_sentence is None else [f"this sentence {_spelt(getattr(in_sentence, name))}"]
        lines.append(f"  {name:12}{'   '.join(columns)}")
    return lines


def _heights(checkpoint: Checkpoint, role: UnitRole, in_sentence: UnitRole | None) -> list[str]:
    lines = []
    for name, value in asdict(role).items():
        text = _token_means(checkpoint, value) if name in ("highest", "lowest") else _spelt(value)
        compared = in_sentence is not None and name in ("mean", "spread", "position")
        lines.append(
            f"  {name:12}{text}{f'   this sentence {_spelt(getattr(in_sentence, name))}' if compared else ''}"
        )
    return lines


def _spelt(value: float | Sequence[float] | None) -> str:
    if value is None:
        return "-"
    return " ".join(f"{number:.2f}" for number in ((value,) if isinstance(value, int | float) else value))


def _token_means(checkpoint: Checkpoint, tokens: Sequence[tuple[int, float]]) -> str:
    return ", ".join(f"{checkpoint.tokenizer.token(token)} {mean:+.2f}" for token, mean in tokens)


def _losses(losses: Sequence[QualityLoss], changed: float) -> str:
    lines = [f"without it {changed:.1%} of the outputs differ"]
    for score in losses:
        interval = f"{score.low:+.1f} to {score.high:+.1f}"
        change = f"{score.whole:6.1f} -> {score.without:6.1f}"
        lines.append(f"  {score.metric:12}{change}, lost {score.lost:+.1f} ({interval})")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
