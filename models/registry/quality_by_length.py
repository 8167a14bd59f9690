"""What a checkpoint scores on short and on long sources, as `models.evaluation.by_length` measured it.

Plain numbers and strings with a JSON form: readable where no torch is loaded.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Any

SCHEMA_VERSION = 1
BLEU, EXACT_MATCH = "BLEU", "exact match"
METRICS = (BLEU, EXACT_MATCH)
UNITS = ("words", "characters")


class QualityError(ValueError):
    """A file that is no such record; the message names the field."""


@dataclass(frozen=True)
class LengthBin:
    """The sources of `first` to `last` units and what the checkpoint scores on them, 0 to 100."""

    first: int
    last: int
    sources: int
    value: float
    low: float  # of the 95 % interval
    high: float

    def __post_init__(self) -> None:
        """Raises QualityError for numbers that no measurement gives."""
        for name in ("first", "last", "sources"):
            number = getattr(self, name)
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                raise QualityError(f"{name} must be a whole number of at least 1; got {number!r}")
        for name in ("value", "low", "high"):
            number = getattr(self, name)
            if not isinstance(number, int | float) or isinstance(number, bool) or not math.isfinite(number):
                raise QualityError(f"{name} must be a number; got {number!r}")
        if self.first > self.last or self.low > self.high:
            raise QualityError(f"a bin must run from its lower to its higher end; got {self}")


@dataclass(frozen=True)
class QualityByLength:
    """One checkpoint on one test set; two can be compared where `same_test` says so."""

    checkpoint: str
    task: str  # "translation", "reversal", ...
    source_language: str  # BCP 47, or "" where it is no language
    target_language: str
    test_set: str  # digest of its sources and references
    metric: str  # of METRICS
    signature: str  # sacrebleu's, "" for exact match
    strategy: str  # "greedy", "beam 4"
    unit: str  # of UNITS, in which sources are as long as the bins say
    resamples: int  # of the bootstrap behind the intervals
    bins: tuple[LengthBin, ...]  # lengths rising, none twice

    def __post_init__(self) -> None:
        """Raises QualityError for what cannot be read or drawn."""
        for field in fields(self):
            if field.type == "str" and not isinstance(getattr(self, field.name), str):
                raise QualityError(f"{field.name} must be a text; got {getattr(self, field.name)!r}")
        for name, allowed in (("metric", METRICS), ("unit", UNITS)):
            if getattr(self, name) not in allowed:
                raise QualityError(f"{name} must be one of {', '.join(allowed)}; got {getattr(self, name)!r}")
        if not self.bins:
            raise QualityError("bins must hold at least one bin")
        if any(one.last >= other.first for one, other in zip(self.bins, self.bins[1:], strict=False)):
            raise QualityError("bins must rise in length without overlap")

    @property
    def same_test(self) -> tuple[object, ...]:
        """Equal for two measurements whose numbers can stand on one chart."""
        edges = tuple((each.first, each.last) for each in self.bins)
        return self.task, self.test_set, self.metric, self.unit, edges

    def to_json(self) -> str:
        """The content of `quality_by_length.json`."""
        return json.dumps({"schema_version": SCHEMA_VERSION, **asdict(self)}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> QualityByLength:
        """The record that `to_json` wrote. Raises QualityError."""
        try:
            data: dict[str, Any] = dict(json.loads(text))
            version = data.pop("schema_version", None)
            if version != SCHEMA_VERSION:
                raise QualityError(f"schema version {version!r} is not {SCHEMA_VERSION}, which is read here")
            bins = tuple(LengthBin(**each) for each in data.pop("bins"))
            return cls(**data, bins=bins)
        except QualityError:
            raise
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise QualityError(f"it holds no such record ({error})") from error
