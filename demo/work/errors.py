"""Errors as sentences for visitors: the one place where exceptions become messages of the page."""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from demo.i18n import later, message_text, say
from demo.work.requests.checks import RequestError
from models.decoding.options import settings
from models.decoding.strategies import description_of, names
from models.errors import Message, UnrolledError, quoted_label
from models.training.runs.request import without_secrets
from models.whole_file import disk_is_full

if TYPE_CHECKING:
    import gradio as gr

FULL_STOPS, QUOTED = tuple(".!?。！？"), tuple("”»")
REFUSAL_TITLE, WAIT_TITLE = later("That does not work"), later("One moment")
UNEXPECTED_ERROR = Message(
    "calm",
    "Something went wrong on the server. It has been noted; the page still works, so try something else.",
)
DISK_FULL = Message(
    "server_disk_full",
    "The server's disk is full, so nothing can be stored. Its operator has to free some space.",
)

logger = logging.getLogger("unrolled")


def guard(handler: Callable[..., Any], *bound: object, for_programs: bool = False) -> Callable[..., Any]:
    """Bind the first arguments of `handler`, a function or a generator, and turn its failures into a toast.

    An expected error says what to do; any other is logged once, with its traceback, and never shown. Settings
    have the labels of the page, or their names `for_programs`.
    """
    parameters = inspect.signature(handler).parameters.values()

    def once(*values: object) -> Any:
        with _boundary(handler.__name__, for_programs):
            return handler(*bound, *values)

    def step_by_step(*values: object) -> Iterator[Any]:
        with _boundary(handler.__name__, for_programs):
            yield from handler(*bound, *values)

    guarded_handler: Any = step_by_step if inspect.isgeneratorfunction(handler) else once
    guarded_handler.__name__ = handler.__name__
    guarded_handler.__doc__ = handler.__doc__
    guarded_handler.__signature__ = inspect.Signature(list(parameters)[len(bound) :])
    signed: Callable[..., Any] = guarded_handler
    return signed


@contextmanager
def _boundary(name: str, for_programs: bool) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        title = say(REFUSAL_TITLE) if isinstance(error, UnrolledError) else say("Sorry")
        message = failure_message(error, name)
        raise _toast(title, sentence(message if for_programs else with_labels(message, error))) from None


def form_failure(error: Exception, what: str) -> str:
    """The sentence about a failure of `what` in the words of the form; see `failure_message`."""
    return safe_text(sentence(with_labels(failure_message(error, what), error)))


def form_sentence(error: UnrolledError) -> str:
    """The sentence about an expected error in the words of the form; see `with_labels`."""
    return sentence(with_labels(error.message, error))


def with_labels(message: str, error: Exception | None = None) -> str:
    """The message in the words of the form: labels for names of settings, “nothing” for an empty field.

    A setting has the label that the strategy of a refused request gives it.
    """
    if not isinstance(message, Message):
        return message
    strategy = error.strategy if isinstance(error, RequestError) else ""
    captions = description_of(strategy).captions if strategy in names() else {}
    labels = {name: setting.label for name, setting in settings().items()}
    labels |= {name: caption.label for name, caption in captions.items()}

    def on_the_form(value: object) -> object:
        if isinstance(value, Message):
            return with_labels(value, error)
        if value in labels:
            return quoted_label(labels[str(value)])
        return Message("nothing", "nothing") if value == "None" else value

    fields = {name: on_the_form(value) for name, value in message.fields.items()}
    return Message(message.code, message.template, **fields)


def failure_text(error: Exception, what: str, *, secret: bool = False) -> str:
    """The sentence about a failure of `what`, in the language of the request; see `failure_message`."""
    return sentence(failure_message(error, what, secret=secret))


def failure_message(error: Exception, what: str, *, secret: bool = False) -> str:
    """The message about a failure of `what`, which `sentence` translates; an unexpected one is logged.

    An expected error has a message of its own. Any other is logged with its traceback, or by its class alone
    if its text may hold a `secret`, and visitors read only that something went wrong.
    """
    if isinstance(error, UnrolledError):
        return error.message
    if disk_is_full(error):
        logger.warning("%s failed: the disk is full", what)
        return DISK_FULL
    logger.error("%s failed: %s", what, type(error).__name__, exc_info=None if secret else error)
    return UNEXPECTED_ERROR


def sentence(error_or_text: UnrolledError | str) -> str:
    """A message of the library as a sentence for the page, with a capital letter and a full stop.

    The ids of runs in it are secrets, so only their last characters stay.
    """
    text = without_secrets(message_text(error_or_text))
    if text.endswith(FULL_STOPS):
        return text
    start = text if _begins_with_a_name(error_or_text) else text[:1].upper() + text[1:]
    return start if text.endswith(QUOTED) else say("{sentence}.", sentence=start)


def _begins_with_a_name(error_or_text: UnrolledError | str) -> bool:
    """Whether the first word names a file, a setting or a model, whose spelling must stay."""
    message = error_or_text.message if isinstance(error_or_text, UnrolledError) else error_or_text
    if not isinstance(message, Message):
        return not message.split(" ", 1)[0].isalpha()
    first_field = re.match(r"\{(\w+)\}", say(message.template))
    if first_field is None:
        return not message.template.split(" ", 1)[0].isalpha()
    value = message.fields[first_field[1]]
    return _begins_with_a_name(value) if isinstance(value, Message) else True


def safe_text(text: str) -> str:
    """The text with its HTML characters replaced by look-alikes, and without what UTF-8 cannot encode."""
    without_markup = text.translate({ord("<"): "‹", ord(">"): "›", ord("&"): "＆"})
    return without_markup.encode("utf-8", "replace").decode("utf-8")


def _toast(title: str, message: str) -> gr.Error:
    import gradio as gr

    return gr.Error(safe_text(message), title=title, print_exception=False)
