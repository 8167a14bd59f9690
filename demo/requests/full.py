"""What is said to whoever finds no place in line."""

from __future__ import annotations

from demo.i18n import later

FULL = later(
    "The server has its hands full: every one of the {places} places in line is taken. Nothing is lost; "
    "try again in a minute."
)
YOURS_FULL = later(
    "{places} of your requests wait in line already, and nobody may have more there. Nothing is "
    "lost; try again when one of them is done."
)
