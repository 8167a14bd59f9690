"""The data that a visitor chooses: generated, a file, pasted text, a file from the Hub, or corrections."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from demo.i18n import later, say
from demo.widgets.columns.component import ColumnChoice, columns_to_show
from demo.work.operator.caps import MAX_PASTED_CHARACTERS
from demo.work.pairs import chosen_files, read_upload
from demo.work.requests.checks import RequestError, check_choice, check_short_text, number
from models.budget import let_others_run
from models.corpus.corrections import CorrectionSet
from models.corpus.files.columns import REFERENCE, SOURCE, Hints
from models.corpus.files.formats import read_pasted, read_table_file
from models.corpus.files.reading import Reading
from models.corpus.files.table import Malformed, TextTable
from models.corpus.generated.all_tasks import GENERATED, generate_split
from models.corpus.pairs import DataError, Pair, split_pairs
from models.errors import brief
from models.hub.dataset import HubFile, download_file
from models.training.recipe.sections import FILES_TASK

SOURCE_KINDS = ("generated", "file", "paste", "hub", "corrections")
TABLE_KINDS = ("file", "paste")  # kinds that are read at once
FEW_CORRECTIONS = 2  # one to train on, one for validation


@dataclass(frozen=True)
class DataSource:
    """The checked values of the data card."""

    kind: str
    task: str = ""  # the name of a generated task
    options: tuple[tuple[str, int], ...] = ()
    paths: tuple[str, ...] = ()  # an uploaded file, or line-aligned files
    encoding: str = ""  # "" = detect
    text: str = ""  # the text that was pasted
    repo: str = ""  # a data set's name on the Hub
    file: str = ""
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    hints: Hints = field(default_factory=Hints)  # hints from the checkpoint to fine-tune
    share: float = 0.05  # the share of the pairs that validates
    skip_malformed: bool = False
    download: HubFile | None = None  # the downloaded file of the Hub, after `fetch`

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> DataSource:
        """Check the values of the widgets, by name. Raises RequestError."""
        kind = raw.get("kind")
        check_choice(later("The kind of data"), kind, SOURCE_KINDS)
        if kind == "generated":
            task = raw.get("task")
            check_choice(later("The task"), task, tuple(GENERATED))
            options = tuple(
                (option.name, _whole(option.label, raw.get(f"{task}.{option.name}")))
                for option in GENERATED[str(task)].options
            )
            return cls("generated", task=str(task), options=options)
        names = ("encoding", "repo", "file")
        values: dict[str, Any] = {name: raw.get(name) or "" for name in names}
        for name in names:
            check_short_text(name.replace("_", " "), raw.get(name) or "", 500)
        check_short_text(later("pasted text"), raw.get("text") or "", MAX_PASTED_CHARACTERS)
        return cls(
            str(kind),
            paths=chosen_files(raw.get("path")),
            text=raw.get("text") or "",
            share=float(number("Share for validation", raw.get("share"), 0.01, 0.5)),
            columns=ColumnChoice.parse(raw.get("columns")),
            skip_malformed=raw.get("skip_malformed") is True,
            **values,
        )

    def fetch(self) -> DataSource:
        """The source with its file downloaded, if that is on the Hub. Raises DataError, RequestError."""
        if self.kind != "hub" or self.download is not None:
            return self
        if not self.repo or not self.file:
            raise RequestError(
                "hub_dataset_missing", "Name a dataset on the Hub, such as owner/name, and a file in it."
            )
        return replace(self, download=download_file(self.repo, self.file))


@dataclass(frozen=True)
class Prepared:
    """Pairs that are ready for training."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    description: str  # one sentence for people
    note: str = ""  # a note on the split
    columns: dict[str, Any] | None = None  # `columns_to_show` of the table, if there is one
    encoding: str = ""
    malformed: tuple[Malformed, ...] = ()  # the first of them
    malformed_count: int = 0


