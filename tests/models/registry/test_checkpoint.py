"""Checkpoints come back as they went; what was damaged on the way is named, with a remedy."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from models.registry.registry import Registry
from tests.fakes.tiny_networks import NETWORKS, SAMPLE, tiny_batch
from tests.models.registry.conftest import TIED
from tests.refusals import Refusal, check_message, refused

CPU = torch.device("cpu")
CONFIG, WEIGHTS, TOKENIZER = FILES = ("config.json", "model.safetensors", "tokenizer.json")
LFS_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
Make = Callable[..., Checkpoint]

TIES = {name: NETWORKS[name] for name in NETWORKS if name.endswith(("shared", "tied"))}


@pytest.fixture
def other_checkpoint_stays_usable(root: Path) -> Iterator[None]:
    """Check at the end of a test that the other checkpoint is still usable."""
    yield
    assert Registry(root).load("spa-eng-gru", CPU).name == "spa-eng-gru"


def rewrite(folder: Path, **changes: Any) -> None:
    path = folder / CONFIG
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


def sign(folder: Path) -> None:
    """Update the digests, so that later checks are reached."""
    rewrite(folder, sha256={f: hashlib.sha256((folder / f).read_bytes()).hexdigest() for f in FILES[1:]})


def unusable(folder: Path, file: str, *values: object) -> None:
    """Assert that loading fails with an error that names checkpoint, file, problem and remedy."""
    with refused(CheckpointError, "checkpoint_unusable", folder.name, file, *values) as excinfo:
        load_checkpoint(folder, CPU)
    assert excinfo.value.file == file
    assert str(excinfo.value).count(f"Checkpoint {folder.name!r}") == 1  # named once, not within itself
    check_message(excinfo.value.message, ("copy_again", "lfs_pull"))


@pytest.mark.parametrize("network", {**SAMPLE, **TIES}.values(), ids={**SAMPLE, **TIES})
def test_a_network_comes_back_in_half_precision(network: NetworkConfig, make: Make, tmp_path: Path) -> None:
    saved = make(network)
    save_checkpoint(tmp_path / "tiny", saved)
    loaded = load_checkpoint(tmp_path / "tiny", CPU)
    expected, actual = saved.model.state_dict(), loaded.model.state_dict()
    assert actual.keys() == expected.keys()
    for name, tensor in actual.items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, expected[name].half().float())
    torch.testing.assert_close(loaded.model(tiny_batch()), saved.model(tiny_batch()), rtol=0.02, atol=0.02)


def test_a_loaded_checkpoint_equals_the_saved_one(make: Make, tmp_path: Path) -> None:
    saved = make(name="tiny")
    save_checkpoint(tmp_path / "tiny", saved)
    loaded = load_checkpoint(tmp_path / "tiny", CPU)
    assert (loaded.name, loaded.config.network) == ("tiny", saved.config.network)
    assert (loaded.config.examples, loaded.config.max_length) == (("abc",), 64)
    assert loaded.tokenizer.encode("abcxyz") == saved.tokenizer.encode("abcxyz")
    assert not loaded.model.training


def test_a_checkpoint_is_loaded_onto_the_device(folder: Path, device: str) -> None:
    model = load_checkpoint(folder, torch.device(device)).model
    assert {weight.device.type for weight in model.parameters()} == {torch.device(device).type}


@pytest.mark.parametrize("network", TIES.values(), ids=TIES)
def test_a_tied_matrix_is_written_once_and_tied_again(
    network: NetworkConfig, make: Make, tmp_path: Path
) -> None:
    saved = make(network)
    save_checkpoint(tmp_path / "tiny", saved)
    stored = load_file(tmp_path / "tiny" / WEIGHTS)
    assert sum(tensor.numel() for tensor in stored.values()) == saved.model.num_parameters()
    assert {tensor.dtype for tensor in stored.values()} == {torch.float16}
    assert load_checkpoint(tmp_path / "tiny", CPU).model.num_parameters() == saved.model.num_parameters()


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize("file", FILES)
def test_a_missing_file_makes_a_checkpoint_unusable(file: str, folder: Path) -> None:
    (folder / file).unlink()
    unusable(folder, file, "file_cannot_be_read", "No such file or directory")


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize("file", FILES)
def test_a_folder_in_place_of_a_file_makes_a_checkpoint_unusable(file: str, folder: Path) -> None:
    (folder / file).unlink()
    (folder / file).mkdir()
    unusable(folder, file, "file_cannot_be_read")


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
@pytest.mark.parametrize("signed", [True, False])
def test_a_truncated_file_makes_a_checkpoint_unusable(
    file: str, share: float, signed: bool, folder: Path
) -> None:
    path = folder / file
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    if signed and file != CONFIG:
        sign(folder)
    unusable(folder, file)


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize("file", [WEIGHTS, TOKENIZER])
@pytest.mark.parametrize("position", [0, 0.5, -1])
def test_a_flipped_bit_makes_a_checkpoint_unusable(file: str, position: float, folder: Path) -> None:
    content = bytearray((folder / file).read_bytes())
    content[int(position * len(content)) if position != -1 else -1] ^= 1
    (folder / file).write_bytes(content)
    unusable(folder, file, "other_digest", f"{len(content):,}")


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize("file", FILES)
def test_an_lfs_pointer_makes_a_checkpoint_unusable(file: str, folder: Path) -> None:
    (folder / file).write_text(LFS_POINTER)
    unusable(folder, file, "lfs_pointer", "lfs_pull")


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", "3", "{}", "[" * 100_000, '"x"', "\ufeff{}", '{"format_version": 1}']
)
def test_a_config_that_cannot_be_read_makes_a_checkpoint_unusable(content: str, folder: Path) -> None:
    (folder / CONFIG).write_text(content, encoding="utf-8")
    unusable(folder, CONFIG, "file_cannot_be_read")


def test_a_config_that_is_a_list_is_refused(folder: Path) -> None:
    (folder / CONFIG).write_text("[1]", encoding="utf-8")
    unusable(folder, CONFIG, "not_a_mapping", "config.json", "[1]")


def test_missing_and_unknown_entries_of_a_config_are_named(folder: Path) -> None:
    rewrite(folder, colour="red")
    unusable(folder, CONFIG, "unknown_entries", "colour")
    (folder / CONFIG).write_text("{}", encoding="utf-8")
    unusable(folder, CONFIG, "entry_missing", "format_version")


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_format_version_makes_a_checkpoint_unusable(version: Any, folder: Path) -> None:
    rewrite(folder, format_version=version)
    unusable(folder, CONFIG, "other_format", version, 1)


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"wings": 2}, ("unknown_entries", "wings")),
        ({"examples": None}, ("not_texts", "examples")),
        ({"examples": "abc"}, ("not_texts", "examples")),
        ({"sha256": None}, ("not_a_mapping", "sha256")),
        ({"vocab_size": "13"}, ("not_whole", "vocab_size")),
        ({"max_length": "64"}, ("not_whole", "max_length")),
        ({"max_length": 0}, ("not_whole", "max_length")),
        ({"network": None}, ("not_a_mapping", "network")),
        ({"network": "recurrent"}, ("not_a_mapping", "network")),
        ({"network": {"architecture": "mamba"}}, ("not_one_of", "architecture")),
        (
            {"network": {"architecture": "recurrent", "cell": "gruu"}},
            ("not_one_of", "cell", "rnn, lstm, gru"),
        ),
        ({"network": {"architecture": "recurrent", "d_model": 7}}, ("odd_directions", 7)),
        ({"network": {"architecture": "recurrent", "num_layers": 10**9}}, ("not_whole_within", "num_layers")),
        ({"network": {"architecture": "transformer", "d_model": 10**9}}, ("not_whole_within", "d_model")),
        (
            {"network": {"architecture": "transformer", "d_model": 8192, "d_ff": 32_768, "num_layers": 64}},
            ("too_many_parameters", "4,000,000,000"),
        ),
    ],
)
def test_an_invalid_config_makes_a_checkpoint_unusable(
    changes: dict[str, Any], refusal: Refusal, folder: Path
) -> None:
    rewrite(folder, **changes)
    unusable(folder, CONFIG, *refusal)


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
def test_another_vocabulary_makes_a_checkpoint_unusable(folder: Path) -> None:
    rewrite(folder, vocab_size=14)
    unusable(folder, TOKENIZER, "other_vocabulary", 13, 14)


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
def test_a_file_without_a_tokenizer_makes_a_checkpoint_unusable(folder: Path) -> None:
    (folder / TOKENIZER).write_text("{}")
    sign(folder)
    unusable(folder, TOKENIZER, "file_cannot_be_used", "no_tokenizer_file")


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize("network", ["lstm-1-bi-initial-general", "gru-2-uni-concat-scaled_dot"])
def test_the_weights_of_another_network_make_a_checkpoint_unusable(
    network: str, folder: Path, make: Make, tmp_path: Path
) -> None:
    save_checkpoint(tmp_path / "other", make(NETWORKS[network]))
    (tmp_path / "other" / WEIGHTS).replace(folder / WEIGHTS)
    sign(folder)
    unusable(folder, WEIGHTS)


@pytest.mark.usefixtures("other_checkpoint_stays_usable")
@pytest.mark.parametrize(
    ("missing", "unknown"), [("readout.bias", "wing"), ("readout.bias", ""), ("", "wing")]
)
def test_a_missing_or_an_unknown_weight_is_named(missing: str, unknown: str, folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    if unknown:
        tensors[unknown] = tensors["readout.bias"].clone()
    tensors.pop(missing, None)
    save_file(tensors, folder / WEIGHTS)
    sign(folder)
    unusable(folder, WEIGHTS, "weights_missing_or_unknown", missing, unknown)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_make_a_checkpoint_unusable(value: float, folder: Path) -> None:
    """A search with such weights would return some output, or report that there is none."""
    tensors = load_file(folder / WEIGHTS)
    tensors["readout.bias"][0] = value
    save_file(tensors, folder / WEIGHTS)
    sign(folder)
    unusable(folder, WEIGHTS, "weights_not_finite")


def test_digests_may_be_absent(folder: Path) -> None:
    """Somebody who converts a foreign model by hand need not compute them."""
    rewrite(folder, sha256={})
    assert load_checkpoint(folder, CPU).config.sha256 == {}


@pytest.mark.parametrize("file", FILES)
def test_a_full_disk_leaves_the_old_checkpoint(
    file: str, folder: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if not path.name.startswith(file):
            return write(path, content)
        write(path, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match=str(errno.ENOSPC)):
        save_checkpoint(folder, make(RecurrentConfig(cell="rnn", d_embed=6, d_model=8), "reverse-gru"))
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert load_checkpoint(folder, CPU).config.network["cell"] == TIED.cell


def test_saving_again_replaces_everything(folder: Path, make: Make) -> None:
    save_checkpoint(
        folder, make(RecurrentConfig(cell="rnn", d_embed=6, d_model=8, d_attention=5), "reverse-gru")
    )
    assert load_checkpoint(folder, CPU).config.network["cell"] == "rnn"
    assert sorted(path.name for path in folder.iterdir()) == sorted((*FILES, "README.md"))
