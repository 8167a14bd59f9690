"""Available states: those on disk, else generated ones of the task, else the examples; and typed lines."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from models.corpus.generated.all_tasks import generate
from models.inspection.neighbours.available_states import StateStores, line_pairs, states_of
from models.inspection.neighbours.search import Neighbour, neighbours, split_at_token
from models.inspection.neighbours.store import folder_of, store_states
from models.inspection.question import Question
from models.networks.packed import pack_linears
from models.registry.checkpoint import Checkpoint
from tests.models.inspection.neighbours.test_states import load


@pytest.fixture(scope="module")
def letters() -> Checkpoint:
    return load("reverse-gru")


@pytest.mark.slow
def test_stored_states_precede_those_of_the_task_and_the_examples(
    letters: Checkpoint, tmp_path: Path
) -> None:
    stores = StateStores()
    generated = stores.of(letters, tmp_path)
    assert (generated.origin, generated.store.pairs) == ("generated", 300)
    store_states(tmp_path, letters, generate("reversal", 20, random.Random(0)))
    stored = stores.of(letters, tmp_path)
    assert (stored.origin, stored.store.pairs) == ("kept", 20)
    store_states(tmp_path, letters, generate("reversal", 30, random.Random(1)))
    assert stores.of(letters, tmp_path).store.pairs == 30
    translator = load("spa-eng-gru")
    examples = stores.of(translator, tmp_path)
    assert examples.origin == "examples"
    assert [source for source, _ in examples.store.parts[0].pairs] == list(translator.config.examples)
    assert ("¿Dónde está la biblioteca?", "Where is the library?") in examples.store.parts[0].pairs


def test_typed_lines_are_added_to_the_stored_states(letters: Checkpoint, tmp_path: Path) -> None:
    stores = StateStores()
    result = stores.of(letters, tmp_path, [" abc ", "", "xy\tyx", "q" * 700])
    assert result.store.pairs == 302
    assert result.store.parts[-1].pairs == (("abc", "cba"), ("xy", "yx"))
    assert result.store.parts[0] is stores.of(letters, tmp_path).store.parts[0]
    assert stores.of(letters, tmp_path, [f"{n:b}" for n in range(99)]).store.pairs == 340
    assert line_pairs(letters, ["\t", "a\t"]) == (("", ""), ("a", ""))


def test_damaged_states_are_reported_and_replaced_by_generated_ones(
    letters: Checkpoint, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path, letters.name)
    folder.mkdir()
    (folder / "store.json").write_text("{}")
    result = StateStores().of(letters, tmp_path)
    assert result.origin == "generated"
    assert "are damaged" in result.problem


def test_the_number_of_open_stores_is_bounded(letters: Checkpoint, tmp_path: Path) -> None:
    stores = StateStores(max_stores=3)
    for line in "abcdef":
        stores.of(letters, tmp_path, [line])
    assert len(stores) == 3


@pytest.mark.parametrize("packed", [False, True])
def test_a_step_has_its_stored_state(tmp_path: Path, packed: bool, device: str) -> None:
    checkpoint = load("reverse-gru", device)
    if packed:
        pack_linears(checkpoint.model)
    result = StateStores().of(checkpoint, tmp_path, ["hello"])
    tokenizer = checkpoint.tokenizer
    source, target = (tuple(tokenizer.encode(text).ids) for text in ("hello", "olleh"))
    question = Question(source, (tokenizer.bos_id, *target[:2]), target[2])
    states = states_of(checkpoint, question)
    assert int(states.log_probs.argmax()) == target[2]
    for kind, query in states.of_step.items():
        (nearest,) = neighbours(result.store.parts, kind, query, 1)
        assert (nearest.pair, nearest.position, nearest.token) == (("hello", "olleh"), 2, target[2])
        assert nearest.distance < 0.05
        others = neighbours(result.store.parts, kind, query, 9, without="hello")
        assert ("hello", "olleh") not in [other.pair for other in others]
        assert len(others) == 9
        every = neighbours(result.store.parts, kind, query, 10_000)
        assert [item for item in every if item.pair[0] != "hello"][:9] == list(others)
    for index, state in enumerate(states.of_source):
        (nearest,) = neighbours(result.store.parts, "source", state, 1)
        assert (nearest.pair[0], nearest.position) == ("hello", index)
    assert torch.isclose(states.log_probs.exp().sum(), torch.tensor(1.0))


def neighbour_at(pair: tuple[str, str], position: int, token: int = 3) -> Neighbour:
    return Neighbour(0, token, pair, position)


def test_the_token_is_marked_in_its_sentence() -> None:
    tokenizer = load("spa-eng-gru").tokenizer
    pair = ("La casa es grande.", "The house is big.")
    pieces = [split_at_token(tokenizer, neighbour_at(pair, index), "decoder") for index in range(6)]
    assert [token_text.strip() for _, token_text, _ in pieces] == ["The", "house", "is", "big", ".", "</s>"]
    assert all("".join(piece) == pair[1] for piece in pieces[:-1])
    assert split_at_token(tokenizer, neighbour_at(pair, 1), "source")[1].strip() == "casa"
    assert split_at_token(tokenizer, neighbour_at(pair, 99), "decoder") == ("", "</s>", pair[1])
