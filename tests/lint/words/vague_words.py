"""The words and phrases that rules for plain words find, and the exceptions."""

from __future__ import annotations

import re

# A docstring is a sentence with a subject and a verb, or a noun phrase. These words begin neither.
OPENINGS = frozenset(
    ("Of", "What", "By", "For", "From", "In", "With", "To", "Those", "Who", "That", "As", "At", "On", "If")
)
# `The value of the variable` instead of `Its value`, in the product.
PRODUCT_OPENINGS = frozenset(("Its", "Their"))
# A participle or a preposition says nothing about the value: `options` instead of `asked`, `message` instead
# of `said`.
NAMES = frozenset(
    (
        *("found", "told", "asked", "chosen", "own", "written", "known", "kept", "shown", "seen", "given"),
        *("taken", "judged", "guided", "tightened", "narrow", "grown", "learnt", "measured", "looked"),
        *("caught", "held", "listed", "made", "said", "spoken", "wanted"),
        *("each", "at", "place", "ways", "looks", "closes"),
    )
)
# Verbs that do not say what a function does.
FUNCTIONS = frozenset(("look", "tell", "rest"))
SCRIPT_FUNCTION = re.compile(rf"function (?:{'|'.join(sorted(FUNCTIONS))})")
# `MAX_ROWS` instead of `MOST_ROWS` or a bare `MOST`; `options` instead of `asked_options`.
VAGUE_NAME = re.compile(r"_*(?:(?:MOST|LEAST|FEWEST)(?:_\w+)?|NEVER|asked_\w+)")
# `test_a_full_line_is_reported` instead of `test_a_full_line_says_so`: a name that needs no body beside it.
# `test_a_layer_equals_that_of_torch` instead of `test_a_layer_equals_torch_s`.
VAGUE_TEST = re.compile(
    r"test_(?:(?:it|they)_.*|.*_(?:told|said|nobody|nobodys|somebody|everybody|whoever|elses|hangs?|says_so"
    r"|say_so|taken_along|as_it_was)(?:_.*)?|.*_(?:s|instead))"
)
# `Imports no torch` instead of `Knows no torch`.
VAGUE_PHRASE = re.compile(r"\b(?:[Kk]nows|[Ll]oads) (?:no|neither|nothing)\b")
# `by this much` instead of `by so much`, and `None if there is none` instead of `None without one`.
VAGUE_NUMBER = re.compile(
    r"(?<!, )\bso (?:much|many)\b(?! (?:as|that)\b)|(?:\bNone|\"\") (?:for none|without one)\b"
)
# `step: int  # the teacher's step` instead of `step: int  # of the teacher`.
CONTINUED = re.compile(
    r"^\s+(\w+): [^#\n]*  # (by|of|that|which|whose|who|with|for|to|as|where)\b", re.MULTILINE
)
# The product: what follows holds in it, and not in tests and benchmarks.
PRODUCT = ("demo/", "models/")
# `MAX_NAME_CHARACTERS` instead of `LONGEST`, which meant ten things.
CONSTANTS = frozenset(
    (
        *("AGAIN", "HEIGHT", "KINDS", "LIMIT", "LIMITS", "LONGEST", "LOOK", "NAMES", "NOTHING", "PATIENCE"),
        *("REMEMBERED", "ROOM", "SLICE", "TOLERANCE"),
        *("BREATH", "CALM", "DRAWN", "ELSEWHERE", "EVERYWHERE", "FINEST", "HIGHEST", "HUGE", "LARGEST"),
        *("LASTING", "LATER", "LONG", "MANY", "OTHERS", "SETTLED", "STILL", "TUNED", "UNFIT", "WIDEST"),
    )
)
# `theirs` and `rest` instead of `library_model` and `remaining`, in `models` only.
MODEL_NAMES = frozenset(
    (
        *("begun", "everything", "far", "gone", "meant", "mine", "nothing", "opened", "others", "put"),
        *("rest", "sought", "spent", "theirs", "these", "twice", "used"),
    )
)
# Constants that mean the same in each module of `models` that defines them.
SHARED_CONSTANTS = frozenset(
    ("CHUNK_ROWS", "PAIRS_SEED", "POLL_SECONDS", "PROGRESS_SECONDS", "PROJECT_FOLDER", "READ_BYTES", "T")
)
# `# seconds of one decoding` instead of `# for one decoding`: a comment is a sentence or a noun phrase.
HANGING = re.compile(
    r"(?:^|\s)(?:#|//|/\*) ?(also|as|by|else|for|of|so that|that|those|what|when|which|who|whose|with)\b"
)
# `is not a key` instead of `is no key`, `again` instead of `anew`, in the sentences that a reader sees.
QUAINT = re.compile(r"(?<!here )\b(?:is|are) no (?!longer\b|more\b)|\b(?:anew|nought)\b|\bon show\b")
# `join_pairs` instead of `joined`: a function is named by what it does or returns. A seed is a noun.
PARTICIPLE = re.compile(r"_*(?!(?:seed|need|feed|speed|embed|red)$)[a-z]+ed")
SCRIPT_FUNCTION_NAME = re.compile(
    r"\bfunction (\w+)\(|\b(?:const|let) (\w+) = (?:async )?(?:\([^=]*\)|\w+) =>"
)
# A property is named like a value, and a fact of lessons by the word that a lesson's text uses.
VALUE_DECORATORS = frozenset(("property", "cached_property", "_fact"))
# A part of the literature's or of a library's words, and where it stands.
EXCEPTIONS: dict[str, str] = {
    "models/decoding/status.py KEPT": "a value of traces",
    "models/decoding/status.py CHOSEN": "a value of traces",
    "demo/widgets/columns/component.py chosen": "a key of the payload and of the browser's answer",
    "demo/i18n/__init__.py counted": "a number and its noun, in the words of the page",
    "demo/i18n/__init__.py listed": "joins texts into a list, beside `quoted`",
    "demo/i18n/__init__.py quoted": "a text between quotation marks",
    "demo/labs/pytorch/charrnn.py KEPT": "a control of a lab, as links name it",
    "demo/labs/pytorch/forcing.py GIVEN": "a control of a lab, as links name it",
    "demo/labs/pytorch/tokens.py LONGEST": "a control of a lab, as links name it",
    "models/training/loop/resume_state.py judged": "a key of saved states",
}
# `@property {string} message` instead of `told`, and the class `ev-message` instead of `ev-told`.
SPEECH_ACT = re.compile(r"@property \{.*\} \[?(asked|said|told)\b|[\w-]+-(asked|said|told)\b")
SCRIPT_NAME = re.compile(
    r"\b(?:const|let|var|function|class)\s+(\w+)|\b(\w+)\s*=>|[({,]\s*(\w+)(?=[^(){}]*\)\s*=>)"
)
