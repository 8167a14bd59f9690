"""The view of embeddings: a map, and nearest neighbours in the full space."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from demo.i18n import in_page, later, listed, quoted, say
from demo.i18n.display import number_text, percent_text
from demo.inspect.embeddings.charts import INPUT, NEAR, OUTPUT, TYPED, Point, map_figure, variance_figure
from demo.inspect.view import Inspected, InspectView
from demo.widgets.answers.content import Cell, Chart, Content, Controls, NotHereError, Table

if TYPE_CHECKING:
    from models.inspection.embeddings import Space, TokenNeighbour
    from models.lru_cache import LruCache
    from models.registry.checkpoint import Checkpoint
    from models.tokenization.tokenizer import Tokenizer

SOURCE, TARGET, SHARED = "source", "target", "shared"  # the values of models.inspection.embeddings
TOKENS, WORDS = "tokens", "words"
CACHED_CHECKPOINTS = 4  # checkpoints whose tables are cached
MAX_POINTS = 60  # points of the source, and of the output
MAX_TYPED_WORDS = 40  # words that a reader types


@cache
def _spaces() -> LruCache[str, dict[str, Space]]:
    """The cache, shared by all visitors."""
    from models.lru_cache import LruCache

    return LruCache(CACHED_CHECKPOINTS)


def spaces_of(checkpoint: Checkpoint) -> Mapping[str, Space]:
    """Each table of a checkpoint by its side. Raises NotHereError for a network that has none."""
    from models.inspection.embeddings import spaces
    from models.inspection.neighbours.store import fingerprint
    from models.inspection.question import InspectionError

    try:
        return _spaces().get_or_make(
            fingerprint(checkpoint), lambda: spaces(checkpoint.model, checkpoint.tokenizer)
        )
    except InspectionError as error:
        raise NotHereError(error.message) from error


def compute(inspected: Inspected) -> Content:
    """The map, the variance that it leaves out, and the neighbours of the selected point."""
    from models.inspection.embeddings import nearest_tokens, word_vector

    by_side = spaces_of(inspected.checkpoint)
    side = side_of(inspected, by_side)
    space = by_side[side]
    points = _points(inspected, side)
    selected = _selected_point(inspected, points, space)
    k = round(inspected.number("k", say("how many neighbours"), 1, 30, 1, 8))
    pieces = _pieces(inspected.checkpoint.tokenizer, selected, len(space.table))
    without = [*space.special, *pieces, *(selected.ids if len(selected.ids) == 1 else ())]
    neighbours = nearest_tokens(space.table, word_vector(space.table, selected.ids), k, without)
    present = {point.ids for point in points}
    near = [_near(inspected, item.token) for item in neighbours if (item.token,) not in present]
    all_points = [*points, *near]
    if selected not in all_points:
        all_points.append(selected)
    axes = _axes(inspected, space)
    return Content(
        [
            nearest_sentence(
                selected.label,
                [(inspected.label(neighbour.token), neighbour.cosine) for neighbour in neighbours],
            ),
            left_out_sentence(space, axes),
            *([say("Only tokens that begin a word are its neighbours here.")] if pieces else []),
            say(
                "An embedding is the vector of a token before any sentence: it is the same everywhere. The "
                "states show what the network makes of it in a sentence."
            ),
        ],
        [
            Chart("map", say("Two components of the vectors"), map_figure(space, all_points, selected, axes)),
            Chart("variance", say("Share of the variance in each component"), variance_figure(space, axes)),
        ],
        _table(inspected, space, selected, neighbours, points),
    )


def _pieces(tokenizer: Tokenizer, selected: Point, size: int) -> Sequence[int]:
    """The tokens inside words, which no whole word has as neighbours; none for a piece of a word."""
    from models.inspection.units import is_word

    spellings = list(map(tokenizer.token, range(size)))
    if not is_word(spellings[selected.ids[0]]):
        return ()
    return [token for token, surface in enumerate(spellings) if not is_word(surface)]


def side_of(controls: Controls, by_side: Mapping[str, Space]) -> str:
    """Ask for the table, if there are two."""
    if len(by_side) == 1:
        return next(iter(by_side))
    names = [(TARGET, say("of the output")), (SOURCE, say("of the source"))]
    return controls.choose("table", say("table"), names)


def _points(inspected: Inspected, side: str) -> list[Point]:
    """The points of source, output and the reader's words, without duplicates and special tokens."""
    form = inspected.choose(
        "form",
        say("show"),
        [(TOKENS, say("tokens, as the network reads them")), (WORDS, say("words, the mean of their tokens"))],
    )
    tokenizer, pictures = inspected.checkpoint.tokenizer, inspected.checkpoint.config.reads_pictures
    typed = inspected.text_field("words", say("your own words"))
    points: list[Point] = []
    if side != TARGET and not pictures:
        ids = inspected.prediction.question.source
        points += _of(INPUT, inspected, ids, inspected.text if form == WORDS else "", tokenizer)
    if side != SOURCE:
        text = tokenizer.decode(inspected.output) if form == WORDS else ""
        points += _of(OUTPUT, inspected, inspected.output, text, tokenizer.target)
    reader_tokenizer = tokenizer if side == SOURCE or (side == SHARED and not pictures) else tokenizer.target
    points += _words(TYPED, typed.split()[:MAX_TYPED_WORDS], reader_tokenizer)
    return points


