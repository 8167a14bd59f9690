"""A folder of `save_pretrained` opens where it lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.hub.pretrained import from_pretrained
from models.registry.__main__ import main
from models.registry.card import CheckpointError
from models.registry.registry import Registry
from tests.fakes.hugging_face.folders import save_repository, settings_of
from tests.fakes.hugging_face.tokenizers import SENTENCES
from tests.refusals import refused

pytestmark = pytest.mark.slow


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("family", ["bart", "t5", "marian-two"])
def test_a_saved_folder_decodes_as_the_library_and_stays_as_it_is(family: str, tmp_path: Path) -> None:
    folder = tmp_path / "my model"
    tokenizer, model = save_repository(folder, family)
    (folder / "training_args.bin").write_bytes(b"a pickle")
    (folder / "checkpoint-5").mkdir()
    before = contents(folder)
    checkpoint = from_pretrained(folder, device="cpu")
    assert (checkpoint.name, contents(folder)) == (str(folder), before)
    text = ("translate Spanish to French: " if family == "t5" else "") + SENTENCES[0]
    expected = model.generate(
        **tokenizer(text, return_tensors="pt"),
        max_new_tokens=8,
        num_beams=1,
        do_sample=False,
        suppress_tokens=[tokenizer.pad_token_id],
    )[0, 1:].tolist()
    trace = decode(
        checkpoint.model, checkpoint.tokenizer, SENTENCES[0], DecodingOptions("greedy", max_length=8)
    )
    assert list(trace.hypotheses[0].token_ids) == expected


def test_one_command_lists_a_saved_folder_beside_the_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, root = tmp_path / "saved" / "mine", tmp_path / "checkpoints"
    save_repository(folder, "bart")
    before = contents(folder)
    monkeypatch.setattr("sys.argv", ["models.registry", str(folder), "--root", str(root)])
    main()
    assert capsys.readouterr().out.startswith("mine: ")
    assert Registry(root).names() == ("mine",)
    assert Registry(root).example("mine").hypotheses
    assert contents(folder) == before
    plain, gaps = (Registry(root).tokenizer(name) for name in ("mine", "mine@special_tokens"))
    assert [tokenizer.encode("el <mask> azul").tokens.count("<mask>") for tokenizer in (plain, gaps)] == [
        0,
        1,
    ]


def test_one_command_leaves_an_existing_checkpoint_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, root = tmp_path / "saved" / "mine", tmp_path / "checkpoints"
    save_repository(folder, "bart")
    monkeypatch.setattr("sys.argv", ["models.registry", str(folder), "--root", str(root)])
    (folder / "model.safetensors").rename(tmp_path / "weights")
    (folder / "model.safetensors").write_bytes((tmp_path / "weights").read_bytes()[:-100])
    with pytest.raises(SystemExit, match="mine"):
        main()
    assert not (root / "mine").exists()
    (tmp_path / "weights").replace(folder / "model.safetensors")
    main()
    before = contents(root)
    save_repository(tmp_path / "mine", "bart")
    monkeypatch.setattr("sys.argv", ["models.registry", str(tmp_path / "mine"), "--root", str(root)])
    with pytest.raises(SystemExit, match="mine"):
        main()
    assert contents(root) == before


def test_a_saved_folder_that_cannot_be_used_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    save_repository(folder, "bart")
    settings_of(folder, "generation_config.json", eos_token_id=[1, 2])
    with refused(CheckpointError, "start_or_end_token_unclear"):
        from_pretrained(folder, device="cpu")
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointError):
        from_pretrained(folder, device="cpu")
