"""Reads a link, and the checkpoint and source that it names: a fault stops no other part from applying."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import unquote

from demo.i18n import say
from demo.links import parameters
from demo.links.hiding import parts
from demo.work.context import AppContext
from demo.work.errors import form_sentence
from demo.work.operator.caps import MAX_CHARACTERS, MAX_OUTPUT_TOKENS
from demo.work.operator.settings import TABS
from demo.work.requests.checks import RequestError, check_fits, check_name, check_text
from demo.work.requests.compare import MAX_ROWS
from demo.work.requests.decode import decoding_options
from models.decoding.options import DecodingOptions
from models.decoding.strategies import description_of
from models.errors import brief
from models.registry.card import CheckpointError
from models.registry.name import UnknownCheckpointError

Checked = TypeVar("Checked")
EXAMPLE = f"{DecodingOptions.strategy},beam_size:{DecodingOptions.beam_size}"


@dataclass
class Link:
    """The parameters of one address, each once, and a sentence for each fault."""

    values: dict[str, str]
    tab: str = "decode"
    hide: tuple[str, ...] = ()
    faults: list[str] = field(default_factory=list)
    whole: bool = False  # settings that it does not name go back to their defaults on a page that is open

    @classmethod
    def parse(cls, items: Iterable[tuple[str, str]], tabs: Sequence[str] = TABS) -> Link:
        """Read the names and values of an address, in order; `tabs` are those of the page."""
        pairs = [
            (name, value) for name, value in items if not parameters.FOREIGN_PARAMETER.fullmatch(name[:40])
        ]
        size = sum(len(name) + len(value) for name, value in pairs)
        size += sum(_cut(value) for name, value in pairs if name == parameters.TOO_LONG)
        if size > parameters.MAX_LINK_CHARACTERS:
            sentence = say(
                "The link has {count} characters; at most {limit} are read, so it was left alone.",
                count=f"{size:,}",
                limit=f"{parameters.MAX_LINK_CHARACTERS:,}",
            )
            return cls({}, faults=[sentence])
        link = cls({})
        for name, value in pairs:
            link._add(name, value)
        link.tab = link.take("tab", parameters.choice(*tabs)) or "decode"
        link.hide = link._hidden()
        for name in [name for name in link.values if name not in parameters.PARAMETERS[link.tab]]:
            link.fault(
                say("{name} means nothing in the tab {tab}, so it was left out.", name=name, tab=link.tab)
            )
            del link.values[name]
        return link

    def _add(self, name: str, value: str) -> None:
        if name not in parameters.ALL_NAMES:
            close = difflib.get_close_matches(name[:40], parameters.ALL_NAMES, n=1, cutoff=0.6)
            if close:
                values = {"name": brief(name), "close": close[0]}
                self.fault(say("A link has no parameter {name}; did you mean {close}?", **values))
            else:
                self.fault_name(name)
        elif name in self.values:
            self.fault(say("{name} appears in the link more than once; the first one counts.", name=name))
        else:
            self.values[name] = value

    def _hidden(self) -> tuple[str, ...]:
        tab = self.tab if self.tab == "learn" else "decode"
        hideable = [name for name, part in parts().items() if tab in part.tabs]
        names = [name.strip() for name in self.values.pop("hide", "").split(",") if name.strip()]
        for name in dict.fromkeys(names):
            if name not in parts():
                close = difflib.get_close_matches(name[:40], parts(), n=1)
                if close:
                    values = {"name": brief(name), "close": close[0]}
                    self.fault(say("There is no part {name} to hide; did you mean {close}?", **values))
                else:
                    values = {"name": brief(name), "parts": ", ".join(hideable)}
                    self.fault(say("There is no part {name} to hide; there are: {parts}.", **values))
        return tuple(name for name in parts() if name in names)

    def fault(self, sentence: str) -> None:
        """Add the description of a fault unless it is there already."""
        if sentence not in self.faults:
            self.faults.append(sentence)

    def fault_name(self, name: str) -> None:
        """Add that a link has no such parameter."""
        self.fault(say("A link has no parameter {name}.", name=brief(name)))

    def first_faults(self) -> list[str]:
        """The first faults, and a sentence that counts the others."""
        unlisted = len(self.faults) - parameters.MAX_FAULTS
        if unlisted <= 0:
            return self.faults
        return [*self.faults[: parameters.MAX_FAULTS], say("And {count} more.", count=unlisted)]

    def take(self, name: str, check: Callable[[str, str], Checked]) -> Checked | None:
        """Take a parameter out of the link; return its checked value, or None if it is absent or wrong."""
        if name not in self.values:
            return None
        return self.attempt(check, name, self.values.pop(name))

    def attempt(self, check: Callable[..., Checked], *values: Any) -> Checked | None:
        """Return the result of `check`; add a fault and return None if it raises RequestError."""
        try:
            return check(*values)
        except RequestError as error:
            self.fault(form_sentence(error))
            return None

    def take_view(self, *, table: bool = False) -> dict[str, Any]:
        """Take out the parameters that say how to show the result."""
        checks = {**(parameters.TABLE if table else {}), **parameters.VIEW}
        values = {name: self.take(name, check) for name, check in checks.items()}
        return {name: value for name, value in values.items() if value is not None}

    def take_settings(self, max_length: int) -> dict[str, Any]:
        """Take out the settings that are valid together; `max_length` is the checkpoint's limit."""
        values: dict[str, Any] = {}
        for name in parameters.SETTINGS:
            if name in self.values:
                checked = self.attempt(_alone, name, parameters.convert(name, self.values.pop(name)))
                if checked is not None:
                    values[name] = checked
        longest = values.get("max_length", max_length)
        of_strategy = description_of(values.get("strategy", DecodingOptions.strategy)).settings
        # Settings that do not fit together: leave out one kind after the other until the rest does.
        for dropped in (("min_length",), ("num_groups",), ("beam_size",), of_strategy):
            if dropped == ("min_length",) and values.get("min_length", 0) < longest:
                continue
            if self.attempt(decoding_options, values, max_length) is not None:
                break
            for name in dropped:
                values.pop(name, None)
        return values

    def take_strategies(self, max_length: int) -> list[dict[str, Any]] | None:
        """Take out the strategies of a comparison, as in `greedy~beam,beam_size:8`; None if none is valid."""
        if "strategies" not in self.values:
            return None
        items = self.values.pop("strategies").split("~")
        if len(items) > MAX_ROWS:
            values = {"count": f"{len(items):,}", "limit": MAX_ROWS}
            self.fault(
                say("{count} strategies are too many at once; the first {limit} were taken.", **values)
            )
        strategies = [self.attempt(_strategy, item, max_length) for item in items[:MAX_ROWS]]
        return [values for values in strategies if values is not None] or None


