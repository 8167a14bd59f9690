"""The probe sentence: the free output, the output under teacher forcing, and the first difference."""

from __future__ import annotations

import pytest
import torch

from models.batch import Batch
from models.networks.architectures import build_model
from models.networks.base import Seq2SeqModel
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.tokenization.tokenizer import Tokenizer
from models.training.events import event_json, parse_event
from models.training.loop.exposure import decode_probe

LETTERS = Tokenizer.train(["abcdef"], "character")
NETWORKS: dict[str, NetworkConfig] = {
    "gru": RecurrentConfig(d_embed=8, d_model=16, d_attention=8),
    "bare": RecurrentConfig(cell="lstm", d_embed=8, d_model=16, attention="none"),
    "transformer": TransformerConfig(
        d_model=16, num_heads=2, d_ff=16, num_layers=2, num_decoder_layers=2, dropout=0.0, max_positions=20
    ),
}


def network(name: str, seed: int = 3) -> Seq2SeqModel:
    torch.manual_seed(seed)
    model = build_model(NETWORKS[name], LETTERS.vocab_size, Tokenizer.pad_id)
    with torch.no_grad():  # opinions strong enough to differ from step to step
        for parameter in model.parameters():
            parameter.mul_(2.5)
    return model.eval()


def log_probs(model: Seq2SeqModel, source: str, target: tuple[str, ...]) -> torch.Tensor:
    """(T, V) when the target's own tokens are fed."""
    ids = [LETTERS.token_id(token) or 0 for token in target]
    batch = Batch.from_ids(LETTERS.encode_ids([source]), [ids], bos_id=LETTERS.bos_id, pad_id=LETTERS.pad_id)
    with torch.no_grad():
        return model(batch)[0].log_softmax(dim=-1)


@pytest.mark.parametrize("name", NETWORKS)
def test_both_rows_of_a_probe_come_from_the_network(name: str) -> None:
    model = network(name)
    probe = decode_probe(model, LETTERS, "abcd", "dcba", max_length=8, step=7)
    assert probe.reference == ("d", "c", "b", "a", "</s>")
    assert probe.source == ("a", "b", "c", "d", "</s>")
    scores = log_probs(model, "abcd", probe.reference)
    assert probe.teacher_forced == tuple(LETTERS.token(i) for i in scores.argmax(dim=1).tolist())
    of_reference = [
        scores[t, LETTERS.token_id(token) or 0].exp().item() for t, token in enumerate(probe.reference)
    ]
    assert probe.reference_probabilities == pytest.approx(of_reference, abs=6e-4)
    free = log_probs(model, "abcd", probe.free_running)
    free[:, LETTERS.pad_id] = -torch.inf  # padding is never written
    assert [LETTERS.token(i) for i in free.argmax(dim=1).tolist()] == list(probe.free_running)  # greedy
    best = free.max(dim=1).values.exp().tolist()
    assert probe.free_running_probabilities == pytest.approx(best, abs=6e-4)
    assert probe.output == LETTERS.decode([LETTERS.token_id(token) or 0 for token in probe.free_running])


@pytest.mark.parametrize("seed", range(6))
def test_the_divergence_is_the_first_difference(seed: int) -> None:
    probe = decode_probe(network("gru", seed), LETTERS, "abcd", "dcba", max_length=8, step=1)
    pairs = list(zip(probe.free_running, probe.teacher_forced, strict=False))
    differing = [position for position, (free, forced) in enumerate(pairs) if free != forced]
    if differing:
        assert probe.divergence == differing[0]
    elif len(probe.free_running) != len(probe.teacher_forced):
        assert probe.divergence == len(pairs)
    else:
        assert probe.divergence is None


def test_a_probe_with_its_own_output_as_reference_has_no_divergence() -> None:
    model = network("gru")
    with torch.no_grad():  # a text that can be given back: no start tokens in it, and an end
        model.output.bias[: LETTERS.eos_id] = -100.0  # type: ignore[union-attr, index]
        model.output.bias[LETTERS.eos_id] += 2.6  # type: ignore[union-attr, index]
    free = decode_probe(model, LETTERS, "abcd", "", max_length=20, step=1)
    assert free.reference == free.teacher_forced == ()
    assert free.divergence is None
    assert free.free_running[-1] == "</s>"
    again = decode_probe(model, LETTERS, "abcd", free.output, max_length=20, step=1)
    assert again.divergence is None
    assert again.free_running == again.teacher_forced == free.free_running


@pytest.mark.parametrize("name", ["gru", "transformer"])
def test_attention_has_a_row_for_each_written_token_and_sums_to_one(name: str) -> None:
    probe = decode_probe(network(name), LETTERS, "abc", "cba", max_length=8, step=1)
    assert probe.attention is not None
    assert len(probe.attention) == len(probe.free_running)
    for row in probe.attention:
        assert len(row) == len(probe.source)
        assert sum(row) == pytest.approx(1, abs=0.01)


def test_a_probe_without_attention_has_no_alignment() -> None:
    probe = decode_probe(network("bare"), LETTERS, "abc", "cba", max_length=8, step=1)
    assert probe.attention is None
    assert parse_event(event_json(probe)) == probe
