"""The vectors of tokens and words as a map, and who is near to whom where they really lie."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from demo.answers.content import Cell, Chart, Content, NotHereError, Table
from demo.answers.controls import Controls
from demo.i18n import in_page, later, listed, quoted, say
from demo.i18n.display import number_text, percent_text
from demo.inspect.embedding_map import NEAR, READ, TYPED, WRITTEN, Point, map_figure, variance_figure
from demo.inspect.inspected import Inspected
from demo.inspect.view import InspectView

if TYPE_CHECKING:
    from models.inspection.embeddings import Near, Space
    from models.lru_cache import LruCache
    from models.registry.checkpoint import Checkpoint
    from models.tokenization.tokenizer import Tokenizer

SOURCE, TARGET, SHARED = "source", "target", "shared"  # as models.inspection.embeddings has them
TOKENS, WORDS = "tokens", "words"
REMEMBERED = 4  # checkpoints whose tables are kept
MOST = 60  # points of the source, and of the output
MOST_WORDS = 40  # that a reader types


@cache
def _remembered() -> LruCache[str, dict[str, Space]]:
    """Those of all visitors, whoever asked first."""
    from models.lru_cache import LruCache

    return LruCache(REMEMBERED)


def spaces_of(checkpoint: Checkpoint) -> Mapping[str, Space]:
    """Each table of a checkpoint by its side. Raises NotHereError for a network that has none."""
    from models.inspection.embeddings import spaces
    from models.inspection.neighbours.store import fingerprint
    from models.inspection.question import InspectionError

    try:
        return _remembered().get_or_make(
            fingerprint(checkpoint), lambda: spaces(checkpoint.model, checkpoint.tokenizer)
        )
    except InspectionError as error:
        raise NotHereError(error.message) from error


def look(inspected: Inspected) -> Content:
    """The map, what it leaves out, and the neighbours of the chosen point."""
    from models.inspection.embeddings import near, word_vector

    result = spaces_of(inspected.checkpoint)
    side = side_of(inspected, result)
    space = result[side]
    points = _points(inspected, side)
    chosen = _chosen(inspected, points, space)
    k = round(inspected.number("k", say("how many neighbours"), 1, 30, 1, 8))
    pieces = _pieces(inspected.checkpoint.tokenizer, chosen, len(space.table))
    without = [*space.special, *pieces, *(chosen.ids if len(chosen.ids) == 1 else ())]
    neighbours = near(space.table, word_vector(space.table, chosen.ids), k, without)
    drawn = [*points, *_around(inspected, neighbours, points)]
    if chosen not in drawn:
        drawn.append(chosen)
    axes = _axes(inspected, space)
    return Content(
        [
            nearest_told(
                chosen.label,
                [(inspected.label(neighbour.token), neighbour.cosine) for neighbour in neighbours],
            ),
            left_out(space, axes),
            *([say("Only tokens that begin a word are its neighbours here.")] if pieces else []),
            _trust(),
        ],
        [
            Chart("map", say("Two components of the vectors"), map_figure(space, drawn, chosen, axes)),
            Chart("variance", say("What each component holds of the variance"), variance_figure(space, axes)),
        ],
        _table(inspected, space, chosen, neighbours, points),
    )


def _pieces(tokenizer: Tokenizer, chosen: Point, size: int) -> Sequence[int]:
    """The tokens that are no neighbours of a word, since they begin none; nothing for a piece of a word."""
    from models.inspection.unit_order import is_word

    spelt = list(map(tokenizer.token, range(size)))
    if not is_word(spelt[chosen.ids[0]]):
        return ()
    return [token for token, surface in enumerate(spelt) if not is_word(surface)]


def side_of(chosen: Controls, found: Mapping[str, Space]) -> str:
    """Whose table, if there are two."""
    if len(found) == 1:
        return next(iter(found))
    names = [(TARGET, say("of the output")), (SOURCE, say("of the source"))]
    return chosen.choose("table", say("table"), names)


def _points(inspected: Inspected, side: str) -> list[Point]:
    """Those of the source, of the output and of the reader, each once; the end token is none."""
    form = inspected.choose(
        "form",
        say("show"),
        [(TOKENS, say("tokens, as the network reads them")), (WORDS, say("words, the mean of their tokens"))],
    )
    tokenizer, pictures = inspected.checkpoint.tokenizer, inspected.checkpoint.config.reads_pictures
    typed = inspected.typed("words", say("your own words"))
    points: list[Point] = []
    if side != TARGET and not pictures:
        ids = inspected.inquiry.question.source
        points += _of(READ, inspected, ids, inspected.text if form == WORDS else "", tokenizer)
    if side != SOURCE:
        text = tokenizer.decode(inspected.output) if form == WORDS else ""
        points += _of(WRITTEN, inspected, inspected.output, text, tokenizer.target)
    own = tokenizer if side == SOURCE or (side == SHARED and not pictures) else tokenizer.target
    points += _words(TYPED, typed.split()[:MOST_WORDS], own)
    return points


def _of(side: str, inspected: Inspected, ids: Sequence[int], text: str, tokenizer: Tokenizer) -> list[Point]:
    """The words of a text, or else its tokens."""
    if text:
        return _words(side, text.split()[:MOST], tokenizer)
    special = inspected.checkpoint.tokenizer.special_ids
    known = [token for token in dict.fromkeys(ids) if token not in special]
    return [Point(f"{side}:{token}", side, inspected.label(token), (token,)) for token in known[:MOST]]


def _words(side: str, words: Sequence[str], tokenizer: Tokenizer) -> list[Point]:
    from models.inspection.embeddings import pieces

    bare = dict.fromkeys(filter(None, map(_without_marks, words)))
    cut = [(word, pieces(tokenizer, word)) for word in bare]
    return [Point(f"{side}:{word}", side, word, ids) for word, ids in cut if ids]


def _without_marks(word: str) -> str:
    """A word without the punctuation around it, unless it is nothing else."""
    letters = [index for index, sign in enumerate(word) if not unicodedata.category(sign).startswith("P")]
    return word[letters[0] : letters[-1] + 1] if letters else word


def _chosen(inspected: Inspected, points: Sequence[Point], space: Space) -> Point:
    """The point that the reader has chosen, which may be a neighbour; else the token of the step."""
    options = list(points)
    token = inspected.inquiry.question.token
    wanted = inspected.options.get("about")
    number = wanted.removeprefix(f"{NEAR}:") if isinstance(wanted, str) else ""
    if number.isdecimal() and len(number) < 9 and int(number) < len(space.table):
        options.append(Point(f"{NEAR}:{int(number)}", NEAR, inspected.label(int(number)), (int(number),)))
    own = next((point for point in points if point.ids == (token,)), None)
    if own is None:  # as the end token, or what a word hides
        own = Point(f"{NEAR}:{token}", NEAR, inspected.token, (token,))
        options.append(own)
    listed = {point.key: point for point in options}
    names = [(key, point.label) for key, point in listed.items()]
    return listed[inspected.choose("about", say("neighbours of"), names, default=own.key)]


def _around(inspected: Inspected, neighbours: Sequence[Near], points: Sequence[Point]) -> Iterator[Point]:
    """The neighbours that are not on the map anyway."""
    there = {point.ids for point in points}
    for neighbour in neighbours:
        if (neighbour.token,) not in there:
            yield Point(
                f"{NEAR}:{neighbour.token}", NEAR, inspected.label(neighbour.token), (neighbour.token,)
            )


def _axes(inspected: Inspected, space: Space) -> tuple[int, int]:
    """Which two components are drawn, from 0."""
    pairs = [pair for pair in ((0, 1), (0, 2), (1, 2)) if max(pair) < len(space.projection.explained)]
    options = [
        (f"{one + 1}-{other + 1}", say("{one} and {other}", one=one + 1, other=other + 1))
        for one, other in pairs
    ]
    one, other = inspected.choose("axes", say("components"), options).split("-")
    return int(one) - 1, int(other) - 1


def _table(
    inspected: Inspected, space: Space, chosen: Point, neighbours: Sequence[Near], points: Sequence[Point]
) -> Table:
    """The neighbours, and behind them the reader's own words, each with its cosine to the chosen point."""
    from models.inspection.embeddings import cosine, word_vector

    vector = word_vector(space.table, chosen.ids)
    rows: list[list[Cell]] = [
        [inspected.label(neighbour.token), neighbour.cosine, say("vocabulary")] for neighbour in neighbours
    ]
    rows += [
        [point.label, cosine(vector, word_vector(space.table, point.ids)), say("your word")]
        for point in points
        if point.side == TYPED and point.key != chosen.key
    ]
    return Table([say("token"), say("cosine"), say("from")], rows)


def nearest_told(label: str, neighbours: Sequence[tuple[str, float]]) -> str:
    """Whose vectors point most nearly as that of a token or word; the nearest come first."""
    if not neighbours:
        return say("Nothing is near to {token}: the vocabulary has no other token.", token=quoted(label))
    best = listed(f"{quoted(neighbour)} ({number_text(cosine)})" for neighbour, cosine in neighbours[:3])
    return say("Nearest to {token}, with the cosine of the angle: {best}.", token=quoted(label), best=best)


def left_out(space: Space, axes: tuple[int, int]) -> str:
    """What a map of two components does not show."""
    share = sum(space.projection.explained[index] for index in axes)
    return say(
        "The map shows {share} of the variance, so points that stand together on it need not be near. "
        "Neighbours are sought in all {width} dimensions.",
        share=percent_text(share),
        width=space.table.shape[1],
    )


def _trust() -> str:
    return say(
        "An embedding is what a token is before any sentence: the same vector wherever it stands. What the "
        "network makes of it there, the states tell."
    )


VIEW = InspectView(
    "embeddings",
    in_page("Embeddings"),
    later("Which words lie near each other before the network has read any sentence?"),
    position=80,
    look=look,
    paper="Pearson 1901",
)
