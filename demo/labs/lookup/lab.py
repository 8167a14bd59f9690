"""An embedding is a lookup: one-hot rows times a table, its gradient, and neighbouring rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from demo.i18n import counted, later, quoted, say
from demo.i18n.display import number_text, plotly_text
from demo.inspect.embeddings import SOURCE, left_out_sentence, nearest_sentence
from demo.inspect.embeddings.charts import NEAR, TYPED, Point, map_figure
from demo.labs import Lab
from demo.labs.lab_layout import grid_figure, lab_layout, labelled_bars
from demo.labs.lookup.reading import LookupText, read_text
from demo.labs.programs import checkpoint_program
from demo.widgets.answers.content import Cell, Chart, Content, Controls, Program, Table
from demo.widgets.figures.attention import longest
from demo.widgets.figures.drawing import CHARACTER_WIDTH, heatmap_trace, labelled_axis
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.inspection.embeddings import TokenNeighbour
    from models.labs.lookup import LookedUp

PADDING = 2  # tokens that a longer text in the batch would have more
NEAREST = 8
AXES = (0, 1)
CELL, MARGIN = 24, 26  # pixels
BAR = 46


def compute(controls: Controls) -> Content:
    """Show the product and the lookup, the rows that learn from the text, and one token's neighbours."""
    from models.inspection.embeddings import nearest_tokens
    from models.labs.lookup import looked_up

    reading = read_text(controls)
    table = reading.space.table
    about = _about(controls, reading)
    result = looked_up(table, (*reading.ids, *[reading.padding] * PADDING), reading.padding)
    vector = table[about.ids[0]]
    without = {*reading.space.special, about.ids[0]}
    ranked = nearest_tokens(table, vector, len(table), [*without]) if float(vector.norm()) else ()
    is_padding = about.ids == (reading.padding,)
    return Content(
        [
            _finding(reading, result),
            _cost(result),
            _learning(reading, result),
            *([padding_sentence(reading, float(table[reading.padding].norm()))] if is_padding else []),
            _nearest(reading, about, ranked),
            left_out_sentence(reading.space, AXES),
        ],
        _charts(reading, result, _points(reading, about, ranked), about),
        _table(reading, ranked, about),
        _facts(reading, result, ranked, about),
        program=_program(reading, about),
    )


def _program(reading: LookupText, about: Point) -> Program:
    """Return the tokens and the name of the table, which the program reads from the checkpoint's file."""
    constants = {
        "table": "src_embedding.weight" if reading.side == SOURCE else "tgt_embedding.weight",
        "text": [reading.surfaces[token] for token in reading.ids],
        "about": reading.surfaces[about.ids[0]],
    }
    return checkpoint_program(reading.checkpoint, constants)


def _about(controls: Controls, reading: LookupText) -> Point:
    """Return the token that the reader has chosen: one of the text, <pad>, or a clicked neighbour."""
    points = {point.key: point for point in (_point_of(reading, token) for token in reading.distinct)}
    points["pad"] = Point("pad", NEAR, reading.labels[reading.padding], (reading.padding,))
    setting = controls.options.get("about")
    number = setting.removeprefix(f"{NEAR}:") if isinstance(setting, str) else ""
    if number.isdecimal() and number != setting and int(number[:9]) < len(reading.labels):
        points[f"{NEAR}:{number}"] = _neighbour(reading, int(number[:9]))
    text = [token for token in reading.distinct if token not in reading.space.special]
    longest = max(text or reading.distinct, key=lambda token: len(reading.labels[token]))
    names = [(key, point.label) for key, point in points.items()]
    return points[
        controls.choose("about", say("neighbours of"), names, str(reading.first_positions[longest]))
    ]


def _point_of(reading: LookupText, token: int) -> Point:
    return Point(str(reading.first_positions[token]), TYPED, reading.labels[token], (token,))


def _neighbour(reading: LookupText, token: int) -> Point:
    return Point(f"{NEAR}:{token}", NEAR, reading.labels[token], (token,))


def _points(reading: LookupText, about: Point, ranked: Sequence[TokenNeighbour]) -> list[Point]:
    """Return the tokens of the text, the chosen one and its neighbours, each once."""
    reader_points = [_point_of(reading, token) for token in reading.distinct]
    special = {(token,) for token in reading.space.special}
    drawn = {point.ids: point for point in reader_points if point.ids not in special} | {about.ids: about}
    for item in ranked[:NEAREST]:
        drawn.setdefault((item.token,), _neighbour(reading, item.token))
    return list(drawn.values())


def _charts(reading: LookupText, result: LookedUp, points: Sequence[Point], about: Point) -> list[Chart]:
    """Draw the one-hot rows without the columns that are all 0, the gradient of each row, and the map."""
    rows, columns = [*reading.ids, *[reading.padding] * PADDING], [*reading.distinct, reading.padding]
    labels = [reading.labels[token] for token in columns]
    cells = [[int(row == column) for column in columns] for row in rows]
    one_hot = one_hot_figure([reading.labels[row] for row in rows], list(map(str, columns)), cells)
    counts = [*map(reading.ids.count, reading.distinct), PADDING]
    gradient = gradient_figure(labels, result.gradients[columns].tolist(), counts)
    return [
        Chart("one-hot", say("One-hot rows: one 1 in each"), one_hot),
        Chart("gradient", say("Gradient of each row"), gradient),
        Chart("map", say("Map of the vectors"), map_figure(reading.space, points, about, AXES)),
    ]


