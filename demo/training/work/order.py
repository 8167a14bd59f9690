"""The checked form of a training, and the run that it starts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from demo.i18n import later
from demo.training.work.fields import checked_values, training_config
from demo.training.work.source import DataSource, Prepared, files_of, prepare, task_settings
from demo.work.operator.caps import MAX_TITLE_CHARACTERS
from demo.work.requests.checks import RequestError, check_short_text
from models.corpus.corrections import CorrectionSet
from models.networks.config import ConfigError, NetworkConfig
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import FILES_TASK
from models.training.runs.request import RUN_ID, RunRequest

MAX_NAME_CHARACTERS = 40


@dataclass(frozen=True)
class TrainingOrder:
    """A checked training form."""

    title: str
    start: str  # the checkpoint to fine-tune, "" = from scratch
    source: DataSource
    config: TrainingConfig

    @classmethod
    def parse(
        cls,
        title: object,
        start: object,
        data: Mapping[str, Any],
        settings: Mapping[str, Any],
        label_of: Callable[[str], str] = str,
    ) -> TrainingOrder:
        """Check the values of the widgets; `label_of` gives the label of the start. Raises RequestError."""
        check_short_text(later("name"), title, MAX_TITLE_CHARACTERS)
        check_short_text(later("checkpoint to start from"), start or "", 100)
        source = DataSource.parse(data)
        values = checked_values(settings)
        label = label_of(str(start)) if start else ""
        name = str(title).strip() or default_title(source, label)
        config = training_config(slug(name), task_settings(source), values, label)
        return cls(name, str(start or ""), source, config)

    def tuning(self, network: NetworkConfig) -> TrainingOrder:
        """The order with the network of the start, which is trained, and the form's dropout."""
        network = network.with_dropout(self.config.network.dropout)
        try:
            return replace(self, config=replace(self.config, network=network))
        except ConfigError as error:
            raise RequestError(
                "settings_do_not_fit_checkpoint",
                "These settings do not fit the checkpoint: {error}.",
                error=error,
            ) from error

    def prepare(self, corrections: CorrectionSet | None) -> Prepared:
        """Read or generate the pairs. Raises DataError, RequestError."""
        data = self.config.data
        return prepare(self.source, corrections, (data.train_size, data.valid_size), self.config.seed)

    def request(self, token: str, device: str, start_folder: Path | None, prepared: Prepared) -> RunRequest:
        """The request for the launcher. Raises RequestError if rows are malformed and may not be skipped."""
        if prepared.malformed_count and not self.source.skip_malformed:
            raise RequestError(
                "rows_malformed",
                "Rows that cannot be read: {count}. The first is line {line}: {reason}. Mend the "
                "file, or tick “Leave out malformed rows”.",
                count=f"{prepared.malformed_count:,}",
                line=prepared.malformed[0].line,
                reason=prepared.malformed[0].reason,
            )
        return RunRequest.new(
            self.title,
            self.config,
            token,
            device=device,
            start=self.start,
            start_folder=start_folder,
            data=prepared.description,
        )

    def files(self, prepared: Prepared) -> dict[str, str]:
        """The data files of the run; a generated task needs none."""
        return {} if self.source.kind == "generated" else files_of(prepared)


def default_title(source: DataSource, start: str) -> str:
    """The title of a run without one."""
    data = source.task or {"corrections": "corrections"}.get(source.kind, "pairs")
    return f"{start} on {data}" if start else data


def slug(title: str) -> str:
    """A name for files: letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:MAX_NAME_CHARACTERS].strip("-") or "run"


def command(config: TrainingConfig, start_folder: Path | None) -> str:
    """The command line of the same run, with the recipe saved as `NAME.json`."""
    words = ["python", "-m", "models.training", "--config", f"{config.name}.json"]
    words += ["--output", f"runs/{config.name}"]
    if config.data.task == FILES_TASK:
        words += ["--data", "DATA"]
    if start_folder is not None:  # shows no path of the server and no id of a run, which is a secret
        folder = start_folder.parent.name
        words += ["--start", "START" if RUN_ID.fullmatch(folder) else f"{folder}/{start_folder.name}"]
    return shlex.join(words)
