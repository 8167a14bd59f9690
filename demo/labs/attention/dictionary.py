"""A dictionary of words that answers misspelled ones too: its kernel uses the edit distance."""

from __future__ import annotations

import math
from collections.abc import Sequence

from demo.i18n import later, listed, quoted, say
from demo.i18n.display import number_text, percent_text
from demo.labs.attention.figures import bars_figure, weights_figure
from demo.labs.attention.pairs import (
    MAX_QUOTED_CHARACTERS,
    Pair,
    chosen_kernel,
    in_percent,
    of_kernel,
    pairs,
    reaches_nothing,
)
from demo.widgets.answers.content import Cell, Chart, Content, Controls, NotHereError, Table

PAIRS = "house casa; mouse ratón; horse caballo; cat gato; dog perro; tree árbol; bread pan; water agua"
QUERY = "hause"
NAMED_VALUES = 3  # values of the answer


def words_view(controls: Controls) -> Content:
    """Show the reader's dictionary and its answer to one word."""
    from models.labs.attention import edit_distance, shares_of, word_facts, word_weights

    result = pairs(controls.text_field("words", say("a word and its translation in each line"), PAIRS))
    query = controls.text_field("word", say("word to look up"), QUERY).strip()
    kernel = chosen_kernel(controls)
    bandwidth = controls.number("bandwidth", say("bandwidth"), 0.1, 5, 0.1, 1)
    long = next(
        (word for word in (query, *(pair.key for pair in result)) if len(word) > MAX_QUOTED_CHARACTERS), ""
    )
    if long:
        raise NotHereError(
            "word_too_long",
            "{word} has more than {limit} letters. Take shorter words.",
            word=quoted(long[:MAX_QUOTED_CHARACTERS]),
            limit=MAX_QUOTED_CHARACTERS,
        )
    if not query:
        raise NotHereError("no_word_to_look_up", "There is no word to look up. Type one.")
    keys = [pair.key for pair in result]
    letters = [edit_distance(query.lower(), key.lower()) for key in keys]
    (weights,) = word_weights([query], keys, kernel, bandwidth)
    values = [pair.value for pair in result]
    shares, facts = shares_of(values, weights), word_facts(values, weights)
    title = say("The weight of each key for {query}", query=quoted(query))
    charts = [
        Chart("word", title, bars_figure(keys, weights)),
        Chart(
            "keys",
            say("Each key as a query"),
            weights_figure(word_weights(keys, keys, kernel, bandwidth), keys, keys),
        ),
    ]
    paragraphs = [
        _finding(query, keys, shares),
        _of_distance(query, result, letters),
        *of_kernel(kernel, number_text(bandwidth, 1), math.exp(float(facts["entropy"])) if shares else 0),
        say(
            "A mixture of words is a list of shares. In a network each value is a vector, so the mixture is "
            "one vector too, and what comes next can go on with it."
        ),
    ]
    return Content(paragraphs, charts, _table(result, letters, weights), facts, in_percent(keys, weights))


def _finding(query: str, keys: Sequence[str], shares: Sequence[tuple[str, float]]) -> str:
    if not shares:
        return reaches_nothing()
    if len(shares) == 1:
        is_key = later("{query} is a key, and the answer is that of a dictionary: {answer}.")
        no_key = later(
            "{query} is not a key, so a dictionary of Python raises KeyError. Attention answers: {answer}."
        )
    else:
        is_key = later("{query} is a key, and still the answer is a mixture: {answer}.")
        no_key = later(
            "{query} is not a key, so a dictionary of Python raises KeyError. Attention answers with a "
            "mixture: {answer}."
        )
    answer = listed(f"{percent_text(share)} {value}" for value, share in shares[:NAMED_VALUES])
    return say(is_key if query in keys else no_key, query=quoted(query), answer=answer)


def _of_distance(query: str, pairs: Sequence[Pair], letters: Sequence[int]) -> str:
    nearest = letters.index(min(letters))
    return say(
        "The distance is the number of letters to insert, delete or replace (Levenshtein 1966): {number} "
        "from {query} to {key}. The narrower the kernel, the more attention is like a dictionary.",
        number=letters[nearest],
        query=quoted(query),
        key=quoted(pairs[nearest].key),
    )


def _table(pairs: Sequence[Pair], letters: Sequence[int], weights: Sequence[float]) -> Table:
    rows: list[list[Cell]] = [
        [pair.key, pair.value, str(distance), percent_text(weight)]
        for pair, distance, weight in zip(pairs, letters, weights, strict=True)
    ]
    rows.append([say("sum"), "", "", percent_text(sum(weights))])
    return Table([say("key"), say("value"), say("distance"), say("weight")], rows)
