"""The vocabulary of a run from scratch. Imports no torch, so that a form can show it at once."""

from __future__ import annotations

from collections.abc import Sequence

from models.corpus.pairs import Pair
from models.networks.config import NetworkConfig, PictureConfig
from models.tokenization.pictures import PictureGrid
from models.tokenization.tokenizer import Tokenizer
from models.training.recipe.sections import TokenizerConfig


def learnt_tokenizer(
    settings: TokenizerConfig, pairs: Sequence[Pair], network: NetworkConfig | None = None
) -> Tokenizer:
    """The tokenizer that a run from scratch learns from its training pairs. Raises TokenizerError.

    If the network reads pictures, the tokens are those of the captions.
    """
    if isinstance(network, PictureConfig):
        grid = PictureGrid(network.picture_size, network.cells)
        captions = (caption for _, caption in pairs)
        return Tokenizer.for_pictures(
            grid, captions, settings.kind, settings.vocab_size, settings.min_frequency
        )
    return Tokenizer.train(
        (source for source, _ in pairs),
        settings.kind,
        settings.vocab_size,
        settings.min_frequency,
        targets=(target for _, target in pairs),
        target_kind=settings.target_kind,
        lowercase=settings.lowercase,
    )
