"""A masked token guessed from one side and from both, by networks that must never see it."""

from __future__ import annotations

import pytest
import torch

from models.labs.masked import (
    BACKWARD,
    BOTH,
    CHARACTERS,
    EDGE_ID,
    FORWARD,
    NETWORKS,
    UNKNOWN_ID,
    WORDS,
    FrequentTokens,
    MaskedModel,
    candidates,
    correct,
    cost,
    held_out,
    steps_of,
    tokens_of,
    train,
)

SIZE = 9


def network(name: str, layers: int = 1) -> MaskedModel:
    return MaskedModel(name, SIZE, layers, torch.Generator().manual_seed(3))


def moved_logits(name: str, layers: int, changed: int) -> list[bool]:
    """Which logits of the tokens 1 to 4 of six move if token `changed` is another."""
    ids = torch.tensor([[1, 2, 3, 4, 5, 1]])
    others = ids.clone()
    others[0, changed] = 7
    with torch.no_grad():
        difference = network(name, layers)(others) - network(name, layers)(ids)
    return [bool(distance > 0) for distance in difference[0].abs().amax(dim=1)]


@pytest.mark.parametrize("layers", [1, 3])
def test_each_network_reads_its_side_and_never_the_token_itself(layers: int) -> None:
    for changed in range(1, 5):
        places = range(1, 5)
        assert moved_logits(FORWARD, layers, changed) == [index > changed for index in places]
        assert moved_logits(BACKWARD, layers, changed) == [index < changed for index in places]
        assert moved_logits(BOTH, layers, changed) == [index != changed for index in places]


def test_the_logits_of_both_sides_are_added_to_one_bias() -> None:
    both, ids = network(BOTH), torch.tensor([[1, 2, 3, 4, 5, 1]])
    assert both.before is not None
    assert both.behind is not None
    assert [name for name, _ in both.named_parameters() if name.endswith("bias")] == ["bias"]
    with torch.no_grad():
        both.bias.copy_(torch.arange(SIZE))
        forward = both.before(ids[:, :2])[0, -1]  # reads the tokens before the third
        backward = both.behind(torch.tensor([[1, 5, 4]]))[0, -1]  # reads the tokens behind it, backwards
        assert torch.allclose(both(ids)[0, 1], forward + backward + both.bias, atol=1e-6)


def test_a_text_is_split_into_words_or_characters() -> None:
    assert tokens_of("The cat sat. A dog!", WORDS) == ["", "the", "cat", "sat", "", "a", "dog", ""]
    assert tokens_of(" Ab\n c ", CHARACTERS) == ["", "a", "b", " ", "c", ""]


def test_a_vocabulary_is_ordered_by_frequency() -> None:
    vocabulary = FrequentTokens.of(["", "b", "a", "a", "", "c"], WORDS)
    assert vocabulary.tokens == ("<unk>", "", "a", "b", "c")
    assert vocabulary.ids(["a", "x", ""]) == [2, UNKNOWN_ID, EDGE_ID]


def test_unknown_tokens_neither_cost_nor_count() -> None:
    windows = torch.tensor([[1, UNKNOWN_ID, 2, 1]])
    flat = network(FORWARD)
    with torch.no_grad():
        for parameter in flat.parameters():
            parameter.zero_()
        assert float(cost(flat, windows)) == pytest.approx(torch.log(torch.tensor(float(SIZE))))
        flat.bias[2] = 1
    assert correct(flat, windows) == 1


def test_held_out_windows_do_not_overlap() -> None:
    windows = held_out(torch.arange(45))
    assert windows[:, 0].tolist() == [0, 20]
    assert held_out(torch.arange(7)).tolist() == [list(range(7))]


@pytest.mark.slow
def test_only_reading_both_sides_predicts_words_that_depend_on_both() -> None:
    # Behind a stands x or y, before c stands x or z: both sides together leave one.
    text = "a x c. a y d. b z c. " * 40
    *_, last = train(text, WORDS, 1, steps=60)
    network_results = last.result()
    assert last.share == 1
    assert {name: len(loss) for name, loss in network_results.losses.items()} == dict.fromkeys(NETWORKS, 60)
    final = {name: sum(loss[-5:]) / 5 for name, loss in network_results.losses.items()}
    assert final[BOTH] < min(final[FORWARD], final[BACKWARD]) / 2
    assert network_results.right[BOTH] > max(network_results.right[FORWARD], network_results.right[BACKWARD])
    result = candidates(network_results, ["a"], ["c"], 3)
    assert result[BOTH][0][0] == "x"
    assert [token for token, _ in candidates(network_results, ["b"], ["c"], 1)[BOTH]] == ["z"]
    assert all(sum(share for _, share in item) <= 1 for item in result.values())


def test_more_layers_take_fewer_steps() -> None:
    assert [steps_of(120, layers) for layers in (1, 2, 3)] == [120, 80, 60]
