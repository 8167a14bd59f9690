"""A checkpoint with several languages or tasks: what the page offers, and one copy of its weights."""

from __future__ import annotations

from typing import Any

import gradio as gr
import pytest

from demo.context import EIGHT_BIT, AppContext
from demo.controls.variant import on_variant, on_variants
from demo.request import DecodeRequest, RequestError
from demo.tabs.training.choices import can_be_tuned
from demo.what_if import settings_of
from models.registry.foreign import adopt
from models.registry.registry import Registry, UnknownCheckpointError
from tests.foreign_folders import save_repository


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> AppContext:
    """Over an NLLB, a T5 and a Marian."""
    root = tmp_path_factory.mktemp("foreign")
    for family in ("marian", "nllb", "t5"):
        save_repository(root / family / "transformers", family)
        adopt(root / family)
    return AppContext(Registry(root))


def shown(updates: list[Any]) -> list[Any]:
    return [update["value"] if update["visible"] else None for update in updates]


def test_the_page_offers_what_a_checkpoint_has(context: AppContext) -> None:
    assert shown(on_variants(context, "nllb")) == ["fra_Latn", "spa_Latn", None]
    assert shown(on_variants(context, "nllb@spa_Latn-fra_Latn")) == ["spa_Latn", "fra_Latn", None]
    assert shown(on_variants(context, "t5@plain")) == [None, None, "plain"]
    assert shown(on_variants(context, "marian")) == shown(on_variants(context, "nobody")) == [None] * 3
    choices = on_variants(context, "nllb")[0]["choices"]
    assert choices == [("French (fra_Latn)", "fra_Latn"), ("Spanish (spa_Latn)", "spa_Latn")]


def test_a_choice_is_a_name(context: AppContext) -> None:
    update = on_variant(context, "nllb", "spa_Latn", "fra_Latn", None)
    name = update["value"]
    assert name == "nllb@spa_Latn-fra_Latn"
    assert [value for _, value in update["choices"]] == ["marian", name, "t5"]
    assert on_variant(context, "t5@plain", None, None, "summarization")["value"] == "t5@summarization"
    assert on_variant(context, name, "spa_Latn", "fra_Latn", None) == gr.skip()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("nllb", ("spa_Latn", "nobody", None)),
        ("nllb", (None, [], {})),
        ("t5", (None, None, "<b>")),
    ],
)
def test_what_it_lacks_is_refused(context: AppContext, name: str, values: tuple[Any, ...]) -> None:
    with pytest.raises(UnknownCheckpointError, match="there is no"):
        on_variant(context, name, *values)
    with pytest.raises(RequestError, match="one thing only"):
        on_variant(context, "marian", *values)


def test_variants_share_their_weights_and_write_their_language(context: AppContext) -> None:
    names = "nllb@spa_Latn-fra_Latn", "nllb@fra_Latn-spa_Latn"
    one, other = map(context.checkpoint, names)
    assert one.model is other.model
    settings = settings_of("greedy", {"max_length": 5})
    for name, language in zip(names, ("fra_Latn", "spa_Latn"), strict=True):
        trace = context.decode(DecodeRequest(name, "el perro duerme", settings))
        first = trace.path(trace.hypotheses[0].node)[0]
        assert (trace.checkpoint, first.token) == (name, language)
        assert context.tokenizer(name).first_ids == (first.token_id,)


def test_there_is_no_form_of_8_bits_and_no_training(context: AppContext) -> None:
    for name in ("nllb", "nllb@spa_Latn-fra_Latn"):
        with pytest.raises(RequestError, match="no form with weights of 8 bits"):
            context.checkpoint(name + EIGHT_BIT)
    assert not can_be_tuned(context, "nllb")
