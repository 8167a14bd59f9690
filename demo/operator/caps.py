"""What one visitor may ask of the server, in one place: what the operator settled, and what is fixed."""

from __future__ import annotations

from demo.operator.settings import OperatorSettings
from models.environment.variables import SettingError, read


def _operator_settings() -> OperatorSettings:
    try:
        return read(OperatorSettings)
    except SettingError:  # app.py ends such a start with its sentence, before anything is served
        return OperatorSettings()


_SETTINGS = _operator_settings()  # read once: a cap holds for as long as the process lives

MAX_CHARACTERS = _SETTINGS.max_characters  # of the source text
MAX_BEAM_SIZE = _SETTINGS.max_beam_size
MAX_SAMPLES = _SETTINGS.max_samples
MAX_OUTPUT_TOKENS = _SETTINGS.max_output_tokens
MAX_TYPED_CHARACTERS = 60  # of a token to force
MAX_OPTION_CHARACTERS = 5_000  # of the lines that are typed into a view of Inspect
DEADLINE_SECONDS = float(_SETTINGS.deadline)  # for one decoding

MAX_NAME_CHARACTERS = 200  # of a checkpoint: one of the Hub may have 96, and a variant behind it
MAX_CACHED_BYTES = _SETTINGS.cache_bytes  # of weights in memory
MAX_TOKENIZERS = 50  # in memory
MAX_BODY_BYTES = 1 << 20  # of one HTTP request
MAX_QUEUE = _SETTINGS.queue  # decodings that wait
# Of one visitor, or of all programs of one address: decodings that wait, and calls that are open.
MAX_WAITING_OF_ONE = max(2, MAX_QUEUE // 4)
MAX_RUNNING = _SETTINGS.running  # decodings that run at once
# Handlers of a kind that run at once: all that wait in our own line, and those whom it turns away.
TURNED_AWAY = 8
MAX_HANDLERS = MAX_QUEUE + MAX_RUNNING + TURNED_AWAY
# Calls of all visitors that are open, from their post until their answers are fetched: as many as find a
# handler at once. Each address has its share.
MAX_CALLS = MAX_HANDLERS
MAX_READING = 2  # files of training data that are read at once
MAX_STOPPABLE = 64 + MAX_QUEUE  # decodings that the server remembers to be able to stop them

MAX_UPLOAD_BYTES = _SETTINGS.upload_bytes  # of one file of training data
MAX_PASTED_CHARACTERS = 200_000  # of pairs typed or pasted
MAX_TITLE_CHARACTERS = 60  # of a run
