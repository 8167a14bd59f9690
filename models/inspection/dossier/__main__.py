"""`python -m models.inspection.dossier --checkpoint NAME --layer 1 --head 2`: a head over a test set.

Or `--unit 17`, one of the numbers that the output layer reads. Its role is measured while the right outputs
are written, and what is lost without it by what the network then writes of its own. A sentence that is given
with --sentence stands beside: what a head does in one rarely is what it does in all.
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
from models.inspection.dossier.loss import Lost, both_outputs, losses
from models.inspection.dossier.role import AttentionMeans, HeadRole, UnitRole, head_role, unit_role
from models.inspection.dossier.without import HeadIndex, NetworkPart, UnitIndex
from models.inspection.neighbours.states import Example, examples
from models.inspection.pair_arguments import add_pair_arguments, pairs_of
from models.inspection.question import InspectionError
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint
from models.registry.name import UnknownCheckpointError
from models.registry.registry import Registry

SEED, GENERATED_PAIRS = 13, 200


def main(arguments: Sequence[str] | None = None) -> None:
    """A table for people; the last line is one JSON object."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if (options.unit is None) == (options.head is None):
        parser.error("give --layer and --head, or --unit")
    part: NetworkPart = (
        HeadIndex(options.layer - 1, options.head - 1) if options.head else UnitIndex(options.unit - 1)
    )
    try:
        checkpoint = Registry(options.checkpoints).load(options.checkpoint, resolve_device(options.device))
        result = tuple(examples(checkpoint, pairs_of(checkpoint, options, SEED)))
        role = _role(checkpoint, part, result)
        one = _one(checkpoint, part, options)
        outputs = both_outputs(checkpoint, part, [item.pair for item in result])
        lost = losses(checkpoint, outputs)
    except (UnknownCheckpointError, CheckpointError, DataError, InspectionError) as error:
        sys.exit(str(error))
    heading = f"{options.checkpoint}, {_name(part)}, over {len(result):,} sentences"
    sys.stdout.write(_table(heading, checkpoint, role, one))
    sys.stdout.write(_losses(lost, outputs.changed))
    figures = {
        "checkpoint": options.checkpoint,
        "part": asdict(part),  # from 0
        "sentences": len(result),
        "role": asdict(role),
        "in_one_sentence": None if one is None else asdict(one),
        "changed": outputs.changed,
        "lost": [{**asdict(item), "lost": item.lost} for item in lost],
    }
    sys.stdout.write(f"{json.dumps(figures)}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.inspection.dossier", description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"), help="the folder of all")
    parser.add_argument("--layer", type=int, default=1, help="of the decoder, from 1")
    parser.add_argument("--head", type=int, help="of the layer, from 1")
    parser.add_argument("--unit", type=int, help="of what the output layer reads, from 1")
    add_pair_arguments(parser, GENERATED_PAIRS)
    parser.add_argument("--sentence", nargs=2, metavar=("SOURCE", "TARGET"), help="one to set beside")
    parser.add_argument("--device", default="auto")
    return parser


def _role(checkpoint: Checkpoint, part: NetworkPart, found: Sequence[Example]) -> HeadRole | UnitRole:
    """Raises InspectionError."""
    if isinstance(part, HeadIndex):
        return head_role(checkpoint, part, found)
    return unit_role(checkpoint, part, found)


def _one(
    checkpoint: Checkpoint, part: NetworkPart, options: argparse.Namespace
) -> HeadRole | UnitRole | None:
    """The same of the one sentence, if there is one. Raises InspectionError."""
    if options.sentence is None:
        return None
    return _role(checkpoint, part, tuple(examples(checkpoint, [tuple(options.sentence)])))


def _name(part: NetworkPart) -> str:
    if isinstance(part, UnitIndex):
        return f"unit {part.unit + 1}"
    return f"layer {part.layer + 1}, head {part.head + 1}"


def _table(
    heading: str, checkpoint: Checkpoint, role: HeadRole | UnitRole, one: HeadRole | UnitRole | None
) -> str:
    if isinstance(role, HeadRole):
        lines = _attention_lines(role, one.head if isinstance(one, HeadRole) else None)
    else:
        lines = _heights(checkpoint, role, one if isinstance(one, UnitRole) else None)
    return "\n".join([heading, *lines, ""])


def _attention_lines(role: HeadRole, one: AttentionMeans | None) -> list[str]:
    """Beside even attention, and beside the one sentence."""
    lines = []
    for name, value in asdict(role.head).items():
        told = [_told(value), f"even attention {_told(getattr(role.even, name))}"]
        told += [] if one is None else [f"this sentence {_told(getattr(one, name))}"]
        lines.append(f"  {name:12}{'   '.join(told)}")
    return lines


def _heights(checkpoint: Checkpoint, role: UnitRole, one: UnitRole | None) -> list[str]:
    lines = []
    for name, value in asdict(role).items():
        spelt = _spelt(checkpoint, value) if name in ("highest", "lowest") else _told(value)
        compared = one is not None and name in ("mean", "spread", "position")
        lines.append(
            f"  {name:12}{spelt}{f'   this sentence {_told(getattr(one, name))}' if compared else ''}"
        )
    return lines


def _told(value: float | Sequence[float] | None) -> str:
    if value is None:
        return "-"
    return " ".join(f"{item:.2f}" for item in ((value,) if isinstance(value, int | float) else value))


def _spelt(checkpoint: Checkpoint, tokens: Sequence[tuple[int, float]]) -> str:
    return ", ".join(f"{checkpoint.tokenizer.token(token)} {mean:+.2f}" for token, mean in tokens)


def _losses(lost: Sequence[Lost], changed: float) -> str:
    lines = [f"without it {changed:.1%} of the outputs are other ones"]
    for item in lost:
        interval = f"{item.low:+.1f} to {item.high:+.1f}"
        lines.append(
            f"  {item.metric:12}{item.whole:6.1f} -> {item.without:6.1f}, lost {item.lost:+.1f} ({interval})"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
