"""A checkpoint pushed to a local Hub can be loaded unchanged; the token is stored nowhere."""

from __future__ import annotations

import logging
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.hub.errors import HubError
from models.hub.pretrained import from_pretrained
from models.hub.push import card_for_hub, push
from models.hub.settings import HubSettings
from models.registry.card import CheckpointError, read_card
from models.registry.checkpoint import load_checkpoint
from models.registry.registry import UnknownCheckpointError
from tests.fakes.servers.hub_accounts import Account, take_uploads
from tests.fakes.servers.hub_server import FakeHub
from tests.models.hub.conftest import REPOSITORY
from tests.refusals import Refusal, refused

pytestmark = pytest.mark.slow

TOKEN, READER = "hf_abcdefghijklmnop", "hf_only_for_reading"
MINE = "me/tiny"
TWO_LINES = 'from models.hub.pretrained import from_pretrained\ncheckpoint = from_pretrained("me/tiny")\n'


@pytest.fixture(autouse=True)
def _accounts(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.accounts = {TOKEN: Account("me"), READER: Account("me", may_write=False)}
    take_uploads(monkeypatch)
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_server")


@contextmanager
def no_push(hub: FakeHub, code: str | tuple[str, ...], *values: object) -> Iterator[None]:
    """Expect an error without the token, and no push."""
    before = {name: set(files) for name, files in hub.files.items()}
    with refused(HubError, code, *values) as excinfo:
        yield
    assert "hf_" not in str(excinfo.value)
    assert {name: set(files) for name, files in hub.files.items() if name in before} == before
    assert not any("README.md" in files for name, files in hub.files.items() if name not in before)


def test_a_pushed_checkpoint_is_private_and_can_be_loaded(
    hub: FakeHub, settings: HubSettings, own_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    done = push(own_folder, MINE, TOKEN, settings=settings)
    assert (done.url, done.commit, done.private) == (f"{hub.url}/{MINE}", hub.commits[MINE], True)
    assert MINE in hub.private
    files = hub.files[MINE]
    assert {*files} == {path.name for path in own_folder.iterdir()} | {".gitattributes"}
    assert files["model.safetensors"] == (own_folder / "model.safetensors").read_bytes()
    assert {headers.get("authorization") for headers in hub.headers} <= {f"Bearer {TOKEN}", None}
    assert TOKEN not in caplog.text + repr(done) + repr(settings)
    with refused(HubError, "hub_no_such_model", "me/tiny"):
        from_pretrained(MINE, device="cpu", settings=settings)
    hub.private.clear()
    checkpoint = from_pretrained(MINE, device="cpu", settings=settings)
    expected = load_checkpoint(own_folder, torch.device("cpu"))
    assert checkpoint.name == MINE
    assert checkpoint.config == expected.config
    for name, tensor in expected.model.state_dict().items():
        assert torch.equal(checkpoint.model.state_dict()[name], tensor)


def test_the_token_is_in_no_file(
    settings: HubSettings, own_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    push(own_folder, MINE, TOKEN, settings=settings)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(TOKEN.encode() in path.read_bytes() for path in files)


def test_the_card_that_is_pushed_is_the_one_that_is_shown(
    hub: FakeHub, settings: HubSettings, own_folder: Path, tmp_path: Path
) -> None:
    card = card_for_hub(own_folder, MINE)
    assert TWO_LINES in card
    push(own_folder, MINE, TOKEN, private=False, settings=settings)
    assert MINE not in hub.private
    assert hub.files[MINE]["README.md"].decode() == card
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    before, after = read_card(own_folder), read_card(tmp_path)
    assert replace(after, name="", body="") == replace(before, name="", body="")
    assert after.body.startswith(before.body)
    assert card_for_hub(tmp_path, MINE) == card  # a second card is the same


def test_a_second_push_goes_to_the_same_repository(
    hub: FakeHub, settings: HubSettings, own_folder: Path
) -> None:
    first = push(own_folder, MINE, TOKEN, settings=settings)
    assert push(own_folder, MINE, TOKEN, settings=settings).url == first.url


def test_a_push_to_a_public_repository_or_one_with_other_files_is_refused(
    hub: FakeHub, settings: HubSettings, own_folder: Path
) -> None:
    hub.files[MINE] = {"thesis.pdf": b"x"}
    with no_push(hub, "push_to_public", "me/tiny"):
        push(own_folder, MINE, TOKEN, settings=settings)
    with no_push(hub, "push_other_files", "me/tiny", "thesis.pdf"):
        push(own_folder, MINE, TOKEN, private=False, settings=settings)


@pytest.mark.parametrize(
    ("repo_id", "token", "refusal"),
    [
        (MINE, "", ("push_token_missing", "huggingface.co/settings/tokens")),
        (MINE, "hf_with\nline", ("push_token_missing",)),
        (MINE, "hf_ümlaut_and_more", ("push_token_missing",)),
        (MINE, None, ("push_token_missing",)),
        (MINE, "hf_nobody_has_this", ("push_token_unknown",)),
        (MINE, READER, ("push_forbidden", "me/tiny")),
        ("you/tiny", TOKEN, ("push_forbidden", "you/tiny")),
        ("tiny", TOKEN, ("no_model_name",)),
        ("../tiny", TOKEN, ("no_model_name",)),
    ],
)
def test_a_push_with_a_wrong_token_or_name_is_refused(
    hub: FakeHub, settings: HubSettings, own_folder: Path, repo_id: str, token: str, refusal: Refusal
) -> None:
    with no_push(hub, *refusal):
        push(own_folder, repo_id, token, settings=settings)
    assert not any("of_the_server" in str(headers) for headers in hub.headers)


@pytest.mark.parametrize(("status", "refusal"), [(429, ("push_hub_busy",)), (500, ("push_refused", 500))])
def test_a_refusal_of_the_hub_is_reported(
    hub: FakeHub, settings: HubSettings, own_folder: Path, status: int, refusal: Refusal
) -> None:
    hub.status = status
    with no_push(hub, *refusal):
        push(own_folder, MINE, TOKEN, settings=settings)


@pytest.mark.parametrize("fault", ["gone", "silent"])
def test_an_unreachable_hub_is_reported(
    hub: FakeHub, settings: HubSettings, own_folder: Path, fault: str
) -> None:
    hub.silent, settings = "POST", replace(settings, timeout=2.0)
    if fault == "gone":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            settings = replace(settings, endpoint=f"http://127.0.0.1:{free.getsockname()[1]}")
    with no_push(hub, "push_hub_unreachable", "me/tiny"):
        push(own_folder, MINE, TOKEN, settings=settings)


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors", "README.md"])
def test_a_folder_without_a_checkpoint_is_not_pushed(
    hub: FakeHub, settings: HubSettings, own_folder: Path, tmp_path: Path, file: str
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(own_folder, folder)
    (folder / file).unlink()
    with no_push(hub, ("push_no_checkpoint", "push_not_trained_here", "push_without_card")):
        push(folder, MINE, TOKEN, settings=settings)


def test_a_server_that_is_off_pushes_nothing(hub: FakeHub, settings: HubSettings, own_folder: Path) -> None:
    with no_push(hub, "push_hub_off"):
        push(own_folder, MINE, TOKEN, settings=replace(settings, access="off"))
    assert hub.requests == []


def test_a_folder_and_a_shipped_name_need_no_hub(
    hub: FakeHub, settings: HubSettings, own_folder: Path, tmp_path: Path
) -> None:
    assert from_pretrained(own_folder, device="cpu", settings=settings).config.task == "reversal"
    parent = tmp_path / "me@home"
    shutil.copytree(own_folder, parent / "tiny")
    assert from_pretrained(str(parent / "tiny"), device="cpu", settings=settings).config.task == "reversal"
    assert from_pretrained("reverse-rnn", device="cpu", settings=settings).name == "reverse-rnn"
    assert hub.requests == []


def test_a_folder_of_another_kind_is_not_restored(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    with refused(CheckpointError, "checkpoint_unusable", "config.json", "raw_library_folder"):
        from_pretrained(tmp_path, device="cpu")


def test_a_damaged_model_of_the_hub_has_to_be_added_again(hub: FakeHub, settings: HubSettings) -> None:
    from_pretrained(REPOSITORY, device="cpu", settings=settings)
    (settings.root / REPOSITORY / "tokenizer.json").write_text("{}")
    with refused(CheckpointError, "add_again"):
        from_pretrained(REPOSITORY, device="cpu", settings=settings)


def test_two_lines_load_a_model_from_the_hub_and_then_from_disk(hub: FakeHub, settings: HubSettings) -> None:
    assert from_pretrained(REPOSITORY, device="cpu", settings=settings).name == REPOSITORY
    hub.close()
    assert from_pretrained(REPOSITORY, device="cpu", settings=settings).name == REPOSITORY
    with refused(UnknownCheckpointError, "no_variants", "@x"):
        from_pretrained(f"{REPOSITORY}@x", device="cpu", settings=settings)
    with refused(HubError, "no_model_name"):
        from_pretrained("x" * 10_000, device="cpu", settings=settings)
