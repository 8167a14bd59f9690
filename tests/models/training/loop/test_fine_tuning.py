"""Fine-tuning: what a run takes from its start and from its recipe, and how it resumes without its start."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.corpus.pairs import Pair, Split
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.networks.architectures import network_config
from models.networks.config import ConfigError
from models.networks.recurrent.config import RecurrentConfig
from models.registry.card import CheckpointError, read_card
from models.registry.checkpoint import Checkpoint, load_checkpoint
from models.training.data.training_data import load_corpus
from models.training.events import TrainingEvent, TrainingPairDecoded, as_one_run
from models.training.loop.setup import effective_config, starting_checkpoint, with_examples
from models.training.loop.validation import MAX_TRAINING_PAIRS
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig
from tests.fakes.training.small_run import CONFIG, CPU, TRANSFORMER, after, losses, run
from tests.refusals import refused

pytestmark = pytest.mark.slow

DATA = DataConfig(train_size=400, valid_size=20, max_pieces=13, options={"longest": 4, "alphabet": 4})
LEARNING = replace(CONFIG, data=DATA, epochs=30, evaluate_every=40)
# A network of another kind and size than the start's: only its dropout may count.
TUNING = replace(LEARNING, start="base", network=replace(TRANSFORMER, dropout=0.35), epochs=1)


@pytest.fixture(scope="module")
def start_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a checkpoint that has learnt something."""
    output = tmp_path_factory.mktemp("base")
    assert losses(run(LEARNING, output))[-1] < 0.7
    return output / "best"


def loaded(folder: Path) -> Checkpoint:
    return load_checkpoint(folder, CPU)


def test_fine_tuning_begins_with_the_weights_of_its_start(start_folder: Path, tmp_path: Path) -> None:
    fresh = losses(run(replace(LEARNING, epochs=1), tmp_path / "fresh"))[0]
    tuned = losses(run(TUNING, tmp_path / "tuned", start=start_folder))[0]
    assert tuned < 0.6 * fresh


def test_fine_tuning_takes_network_and_tokenizer_of_the_start_and_dropout_of_the_recipe(
    start_folder: Path, tmp_path: Path
) -> None:
    run(TUNING, tmp_path, start=start_folder)
    base, tuned = loaded(start_folder), loaded(tmp_path / "best")
    assert network_config(tuned.config.network) == replace(
        network_config(base.config.network), dropout=TUNING.network.dropout
    )
    assert (tmp_path / "tokenizer.json").read_bytes() == (start_folder / "tokenizer.json").read_bytes()
    assert tuned.tokenizer.to_json() == base.tokenizer.to_json()
    saved = TrainingConfig.load(tmp_path / "best" / "recipe.json")
    assert (saved.start, saved.network) == ("base", network_config(tuned.config.network))
    assert "fine-tuned" in read_card(tmp_path / "best").summary


def test_fine_tuning_does_not_change_the_start(start_folder: Path, tmp_path: Path) -> None:
    before = {file.name: file.read_bytes() for file in start_folder.iterdir()}
    run(TUNING, tmp_path, start=start_folder)
    assert {file.name: file.read_bytes() for file in start_folder.iterdir()} == before


def test_a_tiny_learning_rate_keeps_the_weights_of_the_start(start_folder: Path, tmp_path: Path) -> None:
    optimizer = replace(TUNING.optimizer, learning_rate=1e-12, weight_decay=0.0, average_decay=0.0)
    run(replace(TUNING, optimizer=optimizer), tmp_path, start=start_folder)
    before, now = loaded(start_folder).model.state_dict(), loaded(tmp_path / "last").model.state_dict()
    assert before.keys() == now.keys()
    for name, tensor in before.items():
        assert torch.equal(tensor, now[name]), name


def test_fine_tuning_resumes_without_its_start(start_folder: Path, tmp_path: Path) -> None:
    """All that resuming needs lies in the run's own folder, and it gives what an unbroken run gives."""
    start = Path(shutil.copytree(start_folder, tmp_path / "start"))
    config = replace(TUNING, epochs=3)
    whole = run(config, tmp_path / "whole", start=start)
    first = run(config, tmp_path / "parted", start=start, should_stop=after(5))
    shutil.rmtree(start)
    resumed = run(config, tmp_path / "parted", resume=True)
    assert losses(first) + losses(resumed) == losses(whole)
    one, other = (loaded(tmp_path / name / "last") for name in ("whole", "parted"))
    assert one.config.sha256 == other.config.sha256
    assert network_config(one.config.network).dropout == TUNING.network.dropout


