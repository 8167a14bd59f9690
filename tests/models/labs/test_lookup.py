"""One-hot times matrix against the lookup, on a table that can be worked out by hand."""

from __future__ import annotations

import pytest
import torch

from models.labs.lookup import gradient, looked_up, one_hot

TABLE = torch.tensor([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0], [0.0, 2.0]])
PADDING = 0
IDS = [1, 3, 1, 0]


def test_a_one_hot_row_is_one_at_its_id_alone() -> None:
    assert one_hot([2, 0], 4).tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize("wrong", [-1, 4])
def test_an_id_without_a_row_is_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match=r"ids.*3"):
        one_hot([wrong], 4)


def test_the_product_is_the_rows_of_the_table() -> None:
    assert (one_hot(IDS, 4) @ TABLE).tolist() == [[3, 4], [0, 2], [3, 4], [0, 0]]
    assert looked_up(TABLE, IDS, PADDING).difference == 0
    random = torch.randn(500, 64, generator=torch.Generator().manual_seed(0))
    assert looked_up(random, [7, 499, 7], PADDING).difference == 0


def test_a_rows_gradient_grows_with_its_occurrences_and_other_rows_have_none() -> None:
    assert gradient(TABLE, IDS, PADDING).tolist() == [[0, 0], [6, 8], [0, 0], [0, 2]]
    assert looked_up(TABLE, IDS, PADDING).gradients.tolist() == [0, 10, 0, 2]


def test_padding_has_no_gradient_even_where_its_row_is_not_zero() -> None:
    moved = TABLE + 1
    assert gradient(moved, IDS, PADDING)[PADDING].tolist() == [0, 0]
    assert gradient(moved, IDS, padding=2)[PADDING].tolist() == [1, 1]


def test_a_gradient_is_found_for_a_table_that_was_made_for_inference() -> None:
    with torch.inference_mode():
        table = TABLE * 2
        assert gradient(table.clone(), [3], PADDING).tolist()[3] == [0, 4]
    assert gradient(table, [3], PADDING).tolist()[3] == [0, 4]


def test_costs_are_counted() -> None:
    result = looked_up(TABLE, IDS, PADDING)
    assert (result.multiplications, result.copied) == (4 * 4 * 2, 4 * 2)
