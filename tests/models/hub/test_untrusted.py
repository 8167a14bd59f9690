"""Repositories of the library's models that cannot be used, or would do harm: what strangers may write."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from models.hub.storage.store import HubStore
from tests.fakes.hub_server import FakeHub
from tests.models.hub.conftest import NAME, SAFE
from tests.models.hub.test_errors import refusal
from tests.models.hub.test_transformers import check

pytestmark = pytest.mark.slow

TOKENIZER = "tokenizer_config.json"


def settings_of(hub: FakeHub, file: str = "config.json", **changes: object) -> None:
    settings = json.loads(hub.files[NAME].get(file, b"{}"))
    hub.files[NAME][file] = json.dumps(settings | changes).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda hub: settings_of(hub, model_type="bert"), "is no sequence-to-sequence model .*: choose"),
        (lambda hub: settings_of(hub, model_type=["t5"]), "is no sequence-to-sequence model"),
        (
            lambda hub: settings_of(hub, model_type="led"),
            "is a led network, which cannot be shown .*: choose",
        ),
        (lambda hub: settings_of(hub, auto_map={"AutoModel": "m.M"}), "wants to run code of its own, which"),
        (lambda hub: hub.files[NAME].pop(SAFE), r"no complete weights in model\.safetensors or pytorch_mod"),
        (
            lambda hub: [
                hub.files[NAME].pop(name, None) for name in ("tokenizer.json", "tokenizer_config.json")
            ],
            "holds no tokenizer",
        ),
        (lambda hub: settings_of(hub, model_type="pegasus"), "cannot be used"),
        (lambda hub: hub.files[NAME].update({SAFE: b"junk"}), "cannot be used: its transformers"),
        (
            lambda hub: settings_of(hub, num_layers=10**6),
            "its num_layers is 1000000, more than 200: choose",
        ),
        (
            lambda hub: settings_of(hub, encoder={"n_positions": 1e9}),
            "its n_positions is 1000000000.0, ",
        ),
        (
            lambda hub: settings_of(hub, vocab_size=10**12),
            "its vocab_size is 1000000000000, more than 8,388,608: choose",
        ),
        (
            lambda hub: settings_of(hub, vocab_size=8_000_000),
            r"million numbers, which its weights of \d+ kB do not",
        ),
        (lambda hub: settings_of(hub, vocab_size=-5), "describes no network"),
        (lambda hub: settings_of(hub, num_layers=10**400), "its num_layers is 1000.*, more than 200"),
        (lambda hub: settings_of(hub, TOKENIZER, extra_ids=10**9), "its extra_ids is 1000000000, more than"),
        (lambda hub: hub.files[NAME].update({TOKENIZER: b"[" * 99999}), r"config\.json that cannot be read"),
        (
            lambda hub: hub.files[NAME].update({"vocab.json": bytes(101 << 20)}),
            r"a vocab\.json of 106 MB: ",
        ),
        (
            lambda hub: settings_of(hub, "generation_config.json", forced_bos_token_id=10**6),
            "must be whole num",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(
    hub: FakeHub, store: HubStore, serve: Any, change: Callable[[FakeHub], object], message: str
) -> None:
    serve("t5")
    change(hub)
    with refusal(store, message):
        store.add(NAME)


def test_code_of_a_tokenizer_is_not_fetched_and_not_run(hub: FakeHub, store: HubStore, serve: Any) -> None:
    network = serve("t5")
    settings_of(hub, "tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.Evil", None]})
    hub.files[NAME]["evil.py"] = b"raise SystemExit"
    store.add(NAME)
    assert "evil.py" not in hub.bodies()
    check(store, network)


def test_without_the_library_a_sentence_says_what_to_install(
    hub: FakeHub, store: HubStore, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve("t5")
    monkeypatch.setattr("models.hub.storage.store.find_spec", lambda name: None)
    with refusal(store, "needs the transformers library: pip install -r requirements-hub.txt"):
        store.add(NAME)
    assert SAFE not in hub.bodies()
