"""The state that visitors share."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from demo.api.endpoints import on_checkpoints
from demo.work import context as context_module
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from demo.work.watch import Watch
from models.decoding.options import DecodingOptions
from models.decoding.search.step import SearchStep
from models.decoding.status import Stop
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint, save_checkpoint
from models.registry.registry import Registry, UnknownCheckpointError
from models.tokenization.tokenizer import Tokenizer
from tests.demo.conftest import LETTERS, TEXTS, WORDS
from tests.refusals import refused
from tests.waiting import PATIENCE


def test_a_checkpoint_removed_during_the_search_for_a_default_is_skipped(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = Registry(root)
    there = registry.names()
    monkeypatch.setattr(registry, "names", lambda: ("a-gone-one", *there))
    context = AppContext(registry, "cpu")
    assert context.default_checkpoint in there
    assert [entry["name"] for entry in on_checkpoints(context)] == [*there]


def test_a_checkpoint_is_read_once(context: AppContext) -> None:
    assert context.checkpoint(LETTERS) is context.checkpoint(LETTERS)


def test_simultaneous_visitors_share_one_loaded_checkpoint(context: AppContext) -> None:
    with ThreadPoolExecutor(8) as visitors:
        result = list(visitors.map(context.checkpoint, [LETTERS, WORDS] * 8))
    assert len(set(map(id, result))) == 2
    assert [checkpoint.name for checkpoint in result] == [LETTERS, WORDS] * 8


@pytest.mark.slow
def test_visitors_with_different_checkpoints_do_not_mix(context: AppContext) -> None:
    def decode(name: str) -> tuple[str, str]:
        trace = context.decode(DecodeRequest(name, TEXTS[1], DecodingOptions(max_length=6)))
        return trace.checkpoint, trace.to_json()

    alone = {name: decode(name) for name in (LETTERS, WORDS)}
    assert alone[LETTERS][1] != alone[WORDS][1]
    names = [LETTERS, WORDS] * 6
    with ThreadPoolExecutor(6) as visitors:
        assert list(visitors.map(decode, names)) == [alone[name] for name in names]


def test_the_least_recently_used_checkpoint_is_dropped(root: Path) -> None:
    context = AppContext(Registry(root), "cpu", max_cached_bytes=1)
    first = context.checkpoint(LETTERS)
    assert context.checkpoint(LETTERS) is first  # the newest stays, however large
    context.checkpoint(WORDS)
    assert context.checkpoint(LETTERS) is not first


def test_a_broken_checkpoint_is_reported_and_others_stay_usable(context: AppContext, root: Path) -> None:
    (root / WORDS / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    for _ in range(2):
        with refused(CheckpointError, "checkpoint_unusable", "model.safetensors", "lfs_pointer", "lfs_pull"):
            context.checkpoint(WORDS)
    assert context.decode(DecodeRequest(LETTERS, "hola")).checkpoint == LETTERS


def test_an_unknown_name_leaves_nothing_behind(context: AppContext) -> None:
    with refused(UnknownCheckpointError, "did_you_mean", "letters"):
        context.checkpoint("leters")
    assert not context._loading


def test_the_page_opens_with_a_checkpoint_that_can_be_shown(context: AppContext, root: Path) -> None:
    assert context.default_checkpoint == LETTERS
    (root / LETTERS / "example.json").unlink()
    assert context.default_checkpoint == WORDS
    (root / WORDS / "example.json").write_text("{}")
    assert context.default_checkpoint == LETTERS  # broken or not, one is chosen


def test_the_preferred_checkpoint_goes_first(context: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_module, "PREFERRED", WORDS)
    assert context.default_checkpoint == WORDS


def test_a_folder_without_checkpoints_has_no_default(tmp_path: Path) -> None:
    context = AppContext(Registry(tmp_path), "cpu")
    assert context.default_checkpoint is None
    context.warm_up()


def test_an_absent_device_is_named_to_the_operator(root: Path) -> None:
    context = AppContext(Registry(root), "meta")
    with refused(RequestError, "device_lacking", "no_such_device"):
        context.decode(DecodeRequest(LETTERS, "hola"))
    context.warm_up()  # logs it and goes on


def test_a_search_that_takes_too_long_is_stopped(context: AppContext) -> None:
    with refused(RequestError, "decoding_out_of_time"):
        context.decode(DecodeRequest(LETTERS, "hola", DecodingOptions(min_length=5)), Watch(seconds=-1))


def test_a_stopped_search_keeps_its_best_output(context: AppContext) -> None:
    request = DecodeRequest(LETTERS, "hola", DecodingOptions("exact", node_budget=100_000, min_length=5))

    class StopAtFirst(Watch):
        def __call__(self, step: SearchStep) -> Stop | None:
            if self.finished:
                self.cancelled.set()
            return super().__call__(step)

    trace = context.decode(request, StopAtFirst(seconds=math.inf))
    assert trace.exploration is not None
    assert trace.exploration.stop is Stop.CANCELLED
    assert trace.hypotheses[0].log_prob < 0
    at_once = Watch()
    at_once.cancelled.set()
    with refused(RequestError, "stopped_without_output"):
        context.decode(request, at_once)


def test_constraints_that_nothing_satisfies_get_a_sentence(context: AppContext) -> None:
    # More tokens than the vocabulary has, and none of them twice.
    long_output = DecodingOptions(no_repeat_ngram_size=1, min_length=60, max_length=70)
    with refused(RequestError, "no_output_satisfies"):
        context.decode(DecodeRequest(LETTERS, "hola", long_output))


def test_a_refusal_of_the_library_becomes_a_refused_request(context: AppContext) -> None:
    with refused(RequestError, "max_length_out_of_range"):
        context.decode(_with_settings(DecodeRequest(LETTERS, "hola"), max_length=100_000))


def _with_settings(request: DecodeRequest, **values: object) -> DecodeRequest:
    """A request with settings that their constructor would refuse."""
    for name, value in values.items():
        object.__setattr__(request.settings, name, value)
    return request


def test_equal_seeds_give_equal_samples(context: AppContext) -> None:
    first, second = (
        DecodeRequest(LETTERS, "hola", DecodingOptions("sampling", seed=seed, max_length=8))
        for seed in (3, 4)
    )
    assert context.decode(first) == context.decode(first)
    assert context.decode(first) != context.decode(second)


def test_weights_of_8_bits_are_a_choice_whose_effect_can_be_seen(context: AppContext) -> None:
    whole, rounded = (
        context.decode(DecodeRequest(name, "hola", DecodingOptions(max_length=5)))
        for name in (LETTERS, f"{LETTERS}@int8")
    )
    assert (whole.checkpoint, rounded.checkpoint) == (LETTERS, f"{LETTERS}@int8")
    exact, near = (trace.steps[0].rows[0].top[0].log_prob for trace in (whole, rounded))
    assert near == pytest.approx(exact, abs=0.1)
    assert near != exact
    assert context.config(f"{LETTERS}@int8") == context.config(LETTERS)


def test_a_precision_of_an_unknown_checkpoint_is_unknown(context: AppContext) -> None:
    for name in ("nobody@int8", LETTERS + "@int8@int8"):
        with pytest.raises(UnknownCheckpointError):
            context.checkpoint(name)


def rewritten(root: Path, name: str, by: float) -> Checkpoint:
    """Write the checkpoint again as a continued run does, with `by` added to every weight."""
    checkpoint = Registry(root).load(name, torch.device("cpu"))
    with torch.no_grad():
        for parameter in checkpoint.model.parameters():
            parameter.add_(by)
    save_checkpoint(root / name, checkpoint)
    return checkpoint


@pytest.mark.parametrize("suffix", ["", "@int8"])
def test_a_checkpoint_that_was_written_anew_is_read_anew(
    context: AppContext, root: Path, suffix: str
) -> None:
    request = DecodeRequest(LETTERS + suffix, "hola", DecodingOptions(max_length=5))
    before, other = context.decode(request), context.checkpoint(WORDS)
    cached = context.checkpoint(LETTERS + suffix)
    assert context.checkpoint(LETTERS + suffix) is cached
    rewritten(root, LETTERS, 0.5)
    after = context.decode(request)
    assert context.checkpoint(LETTERS + suffix) is not cached
    assert before.steps[0].rows[0].top[0].log_prob != after.steps[0].rows[0].top[0].log_prob
    assert context.decode(request) == after
    assert context.checkpoint(WORDS) is other  # others stay in memory
    assert len(context._checkpoints) == 2  # the old weights do not stay


def test_weights_that_were_cut_short_and_repaired_beside_their_configuration_are_read_anew(
    context: AppContext, root: Path
) -> None:
    context.checkpoint(LETTERS)
    weights = root / LETTERS / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:100])
    with refused(CheckpointError, "other_digest"):
        context.checkpoint(LETTERS)
    weights.write_bytes(whole)
    assert context.checkpoint(LETTERS).name == LETTERS


def test_a_tokenizer_that_was_written_anew_is_read_anew(context: AppContext, root: Path) -> None:
    before = context.tokenizer(LETTERS)
    assert context.tokenizer(LETTERS) is before
    assert context.tokenizer(f"{LETTERS}@int8") is before
    folder = root / LETTERS
    words = Tokenizer.load(root / WORDS / "tokenizer.json")
    (folder / "tokenizer.json").write_text(words.to_json(), encoding="utf-8")
    (folder / "config.json").write_bytes((root / WORDS / "config.json").read_bytes())
    assert context.tokenizer(LETTERS).to_json() == words.to_json()


def test_the_number_of_cached_tokenizers_is_bounded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_module, "MAX_TOKENIZERS", 1)
    context = AppContext(Registry(root), "cpu")
    letters = context.tokenizer(LETTERS)
    context.tokenizer(WORDS)
    assert context.tokenizer(LETTERS) is not letters


def interrupted_save(root: Path) -> Path:
    """Write new weights beside the old digests; return the file with the new digests."""
    folder = root / LETTERS
    old = (folder / "config.json").read_bytes()
    rewritten(root, LETTERS, 0.01)
    partial = (folder / "config.json").rename(folder / "config.json.partial")
    (folder / "config.json").write_bytes(old)
    return partial


def test_the_unfinished_save_of_a_stalled_run_is_read(context: AppContext, root: Path) -> None:
    partial = interrupted_save(root)
    assert context.checkpoint(LETTERS).name == LETTERS
    assert not partial.exists()


def test_weights_that_do_not_fit_their_digest_are_refused(context: AppContext, root: Path) -> None:
    interrupted_save(root).unlink()
    with refused(CheckpointError, "other_digest"):
        context.checkpoint(LETTERS)


@pytest.mark.slow
def test_a_checkpoint_can_be_used_while_its_run_saves(
    context: AppContext, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demo.work.context.RETRY_SECONDS", PATIENCE)

    def write() -> None:
        for _ in range(12):
            rewritten(root, LETTERS, 0.01)
            time.sleep(0.03)

    with ThreadPoolExecutor(3) as pool:
        writing = pool.submit(write)
        while not writing.done():
            assert context.checkpoint(LETTERS).name == LETTERS
        writing.result()
    now = Registry(root).load(LETTERS, torch.device("cpu")).model.state_dict()
    for name, tensor in context.checkpoint(LETTERS).model.state_dict().items():
        assert torch.equal(tensor, now[name])