def _of(side: str, inspected: Inspected, ids: Sequence[int], text: str, tokenizer: Tokenizer) -> list[Point]:
    """Points for the words of a text, or for its tokens if it has no words."""
    if text:
        return _words(side, text.split()[:MAX_POINTS], tokenizer)
    special = inspected.checkpoint.tokenizer.special_ids
    tokens = [token for token in dict.fromkeys(ids) if token not in special]
    return [Point(f"{side}:{token}", side, inspected.label(token), (token,)) for token in tokens[:MAX_POINTS]]


def _words(side: str, words: Sequence[str], tokenizer: Tokenizer) -> list[Point]:
    from models.inspection.embeddings import word_ids

    bare = dict.fromkeys(filter(None, map(_without_marks, words)))
    cut = [(word, word_ids(tokenizer, word)) for word in bare]
    return [Point(f"{side}:{word}", side, word, ids) for word, ids in cut if ids]


def _without_marks(word: str) -> str:
    """A word without the punctuation around it; a word of punctuation alone stays."""
    letters = [index for index, sign in enumerate(word) if not unicodedata.category(sign).startswith("P")]
    return word[letters[0] : letters[-1] + 1] if letters else word


def _selected_point(inspected: Inspected, points: Sequence[Point], space: Space) -> Point:
    """The point that the reader selected, which may be a neighbour; else the token of the step."""
    options = list(points)
    token = inspected.prediction.question.token
    setting = inspected.options.get("about")
    number = setting.removeprefix(f"{NEAR}:") if isinstance(setting, str) else ""
    if number.isdecimal() and len(number) < 9 and int(number) < len(space.table):
        options.append(_near(inspected, int(number)))
    default = next((point for point in points if point.ids == (token,)), None)
    if default is None:  # such as the end token, or a token within a word
        default = _near(inspected, token)
        options.append(default)
    by_key = {point.key: point for point in options}
    names = [(key, point.label) for key, point in by_key.items()]
    return by_key[inspected.choose("about", say("neighbours of"), names, default=default.key)]


def _near(inspected: Inspected, token: int) -> Point:
    return Point(f"{NEAR}:{token}", NEAR, inspected.label(token), (token,))


def _axes(inspected: Inspected, space: Space) -> tuple[int, int]:
    """Ask for the two components of the map; from 0."""
    pairs = [pair for pair in ((0, 1), (0, 2), (1, 2)) if max(pair) < len(space.projection.variance_shares)]
    options = [
        (f"{one + 1}-{other + 1}", say("{one} and {other}", one=one + 1, other=other + 1))
        for one, other in pairs
    ]
    one, other = inspected.choose("axes", say("components"), options).split("-")
    return int(one) - 1, int(other) - 1


def _table(
    inspected: Inspected,
    space: Space,
    selected: Point,
    neighbours: Sequence[TokenNeighbour],
    points: Sequence[Point],
) -> Table:
    """The neighbours, then the reader's words, each with its cosine to the selected point."""
    from models.inspection.embeddings import cosine, word_vector

    vector = word_vector(space.table, selected.ids)
    rows: list[list[Cell]] = [
        [inspected.label(neighbour.token), neighbour.cosine, say("vocabulary")] for neighbour in neighbours
    ]
    rows += [
        [point.label, cosine(vector, word_vector(space.table, point.ids)), say("your word")]
        for point in points
        if point.kind == TYPED and point.key != selected.key
    ]
    return Table([say("token"), say("cosine"), say("from")], rows)


def nearest_sentence(label: str, neighbours: Sequence[tuple[str, float]]) -> str:
    """A sentence about the nearest tokens of a token or word; the nearest come first."""
    if not neighbours:
        return say("Nothing is near to {token}: the vocabulary has no other token.", token=quoted(label))
    best = listed(f"{quoted(neighbour)} ({number_text(cosine)})" for neighbour, cosine in neighbours[:3])
    return say("Nearest to {token}, with the cosine of the angle: {best}.", token=quoted(label), best=best)


def left_out_sentence(space: Space, axes: tuple[int, int]) -> str:
    """A sentence about the variance that a map of two components leaves out."""
    share = sum(space.projection.variance_shares[index] for index in axes)
    return say(
        "The map shows {share} of the variance, so points that stand together on it need not be near. "
        "Neighbours are sought in all {width} dimensions.",
        share=percent_text(share),
        width=space.table.shape[1],
    )


VIEW = InspectView(
    "embeddings",
    in_page("Embeddings"),
    later("Which words lie near each other before the network has read any sentence?"),
    position=80,
    compute=compute,
    paper="Pearson 1901",
)
