"""Embeddings: principal components with their variance, and neighbours in the network's own space."""

from __future__ import annotations

import pytest
import torch

from models.inspection.embeddings import nearest_tokens, principal_components, tables, word_ids, word_vector
from models.inspection.question import InspectionError
from models.networks.config import NetworkConfig
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.markov import MarkovModel
from tests.fakes.tiny_networks import SAMPLE, VOCAB_SIZE, each_network, tiny_model
from tests.models.inspection.neighbours.test_states import load
from tests.refusals import refused

TOKENIZER = Tokenizer.train(["abcdefghi"], "character", VOCAB_SIZE)


@each_network(SAMPLE)
def test_each_embedding_of_the_network_is_one_table(config: NetworkConfig, device: str) -> None:
    model = tiny_model(config, device)
    all_tables = tables(model, TOKENIZER)
    shared = getattr(config, "share_embeddings", False)
    assert list(all_tables) == (["shared"] if shared else ["source", "target"])
    weights = {id(value): value for name, value in model.named_parameters() if "embedding" in name}
    for table in all_tables.values():
        assert any(
            table.shape == value.shape and torch.allclose(table, value.float().cpu(), atol=1e-6)
            for value in weights.values()
        )


def test_components_are_those_of_the_singular_values() -> None:
    vectors = torch.randn(300, 9, generator=torch.Generator().manual_seed(0)) * torch.arange(1, 10) + 5
    components = principal_components(vectors)
    _, values, expected = torch.linalg.svd(vectors.double() - vectors.double().mean(dim=0))
    variances = values.square()
    assert components.variance_shares == pytest.approx((variances / variances.sum()).tolist())
    assert sum(components.variance_shares) == pytest.approx(1)
    for one, other in zip(components.components, expected, strict=True):
        assert abs(float(one @ other)) == pytest.approx(1)
        assert float(one[one.abs().argmax()]) > 0
    projected = components.project(vectors)
    covariance = projected.T @ projected
    torch.testing.assert_close(covariance, torch.diag(variances), rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(components.project(vectors[3]), projected[3])


def test_the_order_of_the_rows_does_not_change_the_signs_of_components() -> None:
    """The signs of singular vectors are arbitrary, so the project chooses them."""
    vectors = torch.randn(50, 6, generator=torch.Generator().manual_seed(1)) * torch.arange(1, 7)
    one, other = principal_components(vectors), principal_components(vectors.flip(0))
    torch.testing.assert_close(one.components, other.components, rtol=1e-6, atol=1e-8)


def test_constant_vectors_have_no_explained_variance() -> None:
    assert sum(principal_components(torch.ones(5, 3)).variance_shares) == 0
    with pytest.raises(ValueError, match=r"vectors.*1"):
        principal_components(torch.ones(1, 3))


def test_a_word_is_the_mean_of_its_pieces() -> None:
    checkpoint = load("spa-eng-gru")
    table = tables(checkpoint.model, checkpoint.tokenizer)["shared"]
    ids = word_ids(checkpoint.tokenizer, "impossiblemente")
    assert len(ids) > 1
    assert checkpoint.tokenizer.eos_id not in ids
    torch.testing.assert_close(word_vector(table, ids), sum(table[i] for i in ids) / len(ids))
    with pytest.raises(ValueError, match="ids"):
        word_vector(table, ())


def test_neighbours_are_those_of_the_original_space() -> None:
    checkpoint = load("spa-eng-gru")
    table = tables(checkpoint.model, checkpoint.tokenizer)["shared"]
    (book,) = word_ids(checkpoint.tokenizer, "libro")
    cosines = torch.nn.functional.cosine_similarity(table.double(), table[book].double(), dim=1)
    cosines[table.abs().sum(dim=1) == 0] = 0
    expected = cosines.argsort(descending=True, stable=True).tolist()
    neighbours = nearest_tokens(table, table[book], 6)
    assert [neighbour.token for neighbour in neighbours] == expected[:6]
    assert neighbours[0].token == book
    assert neighbours[0].cosine == pytest.approx(1)
    assert [neighbour.token for neighbour in nearest_tokens(table, table[book], 5, [book, book])] == expected[
        1:6
    ]
    assert "▁libros" in [checkpoint.tokenizer.token(neighbour.token) for neighbour in neighbours]


def test_a_network_of_pictures_has_the_table_of_its_captions() -> None:
    checkpoint = load("shapes-captioner")
    assert list(tables(checkpoint.model, checkpoint.tokenizer)) == ["target"]


def test_a_model_without_embeddings_is_refused() -> None:
    with refused(InspectionError, "no_embeddings"):
        tables(MarkovModel.random(3, 0), TOKENIZER)
