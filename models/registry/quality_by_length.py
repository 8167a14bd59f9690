"""The scores of a checkpoint on short and on long sources, as `models.evaluation.by_length` measured them.

Plain numbers and strings with a JSON form. Imports no torch.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from models.errors import UnrolledError, brief, not_a_text, not_one_of
from models.setting import Setting

QUALITY_VERSION = 1
BLEU, EXACT_MATCH = "BLEU", "exact match"
QUALITY_METRICS = (BLEU, EXACT_MATCH)
LENGTH_UNITS = ("words", "characters")
_QUALITY_COUNT = Setting(low=1, high=1_000_000_000, default=1)  # sources, units or resamples
_QUALITY_SCORE = Setting(low=0, high=100, default=0.0)


class QualityError(UnrolledError, ValueError):
    """An invalid record; the message names the field."""


@dataclass(frozen=True)
class LengthBin:
    """The sources of `first` to `last` units, and the checkpoint's score on them, 0 to 100."""

    first: int
    last: int
    sources: int
    value: float
    low: float  # the lower end of the 95 % interval
    high: float

    def __post_init__(self) -> None:
        """Raise QualityError for impossible numbers."""
        for name in ("first", "last", "sources"):
            _QUALITY_COUNT.check(getattr(self, name), QualityError, name)
        for name in ("value", "low", "high"):
            _QUALITY_SCORE.check(getattr(self, name), QualityError, name)
        if self.first > self.last or self.low > self.high:
            raise QualityError(
                "bin_out_of_order", "a bin must run from its lower to its higher end; got {value}", value=self
            )


@dataclass(frozen=True)
class QualityByLength:
    """One checkpoint on one test set. Two can be compared if their `same_test` is equal."""

    checkpoint: str
    task: str  # "translation", "reversal", ...
    source_language: str  # BCP 47, or "" where it is not a language
    target_language: str
    test_set: str  # digest of its sources and references
    metric: str  # one of QUALITY_METRICS
    signature: str  # sacrebleu's, "" for exact match
    strategy: str  # "greedy", "beam 4"
    unit: str  # the unit of lengths, one of LENGTH_UNITS
    resamples: int  # resamples of the bootstrap behind the intervals, 0 for Wilson's
    bins: tuple[LengthBin, ...]  # sorted by length; they do not overlap

    def __post_init__(self) -> None:
        """Raise QualityError for a record that cannot be read or drawn."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "str" and not isinstance(value, str):
                raise QualityError(not_a_text(field.name, value))
            if field.type == "str" and not value.isprintable():
                raise QualityError(
                    "no_printable_line",
                    "{name} must be one printable line; got {value}",
                    name=field.name,
                    value=brief(value),
                )
        for name, allowed in (("metric", QUALITY_METRICS), ("unit", LENGTH_UNITS)):
            if (value := getattr(self, name)) not in allowed:
                raise QualityError(not_one_of(name, allowed, value))
        replace(_QUALITY_COUNT, low=0).check(self.resamples, QualityError, "resamples")
        if not self.bins:
            raise QualityError("no_bins", "bins must hold at least one bin")
        if any(one.last >= other.first for one, other in zip(self.bins, self.bins[1:], strict=False)):
            raise QualityError("bins_overlap", "bins must rise in length without overlap")

    @property
    def same_test(self) -> tuple[object, ...]:
        """A key; equal for two measurements that can share a chart."""
        edges = tuple((bin.first, bin.last) for bin in self.bins)
        # It includes the signature: with another tokenizer the same outputs have another BLEU.
        return self.task, self.test_set, self.metric, self.signature, self.unit, edges

    def to_json(self) -> str:
        """The content of `quality_by_length.json`."""
        return json.dumps({"schema_version": QUALITY_VERSION, **asdict(self)}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> QualityByLength:
        """The record that `to_json` wrote. Raises QualityError."""
        try:
            data: dict[str, Any] = dict(json.loads(text))
            version = data.pop("schema_version", None)
            if version != QUALITY_VERSION:
                raise QualityError(
                    "quality_other_schema",
                    "schema version {version} is not {own}, which is read here",
                    version=repr(version),
                    own=QUALITY_VERSION,
                )
            bins = tuple(LengthBin(**item) for item in data.pop("bins"))
            return cls(**data, bins=bins)
        except QualityError:
            raise
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise QualityError(
                "quality_damaged", "it holds no such record ({reason})", reason=error
            ) from error
