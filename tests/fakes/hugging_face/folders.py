"""Repositories as the Hub serves them: tiny networks of the transformers library with their tokenizers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    M2M100Config,
    M2M100ForConditionalGeneration,
    MarianConfig,
    MarianMTModel,
    MBartConfig,
    MBartForConditionalGeneration,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
    UMT5Config,
    UMT5ForConditionalGeneration,
)

from tests.fakes.hugging_face.tokenizers import (
    bart,
    m2m100,
    madlad,
    marian,
    marian_of_two_vocabularies,
    mbart50,
    nllb,
    t5,
)

WIDTH = 16
SIZES = {
    "d_model": WIDTH,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 20,
    "max_position_embeddings": 64,
}
T5_SIZES = {"d_model": WIDTH, "num_layers": 2, "num_heads": 4, "d_kv": 5, "d_ff": 20}
TASKS = {
    "summarization": {"prefix": "summarize: "},
    "translation_es_to_fr": {"prefix": "translate Spanish to French: "},
}
FAMILIES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "marian": (MarianConfig, MarianMTModel, SIZES),
    "marian-two": (MarianConfig, MarianMTModel, SIZES | {"share_encoder_decoder_embeddings": False}),
    "t5": (T5Config, T5ForConditionalGeneration, T5_SIZES | {"task_specific_params": TASKS}),
    "umt5": (UMT5Config, UMT5ForConditionalGeneration, T5_SIZES),
    "madlad": (T5Config, T5ForConditionalGeneration, T5_SIZES | {"tie_word_embeddings": False}),
    "bart": (BartConfig, BartForConditionalGeneration, SIZES),
    "mbart50": (MBartConfig, MBartForConditionalGeneration, SIZES),
    "nllb": (M2M100Config, M2M100ForConditionalGeneration, SIZES),
    "m2m100": (M2M100Config, M2M100ForConditionalGeneration, SIZES),
}
DECODER_S = "decoder.embed_tokens.weight"
IN_A_FOLDER: dict[str, Callable[[Path], Any]] = {
    "marian": marian,
    "marian-two": marian_of_two_vocabularies,
    "m2m100": m2m100,
}
CARD = """---
license: apache-2.0
language: [es, fr]
---
# A model <script>alert(1)</script>
"""


def tokenizer_of(family: str, folder: Path) -> Any:
    """Return a tokenizer of the library; some write files to `folder`, which must exist."""
    if family in IN_A_FOLDER:
        return IN_A_FOLDER[family](folder)
    makers = {"t5": t5, "umt5": t5, "madlad": madlad, "bart": bart, "mbart50": mbart50, "nllb": nllb}
    return makers[family]()


def make_model(family: str, tokenizer: Any, seed: int = 1, **settings: Any) -> PreTrainedModel:
    """Return a network whose random weights are large enough for earlier tokens to matter."""
    config, network, sizes = FAMILIES[family]
    pad, end = tokenizer.pad_token_id, tokenizer.eos_token_id
    is_marian = family.startswith("marian")
    start = {"t5": pad, "umt5": pad, "madlad": 0}.get(family, pad if is_marian else end)
    ids = {"pad_token_id": pad, "eos_token_id": end, "decoder_start_token_id": start}
    torch.manual_seed(seed)
    if family == "marian-two":
        settings["decoder_vocab_size"] = len(tokenizer.target_encoder)
    options = {"forced_eos_token_id": None, "bos_token_id": None} | sizes | ids | settings
    model: PreTrainedModel = network(config(vocab_size=len(tokenizer), **options)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and "embed_positions" not in name:
                parameter.normal_(std=parameter.shape[-1] ** -0.5)
        if family == "madlad":  # the library ties the output layer unless the files separate it
            model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.lm_head.weight))
    generation = model.generation_config
    generation.pad_token_id, generation.eos_token_id = pad, end
    generation.decoder_start_token_id, generation.bos_token_id = start, None
    generation.bad_words_ids = [[pad]] if is_marian else None
    generation.forced_eos_token_id = end if is_marian or family in ("bart", "mbart50") else None
    return model


def save_repository(folder: Path, family: str, **settings: Any) -> tuple[Any, PreTrainedModel]:
    """Write a repository of a family, with weights and card; return its tokenizer and network."""
    folder.mkdir(parents=True)
    tokenizer = tokenizer_of(family, folder)
    model = make_model(family, tokenizer, **settings)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    if family == "madlad":  # its authors stored the shared embedding under the decoder's name
        weights_of(folder, lambda weights: weights | {DECODER_S: weights.pop("shared.weight")})
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return tokenizer, model


def weights_of(files: Path, change: Callable[[dict[str, Tensor]], Mapping[str, Tensor]]) -> None:
    """Change the weights of a repository."""
    changed = change(load_file(files / "model.safetensors"))
    save_file(dict(changed), files / "model.safetensors", metadata={"format": "pt"})


def settings_of(files: Path, file: str = "config.json", **changes: object) -> None:
    """Change settings in one of a repository's files."""
    settings = json.loads((files / file).read_text())
    (files / file).write_text(json.dumps(settings | changes))
