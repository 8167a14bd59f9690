"""A network and a tokenizer of the transformers library that a program holds, as a checkpoint."""

from __future__ import annotations

import copy
from itertools import chain
from typing import TYPE_CHECKING, Any

from models.registry.checkpoint import Checkpoint, CheckpointConfig
from models.registry.hugging_face.checks import check_vocabulary
from models.registry.hugging_face.files import ARCHITECTURE
from models.registry.hugging_face.generation_fields import settings_to_follow
from models.registry.hugging_face.languages import language_pair
from models.tokenization.hugging_face import HuggingFaceTokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def checkpoint_in_memory(library_model: PreTrainedModel, library_tokenizer: Any) -> Checkpoint:
    """The checkpoint of a network in memory, which stays as it is; both share the weights, if of 32 bits.

    Raises CheckpointError for a tokenizer of another network, ValueError for a network that cannot be shown.
    """
    import torch

    from models.networks.hugging_face import HuggingFaceModel

    tensors = [*chain(library_model.parameters(), library_model.buffers())]
    is_exact = all(tensor.dtype == torch.float32 for tensor in library_model.parameters())
    copied: Any = copy.deepcopy(library_model, {id(tensor): tensor for tensor in tensors} if is_exact else {})
    network = HuggingFaceModel(copied if is_exact else copied.float())
    model_type, name = copied.config.model_type, copied.config.name_or_path or type(copied).__name__
    check_vocabulary(name, library_tokenizer, network)
    generation = settings_to_follow(copied.generation_config.to_dict(), model_type)
    tokenizer = HuggingFaceTokenizer(library_tokenizer, generation, network.vocab_size)
    network.never_ids = tokenizer.never_ids
    source, target = language_pair(library_tokenizer)
    config = CheckpointConfig(
        network={"architecture": ARCHITECTURE, "model_type": model_type},
        vocab_size=network.vocab_size,
        task="text to text",
        source_language=source,
        target_language=target,
    )
    return Checkpoint(name, config, tokenizer, network)
