"""The section of the Hub: its handlers with a local Hub, and an added model on the page."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from demo.checkpoints.hub import on_add, on_cancel, on_hub, on_lists, on_preview, on_remove, on_variant_chosen
from demo.checkpoints.hub_shelf.component import state_payload
from demo.checkpoints.tab import on_gallery, on_open
from demo.decode.tab import on_card, on_example_trace
from demo.i18n import in_language, translations
from demo.widgets.form.choices import own_checkpoints, picker_updates
from demo.work.context import AppContext
from demo.work.errors import UNEXPECTED_ERROR
from demo.work.hub import HubState
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.hub.storage.store import HubStore
from models.registry.registry import EXAMPLE, QUALITY, UnknownCheckpointError
from tests.demo.conftest import LETTERS, WORDS
from tests.fakes.servers.hub_page import (
    EVIL,
    GATED,
    MARIAN,
    NATIVE,
    NLLB,
    WEIGHTS,
    make_context,
    make_files,
    make_hub,
)
from tests.fakes.servers.hub_server import FakeHub
from tests.messages import wording
from tests.refusals import refused
from tests.waiting import wait

pytestmark = pytest.mark.slow

ME, OTHER = "session-1", "session-2"


@pytest.fixture(scope="module")
def files(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    return make_files(tmp_path_factory.mktemp("repositories"), shipped / WORDS)


@pytest.fixture
def server(files: Mapping[str, Mapping[str, bytes]]) -> Iterator[FakeHub]:
    served = FakeHub(files)
    served.slow = {WEIGHTS}
    yield served
    served.close()


@pytest.fixture
def hub_context(server: FakeHub, root: Path, tmp_path: Path) -> AppContext:
    return make_context(root, make_hub(server, tmp_path / "cache"))


def add(context: AppContext, repo: str, session: str = ME) -> list[HubState]:
    return list(on_add(context, session, {"repo": repo}))


def decode(context: AppContext, name: str) -> Any:
    settings = DecodingOptions(strategy="beam", beam_size=2, max_length=6)
    return context.decode(DecodeRequest(name, "el gato", settings))


def test_a_model_is_looked_up_added_used_and_removed(hub_context: AppContext) -> None:
    preview = on_preview(hub_context, ME, {"repo": f"https://huggingface.co/{MARIAN}"}).listing
    view = json.loads(state_payload(on_hub(hub_context, ME)))["listing"]
    assert view["repo"] == MARIAN
    assert view["revision"] == preview.commit  # type: ignore[union-attr]  # the previewed commit is added
    assert {"name": "What", "value": "Marian, of the transformers library", "note": ""} in view["facts"]

    states = list(on_add(hub_context, ME, {"repo": MARIAN, "revision": view["revision"]}))
    assert [MARIAN in state.adding for state in states] == [True] * (len(states) - 1) + [False]
    assert {*states[-1].here} == {MARIAN}
    assert [state.serial for state in states] == sorted({state.serial for state in states})
    assert decode(hub_context, MARIAN).checkpoint == MARIAN
    picker, _ = on_open(hub_context, None, {"repo": MARIAN})
    assert picker["value"] == MARIAN
    assert MARIAN in [name for _, name in picker["choices"]]
    assert on_gallery(hub_context).cards[MARIAN].chapter == "hub"  # type: ignore[union-attr]

    assert on_remove(hub_context, ME, {"repo": MARIAN}).here == {}
    with refused(UnknownCheckpointError, "model_not_here", MARIAN):
        decode(hub_context, MARIAN)
    assert re.search(
        wording("hub_model_not_here"), on_remove(hub_context, ME, {"repo": MARIAN}).problems[MARIAN]
    )


def test_every_list_has_an_added_model_and_8_bits_only_if_supported(hub_context: AppContext) -> None:
    for repo in (NLLB, NATIVE):
        add(hub_context, repo)
    variant = f"{NLLB}@spa_Latn-fra_Latn"
    decode_list, compare, other = on_lists(hub_context, None, variant, LETTERS, f"{NLLB}@int8")
    assert [name for _, name in decode_list["choices"]] == [LETTERS, WORDS, NATIVE, variant]
    names = [name for _, name in compare["choices"]]
    assert {NLLB, variant, NATIVE, f"{NATIVE}@int8"} <= set(names)
    assert f"{NLLB}@int8" not in names
    assert compare == other
    assert on_variant_chosen(hub_context, None, variant, LETTERS, WORDS) == on_lists(
        hub_context, None, variant, LETTERS, WORDS
    )
    assert "choices" not in on_variant_chosen(hub_context, None, NLLB, LETTERS, WORDS)[0]
    assert len(picker_updates(hub_context, own_checkpoints(hub_context, None), (LETTERS,), 1)) == 1


def test_a_foreign_card_is_not_rendered(hub_context: AppContext, server: FakeHub) -> None:
    server.files[NATIVE][QUALITY] = b"{"
    add(hub_context, NATIVE)
    card, text = on_card(hub_context, NATIVE)
    page = f"https://huggingface.co/{NATIVE}"
    assert text == f"Its authors' card: [{page}]({page})"
    gallery = on_gallery(hub_context)
    assert EVIL not in repr(gallery.cards[NATIVE]) + repr(card)
    assert NATIVE not in gallery.quality
    assert (hub_context.registry.folder(NATIVE) / EXAMPLE).exists()
    assert on_example_trace(hub_context, NATIVE) is None
    assert on_example_trace(hub_context, WORDS) is not None


@pytest.mark.parametrize(
    ("repo", "says"),
    [
        ("no/body", "There is no public model no/body on the Hub"),
        (GATED, "is given only to accounts that accepted its terms"),
        ("../etc/passwd", "is not a name of a model on the Hub: write it as owner/name"),
        ("", "is not a name of a model"),
    ],
)
def test_a_refusal_is_shown_at_its_field(hub_context: AppContext, repo: str, says: str) -> None:
    state = on_preview(hub_context, ME, {"repo": repo})
    assert says in str(state.listing)
    assert on_hub(hub_context, OTHER).listing is None


def test_a_refusal_is_shown_at_its_card_until_the_next_try(hub_context: AppContext, server: FakeHub) -> None:
    server.status = 429
    assert re.search(wording("hub_busy"), add(hub_context, MARIAN)[-1].problems[MARIAN])
    assert on_hub(hub_context, OTHER).problems == {}
    server.status, server.damaged = 0, {WEIGHTS}
    states = add(hub_context, MARIAN)
    assert states[0].problems == {}
    assert re.search(wording("hub_file_damaged"), states[-1].problems[MARIAN])
    assert states[-1].here == {}
    server.damaged = set()
    assert not re.search(wording("hub_file_damaged"), add(hub_context, MARIAN)[-1].problems.get(MARIAN, ""))


def test_a_warning_about_a_model_is_shown_to_every_visitor(hub_context: AppContext) -> None:
    """A network of random weights writes the same token again and again."""
    assert re.search(wording("repeats_one_token"), add(hub_context, MARIAN)[-1].problems[MARIAN])
    (first, *_) = hub_context.config(MARIAN).network["warnings"]
    with in_language("es"):
        warning = on_hub(hub_context, OTHER).problems[MARIAN]
    assert warning.startswith(translations("es")[first["template"]].format(**first["fields"]))


def test_an_unexpected_error_is_reported_in_each_language(
    hub_context: AppContext, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: object) -> None:
        raise KeyError("inside")

    monkeypatch.setattr(HubStore, "add", break_down)
    with in_language("es"):
        assert add(hub_context, MARIAN)[-1].problems == {MARIAN: translations("es")[UNEXPECTED_ERROR]}
    assert add(hub_context, MARIAN)[-1].problems == {MARIAN: UNEXPECTED_ERROR}
    assert f"adding {MARIAN} failed: KeyError" in caplog.text


def test_a_model_that_is_too_large_is_refused(server: FakeHub, root: Path, tmp_path: Path) -> None:
    context = make_context(root, make_hub(server, tmp_path / "cache", max_bytes=1000))
    problem = add(context, MARIAN)[-1].problems[MARIAN]
    assert re.search(wording("hub_too_large", limit="1 kB"), problem)


def test_an_unreachable_hub_is_reported_in_its_section(hub_context: AppContext, server: FakeHub) -> None:
    server.close()
    assert re.search(wording("hub_unreachable"), add(hub_context, MARIAN)[-1].problems[MARIAN])


def test_two_visitors_share_a_download_and_one_may_leave(hub_context: AppContext, server: FakeHub) -> None:
    server.gate.clear()
    mine = on_add(hub_context, ME, {"repo": MARIAN})
    next(mine)
    theirs: list[HubState] = []
    other = threading.Thread(target=lambda: theirs.extend(on_add(hub_context, OTHER, {"repo": MARIAN})))
    other.start()
    wait(lambda: MARIAN in on_hub(hub_context, OTHER).adding)
    on_cancel(hub_context, ME, {"repo": MARIAN})
    last = list(mine)[-1]
    assert (last.adding, last.problems, last.here) == ({}, {}, {})
    server.gate.set()
    other.join()
    assert {*theirs[-1].here} == {MARIAN}
    assert server.bodies().count(WEIGHTS) == 1


@pytest.mark.parametrize("how", ["cancel", "close"])
def test_a_download_without_a_waiting_visitor_is_cancelled(
    hub_context: AppContext, server: FakeHub, how: str
) -> None:
    server.gate.clear()
    assert hub_context.hub is not None
    with closing(on_add(hub_context, ME, {"repo": MARIAN})) as states:
        next(state for state in states if state.adding[MARIAN].stage == "downloading")
        if how == "cancel":
            on_cancel(hub_context, ME, {"repo": MARIAN})
            assert not list(states)[-1].problems
    server.gate.set()
    assert {*add(hub_context, MARIAN)[-1].here} == {MARIAN}  # begun anew at once
    assert not list((hub_context.hub.settings.root / ".work").iterdir())


@pytest.mark.parametrize(
    "data", [None, [], {"repo": 3}, {"repo": "a" * 10_000}, {"repo": "a/b", "revision": 1}]
)
def test_malformed_requests_are_refused(hub_context: AppContext, data: object) -> None:
    for handler in (on_preview, on_remove, on_cancel):
        with pytest.raises(RequestError):
            handler(hub_context, ME, data)
    with pytest.raises(RequestError):
        list(on_add(hub_context, ME, data))


def test_a_curated_server_adds_and_removes_only_listed_models(
    server: FakeHub, root: Path, tmp_path: Path
) -> None:
    context = make_context(root, make_hub(server, tmp_path / "c", access="curated"))
    assert re.search(wording("hub_not_listed"), add(context, NATIVE)[-1].problems[NATIVE])
    with refused(RequestError, "removal_by_visitor"):
        on_remove(context, ME, {"repo": NATIVE})


def test_a_server_without_the_hub_explains_its_absence(context: AppContext) -> None:
    with refused(RequestError, "hub_not_fetched"):
        on_hub(context, ME)


def test_looking_at_a_model_does_not_count_as_its_use(hub_context: AppContext) -> None:
    add(hub_context, MARIAN)
    file = hub_context.registry.folder(MARIAN) / "source.json"
    os.utime(file, (0, 0))
    (
        on_gallery(hub_context),
        on_lists(hub_context, None, LETTERS, LETTERS, LETTERS),
        on_card(hub_context, MARIAN),
    )
    assert file.stat().st_mtime == 0
    decode(hub_context, MARIAN)
    assert file.stat().st_mtime > 0
