"""The card and the first example that a run adds to its checkpoint."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from models.corpus.generated.all_tasks import TASKS
from models.registry.card import CARD
from models.registry.checkpoint import Checkpoint
from models.registry.registry import write_example
from models.training.events import EvaluationCompleted
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import FILES_TASK
from models.whole_file import write_whole


@dataclass(frozen=True)
class Outcome:
    """The results of a run for its card."""

    train_pairs: int
    valid_pairs: int
    steps: int
    seconds: float
    device: str
    best: EvaluationCompleted | None  # None for a run that ended before its first evaluation
    note: str = ""  # a note on the data
    valid_too_long: int = 0  # validation pairs that were left out


def write_card_and_example(
    folder: Path, checkpoint: Checkpoint, config: TrainingConfig, outcome: Outcome
) -> None:
    """Write the card, and the trace of the first example if the network can decode it."""
    text = card_text(config, checkpoint, outcome, (folder / "model.safetensors").stat().st_size)
    write_whole(folder / CARD, text)
    if checkpoint.config.examples:
        write_example(folder, checkpoint)


def card_text(config: TrainingConfig, checkpoint: Checkpoint, outcome: Outcome, weight_bytes: int) -> str:
    """A model card for the Hub: a YAML header, then Markdown."""
    header = yaml.safe_dump(
        _header(config, checkpoint, outcome, weight_bytes), sort_keys=False, allow_unicode=True
    )
    return f"---\n{header}---\n{_body(config, checkpoint, outcome)}"


def _header(
    config: TrainingConfig, checkpoint: Checkpoint, outcome: Outcome, weight_bytes: int
) -> dict[str, Any]:
    languages = [code for code in (config.data.source_language, config.data.target_language) if code]
    return {
        "license": "other",
        **({"language": languages} if languages else {}),
        "library_name": "unrolled",
        "tags": ["seq2seq", *(["fine-tuned"] if config.start else [])],
        "unrolled": {
            "summary": _summary(config),
            "task": config.data.task,
            "architecture": config.network.description(),
            "data": data_description(config),
            "parameters": checkpoint.model.num_parameters(),
            "bytes": weight_bytes,
        },
        "model-index": [{"name": _line(config.name), "results": _results(config, outcome)}],
    }


def data_description(config: TrainingConfig) -> str:
    """A phrase about the origin of the pairs."""
    data = config.data
    if data.task != FILES_TASK:
        task = TASKS[data.task]
        options = ", ".join(f"{name} {value}" for name, value in (task.defaults | dict(data.options)).items())
        return f"Generated: {task.title.lower()} ({options})"
    return "Pairs of texts that were given to the run"


def _summary(config: TrainingConfig) -> str:
    if config.start:
        return f"{_line(config.start)}, fine-tuned as {_line(config.name)}."
    return f"{_line(config.name)}, trained from scratch."


def _line(text: str) -> str:
    """A name without line breaks, which would end the header."""
    return " ".join(text.split())


@dataclass(frozen=True)
class _CardScore:
    kind: str  # the kind in the Hub's spelling
    name: str
    value: float
    pairs: int  # the pairs of the measurement


def _results(config: TrainingConfig, outcome: Outcome) -> list[dict[str, Any]]:
    """The entries of the header, one for each number of pairs: decoding may use fewer pairs than the loss."""
    kind = "translation" if config.data.task == FILES_TASK else "text2text-generation"
    figures = _scores(config, outcome)
    return [
        {
            "task": {"type": kind},
            "dataset": {"type": config.data.task, "name": f"{pairs:,} validation pairs"},
            "metrics": [
                {"type": figure.kind, "name": figure.name, "value": round(figure.value, 4)}
                for figure in figures
                if figure.pairs == pairs
            ],
        }
        for pairs in dict.fromkeys(figure.pairs for figure in figures)
    ]


def _scores(config: TrainingConfig, outcome: Outcome) -> list[_CardScore]:
    """The measures of a task: BLEU for texts from files, exact match, perplexity."""
    best = outcome.best
    if best is None:
        return []
    decoded = min(config.decode_valid, outcome.valid_pairs)
    result = []
    if best.bleu is not None and config.data.task == FILES_TASK:
        result.append(_CardScore("bleu", "BLEU", best.bleu, decoded))
    if best.exact_match is not None:
        result.append(_CardScore("exact_match", "exact match", best.exact_match, decoded))
    return [*result, _CardScore("perplexity", "perplexity", best.perplexity, outcome.valid_pairs)]


def _body(config: TrainingConfig, checkpoint: Checkpoint, outcome: Outcome) -> str:
    origin = (
        f"Fine-tuned from the checkpoint `{html.escape(_line(config.start))}`."
        if config.start
        else "Trained from random weights."
    )
    frozen = f" Frozen: {', '.join(config.freeze)}." if config.freeze else ""
    longer = (
        f" {outcome.valid_too_long:,} others were too long to be measured." if outcome.valid_too_long else ""
    )
    note = longer + (f" {outcome.note}" if outcome.note else "")
    return f"""# {html.escape(_line(config.name))}

**Network.** {config.network.description()}, {checkpoint.model.num_parameters():,} parameters,
{checkpoint.config.vocab_size:,} tokens. {origin}{frozen}

**Data.** {data_description(config)}: {outcome.train_pairs:,} pairs for training, {outcome.valid_pairs:,} for
validation.{note}

{_metrics_text(config, outcome)}

**Training.** {outcome.steps:,} steps in {outcome.seconds:.0f} s on {outcome.device}.

**Recipe.**

```json
{json.dumps(config.to_dict(), indent=2, ensure_ascii=False)}
```
"""


def _metrics_text(config: TrainingConfig, outcome: Outcome) -> str:
    if outcome.best is None:
        return "**Metrics.** None: the run ended before its first evaluation."
    rows = "\n".join(
        f"| {figure.name} | {figure.value:.2f} | {figure.pairs:,} |" for figure in _scores(config, outcome)
    )
    step = outcome.best.step
    return f"""**Metrics** on the validation pairs, at step {step:,}, where their loss was lowest; the
checkpoint was chosen by them, so new data would be a stricter test:

| metric | value | pairs |
|---|--:|--:|
{rows}"""
