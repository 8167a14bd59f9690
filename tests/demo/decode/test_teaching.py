"""Corrections are taught on one tab, previewed and used in another, and removed on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.decode.controls.teaching import on_teach
from demo.training.handlers import on_forget, on_preview
from demo.training.work.data_previews import DataPreview
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from models.corpus.pairs import DataError
from models.registry.registry import Registry, UnknownCheckpointError
from models.training.runs.request import new_token
from tests.demo.conftest import LETTERS
from tests.fakes.training.form import DATA_NAMES, QUICK, form, training_context
from tests.refusals import Refusal, refused

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def context(shipped: Path, tmp_path: Path) -> AppContext:
    return training_context(shipped, tmp_path)


def preview_of(context: AppContext, token: str) -> DataPreview | str:
    view, *_ = on_preview(context, DATA_NAMES, token, *form(**QUICK | {"kind": "corrections", "share": 0.3}))
    return view


def test_corrections_become_training_data(context: AppContext) -> None:
    token, stranger = new_token(), new_token()
    for text, correction in (("hola", "hello"), (EVIL, EVIL), ("hola", "hi there"), ("adiós", "bye")):
        box, message = on_teach(context, token, LETTERS, text, correction, "what the model said")
    assert box == ""
    assert message.startswith("4 corrections kept.")
    view = preview_of(context, token)
    assert isinstance(view, DataPreview)
    assert view.statistics.pairs + (view.statistics.valid_pairs or 0) == 3  # the later "hola" counts
    assert context.training is not None
    assert ("hola", "hi there") in context.training.corrections(token).pairs()
    assert "Your corrections are too few so far (0)" in str(preview_of(context, stranger))
    assert on_forget(context, token) == "All your corrections are forgotten."
    assert "Your corrections are too few so far (0)" in str(preview_of(context, token))


@pytest.mark.parametrize(
    ("values", "error", "refusal"),
    [
        ((None, LETTERS, "hola", "hello", ""), RequestError, ("visitor_not_told",)),
        (("0" * 32, LETTERS, "hola", "  ", ""), RequestError, ("correction_missing",)),
        (("0" * 32, LETTERS, "", "hello", ""), DataError, ("the_source",)),
        (("0" * 32, LETTERS, {"a": 1}, "hello", ""), RequestError, ("not_a_text", "text")),
        (("0" * 32, LETTERS, "hola", "x" * 600, ""), RequestError, ("too_many_characters", "500")),
        (("0" * 32, "nothing", "hola", "hello", ""), UnknownCheckpointError, ("no_such_checkpoint",)),
    ],
    ids=str,
)
def test_invalid_corrections_are_refused(
    context: AppContext, values: tuple[object, ...], error: type[Exception], refusal: Refusal
) -> None:
    with refused(error, *refusal):
        on_teach(context, *values)


def test_a_server_without_training_stores_no_corrections(shipped: Path) -> None:
    context = AppContext(Registry(shipped), "cpu")
    with refused(RequestError, "corrections_not_kept"):
        on_teach(context, "0" * 32, LETTERS, "hola", "hello", "")
