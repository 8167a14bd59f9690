"""The name of a checkpoint: its base and, after an @, a variant or a precision.

"facebook/nllb-200-distilled-600M@eng_Latn-spa_Latn", "spa-eng-gru@int8". Imports no torch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from models.errors import UnrolledError, brief

VARIANT_MARK = "@"
EIGHT_BIT = "int8"  # the weights of the linear layers rounded to 8 bits
VARIANT_NAME = re.compile(r"[\w-][\w .+-]{0,99}")


class UnknownCheckpointError(UnrolledError, LookupError):
    """No checkpoint has this name; the message says which ones are close."""


@dataclass(frozen=True)
class CheckpointName:
    """The name by which a checkpoint is requested. A `Registry` knows whether it exists."""

    base: str  # a folder, the id of a run, or a repository "owner/name"
    variant: str = ""  # a pair of languages or a task; "" for the first
    precision: str = ""  # EIGHT_BIT, or "" for the weights as they are

    @classmethod
    def of(cls, name: str | CheckpointName) -> CheckpointName:
        """Parse a text; a parsed name is returned as it is.

        Raises UnknownCheckpointError for a variant that no checkpoint can have.
        """
        if isinstance(name, CheckpointName):
            return name
        base, *suffixes = str(name).split(VARIANT_MARK)
        precision = suffixes.pop() if suffixes[-1:] == [EIGHT_BIT] else ""
        variant = VARIANT_MARK.join(suffixes)
        if variant and not is_variant(variant):
            raise UnknownCheckpointError(
                "no_variants_name",
                "There is no variant {name}: the name of a variant has only letters, digits, spaces and "
                "the signs _ . + -.",
                name=brief(variant),
            )
        return cls(base, variant, precision)

    def __str__(self) -> str:
        return VARIANT_MARK.join(filter(None, (self.base, self.variant, self.precision)))

    @property
    def stored(self) -> CheckpointName:
        """The same name in the precision of the file."""
        return replace(self, precision="")

    @property
    def rounded(self) -> CheckpointName:
        """The same name with weights of 8 bits."""
        return replace(self, precision=EIGHT_BIT)


def is_base(text: str) -> bool:
    """Whether a text can be the base of a name, and be written in UTF-8."""
    return VARIANT_MARK not in text and text.isprintable()


def is_variant(text: str) -> bool:
    """Whether a variant may have that name."""
    return VARIANT_NAME.fullmatch(text) is not None
