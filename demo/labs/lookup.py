"""An embedding is a lookup: one-hot rows times a table, its gradient, and who is near to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.answers.content import Cell, Chart, Content, NotHereError, Table
from demo.answers.controls import Controls
from demo.i18n import later, quoted, say
from demo.i18n.display import display_token, number_text
from demo.inspect.embedding_map import NEAR, TYPED, Point, map_figure
from demo.inspect.embeddings import TARGET, left_out_sentence, nearest_sentence, side_of, spaces_of
from demo.labs.lab import Lab
from demo.labs.lookup_figures import gradient_figure, one_hot_figure

if TYPE_CHECKING:
    from models.inspection.embeddings import Near, Space
    from models.labs.lookup import LookedUp
    from models.registry.checkpoint import Checkpoint, CheckpointConfig
    from models.tokenization.tokenizer import Tokenizer

PREFERRED = "spa-eng-gru"
# Written for this lab; a checkpoint of another task shows its own first example.
TEXTS: Mapping[tuple[str, str], str] = {
    ("translation", "es"): "El perro ve al gato y el gato ve al perro.",
    ("translation", "en"): "The dog sees the cat and the cat sees the dog.",
    ("shapes", ""): "a red circle and a blue square",
}
LETTERS = "attention"  # for networks that read English words by their letters
MOST_TOKENS, MOST_ROWS = 40, 20_000  # of the text, and of a table
PADDING = 2  # tokens that a longer text in the batch would have more
NEAREST = 8
AXES = (0, 1)


@dataclass(frozen=True)
class _Asked:
    """A text as ids, and the table that they are looked up in."""

    space: Space
    ids: tuple[int, ...]  # of the text with its end token, without padding
    padding: int  # its id
    labels: Sequence[str]  # of every id

    @property
    def places(self) -> dict[int, int]:
        """Where each different token stands first, from 1."""
        return {token: len(self.ids) - index for index, token in enumerate(reversed(self.ids))}

    @property
    def distinct(self) -> list[int]:
        """In the order of the text."""
        return list(dict.fromkeys(self.ids))


def look(chosen: Controls) -> Content:
    """The product and the lookup, which rows learn from the text, and the neighbours of one token."""
    from models.inspection.embeddings import near
    from models.labs.lookup import looked_up

    asked = _asked(chosen)
    table = asked.space.table
    about = _about(chosen, asked)
    result = looked_up(table, (*asked.ids, *[asked.padding] * PADDING), asked.padding)
    vector = table[about.ids[0]]
    without = {*asked.space.special, about.ids[0]}
    ranked = near(table, vector, len(table), [*without]) if float(vector.norm()) else ()
    points = _points(asked, about, ranked)
    return Content(
        [
            _finding(asked, result),
            _cost(result),
            _learning(asked, result),
            _padding(float(table[asked.padding].norm())),
            _nearest(asked, about, ranked),
            left_out_sentence(asked.space, AXES),
        ],
        [
            Chart("one-hot", say("One-hot rows: one 1 in each"), one_hot_figure(*_cells(asked))),
            Chart("gradient", say("Gradient of each row"), gradient_figure(*_bars(asked, result))),
            Chart("map", say("Map of the vectors"), map_figure(asked.space, points, about, AXES)),
        ],
        _table(asked, ranked, about),
        _facts(asked, result, ranked, about),
    )


def _asked(chosen: Controls) -> _Asked:
    """What the reader typed, by the tokenizer of its side. Raises NotHereError."""
    configs = {name: config for name, config in chosen.networks.configs() if config.vocab_size <= MOST_ROWS}
    if not configs:
        raise NotHereError("no_table_to_show", "There is no checkpoint here whose table could be shown.")
    name = chosen.choose("checkpoint", say("network"), [(config, config) for config in configs], PREFERRED)
    with chosen.networks.opened(name) as (checkpoint, _):
        spaces = spaces_of(checkpoint)
    side = side_of(chosen, spaces)
    tokenizer = _tokenizer(checkpoint, side)
    text = chosen.typed("text", say("your text"), _example(configs[name], tokenizer))
    if not text.strip():
        raise NotHereError("text_to_look_up_missing", "Type a text whose tokens are looked up.")
    ids = tokenizer.encode(text).ids
    if len(ids) > MOST_TOKENS:
        raise NotHereError(
            "text_too_long_to_look_up",
            "The text has {count} tokens; at most {limit} are shown here.",
            count=len(ids),
            limit=MOST_TOKENS,
        )
    space = spaces[side]
    labels = [display_token(tokenizer.token(item)) for item in range(len(space.table))]
    return _Asked(space, ids, tokenizer.pad_id, labels)


def _tokenizer(checkpoint: Checkpoint, side: str) -> Tokenizer:
    """That of the texts of this side."""
    return checkpoint.tokenizer.target if side == TARGET else checkpoint.tokenizer


def _example(config: CheckpointConfig, tokenizer: Tokenizer) -> str:
    """A text of the checkpoint's own kind."""
    text = TEXTS.get((config.task, config.source_language))
    if text is None:
        return config.examples[0] if config.examples else LETTERS
    by_letters = len(tokenizer.encode(text).ids) > len(text.replace(" ", ""))
    return LETTERS if by_letters else text