def known_checkpoint(context: AppContext, link: Link, name: str, *, eight_bit: bool = False) -> str | None:
    """The checkpoint that a parameter names; None if the link names no usable one."""

    def check(_: str, value: str) -> str:
        linked = check_name(value)
        try:
            context.registry.config(linked.stored if eight_bit else linked)
        except (UnknownCheckpointError, CheckpointError) as error:
            raise RequestError(error.message) from error
        if linked.base not in context.registry.names():
            raise RequestError(
                "link_to_run_checkpoint",
                "A link opens no checkpoint of a training run. Choose it in the list.",
            )
        return value

    return link.take(name, check)


def source_text(context: AppContext, link: Link, name: str, checkpoint: str | None) -> str | None:
    """The text or picture of a parameter; None if there is none that the checkpoint can read."""

    def check(_: str, value: str) -> str:
        check_text(value)
        if checkpoint is not None:
            check_fits(checkpoint, value, context.config(checkpoint).reads_pictures)
        return value

    return link.take(name, check)


def reference_text(link: Link) -> str | None:
    """The reference translation of a comparison."""
    return link.take("reference", parameters.short_text(MAX_CHARACTERS))


def _cut(size: str) -> int:
    """The number of characters that were cut from an address, which the parameter `size` states."""
    return int(size) if size.isdecimal() and len(size) < 9 else 0


def _alone(name: str, value: Any) -> Any:
    """Check a setting by itself, with other settings at their defaults. Raises RequestError."""
    return getattr(decoding_options({name: value}, MAX_OUTPUT_TOKENS), name)


def _strategy(item: str, max_length: int) -> dict[str, Any]:
    first, *rest = item.split(",")
    values: dict[str, Any] = {"strategy": unquote(first)}
    for part in rest:
        name, colon, text = part.partition(":")
        if not colon:
            raise RequestError(
                "strategy_not_readable",
                "A strategy is written like {example}; got {value}.",
                example=EXAMPLE,
                value=brief(item),
            )
        values[name] = parameters.convert(name, unquote(text)) if name in parameters.SETTINGS else text
    checked = decoding_options(values, max_length)
    return {name: getattr(checked, name) for name in values}
