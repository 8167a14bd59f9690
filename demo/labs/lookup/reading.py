"""The text of the lab of one-hot rows and embeddings, and the table that its tokens are looked up in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.i18n import say
from demo.i18n.display import display_token
from demo.inspect.embeddings import SOURCE, TARGET, side_of, spaces_of
from demo.widgets.answers.content import Controls, NotHereError

if TYPE_CHECKING:
    from models.inspection.embeddings import Space
    from models.registry.checkpoint import Checkpoint, CheckpointConfig
    from models.tokenization.tokenizer import Tokenizer

PREFERRED = "spa-eng-gru"
# Written for this lab; a checkpoint of another task shows its own first example.
TEXTS: Mapping[tuple[str, str], str] = {
    ("translation", "es"): "El perro ve al gato y el gato ve al perro.",
    ("translation", "en"): "The dog sees the cat and the cat sees the dog.",
    ("shapes", ""): "a red circle and a blue square",
}
LETTERS = "attention"  # example for networks that read English letters
MAX_TOKENS, MAX_ROWS = 40, 20_000  # tokens of a text, rows of a table


@dataclass(frozen=True)
class LookupText:
    """A text as ids, and the table that they are looked up in."""

    space: Space
    ids: tuple[int, ...]  # ids of the text with its end token, without padding
    padding: int  # its id
    labels: Sequence[str]  # label of every id
    surfaces: Sequence[str]  # spelling of every id
    checkpoint: str
    side: str
    is_output: bool  # whether the output layer has the same weights

    @property
    def first_positions(self) -> dict[int, int]:
        """The first position of each different token, from 1."""
        return {token: len(self.ids) - index for index, token in enumerate(reversed(self.ids))}

    @property
    def distinct(self) -> list[int]:
        """The different ids in the order of the text."""
        return list(dict.fromkeys(self.ids))


def read_text(controls: Controls) -> LookupText:
    """Read the typed text with the tokenizer of its side. Raises NotHereError."""
    configs = {name: config for name, config in controls.networks.configs() if config.vocab_size <= MAX_ROWS}
    if not configs:
        raise NotHereError("no_table_to_show", "There is no checkpoint here whose table could be shown.")
    name = controls.choose("checkpoint", say("network"), [(config, config) for config in configs], PREFERRED)
    with controls.networks.open_checkpoint(name) as (checkpoint, _):
        spaces = spaces_of(checkpoint)
    side = side_of(controls, spaces)
    tokenizer = _tokenizer(checkpoint, side)
    text = controls.text_field("text", say("your text"), _example(configs[name], tokenizer))
    if not text.strip():
        raise NotHereError("text_to_look_up_missing", "Type a text whose tokens are looked up.")
    ids = tokenizer.encode(text).ids
    if len(ids) > MAX_TOKENS:
        raise NotHereError(
            "text_too_long_to_look_up",
            "The text has {count} tokens; at most {limit} are shown here.",
            count=len(ids),
            limit=MAX_TOKENS,
        )
    space = spaces[side]
    surfaces = [tokenizer.token(item) for item in range(len(space.table))]
    labels = list(map(display_token, surfaces))
    tied = side != SOURCE and bool(configs[name].network.get("tie_output"))
    return LookupText(space, ids, tokenizer.pad_id, labels, surfaces, name, side, tied)


def _tokenizer(checkpoint: Checkpoint, side: str) -> Tokenizer:
    """Return the tokenizer of this side's texts."""
    return checkpoint.tokenizer.target if side == TARGET else checkpoint.tokenizer


def _example(config: CheckpointConfig, tokenizer: Tokenizer) -> str:
    """Return a text of the checkpoint's own kind."""
    text = TEXTS.get((config.task, config.source_language))
    if text is None:
        return config.examples[0] if config.examples else LETTERS
    by_letters = len(tokenizer.encode(text).ids) > len(text.replace(" ", ""))
    return LETTERS if by_letters else text
