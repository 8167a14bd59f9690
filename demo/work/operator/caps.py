"""The caps of several rooms: those set by the operator, and fixed ones. A cap of one room lies there.

`WORK` has the kinds of work that visitors may start: how many of each run and wait, and how long one may
take. Queues and `docs/settings.md` use this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

from demo.work.operator.settings import OperatorSettings
from models.decoding.description import DecodingSetting
from models.decoding.options import settings
from models.environment import SettingError, read


def _operator_settings() -> OperatorSettings:
    try:
        return read(OperatorSettings)
    except SettingError:  # app.py reports the error and ends before anything is served
        return OperatorSettings()


_SETTINGS = _operator_settings()  # read once, at the start of the process

MAX_CHARACTERS = _SETTINGS.max_characters  # the most characters of the source text
MAX_BEAM_SIZE = _SETTINGS.max_beam_size
MAX_SAMPLES = _SETTINGS.max_samples
MAX_OUTPUT_TOKENS = _SETTINGS.max_output_tokens
MAX_TYPED_CHARACTERS = 60  # the most characters of a token to force
MAX_OPTION_CHARACTERS = 5_000  # the most characters of the lines that are typed into a view of Inspect
DEADLINE_SECONDS = float(_SETTINGS.deadline)  # seconds that one decoding may run, without its waits

MAX_NAME_CHARACTERS = 200  # the most of a checkpoint's name: a Hub name has up to 96, and a variant
MAX_CACHED_BYTES = _SETTINGS.cache_bytes  # the most bytes of weights in memory
MAX_TOKENIZERS = 50  # tokenizers in memory
MAX_BODY_BYTES = 1 << 20  # the most bytes of one HTTP request
MAX_QUEUE = _SETTINGS.queue  # decodings that wait
# Waiting decodings of one visitor, or of all programs of one address.
MAX_WAITING_PER_VISITOR = max(2, MAX_QUEUE // 4)
MAX_RUNNING = _SETTINGS.running  # decodings that run at once
# Handlers of one kind at the same time: one for each decoding that runs or waits, and some that refuse
# calls.
REFUSING_HANDLERS = 8
MAX_HANDLERS = MAX_QUEUE + MAX_RUNNING + REFUSING_HANDLERS
# Open calls of all visitors, from the POST request until the answer is fetched: as many as there are
# handlers. Each address has its share.
MAX_CALLS = MAX_HANDLERS
MAX_READING = 2  # files of training data that are read at once
MAX_STOPPABLE = 64 + MAX_QUEUE  # running decodings that can be stopped

MAX_UPLOAD_BYTES = _SETTINGS.upload_bytes  # the most bytes of one file of training data
MAX_RECIPE_BYTES = 1 << 20  # the most bytes of a recipe's file
MAX_PASTED_CHARACTERS = 200_000  # the most characters of pairs typed or pasted
MAX_TITLE_CHARACTERS = 60  # the most characters of a run

# The caps of settings of a decoding, which the library itself allows to be larger.
CAPS = {
    "beam_size": MAX_BEAM_SIZE,
    "num_groups": MAX_BEAM_SIZE,
    "num_samples": MAX_SAMPLES,
    "max_length": MAX_OUTPUT_TOKENS,
    "min_length": MAX_OUTPUT_TOKENS - 1,
}


@cache
def allowed_settings() -> Mapping[str, DecodingSetting]:
    """Every setting by name, within the caps, for form, picker, API and links alike."""
    return {
        name: setting.with_maximum(CAPS[name]) if name in CAPS else setting
        for name, setting in settings().items()
    }


@dataclass(frozen=True)
class WorkKind:
    """A kind of work."""

    name: str
    meaning: str  # a list of what belongs to it
    running: int  # the most that run at once
    waiting: int = 0  # the most in a line that shows the position and refuses more
    of_one: int | None = None  # waiting ones of one visitor; None: no limit
    seconds: float = inf  # the most that one runs, without its waits; inf: its data has a cap instead

    @property
    def queue(self) -> dict[str, Any]:
        """Gradio's options of an event whose handler does the work; refused calls need threads, too."""
        limit = self.running + self.waiting + REFUSING_HANDLERS if self.waiting else self.running
        return {"concurrency_id": self.name, "concurrency_limit": limit}


DECODING = WorkKind(
    "decode",
    "decodings, Compare, scores, attribution, lenses, Inspect, `/evaluate`",
    MAX_RUNNING,
    MAX_QUEUE,
    MAX_WAITING_PER_VISITOR,
    DEADLINE_SECONDS,
)
EVALUATION = WorkKind("evaluations", "evaluations on the page", 1, 10, 1, 900.0)
LAB = WorkKind("labs", "trainings of a lab", 2, 30, 1, 60.0)
DATA = WorkKind(
    "data", "previews of training data", max(1, MAX_RUNNING // 2), MAX_QUEUE, MAX_WAITING_PER_VISITOR
)
READING = WorkKind("reading", "reading files of pairs", MAX_READING)
RUNS = WorkKind("runs", "starting, stopping and removing runs, keeping corrections", 8)
HUB = WorkKind("hub", "listing and fetching models of the Hub", 8)
PUSH = WorkKind("push", "sending a run to the Hub", 4)
OPENING = WorkKind("opening", "opening a checkpoint from its card", 8)

WORK = (DECODING, EVALUATION, LAB, DATA, READING, RUNS, HUB, PUSH, OPENING)
