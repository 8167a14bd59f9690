"""The captioner beyond the laws: its input, its description, its decoding and its checkpoint."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from models.corpus.generated.shapes import scene_pair
from models.decoding.decode import decode
from models.decoding.interventions import Intervention
from models.decoding.judge.rescore import rescore
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.decoding.trace import AttentionOverride, DecodingTrace
from models.networks.architectures import build_model, network_config, network_dict
from models.networks.captioner.config import CaptionerConfig
from models.networks.captioner.model import CaptionerModel
from models.networks.config import ConfigError
from models.networks.packed import pack_linears
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint, CheckpointConfig, load_checkpoint, save_checkpoint
from models.tokenization.pictures import PictureGrid, picture_text
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.tiny_networks import CAPTIONERS, assert_same, tiny_batch, tiny_model
from tests.refusals import Refusal, refused

SMALL = CaptionerConfig(
    picture_size=64, cells=8, channels=4, d_embed=6, d_model=8, d_attention=5, dropout=0.0
)
PAIRS = [scene_pair(random.Random(seed))[1] for seed in range(4)]
TOKENIZER = Tokenizer.for_pictures(PictureGrid(64, 8), (caption for _, caption in PAIRS), "word", 60)


def captioner() -> CaptionerModel:
    torch.manual_seed(1)
    model = build_model(SMALL, TOKENIZER.vocab_size, Tokenizer.pad_id).eval()
    assert isinstance(model, CaptionerModel)
    return model


def test_pixels_become_planes() -> None:
    model = tiny_model(CAPTIONERS["captioner-2"])
    assert isinstance(model, CaptionerModel)
    pixels = torch.zeros(1, 16, dtype=torch.int64)
    pixels[0, 1] = 0xFF0080  # first row, second column
    red, green, blue, across, down = model._planes(model.embed_source(pixels))[0]
    black = -torch.ones(4, 4, dtype=torch.float64)
    for plane, value in ((red, 0xFF), (green, 0), (blue, 0x80)):
        expected = black.clone()
        expected[0, 1] = value / 127.5 - 1
        assert_same(plane, expected)
    line = torch.tensor([-1, -1 / 3, 1 / 3, 1], dtype=torch.float64)
    assert_same(across, line.expand(4, 4))
    assert_same(down, line.unsqueeze(1).expand(4, 4))


def test_a_cell_sees_its_part_of_the_picture() -> None:
    """A far corner changes no vector of the memory: attention on a cell is attention on that place."""
    model = captioner()
    pixels = torch.tensor([TOKENIZER.encode(PAIRS[0][0]).ids])
    changed = pixels.clone()
    changed.view(64, 64)[:4, :4] = 0x123456
    # Normalisation would carry the change everywhere, so only the convolutions are tested here.
    for layer in model.encoder:
        if isinstance(layer, torch.nn.GroupNorm):
            layer.forward = lambda x: x  # type: ignore[method-assign]
    one, other = (
        model.encode(ids, torch.ones_like(ids, dtype=torch.bool)).memory for ids in (pixels, changed)
    )
    differs = (one - other).abs().amax(dim=2).view(8, 8) > 1e-6
    assert differs[0, 0]
    assert not differs[4:].any()
    assert not differs[:, 4:].any()


@pytest.mark.parametrize(("size", "cells"), [(64, 7), (48, 4), (512, 3)])
def test_cells_that_halving_does_not_reach_are_refused(size: int, cells: int) -> None:
    with refused(ConfigError, "cells_do_not_fit"):
        CaptionerConfig(picture_size=size, cells=cells)


@pytest.mark.parametrize("name", ["channels", "d_model"])
def test_widths_that_the_groups_do_not_divide_are_refused(name: str) -> None:
    with refused(ConfigError, "no_groups", 4, 6, name):
        CaptionerConfig(**{name: 6})


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("cells", 0, "not_whole_within"),
        ("d_embed", 1.5, "not_whole_within"),
        ("dropout", 1, "not_a_number_within"),
        ("tie_output", 1, "not_a_switch"),
    ],
)
def test_invalid_settings_of_a_captioner_are_refused(name: str, value: Any, code: str) -> None:
    with refused(ConfigError, code, name):
        CaptionerConfig(**{name: value})


def test_a_description_survives_json() -> None:
    assert network_config(json.loads(json.dumps(network_dict(SMALL)))) == SMALL
    assert network_config({"architecture": "captioner"}) == CaptionerConfig()


def test_a_captioners_trace_has_cells_and_their_weights() -> None:
    trace = decode(captioner(), TOKENIZER, PAIRS[0][0], DecodingOptions(beam_size=3, max_length=6))
    assert [token.surface for token in trace.source] == list(TOKENIZER.encode(PAIRS[0][0]).tokens)
    assert not any(token.unknown for token in trace.source)
    for node in trace.path(trace.hypotheses[0].node):
        attention = trace.row(node).attention
        assert attention is not None
        assert len(attention[0][0]) == 64
        assert sum(attention[0][0]) == pytest.approx(1, abs=1e-3)
    assert DecodingTrace.from_json(trace.to_json()) == trace


def test_a_batch_of_pictures_is_captioned_like_single_ones() -> None:
    model, pictures = captioner(), [picture for picture, _ in PAIRS]
    together = translate(model, TOKENIZER, pictures, DecodingOptions("greedy", max_length=6))
    traces = [
        decode(model, TOKENIZER, picture, DecodingOptions("greedy", max_length=6)) for picture in pictures
    ]
    assert together == [trace.hypotheses[0].text for trace in traces]


def test_attention_can_be_moved_to_a_cell() -> None:
    model = captioner()
    weights = tuple(float(i == 9) for i in range(64))
    override = AttentionOverride(step=1, weights=weights, layer=None, head=None)
    trace = decode(
        model,
        TOKENIZER,
        PAIRS[0][0],
        DecodingOptions("greedy", max_length=4),
        intervention=Intervention(overrides=(override,)),
    )
    second = trace.path(trace.hypotheses[0].node)[1]
    assert trace.row(second).attention[0][0][9] == 1  # type: ignore[index]


def test_a_caption_can_be_scored() -> None:
    scored = rescore(captioner(), TOKENIZER, *PAIRS[0])
    assert len(scored.tokens) == len(PAIRS[0][1].split()) + 1
    assert scored.log_prob == pytest.approx(sum(token.log_prob for token in scored.tokens))


@pytest.mark.parametrize(
    ("source", "refusal"),
    [
        ("a red circle", ("no_picture",)),
        (picture_text(Image.new("RGB", (32, 32)), 32), ("picture_size", 64)),
        (" ", ("no_text",)),
    ],
)
def test_a_text_that_is_no_picture_of_its_size_is_refused(source: str, refusal: Refusal) -> None:
    with refused(DecodingError, *refusal):
        decode(captioner(), TOKENIZER, source, DecodingOptions("greedy", max_length=4))


def test_a_saved_captioner_writes_the_same_after_loading_and_packed(tmp_path: Path) -> None:
    model = captioner().half().float()  # checkpoints are stored in half precision
    config = CheckpointConfig(
        network=network_dict(SMALL),
        vocab_size=TOKENIZER.vocab_size,
        task="shapes",
        source_language="",
        target_language="en",
    )
    save_checkpoint(tmp_path / "c", Checkpoint("c", config, TOKENIZER, model))
    loaded = load_checkpoint(tmp_path / "c", torch.device("cpu"))
    assert loaded.tokenizer.picture == PictureGrid(64, 8)
    pictures = [picture for picture, _ in PAIRS]
    before = translate(model, TOKENIZER, pictures, DecodingOptions(beam_size=3, max_length=6))
    assert (
        translate(loaded.model, loaded.tokenizer, pictures, DecodingOptions(beam_size=3, max_length=6))
        == before
    )
    pack_linears(loaded.model)
    assert (
        translate(loaded.model, loaded.tokenizer, pictures, DecodingOptions(beam_size=3, max_length=6))
        == before
    )


def test_every_captioner_has_one_head_of_attention() -> None:
    for config in CAPTIONERS.values():
        model = tiny_model(config)
        assert model.attention_shape == (1, 1)
        state = model.initial_state(model.encode(*_source(config)))
        with pytest.raises(ValueError, match=r"override.*\(99,\)"):
            model.step(torch.tensor([2, 2, 2]), state, torch.ones(99))


def _source(config: Any) -> tuple[torch.Tensor, torch.Tensor]:
    batch = tiny_batch(config=config)
    return batch.src, batch.src_mask


@pytest.mark.parametrize("cells", [4, None])
def test_a_tokenizer_of_other_pictures_is_refused(tmp_path: Path, cells: int | None) -> None:
    config = CheckpointConfig(
        network=network_dict(SMALL),
        vocab_size=TOKENIZER.vocab_size,
        task="shapes",
        source_language="",
        target_language="en",
    )
    captions = [caption for _, caption in PAIRS]
    other = (
        Tokenizer.train(captions, "word", 60)
        if cells is None
        else Tokenizer.for_pictures(PictureGrid(64, cells), captions, "word", 60)
    )
    save_checkpoint(tmp_path / "c", Checkpoint("c", config, other, captioner()))
    with refused(CheckpointError, "other_pictures"):
        load_checkpoint(tmp_path / "c", torch.device("cpu"))
