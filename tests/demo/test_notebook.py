"""A decoding in a notebook: a small frame with the page, also of a model that is in memory alone."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from demo.notebook import Plotly, ShownTrace, decode
from models.decoding.trace import DecodingTrace
from models.registry.card import CheckpointError
from tests.fakes.hugging_face.folders import make_model, tokenizer_of
from tests.fakes.traces import hostile_trace, library_trace
from tests.refusals import refused

LARGEST_FRAME = 1_000_000  # bytes
pytestmark = pytest.mark.slow


def frame_of(trace: DecodingTrace) -> str:
    return ShownTrace(**vars(trace))._repr_html_()


def page_of(frame: str) -> str:
    """The page that a browser reads from the frame's attribute."""
    match = re.fullmatch(
        r"<iframe sandbox='allow-scripts allow-downloads' .* srcdoc='([^']*)'></iframe>", frame, re.S
    )
    assert match
    return html.unescape(match[1])


def test_the_frame_holds_the_whole_page_and_nothing_leaves_it() -> None:
    page = page_of(frame_of(replace(hostile_trace(), source_text="it's </iframe> & &#39;</script>")))
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:|//)", page)
    assert r"it's \u003c/iframe> & &#39;\u003c/script>" in page


def test_a_sentence_takes_less_than_a_megabyte() -> None:
    assert len(frame_of(library_trace(layers=6, heads=8)).encode()) < LARGEST_FRAME
    assert repr(ShownTrace(**vars(library_trace()))) == "'la biblioteca' -> ['a library', 'the book']"


def test_plotly_is_there_once_and_packed() -> None:
    frame = Plotly()._repr_html_()
    assert len(frame) < 2_000_000
    assert "DecompressionStream" in page_of(frame)


def test_a_shipped_checkpoint_is_decoded_by_its_name() -> None:
    trace = decode("reverse-gru", "abc", strategy="greedy", max_length=8)
    assert (trace.checkpoint, trace.hypotheses[0].text) == ("reverse-gru", "cba")
    assert len(trace._repr_html_().encode()) < LARGEST_FRAME


@pytest.mark.parametrize("family", ["marian", "t5", "bart"])
def test_a_model_in_memory_is_decoded_as_by_generate_and_unchanged(family: str, tmp_path: Path) -> None:
    tokenizer = tokenizer_of(family, tmp_path)
    model: Any = make_model(family, tokenizer).train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    attention = model.config._attn_implementation
    trace = decode((model, tokenizer), "el perro duerme", strategy="greedy", max_length=8)
    assert model.training
    assert model.config._attn_implementation == attention
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    read = tokenizer("el perro duerme", return_tensors="pt")
    generated = model.eval().generate(**read, num_beams=1, do_sample=False, max_new_tokens=8)[0].tolist()
    ids = list(trace.hypotheses[0].token_ids)
    assert len(ids) > 2
    assert generated[1 : len(ids)] == ids[:-1]  # the length limit replaces the last one by an end token


def test_a_model_of_half_precision_is_decoded_and_the_tokenizer_of_another_refused(tmp_path: Path) -> None:
    tokenizer = tokenizer_of("t5", tmp_path)
    half = make_model("t5", tokenizer).to(torch.bfloat16)
    single = decode(
        (make_model("t5", tokenizer).to(torch.bfloat16).float(), tokenizer), "el perro", max_length=5
    )
    assert decode((half, tokenizer), "el perro", max_length=5).hypotheses == single.hypotheses
    assert half.dtype == torch.bfloat16
    other = make_model("t5", tokenizer)
    other.resize_token_embeddings(1000)
    with refused(CheckpointError, "tokenizer_too_small"):
        decode((other, tokenizer), "el perro")
