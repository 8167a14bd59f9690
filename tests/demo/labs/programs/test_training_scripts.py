"""The programs in PyTorch of labs that train begin with the same numbers as the labs."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import pytest

from demo.answers.controls import Controls
from demo.labs import wordvectors
from demo.labs.charrnn import lab as charrnn
from demo.labs.scripts import FOLDER, script_of, without_constant
from models.labs.character_training import CharacterResult
from tests.demo.labs.trained import trained
from tests.fakes.processes.programs import run_script_here

UPDATES = 5


def printed(name: str) -> str:
    return run_script_here(FOLDER / f"{name}.py")


def numbers(text: str, name: str) -> list[float]:
    return [float(result) for result in re.findall(rf"\b{name} ([\d.e+-]+)", text)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cell": "gru", "layers": "2", "rate": "1"},
        {"cell": "lstm", "clipping": "off"},
        {"truncation": "truncated", "every": 7},
        {"cell": "lstm", "layers": "2", "truncation": "truncated", "every": 5},
    ],
    ids=str,
)
def test_the_character_rnn_of_torch_has_the_same_losses_and_norms(
    options: dict[str, str | float], tmp_path: Path
) -> None:
    controls = Controls(options=options)
    choices = charrnn.settings(controls)
    assert without_constant("charrnn", controls.controls) == []
    program = tmp_path / "charrnn.py"
    program.write_text(script_of("charrnn", controls.controls), encoding="utf-8")
    text = run_script_here(program)
    result: CharacterResult | None = None
    for progress in charrnn.run(choices):
        result = progress.result()
        if len(result.losses) == UPDATES:
            break
    assert result is not None
    assert numbers(text, "loss") == pytest.approx(result.losses, abs=1e-5)
    assert numbers(text, "norm") == pytest.approx(result.norms, abs=1e-5)
    assert numbers(text, "uniform_perplexity") == [result.alphabet]
    assert numbers(text, "perplexity_before") == pytest.approx([result.held_out[0][1]], abs=1e-5)
    assert "output[-1] = h_n[-1]: True" in text


@pytest.mark.slow
def test_word_vectors_of_torch_have_the_same_losses() -> None:
    text = printed("wordvectors")
    *_, last = islice(wordvectors.run(wordvectors.settings(Controls())), UPDATES + 1)
    losses = numbers(text, "loss")
    assert len(losses) == UPDATES
    assert sum(losses) / UPDATES == pytest.approx(last.result().losses[0], abs=1e-5)
    assert losses[0] == pytest.approx(last.result().first_loss, abs=1e-5)
    facts = trained("wordvectors", 1).facts
    assert f"nearest {facts['nearest']} " in text
    assert numbers(text, "similarity") == pytest.approx([facts["similarity"]], abs=1e-5)
    assert numbers(text, "vocabulary") == [facts["vocabulary"]]
