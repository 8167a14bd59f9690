"""Unusable and malicious repositories of the library's models."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from models.hub.storage.store import HubStore
from tests.fakes.servers.hub_server import FakeHub
from tests.models.hub.conftest import NAME, SAFE
from tests.models.hub.test_errors import no_model
from tests.models.hub.test_transformers import check
from tests.refusals import Refusal

pytestmark = pytest.mark.slow

TOKENIZER = "tokenizer_config.json"


def settings_of(hub: FakeHub, file: str = "config.json", **changes: object) -> None:
    settings = json.loads(hub.files[NAME].get(file, b"{}"))
    hub.files[NAME][file] = json.dumps(settings | changes).encode()


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda hub: settings_of(hub, model_type="bert"), ("hub_no_seq2seq",)),
        (lambda hub: settings_of(hub, model_type=["t5"]), ("hub_no_seq2seq",)),
        (lambda hub: settings_of(hub, model_type="led"), ("hub_network_not_shown", "led")),
        (lambda hub: settings_of(hub, auto_map={"AutoModel": "m.M"}), ("hub_own_code",)),
        (lambda hub: hub.files[NAME].pop(SAFE), ("hub_no_weights", "model.safetensors")),
        (
            lambda hub: [
                hub.files[NAME].pop(name, None) for name in ("tokenizer.json", "tokenizer_config.json")
            ],
            ("hub_no_tokenizer",),
        ),
        (lambda hub: settings_of(hub, model_type="pegasus"), ("hub_model_unusable",)),
        (lambda hub: hub.files[NAME].update({SAFE: b"junk"}), ("hub_model_unusable", "transformers")),
        (
            lambda hub: settings_of(hub, num_layers=10**6),
            ("hub_number_too_large", "num_layers", "1000000", 200),
        ),
        (
            lambda hub: settings_of(hub, encoder={"n_positions": 1e9}),
            ("hub_number_too_large", "n_positions", "1000000000.0"),
        ),
        (
            lambda hub: settings_of(hub, vocab_size=10**12),
            ("hub_number_too_large", "vocab_size", "1000000000000", "8,388,608"),
        ),
        (lambda hub: settings_of(hub, vocab_size=8_000_000), ("hub_network_without_weights",)),
        (lambda hub: settings_of(hub, vocab_size=-5), ("hub_no_network",)),
        (lambda hub: settings_of(hub, num_layers=10**400), ("hub_number_too_large", "num_layers", 200)),
        (
            lambda hub: settings_of(hub, TOKENIZER, extra_ids=10**9),
            ("hub_number_too_large", "extra_ids", "1000000000"),
        ),
        (lambda hub: hub.files[NAME].update({TOKENIZER: b"[" * 99999}), ("hub_file_unreadable", TOKENIZER)),
        (
            lambda hub: hub.files[NAME].update({"vocab.json": bytes(101 << 20)}),
            ("hub_other_file_too_large", "vocab.json", "106"),
        ),
        (
            lambda hub: settings_of(hub, "generation_config.json", forced_bos_token_id=10**6),
            ("hub_model_unusable", "token_ids_out_of_range"),
        ),
    ],
)
def test_unusable_models_are_refused(
    hub: FakeHub, store: HubStore, serve: Any, change: Callable[[FakeHub], object], refusal: Refusal
) -> None:
    serve("t5")
    change(hub)
    with no_model(store, *refusal):
        store.add(NAME)


def test_code_of_a_tokenizer_is_not_fetched_and_not_run(hub: FakeHub, store: HubStore, serve: Any) -> None:
    network = serve("t5")
    settings_of(hub, "tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.Evil", None]})
    hub.files[NAME]["evil.py"] = b"raise SystemExit"
    store.add(NAME)
    assert "evil.py" not in hub.bodies()
    check(store, network)


def test_without_the_library_a_model_is_refused_before_its_weights_are_fetched(
    hub: FakeHub, store: HubStore, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve("t5")
    monkeypatch.setattr("models.hub.storage.store.find_spec", lambda name: None)
    with no_model(store, "transformers_missing"):
        store.add(NAME)
    assert SAFE not in hub.bodies()
