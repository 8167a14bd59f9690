"""The checkpoint and the source that a link names, if they exist and fit each other."""

from __future__ import annotations

from demo.links import Link
from demo.links.parameters import short_text
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_CHARACTERS
from demo.work.requests.checks import RequestError, check_fits, check_name, check_text
from models.registry.card import CheckpointError
from models.registry.name import UnknownCheckpointError


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
    return link.take("reference", short_text(MAX_CHARACTERS))
