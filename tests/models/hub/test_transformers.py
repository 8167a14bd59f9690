"""Models of the transformers library from a local Hub: the fetched files, and their conversion."""

from __future__ import annotations

import copy
import io
import json
import pickle
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from models.hub.download.fetch import DownloadProgress
from models.hub.listing.model_files import OTHER_SEQ2SEQ, SEQ2SEQ
from models.hub.listing.repository import read_listing
from models.hub.storage.store import HubStore
from models.networks.hugging_face import HuggingFaceModel
from models.registry.hugging_face.files import LOADING_LOCK
from models.registry.registry import Registry
from tests.fakes.servers.hub_server import FakeHub
from tests.grids import thinned
from tests.models.hub.conftest import FAMILIES, NAME, PICKLED, SAFE
from tests.models.hub.test_errors import no_model
from tests.refusals import Refusal

pytestmark = pytest.mark.slow

CPU = torch.device("cpu")


def pickled(network: Any, tmp_path: Path, **options: Any) -> bytes:
    """Return the bytes that torch saves, tied weights under each of their names."""
    torch.save(network.state_dict(), tmp_path / PICKLED, **options)
    return (tmp_path / PICKLED).read_bytes()


def check(store: HubStore, network: Any) -> None:
    """The stored model computes the same as the network."""
    checkpoint = Registry(store.settings.root / "nowhere", store.folder).load(NAME, CPU)
    ids = torch.tensor([[5, 6, 7]])
    theirs: Any = checkpoint.model.library_model
    with torch.no_grad():
        expected = network(input_ids=ids, decoder_input_ids=ids).logits
        result = theirs(input_ids=ids, decoder_input_ids=ids).logits
    torch.testing.assert_close(result, expected)
    assert checkpoint.tokenizer.encode("el perro").ids
    folder = store.folder(NAME)
    assert folder is not None
    assert not list(folder.rglob("*.bin"))


@pytest.mark.parametrize("family", thinned(FAMILIES, len(FAMILIES)))
def test_safetensors_are_stored_unchanged(hub: FakeHub, store: HubStore, serve: Any, family: str) -> None:
    network = serve(family)
    hub.files[NAME] |= {PICKLED: b"junk", "modeling_marian.py": b"raise SystemExit", "tf_model.h5": b"x"}
    listing = read_listing(NAME, settings=store.settings)
    assert (listing.kind, listing.converts, listing.weights) == ("transformers", False, (SAFE,))
    store.add(NAME)
    assert {PICKLED, "modeling_marian.py", "tf_model.h5"}.isdisjoint(hub.bodies())
    check(store, network)


@pytest.mark.parametrize("family", thinned(FAMILIES, len(FAMILIES)))
@pytest.mark.parametrize("archive", [True, False])
def test_a_pickle_is_converted_once(
    hub: FakeHub, store: HubStore, serve: Any, tmp_path: Path, family: str, archive: bool
) -> None:
    network = serve(family)
    del hub.files[NAME][SAFE]
    hub.files[NAME][PICKLED] = pickled(network, tmp_path, _use_new_zipfile_serialization=archive)
    assert read_listing(NAME, settings=store.settings).converts
    stages: list[str] = []
    store.add(NAME, progress=lambda progress: stages.append(progress.stage))
    assert "converting" in stages
    check(store, network)
    folder = store.folder(NAME)
    assert folder is not None
    settings = json.loads((folder / "transformers" / "config.json").read_bytes())
    assert settings == json.loads(hub.files[NAME]["config.json"])
    assert not (folder / "transformers" / "converted").exists()


@pytest.mark.parametrize("family", thinned(FAMILIES, len(FAMILIES)))
def test_a_pickle_of_half_precision_that_names_tied_weights_once_is_whole(
    hub: FakeHub, store: HubStore, serve: Any, tmp_path: Path, family: str
) -> None:
    network = serve(family)
    (tmp_path / SAFE).write_bytes(hub.files[NAME].pop(SAFE))
    weights = {name: tensor.half() for name, tensor in load_file(tmp_path / SAFE).items()}
    torch.save(weights | {"of.an.older.version": torch.zeros(1)}, tmp_path / PICKLED)
    hub.files[NAME][PICKLED] = (tmp_path / PICKLED).read_bytes()
    store.add(NAME)
    half = type(network).from_pretrained(None, config=network.config, state_dict=weights, dtype="float32")
    check(store, half)


