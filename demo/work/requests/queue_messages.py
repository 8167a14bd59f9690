"""The sentences for visitors who get no place in the queue, or leave it."""

from __future__ import annotations

from demo.i18n import later
from models.errors import Message

QUEUE_FULL = later(
    "The server is busy: all {places} places in the queue are taken. Nothing is lost; try again in a minute."
)
VISITOR_QUEUE_FULL = later(
    "{places} of your requests are in the queue already, the most for one visitor. Nothing is "
    "lost; try again when one of them is done."
)
LEFT_QUEUE = Message("left_the_line", "Stopped before its turn came; the result below is the previous one.")
