"""Style rules that hide the parts of the training form that do not apply to its choices."""

from __future__ import annotations

from collections.abc import Iterable

from demo.training.work.fields import TEXT_ARCHITECTURES
from demo.training.work.presets import PRESETS
from models.corpus.generated.all_tasks import GENERATED


def training_rules() -> str:
    """The rules that hide all parts of a group except that of the chosen task, preset or architecture."""
    generated = ':has(#train-kind input[value="generated"]:checked)'
    selectors = (
        f".gradio-container{generated} .preset-help.for-own",
        f".gradio-container:not({generated}) .preset-help.for-generated",
        *_others(".train-data", "#train-task", GENERATED, ".task-options", "task"),
        *_others(".train-settings", "#train-preset", PRESETS, ".preset-help", "preset"),
        *_others(
            ".train-settings", "#train-network-architecture", TEXT_ARCHITECTURES, ".of-architecture", "of"
        ),
    )
    return ",\n".join(selectors) + " { display: none !important; }"


def _others(form: str, picker: str, names: Iterable[str], parts: str, prefix: str) -> list[str]:
    selector = f'{form}:has({picker} input[value="%s"]:checked) {parts}:not(.{prefix}-%s)'
    return [selector % (name, name) for name in names]