def one_hot_figure(tokens: Sequence[str], ids: Sequence[str], cells: Sequence[Sequence[int]]) -> Figure:
    """Draw a row for each token and a column for each id that occurs; all other columns are 0."""
    labels = [plotly_text(token) for token in tokens]
    colours = [(0.0, LIGHT.attention_none), (1.0, LIGHT.attention)]
    heatmap = heatmap_trace(cells, colors=colours, gap=1, hover="%{y} → %{x}: %{z}")
    left, top = MARGIN + CHARACTER_WIDTH * longest(labels), 2 * MARGIN + CHARACTER_WIDTH * longest(ids)
    return grid_figure(
        heatmap,
        (ids, {"tickangle": -60, "title": {"text": say("id"), "standoff": 4}}),
        (labels, {}),
        (CELL * len(ids), CELL * len(labels)),
        (left, top),
    )


def gradient_figure(tokens: Sequence[str], lengths: Sequence[float], counts: Sequence[int]) -> Figure:
    """Draw a bar for each row that was looked up, with its count; the last is padding."""
    labels = [plotly_text(token) for token in tokens]
    bars = labelled_bars(
        labels,
        [round(length, 4) for length in lengths],
        [*[LIGHT.source] * (len(labels) - 1), LIGHT.muted],
        text=[f"{count}×" for count in counts],
        textposition="outside",
        cliponaxis=False,
    )
    upright = {
        "range": [0, 1.15 * max(lengths, default=0) or 1],
        "title": {"text": say("length of the gradient")},
    }
    bottom = 24 + CHARACTER_WIDTH * longest(labels)
    across = labelled_axis(labels, tickangle=-50)
    width = 70 + BAR * len(labels)
    return Figure([bars], lab_layout(across, upright, width, height=260, top=24, bottom=bottom))


def _finding(reading: LookupText, lookup: LookedUp) -> str:
    rows, dimensions = reading.space.table.shape
    return say(
        "The text has {tokens}. Each becomes a one-hot row of {rows} numbers. Multiplied by the table "
        "of {rows} × {dimensions}, they give the rows of the table at the tokens' ids; the "
        "largest difference is {difference}.",
        tokens=counted(len(reading.ids), later("1 token"), later("{count} tokens")),
        rows=f"{rows:,}",
        dimensions=dimensions,
        difference=number_text(lookup.difference, 6 if lookup.difference else 0),
    )


def _cost(lookup: LookedUp) -> str:
    return say(
        "With {padding} tokens of padding, the product takes {product} multiplications, all but one in "
        "{rows} of them by 0. The lookup takes none: it copies {copied} numbers.",
        padding=PADDING,
        rows=f"{len(lookup.gradients):,}",
        product=f"{lookup.multiplications:,}",
        copied=f"{lookup.copied:,}",
    )


def _learning(reading: LookupText, lookup: LookedUp) -> str:
    return say(
        "A loss of these vectors, here half the sum of their squares, has a gradient in {some} of {rows} "
        "rows only: a token that occurs twice gets it twice, one that does not occur learns nothing.",
        some=int(lookup.gradients.count_nonzero()),
        rows=f"{len(reading.labels):,}",
    )


def padding_sentence(reading: LookupText, length: float) -> str:
    """Return what padding_idx does to a row of this length."""
    if not length:
        return say(
            "padding_idx keeps {pad} out: its row began as 0, gets no gradient and is 0 still.",
            pad=quoted("<pad>"),
        )
    if not reading.is_output:
        return say(
            "padding_idx keeps {pad} out of this gradient. Its row is not 0 all the same (length {length}).",
            pad=quoted("<pad>"),
            length=number_text(length),
        )
    return say(
        "padding_idx keeps {pad} out of this gradient. Its row is not 0 all the same (length {length}): "
        "this table is the output layer too, and every softmax moves all of its rows.",
        pad=quoted("<pad>"),
        length=number_text(length),
    )


def _nearest(reading: LookupText, about: Point, ranked: Sequence[TokenNeighbour]) -> str:
    if not ranked and not float(reading.space.table[about.ids[0]].norm()):
        return say(
            "The row of {token} is 0. It has no direction, so no token is near to it.",
            token=quoted(about.label),
        )
    return nearest_sentence(about.label, [(reading.labels[item.token], item.cosine) for item in ranked])


def _table(reading: LookupText, ranked: Sequence[TokenNeighbour], about: Point) -> Table:
    """Return the neighbours, then the tokens of the text that are farther away."""
    rows: list[list[Cell]] = [
        [
            reading.labels[item.token],
            item.cosine,
            str(rank),
            say("your text") if item.token in reading.ids else say("vocabulary"),
        ]
        for rank, item in enumerate(ranked, 1)
        if rank <= NEAREST or item.token in reading.ids
    ]
    return Table([say("near to {token}", token=about.label), say("cosine"), say("rank"), say("from")], rows)


def _facts(
    reading: LookupText, lookup: LookedUp, ranked: Sequence[TokenNeighbour], about: Point
) -> dict[str, float | str]:
    """Return the facts; those with `text_` describe the text's token nearest to the chosen one."""
    from models.labs.lookup import facts_of

    facts = facts_of(reading.space.table, reading.ids, reading.padding, about.ids[0], lookup)
    if ranked:
        facts |= {"nearest": reading.labels[ranked[0].token], "similarity": ranked[0].cosine}
    for rank, item in enumerate(ranked, 1):
        if item.token in reading.ids:
            label = reading.labels[item.token]
            return {**facts, "text_nearest": label, "text_similarity": item.cosine, "text_rank": rank}
    return facts


LAB = Lab(
    "lookup",
    later("One-hot and embedding"),
    later("How does a number that names a token become a vector, and which words lie near it?"),
    position=20,
    compute=compute,
)
