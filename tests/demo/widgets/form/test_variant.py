"""A checkpoint with several languages or tasks: what the page offers, and one copy of its weights."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from starlette.datastructures import QueryParams

from demo.compare.handlers import on_checkpoint, on_compare_checkpoints
from demo.links.notice.component import LinkNotice
from demo.page.interface import build_demo
from demo.training.choices import can_be_tuned
from demo.widgets.form.variant import on_compared_variant, on_variant, on_variants
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from demo.work.requests.edit import settings_of
from models.registry.hugging_face.files import adopt
from models.registry.registry import Registry, UnknownCheckpointError
from tests.fakes.hugging_face.folders import save_repository
from tests.fakes.late_answers import filled_by, handler_of
from tests.refusals import refused


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> AppContext:
    """A context with an NLLB, a T5 and a Marian."""
    root = tmp_path_factory.mktemp("foreign")
    for family in ("marian", "nllb", "t5"):
        save_repository(root / family / "transformers", family)
        adopt(root / family)
    return AppContext(Registry(root))


def visible_values(updates: list[Any]) -> list[Any]:
    return [update["value"] if update["visible"] else None for update in updates]


@pytest.mark.slow
def test_the_page_offers_a_checkpoints_variants(context: AppContext) -> None:
    assert visible_values(on_variants(context, "nllb")) == ["fra_Latn", "spa_Latn", None]
    assert visible_values(on_variants(context, "nllb@spa_Latn-fra_Latn")) == ["spa_Latn", "fra_Latn", None]
    assert visible_values(on_variants(context, "t5@plain")) == [None, None, "plain"]
    assert (
        visible_values(on_variants(context, "marian"))
        == visible_values(on_variants(context, "nobody"))
        == [None] * 3
    )
    choices = on_variants(context, "nllb")[0]["choices"]
    assert choices == [("French (fra_Latn)", "fra_Latn"), ("Spanish (spa_Latn)", "spa_Latn")]


def test_a_chosen_variant_is_part_of_the_checkpoints_name(context: AppContext) -> None:
    update = on_variant(context, "nllb", "spa_Latn", "fra_Latn", None)
    name = update["value"]
    assert name == "nllb@spa_Latn-fra_Latn"
    assert [value for _, value in update["choices"]] == ["marian", name, "t5"]
    assert on_variant(context, "t5@plain", None, None, "summarization")["value"] == "t5@summarization"
    assert on_variant(context, name, "spa_Latn", "fra_Latn", None) == gr.skip()


@pytest.mark.parametrize(
    ("name", "values"),
    [("nllb", ("spa_Latn", "nobody", None)), ("nllb", (None, [], {})), ("t5", (None, None, "<b>"))],
)
def test_unknown_variants_are_refused(context: AppContext, name: str, values: tuple[Any, ...]) -> None:
    with refused(UnknownCheckpointError, ("no_such_pair", "no_such_variant_task")):
        on_variant(context, name, *values)
    with refused(RequestError, "one_variant_only"):
        on_variant(context, "marian", *values)


def test_variants_share_weights_and_write_their_languages(context: AppContext) -> None:
    names = "nllb@spa_Latn-fra_Latn", "nllb@fra_Latn-spa_Latn"
    one, other = map(context.checkpoint, names)
    assert one.model is other.model
    settings = settings_of("greedy", {"max_length": 5})
    for name, language in zip(names, ("fra_Latn", "spa_Latn"), strict=True):
        trace = context.decode(DecodeRequest(name, "el perro duerme", settings))
        first = trace.path(trace.hypotheses[0].node)[0]
        assert (trace.checkpoint, first.token) == (name, language)
        assert context.tokenizer(name).first_ids == (first.token_id,)


@pytest.mark.slow
def test_variants_have_no_8_bit_form_and_cannot_be_fine_tuned(context: AppContext) -> None:
    for name in ("nllb", "nllb@spa_Latn-fra_Latn"):
        with refused(RequestError, "no_eight_bit_form"):
            context.checkpoint(f"{name}@int8")
    assert not can_be_tuned(context, "nllb")
    page = build_demo(context).get_config_file()["components"]
    (picker_props,) = [item["props"] for item in page if item["props"].get("elem_id") == "compare-checkpoint"]
    assert [value for _, value in picker_props["choices"]] == ["marian", "nllb", "t5"]


def test_compare_offers_a_variant_in_both_lists(context: AppContext) -> None:
    first, other = on_compared_variant(context, "nllb", "spa_Latn", "fra_Latn", None, "marian")
    name = "nllb@spa_Latn-fra_Latn"
    assert first["value"] == name
    assert "value" not in other
    for update in (first, other):
        assert [value for _, value in update["choices"]] == ["marian", "nllb", "t5", name]
    again = on_compared_variant(context, "t5@plain", None, None, "summarization", name)
    assert [value for _, value in again[1]["choices"]][3:] == ["t5@summarization", name]
    assert on_compared_variant(context, name, "spa_Latn", "fra_Latn", None, "t5") == [gr.skip()] * 2
    with refused(UnknownCheckpointError, "no_such_pair"):
        on_compared_variant(context, "nllb", "spa_Latn", "nobody", None, "marian")


def test_a_variant_keeps_the_text_that_is_compared(context: AppContext) -> None:
    assert on_checkpoint(context, "nllb@spa_Latn-fra_Latn", "nllb", "mi texto")[0] == gr.skip()


@pytest.mark.slow
def test_two_variants_are_compared(context: AppContext) -> None:
    names = "nllb@spa_Latn-fra_Latn", "nllb@fra_Latn-spa_Latn"
    (*_, last) = on_compare_checkpoints(context, *names, "el perro duerme", {"strategy": "greedy"})
    assert [side.title for side in last.sides] == [*names]
    assert [side.row.outcome.tokens[0] for side in last.sides] == ["fra_Latn", "spa_Latn"]


@pytest.mark.slow
@pytest.mark.parametrize("tab", ["decode", "compare"])
def test_a_link_opens_a_variant(context: AppContext, tab: str) -> None:
    names = {"checkpoint": "nllb@spa_Latn-fra_Latn", "other_checkpoint": "t5@summarization"}
    if tab == "decode":
        names.pop("other_checkpoint")
    demo = build_demo(context)
    request = SimpleNamespace(query_params=QueryParams({"tab": tab, **names, "text": "hola"}))
    lists = ["compare-checkpoint", "compare-other-checkpoint"] if tab == "compare" else ["checkpoint"]
    # A handler that fills in a link has the notice of its faults as the last output.
    fills = (
        fn
        for fn in demo.fns.values()
        if fn.outputs and isinstance(fn.outputs[-1], LinkNotice) and fn.targets[0][1] != "visit"
    )
    (fill,) = [
        fn
        for fn in fills
        if [output.elem_id for output in filled_by(demo, fn)[tab == "compare" :][: len(lists)]] == lists
    ]
    *values, message = handler_of(fill)(request, SimpleNamespace(_data=None))
    result = dict(zip([output.elem_id for output in filled_by(demo, fill)], values, strict=True))
    assert message["faults"] == []
    for picker, name in zip(lists, names.values(), strict=True):
        assert result[picker]["value"] == name
        assert name in [value for _, value in result[picker]["choices"]]