def _about(chosen: Controls, asked: _Asked) -> Point:
    """The token that the reader has chosen: one of the text, <pad>, or a neighbour that was clicked."""
    points = {
        str(asked.places[token]): Point(str(asked.places[token]), TYPED, asked.labels[token], (token,))
        for token in asked.distinct
    }
    points["pad"] = Point("pad", NEAR, asked.labels[asked.padding], (asked.padding,))
    wanted = chosen.options.get("about")
    number = wanted.removeprefix(f"{NEAR}:") if isinstance(wanted, str) else ""
    if number.isdecimal() and number != wanted and int(number[:9]) < len(asked.labels):
        points[f"{NEAR}:{number}"] = _near(asked, int(number[:9]))
    text = [token for token in asked.distinct if token not in asked.space.special]
    longest = max(text or asked.distinct, key=lambda token: len(asked.labels[token]))
    names = [(key, point.label) for key, point in points.items()]
    return points[chosen.choose("about", say("neighbours of"), names, str(asked.places[longest]))]


def _near(asked: _Asked, token: int) -> Point:
    return Point(f"{NEAR}:{token}", NEAR, asked.labels[token], (token,))


def _points(asked: _Asked, about: Point, ranked: Sequence[Near]) -> list[Point]:
    """The tokens of the text, the chosen one and its neighbours, each once."""
    own = [
        Point(str(asked.places[token]), TYPED, asked.labels[token], (token,))
        for token in asked.distinct
        if token not in asked.space.special
    ]
    drawn = {point.ids: point for point in (*own, about)}
    for item in ranked[:NEAREST]:
        drawn.setdefault((item.token,), _near(asked, item.token))
    return list(drawn.values())


def _cells(asked: _Asked) -> tuple[list[str], list[str], list[list[int]]]:
    """Labels of the rows and of the columns that are not all 0, and what stands there."""
    columns = [*asked.distinct, asked.padding]
    rows = [*asked.ids, *[asked.padding] * PADDING]
    return (
        [asked.labels[row] for row in rows],
        [str(column) for column in columns],
        [[int(row == column) for column in columns] for row in rows],
    )


def _bars(asked: _Asked, found: LookedUp) -> tuple[list[str], list[float], list[int]]:
    """Tokens, the length of the gradient of each one's row, and how often it occurs."""
    tokens = [*asked.distinct, asked.padding]
    counts = [*(asked.ids.count(item) for item in asked.distinct), PADDING]
    return [asked.labels[token] for token in tokens], found.gradients[tokens].tolist(), counts


