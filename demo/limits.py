"""What one visitor may ask of the server, in one place."""

from __future__ import annotations

MAX_CHARACTERS = 500  # of the source text
MAX_BEAM_SIZE = 16
MAX_SAMPLES = 100
MAX_OUTPUT_TOKENS = 100
MAX_LENGTH_PENALTY = 5.0  # and at least its negative
MIN_TEMPERATURE, MAX_TEMPERATURE = 0.05, 5.0
MAX_TOP_K = 1000
MAX_DIVERSITY = 20.0  # nats
MIN_NODE_BUDGET, MAX_NODE_BUDGET = 100, 100_000  # prefixes of exact search
MAX_NGRAM = 10
MAX_REPETITION_PENALTY = 5.0
MAX_BANNED_CHARACTERS = 200
MAX_TYPED_CHARACTERS = 60  # of a token to force
MAX_SEED = 2**32 - 1
DEADLINE_SECONDS = 20.0  # for one decoding

MAX_NAME_CHARACTERS = 100  # of a checkpoint's name
MAX_CACHED_BYTES = 1 << 30  # of weights in memory
MAX_TOKENIZERS = 50  # in memory
MAX_BODY_BYTES = 1 << 20  # of one HTTP request
MAX_QUEUE = 32  # requests that wait
MAX_RUNNING = 2  # handlers of a kind that run at once
MAX_STOPPABLE = 64  # decodings that the server remembers to be able to stop them

MAX_UPLOAD_BYTES = 20 << 20  # of one file of training data
MAX_PASTED_CHARACTERS = 200_000  # of pairs typed or pasted
MAX_TITLE_CHARACTERS = 60  # of a run
