"""A trained checkpoint goes to a loopback Hub and comes back the same; the token is nowhere else."""

from __future__ import annotations

import logging
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.hub.errors import HubError
from models.hub.pretrained import from_pretrained
from models.hub.settings import HubSettings
from models.hub.upload.hub_card import card_for_hub
from models.hub.upload.push import push
from models.registry.card import CheckpointError, read_card
from models.registry.checkpoint import load_checkpoint
from models.registry.registry import UnknownCheckpointError
from tests.fakes.hub_server import Account, FakeHub, take_uploads
from tests.models.hub.conftest import OWN

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
def refusal(hub: FakeHub, message: str) -> Iterator[None]:
    """One sentence, soon, without the token, and nothing is pushed."""
    before = {name: set(files) for name, files in hub.files.items()}
    start = time.perf_counter()
    with pytest.raises(HubError, match=message) as caught:
        yield
    assert time.perf_counter() - start < 25
    assert "hf_" not in str(caught.value)
    assert {name: set(files) for name, files in hub.files.items() if name in before} == before
    assert not any("README.md" in files for name, files in hub.files.items() if name not in before)


def test_it_is_pushed_and_private_and_comes_back(
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
    with pytest.raises(HubError, match=r"there is no public model me/tiny .* make it public if it is yours"):
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
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(TOKEN.encode() in path.read_bytes() for path in written)


def test_the_card_that_is_pushed_is_the_one_that_is_shown(
    hub: FakeHub, settings: HubSettings, own_folder: Path, tmp_path: Path
) -> None:
    shown = card_for_hub(own_folder, MINE)
    assert TWO_LINES in shown
    push(own_folder, MINE, TOKEN, private=False, settings=settings)
    assert MINE not in hub.private
    assert hub.files[MINE]["README.md"].decode() == shown
    (tmp_path / "README.md").write_text(shown, encoding="utf-8")
    before, after = read_card(own_folder), read_card(tmp_path)
    assert replace(after, name="", body="") == replace(before, name="", body="")
    assert after.body.startswith(before.body)
    assert card_for_hub(tmp_path, MINE) == shown  # however often


def test_it_is_pushed_again_to_the_same_place(hub: FakeHub, settings: HubSettings, own_folder: Path) -> None:
    first = push(own_folder, MINE, TOKEN, settings=settings)
    assert push(own_folder, MINE, TOKEN, settings=settings).url == first.url


def test_what_is_there_is_not_mixed_with_nor_shown_to_all(
    hub: FakeHub, settings: HubSettings, own_folder: Path
) -> None:
    hub.files[MINE] = {"thesis.pdf": b"x"}
    with refusal(hub, "me/tiny is there and public, not private: choose another name"):
        push(own_folder, MINE, TOKEN, settings=settings)
    with refusal(hub, r"me/tiny holds other things, such as thesis\.pdf, .*: choose another name"):
        push(own_folder, MINE, TOKEN, private=False, settings=settings)


@pytest.mark.parametrize(
    ("repo_id", "token", "message"),
    [
        (MINE, "", "a token is needed to push: make one that may write at huggingface.co/settings/tokens"),
        (MINE, "hf_with\nline", "a token is needed to push"),
        (MINE, "hf_ümlaut_and_more", "a token is needed to push"),
        (MINE, None, "a token is needed to push"),
        (MINE, "hf_nobody_has_this", "the Hub does not know this token: make one that may write"),
        (MINE, READER, "this token may not write to me/tiny: make one that may at"),
        ("you/tiny", TOKEN, "this token may not write to you/tiny: .* an account that is yours"),
        ("tiny", TOKEN, "is no name of a model on the Hub: write it as owner/name"),
        ("../tiny", TOKEN, "is no name of a model on the Hub"),
    ],
)
def test_who_may_not_push(
    hub: FakeHub, settings: HubSettings, own_folder: Path, repo_id: str, token: str, message: str
) -> None:
    with refusal(hub, message):
        push(own_folder, repo_id, token, settings=settings)
    assert not any("of_the_server" in str(headers) for headers in hub.headers)


@pytest.mark.parametrize(
    ("status", "message"),
    [(429, "asks to wait: push again"), (500, r"refuses the push .*\(error 500\): try")],
)
def test_a_hub_that_refuses(
    hub: FakeHub, settings: HubSettings, own_folder: Path, status: int, message: str
) -> None:
    hub.status = status
    with refusal(hub, message):
        push(own_folder, MINE, TOKEN, settings=settings)


@pytest.mark.parametrize("fault", ["gone", "silent"])
def test_a_hub_that_cannot_be_reached(
    hub: FakeHub, settings: HubSettings, own_folder: Path, fault: str
) -> None:
    hub.silent, settings = "POST", replace(settings, patience=2.0)
    if fault == "gone":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            settings = replace(settings, endpoint=f"http://127.0.0.1:{free.getsockname()[1]}")
    with refusal(hub, "me/tiny could not be pushed, .*: check the connection and push again"):
        push(own_folder, MINE, TOKEN, settings=settings)


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors", "README.md"])
def test_what_is_no_checkpoint_is_not_pushed(
    hub: FakeHub, settings: HubSettings, own_folder: Path, tmp_path: Path, file: str
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(own_folder, folder)
    (folder / file).unlink()
    with refusal(hub, "this is no checkpoint|lacks .*: choose another|no README.md that can be read: finish"):
        push(folder, MINE, TOKEN, settings=settings)


def test_a_server_that_is_off_pushes_nothing(hub: FakeHub, settings: HubSettings, own_folder: Path) -> None:
    with refusal(hub, "does not talk to the Hub: download the checkpoint"):
        push(own_folder, MINE, TOKEN, settings=replace(settings, access="off"))
    assert hub.requests == []


def test_a_folder_and_a_shipped_name_need_no_hub(
    hub: FakeHub, settings: HubSettings, own_folder: Path, tmp_path: Path
) -> None:
    assert from_pretrained(own_folder, device="cpu", settings=settings).config.task == "reversal"
    at = tmp_path / "me@home"
    shutil.copytree(own_folder, at / "tiny")
    assert from_pretrained(str(at / "tiny"), device="cpu", settings=settings).config.task == "reversal"
    assert from_pretrained("reverse-rnn", device="cpu", settings=settings).name == "reverse-rnn"
    assert hub.requests == []


def test_a_folder_that_holds_something_else_is_not_one_to_restore(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    with pytest.raises(
        CheckpointError, match=r"config\.json cannot be read .*name one that this program has"
    ):
        from_pretrained(tmp_path, device="cpu")


def test_what_came_from_the_hub_and_is_damaged_is_added_again(hub: FakeHub, settings: HubSettings) -> None:
    from_pretrained(OWN, device="cpu", settings=settings)
    (settings.root / OWN / "tokenizer.json").write_text("{}")
    with pytest.raises(CheckpointError, match="Remove the model and add it again"):
        from_pretrained(OWN, device="cpu", settings=settings)


def test_two_lines_load_from_the_hub_and_then_from_here(hub: FakeHub, settings: HubSettings) -> None:
    assert from_pretrained(OWN, device="cpu", settings=settings).name == OWN
    hub.close()
    assert from_pretrained(OWN, device="cpu", settings=settings).name == OWN
    with pytest.raises(UnknownCheckpointError, match="it has no variants; leave out '@x'"):
        from_pretrained(f"{OWN}@x", device="cpu", settings=settings)
    with pytest.raises(HubError, match="is no name of a model on the Hub"):
        from_pretrained("x" * 10_000, device="cpu", settings=settings)