def _finding(asked: _Asked, found: LookedUp) -> str:
    rows, dimensions = asked.space.table.shape
    return say(
        "{tokens} tokens become one-hot rows of {rows} numbers each. Times the table of {rows} × "
        "{dimensions} they give the rows of the table that the ids name: largest difference "
        "{difference}.",
        tokens=len(asked.ids),
        rows=f"{rows:,}",
        dimensions=dimensions,
        difference=number_text(found.difference, 6 if found.difference else 0),
    )


def _cost(found: LookedUp) -> str:
    return say(
        "With {padding} tokens of padding, the product takes {product} multiplications, nearly all by 0. "
        "The lookup takes none: it copies {copied} numbers.",
        padding=PADDING,
        product=f"{found.multiplications:,}",
        copied=f"{found.copied:,}",
    )


def _learning(asked: _Asked, found: LookedUp) -> str:
    return say(
        "A loss of these vectors, here half the sum of their squares, has a gradient in {some} of {rows} "
        "rows only: a token that occurs twice gets it twice, one that does not occur learns nothing.",
        some=int(found.gradients.count_nonzero()),
        rows=f"{len(asked.labels):,}",
    )


def _padding(length: float) -> str:
    if not length:
        return say(
            "padding_idx keeps {pad} out: its row began as 0, gets no gradient and is 0 still.",
            pad=quoted("<pad>"),
        )
    return say(
        "padding_idx keeps {pad} out of this gradient. Its row is not 0 all the same (length {length}): "
        "this table is the output layer too, and every softmax moves all of its rows.",
        pad=quoted("<pad>"),
        length=number_text(length),
    )


def _nearest(asked: _Asked, about: Point, ranked: Sequence[Near]) -> str:
    if not ranked and not float(asked.space.table[about.ids[0]].norm()):
        return say(
            "The row of {token} is 0: it points nowhere and is near to nothing.", token=quoted(about.label)
        )
    return nearest_sentence(about.label, [(asked.labels[item.token], item.cosine) for item in ranked])


def _own(asked: _Asked, ranked: Sequence[Near]) -> list[tuple[int, Near]]:
    """Which ranks the other tokens of the text have, from 1, the nearest first."""
    return [(rank, item) for rank, item in enumerate(ranked, 1) if item.token in asked.ids]


def _table(asked: _Asked, ranked: Sequence[Near], about: Point) -> Table:
    """The neighbours, and behind them the tokens of the text that are farther away."""
    rows: list[list[Cell]] = [
        [
            asked.labels[item.token],
            item.cosine,
            str(rank),
            say("your text") if item.token in asked.ids else say("vocabulary"),
        ]
        for rank, item in enumerate(ranked, 1)
        if rank <= NEAREST or item.token in asked.ids
    ]
    return Table([say("near to {token}", token=about.label), say("cosine"), say("rank"), say("from")], rows)


def _facts(asked: _Asked, found: LookedUp, ranked: Sequence[Near], about: Point) -> dict[str, float | str]:
    """`text_`: of the token of the text that is nearest to the chosen one."""
    table = asked.space.table
    facts: dict[str, float | str] = {
        "tokens": len(asked.ids),
        "distinct": len(asked.distinct),
        "vocabulary": table.shape[0],
        "dimensions": table.shape[1],
        "difference": found.difference or 0,
        "multiplications": found.multiplications,
        "copied": found.copied,
        "rows_with_gradient": int(found.gradients.count_nonzero()),
        "pad_gradient": float(found.gradients[asked.padding]) or 0,
        "pad_length": float(table[asked.padding].norm()) or 0,
        "length": float(table[about.ids[0]].norm()),
    }
    if ranked:
        facts |= {"nearest": asked.labels[ranked[0].token], "similarity": ranked[0].cosine}
    for rank, item in _own(asked, ranked)[:1]:
        facts |= {"text_nearest": asked.labels[item.token], "text_similarity": item.cosine, "text_rank": rank}
    return facts


LAB = Lab(
    "lookup",
    later("One-hot and embedding"),
    later("How does a number that names a token become a vector, and which words lie near it?"),
    position=20,
    look=look,
)