def test_converting_a_pickle_does_not_affect_other_threads(
    hub: FakeHub, store: HubStore, serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library patches itself while it builds a network, and sets the precision of all new tensors."""
    network = copy.deepcopy(serve("bart")).half()
    hub.files[NAME].pop(SAFE)
    hub.files[NAME][PICKLED] = pickled(network, tmp_path)
    set_default, dtypes = torch.set_default_dtype, []

    def watched(kind: torch.dtype) -> None:
        dtypes.append((kind, LOADING_LOCK.locked()))
        set_default(kind)

    monkeypatch.setattr(torch, "set_default_dtype", watched)
    store.add(NAME)
    assert set(dtypes) == {(torch.float32, True)}
    folder = store.folder(NAME)
    assert folder is not None
    kinds = {tensor.dtype for tensor in load_file(folder / "transformers" / SAFE).values()}
    assert kinds == {torch.float16}, "no larger than it came"


def sharded(files: dict[str, bytes], tmp_path: Path, ending: str) -> None:
    """Replace the weights by two shards and their index."""
    (tmp_path / SAFE).write_bytes(files.pop(SAFE))
    weights = load_file(tmp_path / SAFE)
    stem, names = Path(ending).stem, sorted(weights)
    index = {}
    for number, part in enumerate((names[::2], names[1::2]), start=1):
        shard = f"{stem}-{number:05}-of-00002{Path(ending).suffix}"
        tensors = {name: weights[name].clone() for name in part}
        if ending == SAFE:
            save_file(tensors, tmp_path / shard, metadata={"format": "pt"})
        else:
            torch.save(tensors, tmp_path / shard)
        files[shard] = (tmp_path / shard).read_bytes()
        index |= dict.fromkeys(part, shard)
    files[f"{ending}.index.json"] = json.dumps({"metadata": {}, "weight_map": index}).encode()


@pytest.mark.parametrize("ending", [SAFE, PICKLED])
def test_shards_are_joined(hub: FakeHub, store: HubStore, serve: Any, tmp_path: Path, ending: str) -> None:
    network = serve("t5")
    sharded(hub.files[NAME], tmp_path, ending)
    store.add(NAME)
    check(store, network)


@pytest.mark.parametrize("ending", [SAFE, PICKLED])
def test_shards_that_do_not_fit_are_refused(
    hub: FakeHub, store: HubStore, serve: Any, tmp_path: Path, ending: str
) -> None:
    serve("t5")
    files = hub.files[NAME]
    sharded(files, tmp_path, ending)
    shard = next(name for name in files if "-00002-of" in name)
    index = files[f"{ending}.index.json"]
    files[f"{ending}.index.json"] = index.replace(shard.encode(), b"../../../../../etc/passwd")
    with no_model(store, "hub_index_does_not_fit", "someone/theirs"):
        store.add(NAME)
    files[f"{ending}.index.json"] = b"[]"
    with no_model(store, "hub_index_does_not_fit"):
        store.add(NAME)
    del files[shard]
    with no_model(store, "hub_no_weights"):
        store.add(NAME)


class Malicious:
    """Runs a command when it is unpickled without restrictions."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return (Path.touch, (self.mark,))


@pytest.mark.parametrize("archive", [True, False, None])
def test_a_malicious_pickle_is_refused_and_does_not_run(
    hub: FakeHub, store: HubStore, serve: Any, tmp_path: Path, archive: bool | None
) -> None:
    network, mark = serve("marian"), tmp_path / "ran"
    weights = network.state_dict() | {"extra": Malicious(mark)}
    if archive is None:
        (tmp_path / PICKLED).write_bytes(pickle.dumps(Malicious(mark)))
    else:
        torch.save(weights, tmp_path / PICKLED, _use_new_zipfile_serialization=archive)
    del hub.files[NAME][SAFE]
    hub.files[NAME][PICKLED] = (tmp_path / PICKLED).read_bytes()
    with no_model(store, "hub_more_than_weights", "pytorch_model.bin", "someone/theirs"):
        store.add(NAME)
    assert not mark.exists()
    if archive is None:
        pickle.loads((tmp_path / PICKLED).read_bytes())
        assert mark.exists(), "the pickle is harmless, so it proves nothing"


def test_a_compressed_pickle_is_refused(hub: FakeHub, store: HubStore, serve: Any, tmp_path: Path) -> None:
    whole, packed = io.BytesIO(pickled(serve("bart"), tmp_path)), io.BytesIO()
    with zipfile.ZipFile(whole) as before, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as after:
        for entry in before.infolist():
            after.writestr(entry.filename, before.read(entry))
    del hub.files[NAME][SAFE]
    hub.files[NAME][PICKLED] = packed.getvalue()
    with no_model(store, "hub_more_than_weights"):
        store.add(NAME)


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (lambda weights: dict(list(weights.items())[:-3]), ("hub_model_unusable", "weights_lacking")),
        (lambda weights: {}, ("hub_model_unusable", "weights_lacking")),
        (lambda weights: [1, 2], ("hub_no_weights_in_file",)),
        (lambda weights: {"a": 1}, ("hub_no_weights_in_file",)),
        (lambda weights: {k: v[..., :3].clone() for k, v in weights.items()}, ("hub_not_converted",)),
    ],
)
def test_a_pickle_without_its_weights_is_refused(
    hub: FakeHub, store: HubStore, serve: Any, tmp_path: Path, content: Any, refusal: Refusal
) -> None:
    network = serve("bart")
    torch.save(content(dict(network.state_dict())), tmp_path / PICKLED)
    del hub.files[NAME][SAFE]
    hub.files[NAME][PICKLED] = (tmp_path / PICKLED).read_bytes()
    with no_model(store, *refusal):
        store.add(NAME)


def test_every_family_exists_in_the_library() -> None:
    from transformers.models.auto.modeling_auto import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES

    assert set(MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES) >= SEQ2SEQ | OTHER_SEQ2SEQ
    assert not SEQ2SEQ & OTHER_SEQ2SEQ


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_during_the_description_is_reported(store: HubStore, serve: Any) -> None:
    import resource

    serve("t5")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def watch(progress: DownloadProgress) -> None:
        if progress.stage == "trying":
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))

    try:
        with no_model(store, "hub_disk_full", "someone/theirs"):
            store.add(NAME, progress=watch)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_full_memory_during_a_trial_of_a_foreign_model_is_reported(
    store: HubStore, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: HuggingFaceModel) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    serve("t5")
    monkeypatch.setattr(HuggingFaceModel, "_probe", full)
    with no_model(store, "too_little_memory"):
        store.add(NAME)