def test_languages_are_those_of_the_start_if_the_recipe_names_none(start_folder: Path) -> None:
    base = loaded(start_folder)
    base = replace(base, config=replace(base.config, source_language="es", target_language="en"))
    data = effective_config(TUNING, base, None).data
    assert (data.source_language, data.target_language) == ("es", "en")
    request = replace(TUNING, data=replace(DATA, target_language="de"))
    assert effective_config(request, base, None).data.target_language == "de"


def test_a_start_whose_folder_is_missing_is_named(start_folder: Path, tmp_path: Path) -> None:
    with refused(ConfigError, "start_without_folder", "base"):
        run(TUNING, tmp_path / "none")
    with refused(CheckpointError, "checkpoint_unusable", "config.json", "file_cannot_be_read"):
        run(TUNING, tmp_path / "none", start=tmp_path / "nowhere")
    assert starting_checkpoint(CONFIG, start_folder) is None  # a recipe without a start begins at random


def test_a_damaged_start_is_refused(start_folder: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(start_folder, tmp_path / "broken"))
    content = (broken / "model.safetensors").read_bytes()
    (broken / "model.safetensors").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with refused(CheckpointError, "other_digest"):
        run(TUNING, tmp_path / "run", start=broken)


def test_training_from_scratch_uses_the_recipe_unchanged() -> None:
    assert effective_config(CONFIG, None, None) is CONFIG
    assert isinstance(CONFIG.network, RecurrentConfig)


def test_examples_are_validation_sources_that_fit_a_line() -> None:
    sources = ["x" * 81, "aa", "bbbb", "aa", "c", "dd", "eeeee", "f", "ggg"]
    corpus = Split((("t", "t"),), tuple((source, "y") for source in sources))
    examples = with_examples(replace(CONFIG, examples=()), corpus).examples
    assert examples == ("eeeee", "bbbb", "ggg", "aa", "dd")  # the longest first, each once
    assert with_examples(CONFIG, corpus).examples == CONFIG.examples


def test_fine_tuning_reports_the_outputs_of_taught_pairs(start_folder: Path, tmp_path: Path) -> None:
    """The original writes the outputs before the first step, the published checkpoint those at the end."""
    events = run(TUNING, tmp_path / "whole", start=start_folder)
    before, after = taught(events)
    assert len(before) == MAX_TRAINING_PAIRS
    assert [(pair.source, pair.target) for pair in before] == [(pair.source, pair.target) for pair in after]
    assert {(pair.source, pair.target) for pair in before} <= set(training_pairs())
    for folder, decoded in ((start_folder, before), (tmp_path / "whole" / "best", after)):
        checkpoint = loaded(folder)
        greedy = DecodingOptions("greedy", max_length=TUNING.max_length)
        sources = [pair.source for pair in decoded]
        assert translate(checkpoint.model, checkpoint.tokenizer, sources, greedy) == [
            pair.output for pair in decoded
        ]


def test_a_resumed_run_still_has_the_outputs_of_the_original(start_folder: Path, tmp_path: Path) -> None:
    whole = taught(run(TUNING, tmp_path / "whole", start=start_folder))
    parts = run(TUNING, tmp_path / "parts", start=start_folder, should_stop=after(3))
    parts += run(TUNING, tmp_path / "parts", resume=True)
    assert taught(as_one_run(parts)) == whole


def test_a_run_from_scratch_has_no_outputs_of_an_original(tmp_path: Path) -> None:
    assert not any(isinstance(event, TrainingPairDecoded) for event in run(CONFIG, tmp_path))


def taught(events: list[TrainingEvent]) -> tuple[list[TrainingPairDecoded], list[TrainingPairDecoded]]:
    """Return the decodings of step 0 and of the last step."""
    decoded = [event for event in events if isinstance(event, TrainingPairDecoded)]
    last = decoded[-1].step
    return [item for item in decoded if not item.step], [item for item in decoded if item.step == last]


def training_pairs() -> tuple[Pair, ...]:
    return load_corpus(TUNING.data, Path(), TUNING.seed).train
