"""The role of a part, against the same numbers by hand, sentence by sentence."""

from __future__ import annotations

import math
import random
import statistics

import pytest
import torch

from models.corpus.generated.all_tasks import generate
from models.inspection.dossier.ablation import HeadIndex, UnitIndex
from models.inspection.dossier.role import NUM_TENTHS, head_role, tenths, unit_role
from models.inspection.neighbours.states import batch_of, examples, unroll
from models.inspection.question import InspectionError
from tests.models.inspection.neighbours.test_states import load
from tests.refusals import refused


@pytest.mark.parametrize(
    ("name", "part"), [("reverse-gru", HeadIndex(0, 0)), ("dates-transformer", HeadIndex(1, 2))]
)
def test_a_head_is_measured_step_by_step(name: str, part: HeadIndex, device: str) -> None:
    checkpoint = load(name, device)
    pairs = generate(checkpoint.config.task, 12, random.Random(5))
    result = tuple(examples(checkpoint, pairs))
    entropy, diagonal, mirrored, end = [], [], [], []
    for example in result:
        unrolled = unroll(checkpoint.model, batch_of(checkpoint, [example]))
        assert unrolled.attention is not None
        rows = unrolled.attention[0, :, part.layer, part.head].double().tolist()
        for step, row in enumerate(rows):
            last = len(row) - 1
            line = step * last / (len(rows) - 1)
            entropy.append(-sum(weight * math.log(weight) for weight in row if weight))
            diagonal.append(sum(weight for index, weight in enumerate(row) if abs(index - line) <= 1))
            mirrored.append(sum(weight for index, weight in enumerate(row) if abs(last - index - line) <= 1))
            end.append(row[-1])
    role = head_role(checkpoint, part, result)
    assert role.steps == len(entropy)
    for actual, one_by_one in (
        (role.head.entropy, entropy),
        (role.head.diagonal, diagonal),
        (role.head.mirrored, mirrored),
        (role.head.end, end),
    ):
        assert actual == pytest.approx(sum(one_by_one) / len(one_by_one), abs=1e-5)
    assert role.head.profile is not None
    assert sum(role.head.profile) == pytest.approx(1)
    assert role.even.profile == pytest.approx([1 / NUM_TENTHS] * NUM_TENTHS)
    lengths = [example.read for example in result for _ in example.target]
    assert role.even.entropy == pytest.approx(sum(map(math.log, lengths)) / len(lengths))
    assert role.even.end == pytest.approx(sum(1 / length for length in lengths) / len(lengths))


def test_a_reversing_head_attends_to_mirrored_positions() -> None:
    checkpoint = load("reverse-gru")
    result = tuple(examples(checkpoint, generate("reversal", 50, random.Random(6))))
    role = head_role(checkpoint, HeadIndex(0, 0), result)
    assert role.head.mirrored is not None
    assert role.even.mirrored is not None
    assert role.head.mirrored > 0.85 > 2 * role.even.mirrored
    assert role.head.entropy < role.even.entropy


def test_cells_of_a_picture_have_no_diagonal() -> None:
    checkpoint = load("shapes-captioner")
    result = tuple(examples(checkpoint, generate("shapes", 3, random.Random(0))))
    role = head_role(checkpoint, HeadIndex(0, 0), result)
    assert role.head.diagonal is role.head.profile is None
    assert role.even.entropy == pytest.approx(math.log(result[0].read))


def test_a_token_counts_for_the_tenths_that_its_position_covers() -> None:
    mask = torch.tensor([[True] * 5 + [False] * 15, [True] * 20])
    shares = tenths(mask)
    assert shares[0, 0].tolist() == pytest.approx([0.5, 0.5] + [0] * 8)
    assert shares[0, 4].tolist() == pytest.approx([0] * 8 + [0.5, 0.5])
    assert bool((shares[0, 5:] == 0).all())
    assert shares[1, 3].tolist() == pytest.approx([0, 1] + [0] * 8)
    torch.testing.assert_close(shares.sum(dim=2), mask.double())


@pytest.mark.slow
def test_a_unit_is_measured_over_all_steps(device: str) -> None:
    checkpoint = load("reverse-gru", device)
    result = tuple(examples(checkpoint, generate("reversal", 80, random.Random(7))))
    values: list[float] = []
    middles: list[float] = []  # positions of tokens, as shares of their output
    by_token: dict[int, list[float]] = {}
    for example in result:
        states = unroll(checkpoint.model, batch_of(checkpoint, [example])).features[0, :, 9].tolist()
        values += states
        middles += [(index + 0.5) / len(states) for index in range(len(states))]
        for token, value in zip(example.target, states, strict=True):
            by_token.setdefault(token, []).append(value)
    role = unit_role(checkpoint, UnitIndex(9), result)
    mean = sum(values) / len(values)
    assert role.steps == len(values)
    assert role.mean == pytest.approx(mean, abs=1e-6)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    assert role.spread == pytest.approx(spread, abs=1e-6)
    means = {
        token: sum(token_values) / len(token_values)
        for token, token_values in by_token.items()
        if len(token_values) >= 3
    }
    highest, lowest = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
    assert role.highest[0] == (highest, pytest.approx(means[highest], abs=1e-6))
    assert role.lowest[0] == (lowest, pytest.approx(means[lowest], abs=1e-6))
    assert role.position == pytest.approx(statistics.correlation(values, middles), abs=1e-6)
    assert len(role.profile) == NUM_TENTHS


def test_a_role_needs_at_least_one_sentence() -> None:
    with refused(InspectionError, "no_sentence_for_dossier"):
        head_role(load("reverse-gru"), HeadIndex(0, 0), ())
