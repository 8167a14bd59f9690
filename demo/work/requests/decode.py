"""A request for a decoding, checked: text, checkpoint, options, and interventions.

Options come from outside, have names and any type, and are checked against the operator's bounds.
Imports no Gradio, and torch only to build a strategy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from demo.work.operator.caps import CAPS, allowed_settings
from demo.work.requests.checks import RequestError, check_name, check_text
from models.decoding.description import DecodingSetting
from models.decoding.limits import DecodingError, check_source
from models.decoding.options import DecodingOptions
from models.decoding.status import Stop
from models.decoding.strategies import is_used, setting_by_field
from models.decoding.trace import AttentionOverride, DecodingTrace
from models.errors import Message, brief
from models.tokenization.plain_text import NO_TEXT, plain_text

if TYPE_CHECKING:
    from models.registry.checkpoint import Checkpoint

# Bytes as measured: keys, values and copies for a token of the source in each row; the record of a row in one
# step, and of one attention weight in it; a search that goes depth first, whatever its settings.
STATE_BYTES, RECORD_BYTES, WEIGHT_BYTES, DEPTH_FIRST_BYTES = 8_000, 4_000, 36, 100 << 20
WITHOUT_OUTPUT = {
    Stop.TIME: Message(
        "decoding_out_of_time",
        "Decoding took too long and was stopped before any output was finished. Ask for a shorter output "
        "or fewer beams, or try again when the server is less busy.",
    ),
    Stop.BUDGET: Message(
        "budget_spent",
        "The budget was spent before any output was finished. Raise it, or ask for a shorter output.",
    ),
    Stop.CANCELLED: Message(
        "stopped_without_output",
        "Stopped before any output was finished; the result below is the previous one.",
    ),
    Stop.SHUTDOWN: Message(
        "shut_down_without_output",
        "The server is shutting down, and no output was finished before. Try again in a minute.",
    ),
    Stop.COMPLETE: Message(
        "no_output_satisfies",
        "No output satisfies these constraints. Ban or require fewer words, or allow other lengths and "
        "repetitions.",
    ),
}


def default_options() -> DecodingOptions:
    """The options of a request that sets none."""
    return DecodingOptions(**{name: item.default for name, item in allowed_settings().items()})


def decoding_options(values: object, max_length: int | None = None) -> DecodingOptions:
    """The options of a request: settings by their names, or as an answer has them. Raises RequestError.

    Missing settings have their defaults; `max_length`, in tokens, is for requests that do not set it.
    """
    if not isinstance(values, Mapping):
        raise RequestError(
            "strategy_not_an_object",
            "A strategy must be an object with its settings; got {value}.",
            value=brief(values),
        )
    renamed = setting_by_field()
    values = {renamed.get(name, name): value for name, value in values.items()}
    unknown = [name for name in values if name not in allowed_settings()]
    if unknown:
        raise RequestError(
            "no_such_decoding_setting",
            "There is no setting {name}; there are: {settings}.",
            name=brief(unknown[0]),
            settings=", ".join(allowed_settings()),
        )
    if max_length is not None:
        values = {"max_length": max_length, **values}
    try:
        with as_request_error():
            checked = {
                name: item.request_value(values.get(name, item.default))
                for name, item in allowed_settings().items()
            }
            return DecodingOptions(**checked, bounds=allowed_settings())
    except RequestError as error:
        error.strategy = str(values.get("strategy", DecodingOptions.strategy))
        raise


def chosen_settings(options: DecodingOptions) -> dict[str, Any]:
    """The settings that are not the default ones, and the strategy."""
    defaults = asdict(default_options())
    return {
        name: value
        for name, value in asdict(options).items()
        if name == "strategy" or value != defaults[name]
    }


def check_allowed(options: DecodingOptions) -> None:
    """Raises RequestError for options beyond the operator's caps, which `decoding_options` checks too."""
    for name, cap in CAPS.items():
        if getattr(options, name) > cap:
            allowed_settings()[name].check(getattr(options, name), RequestError)


@contextmanager
def as_request_error() -> Iterator[None]:
    """Turns DecodingError into RequestError with the same message."""
    try:
        yield
    except DecodingError as error:
        raise RequestError(error.message) from error


@dataclass(frozen=True)
class DecodeRequest:
    """One decoding. Raises RequestError for any invalid value."""

    checkpoint: str
    text: str
    settings: DecodingOptions = field(default_factory=default_options)
    forced: tuple[int, ...] = ()  # ids of the first tokens
    overrides: tuple[AttentionOverride, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.checkpoint)
        check_text(self.text)
        if not plain_text(self.text):
            raise RequestError(NO_TEXT)
        check_allowed(self.settings)


def decode_request(checkpoint: Any, text: Any, *settings: Any) -> DecodeRequest:
    """A request from the values of the page's widgets, in the order of `DecodingOptions`.

    The form hides what the strategy does not use: an unfinished value there is no reason to refuse.
    """
    values = dict(zip(allowed_settings(), settings, strict=False))
    for name, item in allowed_settings().items():
        if _is_hidden(item, values) and item.problem(values.get(name)):
            values.pop(name, None)
    return DecodeRequest(checkpoint, text, decoding_options(values))


def decoding_bytes(checkpoint: Checkpoint, request: DecodeRequest) -> int:
    """An estimate for a decoding at its largest length. Raises DecodingError for an unfit source."""
    settings = request.settings
    if is_used("node_budget", settings.strategy):
        return DEPTH_FIRST_BYTES
    widths = [name for name in ("num_samples", "beam_size") if is_used(name, settings.strategy)]
    rows = max((getattr(settings, name) for name in widths), default=1)
    tokens = len(check_source(checkpoint.model, checkpoint.tokenizer, request.text).tokens)
    layers, heads = checkpoint.model.attention_shape or (0, 0)
    record = RECORD_BYTES + WEIGHT_BYTES * tokens * layers * heads
    return int(rows * (STATE_BYTES * tokens + settings.max_length * record))


def without_output(trace: DecodingTrace) -> Message:
    """The reason why a search has no output, and what to do."""
    return WITHOUT_OUTPUT[trace.exploration.stop if trace.exploration else Stop.COMPLETE]


def _is_hidden(item: DecodingSetting, values: Mapping[str, Any]) -> bool:
    """Whether the form hides a setting for these values, see `demo.decode.controls.strategy`."""
    is_idle = item.idle is not None and values.get(item.idle[0]) == item.idle[1]
    return is_idle or not is_used(item.name, values.get("strategy", ""))
