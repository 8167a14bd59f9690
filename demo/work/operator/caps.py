"""The caps of several rooms: those set by the operator, and fixed ones. A cap of one room lies there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from demo.work.operator.settings import OperatorSettings
from models.decoding.options import settings
from models.decoding.settings import DecodingSetting
from models.environment.variables import SettingError, read


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
