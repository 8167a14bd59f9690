"""A dictionary of words that answers misspelled ones too, and what all dictionaries of the lab share.

Its kernel uses the edit distance. Shared are lines of pairs, kernels and the table of parts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demo.i18n import later, listed, quoted, say
from demo.i18n.display import number_text, percent_text
from demo.labs.attention.figures import bars_figure, weights_figure
from demo.widgets.answers.content import Cell, Chart, Content, Controls, LessonCurve, NotHereError, Table

KERNEL_NAMES = {
    "gaussian": later("Gaussian"),
    "boxcar": later("boxcar"),
    "epanechnikov": later("Epanechnikov"),
    "triangular": later("triangular"),
}
FORMULAS = {
    "gaussian": "K(u) = exp(−u² / 2)",
    "boxcar": "K(u) = 1 (|u| ≤ 1)",
    "epanechnikov": "K(u) = max(0, 1 − u²)",
    "triangular": "K(u) = max(0, 1 − |u|)",
}
MAX_PAIRS = 60
MAX_QUOTED_CHARACTERS = 24  # characters of a line that a sentence quotes
_BREAK = re.compile(r"[\n;；]")
PAIRS = "house casa; mouse ratón; horse caballo; cat gato; dog perro; tree árbol; bread pan; water agua"
QUERY = "hause"
NAMED_VALUES = 3  # values of the answer


@dataclass(frozen=True)
class Pair:
    """One line of a dictionary."""

    number: int  # number of the line, from 1
    key: str
    value: str


def pairs(text: str) -> list[Pair]:
    """Read a key and a value from each line; a semicolon ends a line too. Raises NotHereError."""
    lines = [line.strip() for line in _BREAK.split(text) if line.strip()]
    if not 2 <= len(lines) <= MAX_PAIRS:
        raise NotHereError(
            "dictionary_length",
            "The dictionary has {count} lines; type 2 to {limit}, a key and its value in each.",
            count=len(lines),
            limit=MAX_PAIRS,
        )
    result = []
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if len(parts) != 2:
            raise NotHereError(
                "no_key_and_value",
                "Line {number}, {line}, is not a key and a value with a space between.",
                number=number,
                line=quoted(line[:MAX_QUOTED_CHARACTERS]),
            )
        result.append(Pair(number, *parts))
    return result


def chosen_kernel(controls: Controls) -> str:
    """Return the kernel that the reader has chosen."""
    return controls.choose(
        "kernel", say("kernel"), [(name, say(KERNEL_NAMES[name])) for name in KERNEL_NAMES]
    )


def of_kernel(kernel: str, bandwidth: str, effective_keys: float) -> list[str]:
    """Return the kernel's formula, and over how many keys it spreads the weights (0: it reaches none)."""
    formula = say(
        "{kernel}: {formula} with u = distance / {bandwidth}; the weight of a key is its K over the sum of "
        "all K.",
        kernel=say(KERNEL_NAMES[kernel]).capitalize(),
        formula=FORMULAS[kernel],
        bandwidth=bandwidth,
    )
    if not effective_keys:
        return [formula]
    scattered = say(
        "The attention is spread as widely as over {choices} equally weighted keys (e to the "
        "power of its entropy).",
        choices=number_text(effective_keys, 1),
    )
    return [formula, scattered]


def reaches_nothing() -> str:
    """Say why there is no answer, and what to do."""
    return say(
        "The kernel reaches no key from here: every weight would be 0 / 0, so there is no answer. Take a "
        "larger bandwidth, or the Gaussian, which reaches every key."
    )


def in_percent(keys: Sequence[str], weights: Sequence[float]) -> Mapping[str, LessonCurve]:
    """Return the weight of each key as text, for lessons."""
    return {"weights": {"columns": keys, "values": [100 * weight for weight in weights]}}


def parts_table(
    keys: Sequence[str],
    values: Sequence[float],
    scores: tuple[str, Sequence[float]],
    weights: Sequence[float],
) -> Table:
    """Return the parts of the answer: key, value, score, weight and product, and their sum."""
    rows: list[list[Cell]] = [
        [key, number_text(value), number_text(score, 3), percent_text(weight), number_text(weight * value, 3)]
        for key, value, score, weight in zip(keys, values, scores[1], weights, strict=True)
    ]
    whole = sum(weights)
    answer = sum(weight * value for weight, value in zip(weights, values, strict=True))
    rows.append([say("sum"), "", "", percent_text(whole), number_text(answer, 3) if whole else say("none")])
    return Table([say("key"), say("value"), scores[0], say("weight"), say("weight × value")], rows)


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
