"""The recurrent network against the textbook's equations, one number at a time in numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from models.batch import pad
from models.networks.architectures import build_model
from models.networks.recurrent.config import RecurrentConfig
from models.networks.recurrent.model import RecurrentModel, RecurrentState
from tests.fakes.tiny_networks import PAD, SOURCES, VOCAB_SIZE, assert_same, tiny_model

Cell = tuple[np.ndarray, ...]  # (h,) or (h, c)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def rnn_cell(wx: np.ndarray, uh: np.ndarray, cell: Cell) -> Cell:
    return (np.tanh(wx + uh),)


def lstm_cell(wx: np.ndarray, uh: np.ndarray, cell: Cell) -> Cell:
    i, f, g, o = np.split(wx + uh, 4)
    c = sigmoid(f) * cell[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_cell(wx: np.ndarray, uh: np.ndarray, cell: Cell) -> Cell:
    """The reset gate acts after U, as in torch; Cho et al. 2014 put it before."""
    (r, z), n = (sigmoid(part) for part in np.split((wx + uh)[: 2 * len(cell[0])], 2)), len(cell[0])
    candidate = np.tanh(wx[2 * n :] + r * uh[2 * n :])
    return ((1 - z) * candidate + z * cell[0],)


CELLS = {"rnn": rnn_cell, "lstm": lstm_cell, "gru": gru_cell}


def weights(model: RecurrentModel) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in model.state_dict().items()}


def decoder_by_hand(
    config: RecurrentConfig, w: dict[str, np.ndarray], x: np.ndarray, state: list[Cell]
) -> list[Cell]:
    """One token through all layers; state is one cell for each."""
    after = []
    for layer, cell in enumerate(state):
        wx = w[f"decoder.weight_ih_l{layer}"] @ x + w[f"decoder.bias_ih_l{layer}"]
        uh = w[f"decoder.weight_hh_l{layer}"] @ cell[0] + w[f"decoder.bias_hh_l{layer}"]
        after.append(CELLS[config.cell](wx, uh, cell))
        x = after[-1][0]
    return after


def logits_by_hand(w: dict[str, np.ndarray], h: np.ndarray, memory: np.ndarray, attends: bool) -> np.ndarray:
    """Logits with additive attention, or without attention."""
    if attends:
        query = w["attention.query.weight"] @ h + w["attention.query.bias"]
        energy = np.tanh(query + memory @ w["attention.key.weight"].T) @ w["attention.energy.weight"][0]
        alpha = np.exp(energy) / np.exp(energy).sum()
        h = np.tanh(w["readout.weight"] @ np.concatenate((h, alpha @ memory)) + w["readout.bias"])
    return w["output.weight"] @ h + w["output.bias"]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("num_layers", [1, 2])
@pytest.mark.parametrize("context", ["initial", "concat"])
@pytest.mark.parametrize("attention", ["none", "additive"])
@torch.no_grad()
def test_a_step_follows_the_equations_of_the_papers(
    cell: str, num_layers: int, context: str, attention: str
) -> None:
    config = RecurrentConfig(
        cell=cell,
        d_embed=6,
        d_model=8,
        num_layers=num_layers,
        context=context,
        attention=attention,
        d_attention=5,
    )
    model = tiny_model(config)
    assert isinstance(model, RecurrentModel)
    encoded = model.encode(torch.tensor([[5, 6, 7, 3]]), torch.ones(1, 4, dtype=torch.bool))
    memory, w = encoded.memory[0].numpy(), weights(model)
    state = [tuple(part[0, layer].numpy() for part in encoded.final) for layer in range(num_layers)]
    x, last = w["tgt_embedding.weight"][9], state[-1][0]
    after = decoder_by_hand(config, w, np.concatenate((x, last)) if context == "concat" else x, state)
    output = model.step(torch.tensor([9]), model.initial_state(encoded))
    expected = logits_by_hand(w, after[-1][0], memory, attention != "none")
    np.testing.assert_allclose(output.logits[0].numpy(), expected, rtol=1e-9)
    assert isinstance(output.state, RecurrentState)
    for part, tensor in enumerate(output.state.hidden):
        np.testing.assert_allclose(tensor[0].numpy(), np.stack([cell[part] for cell in after]), rtol=1e-9)


@pytest.mark.parametrize("cell", CELLS)
def test_the_final_state_is_where_each_direction_ended(cell: str) -> None:
    """The forward direction ends at the last token and the backward one at the first, not at padding."""
    model = tiny_model(RecurrentConfig(cell=cell, d_embed=6, d_model=8, num_layers=2, d_attention=5))
    encoded = model.encode(*pad(SOURCES, PAD))
    assert len(encoded.final) == (2 if cell == "lstm" else 1)
    for row, source in enumerate(SOURCES):
        top, memory = encoded.final[0][row, -1], encoded.memory[row]
        assert_same(top[:4], memory[len(source) - 1, :4])
        assert_same(top[4:], memory[0, 4:])
        assert not memory[len(source) :].any()


@pytest.mark.parametrize("cell", CELLS)
def test_the_decoder_starts_where_the_encoder_ended(cell: str) -> None:
    model = tiny_model(
        RecurrentConfig(cell=cell, d_embed=6, d_model=8, num_layers=2, context="concat", attention="none")
    )
    encoded = model.encode(*pad(SOURCES, PAD))
    state = model.initial_state(encoded)
    assert isinstance(state, RecurrentState)
    assert state.hidden is encoded.final
    assert state.context is not None
    assert_same(state.context, encoded.final[0][:, -1])


@pytest.mark.parametrize(
    ("share", "tie", "tables"), [(False, False, 3), (True, False, 2), (False, True, 2), (True, True, 1)]
)
def test_a_tied_table_counts_once(share: bool, tie: bool, tables: int) -> None:
    config = RecurrentConfig(cell="gru", d_embed=8, d_model=8, bidirectional=False, attention="none")
    config = RecurrentConfig(**{**vars(config), "share_embeddings": share, "tie_output": tie})
    cells = 2 * (3 * 8 * (8 + 8) + 2 * 3 * 8)  # W, U and two biases of three gates, in encoder and decoder
    assert (
        build_model(config, VOCAB_SIZE, PAD).num_parameters() == cells + tables * VOCAB_SIZE * 8 + VOCAB_SIZE
    )


def test_the_embedding_of_padding_starts_at_zero() -> None:
    model = build_model(RecurrentConfig(d_embed=6, d_model=8), VOCAB_SIZE, PAD)
    assert isinstance(model, RecurrentModel)
    assert not model.src_embedding.weight[PAD].any()
    assert bool(model.src_embedding.weight[PAD + 1].any())