def prepare(
    source: DataSource, corrections: CorrectionSet | None, sizes: tuple[int, int], seed: int
) -> Prepared:
    """Read or generate the pairs and split them; `sizes` are those of generated training and validation data.

    Raises DataError, RequestError.
    """
    if source.kind == "generated":
        split = generate_split(source.task, *sizes, random.Random(seed), dict(source.options))
        description = say("{count} generated pairs", count=f"{len(split.train):,}")
        return Prepared(split.train, split.valid, description, split.note)
    if source.kind == "corrections":
        return _prepare_corrections(source, corrections, seed)
    table, name = read_source(source)
    headed, columns = source.columns.read(table, source.hints)
    let_others_run()
    selection = Reading(name, headed, columns).select()
    let_others_run()
    description = say("{count} pairs from {name}", count=f"{len(selection.pairs):,}", name=name)
    return replace(
        _split(source, selection.pairs, seed, description),
        columns=shown_columns(table, source),
        encoding=table.encoding,
        malformed=selection.malformed,
        malformed_count=selection.malformed_count,
    )


def _split(source: DataSource, pairs: Sequence[Pair], seed: int, description: str) -> Prepared:
    split = split_pairs(pairs, source.share, seed)
    return Prepared(_as_stored(split.train), _as_stored(split.valid), description, split.note)


def read_source(source: DataSource) -> tuple[TextTable, str]:
    """The table of an upload, a pasted text or a file of the Hub, and its name."""
    if source.kind == "paste":
        if not source.text.strip():
            raise RequestError(
                "no_pairs_pasted",
                "Paste some pairs first: one a line, a tab or => between source and target.",
            )
        return read_pasted(source.text), say("a pasted text")
    result = source.fetch().download
    if result is not None:
        table = read_table_file(result.path, result.file_name, encoding=source.encoding or None)
        return table, f"{result.repo}/{result.file_name} at {result.revision[:8]}"
    return read_upload(source.paths, source.encoding), " + ".join(Path(path).name for path in source.paths)


def shown_columns(table: TextTable, source: DataSource) -> dict[str, Any]:
    """The columns and their roles; outputs and scores play no part in training."""
    return columns_to_show(table, source.columns, source.hints, (SOURCE, REFERENCE))


def task_settings(source: DataSource) -> dict[str, Any]:
    """The settings of the recipe's data section that name the source."""
    if source.kind == "generated":
        return {"task": source.task, "options": dict(source.options)}
    return {"task": FILES_TASK, "train": "train.tsv", "valid": "valid.tsv"}


def files_of(prepared: Prepared) -> dict[str, str]:
    """The contents of a run's data files, by name; a header makes their columns certain."""
    return {"train.tsv": as_tsv(prepared.train), "valid.tsv": as_tsv(prepared.valid)}


def as_tsv(pairs: tuple[Pair, ...]) -> str:
    """The pairs, one per line; tabs and line breaks inside a text become spaces."""
    rows = (("source", "target"), *_as_stored(pairs))
    return "".join(f"{source}\t{target}\n" for source, target in rows)


def _as_stored(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """The pairs in the form that a run reads from its files: each white space is one space."""
    return tuple((" ".join(source.split()), " ".join(target.split())) for source, target in pairs)


def _prepare_corrections(source: DataSource, corrections: CorrectionSet | None, seed: int) -> Prepared:
    pairs = corrections.pairs() if corrections is not None else ()
    if len(pairs) < FEW_CORRECTIONS:
        raise DataError(
            "too_few_corrections",
            "your corrections are too few so far ({count}): correct at least {least} outputs on the "
            "Decode tab, with its button “Teach this”",
            count=len(pairs),
            least=FEW_CORRECTIONS,
        )
    description = say("{count} sentences that you corrected", count=f"{len(pairs):,}")
    return _split(source, pairs, seed, description)


def _whole(label: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1:
        raise RequestError(
            "field_not_whole",
            "{name} must be a whole number; got {value}.",
            name=say(label),
            value=brief(value),
        )
    return int(value)
