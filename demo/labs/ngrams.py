"""n-grams of the reader's text: the chain rule word by word, Laplace smoothing, perplexity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from demo.i18n import later, quoted, say
from demo.i18n.display import number_text, percent_text, plotly_text
from demo.labs import Lab
from demo.labs.lab_layout import lab_layout
from demo.widgets.answers.content import Cell, Chart, Content, Controls, LessonCurve, NotHereError, Table
from demo.widgets.figures.drawing import bar_trace, legend_above, level_line, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure
from models.labs.ngrams import Factor, NGrams, sentences

FORWARD, BACKWARD = "forward", "backward"
ORDERS = (1, 2, 3, 4)
MAX_FACTORS = 60  # words of the sentence whose factors are shown one by one
COLUMN, MARGINS = 62, 90  # pixels
MAX_NEXT = 10  # the most probable next tokens that are shown
# Written for this lab.
TEXT = (
    "The cat sat on the mat. The dog sat on the rug. The cat saw the dog. "
    "The dog saw a bird on the mat. A bird sat on the cat."
)
TEST_SENTENCE = "The bird sat on the rug"


def compute(controls: Controls) -> Content:
    """Show the factors of one sentence, and its perplexity for every n beside that of the text."""
    text = controls.text_field("text", say("text to count"), TEXT)
    tested = controls.text_field("sentence", say("sentence to score"), TEST_SENTENCE)
    names = (say("unigrams"), say("bigrams"), say("trigrams"), say("4-grams"))
    order = int(controls.choose("order", say("model"), [*zip(map(str, ORDERS), names, strict=True)], "2"))
    alpha = controls.number("alpha", say("added to each count"), 0, 5, 0.1, 1)
    directions = [(FORWARD, say("from the first word on")), (BACKWARD, say("from the last word on"))]
    backward = controls.choose("direction", say("chain rule"), directions) == BACKWARD
    counted, tested_words = sentences(text), [word for words in sentences(tested) for word in words]
    if not counted:
        raise NotHereError("no_word_to_count", "The text to count has no word. Type a few sentences.")
    if not tested_words:
        raise NotHereError("no_word_to_judge", "The sentence to score has no word. Type one.")
    if len(tested_words) > MAX_FACTORS:
        raise NotHereError(
            "too_many_words_to_judge",
            "The sentence to score has {count} words; at most {limit} are shown one by one.",
            count=len(tested_words),
            limit=MAX_FACTORS,
        )
    models = [NGrams(counted, order, alpha, backward=backward) for order in ORDERS]
    model = models[order - 1]
    chain = model.chain(tested_words)
    context, size = model.context_after(tested_words), len(model.vocabulary)
    following = model.most_probable(context, MAX_NEXT)
    perplexities = [(model.perplexity(counted), model.perplexity([tested_words])) for model in models]
    next_token, next_probability = following[0] if following else ("", 0.0)
    return Content(
        [_finding(model, chain, perplexities[order - 1][1]), *_meaning(model, perplexities[order - 1][0])],
        [
            Chart("chain", say("Each factor of the chain rule"), chain_figure(chain)),
            Chart("perplexity", say("Perplexity by n"), perplexity_figure(perplexities, names, size)),
            *_next_charts(context, following),
        ],
        _table(chain),
        {
            "perplexity": perplexities[order - 1][1],
            "perplexity_of_text": perplexities[order - 1][0],
            "tokens": len(chain),
            "vocabulary": size,
            "unseen": sum(factor.count == 0 for factor in chain),
            "lowest_probability": min(factor.probability for factor in chain),
            "next_token": next_token,
            "next_probability": next_probability,
        },
        _next_curve(following),
    )


def chain_figure(chain: Sequence[Factor]) -> Figure:
    """Draw a bar for each factor, in the order of reading."""
    return _probability_figure(
        [(factor.token, factor.probability) for factor in chain],
        hovertext=[plotly_text(_conditional(factor), 80) for factor in chain],
        hover="%{hovertext} = %{text}",
    )


def _probability_figure(tokens: Sequence[tuple[str, float]], **hovering: Any) -> Figure:
    """Draw a bar for the probability of each token."""
    bars = bar_trace(
        x=list(range(len(tokens))),
        y=[probability for _, probability in tokens],
        marker={"color": LIGHT.output},
        text=[percent_text(probability) for _, probability in tokens],
        textposition="outside",
        cliponaxis=False,
        **hovering,
    )
    ticks = {"tickvals": bars["x"], "ticktext": [plotly_text(token, 10) for token, _ in tokens]}
    return Figure([bars], _layout(ticks, MARGINS + COLUMN * len(tokens), {"range": [0, 1.12]}))


def _next_charts(context: Sequence[str], following: Sequence[tuple[str, float]]) -> list[Chart]:
    """Return a chart of the most probable next tokens; none after a context without counts."""
    if not following:
        return []
    title = (
        say("Most probable tokens after “{context}”", context=" ".join(context))
        if context
        else say("Most probable tokens")
    )
    return [Chart("next", title, _probability_figure(following, hover="%{text}"))]


def _next_curve(following: Sequence[tuple[str, float]]) -> dict[str, LessonCurve]:
    """Return the most probable next tokens and their probabilities in percent, for lessons."""
    if not following:
        return {}
    tokens, probabilities = zip(*following, strict=True)
    return {"next_tokens": {"columns": tokens, "values": [100 * value for value in probabilities]}}


def perplexity_figure(
    perplexities: Sequence[tuple[float, float]], names: Sequence[str], vocabulary: int
) -> Figure:
    """Draw the perplexity of the counted text and of the tested sentence; a dashed line is guessing."""
    lines = [
        scatter_trace(
            "lines+markers",
            name=name,
            x=list(ORDERS),
            y=[None if math.isinf(perplexity[index]) else perplexity[index] for perplexity in perplexities],
            line={"color": colour},
            hover="%{y:.2f}",
        )
        for index, (name, colour) in enumerate(
            [(say("the counted text"), LIGHT.source), (say("the scored sentence"), LIGHT.output)]
        )
    ]
    ticks = {"tickvals": list(ORDERS), "ticktext": list(names), "range": [0.6, 4.4]}
    highest = max([vocabulary, *(value for pair in perplexities for value in pair if math.isfinite(value))])
    layout = _layout(ticks, 320, {"range": [0, 1.1 * highest], "title": {"text": say("perplexity")}})
    layout["shapes"] = [level_line(vocabulary)]
    layout["legend"] = legend_above()
    return Figure([*lines], layout)


def _layout(ticks: dict[str, Any], width: int, upright: dict[str, Any]) -> dict[str, Any]:
    return lab_layout(ticks, upright, width, height=260, top=34, bottom=40)


def _conditional(factor: Factor) -> str:
    return f"P({factor.token} | {' '.join(factor.context)})" if factor.context else f"P({factor.token})"


def _finding(model: NGrams, chain: Sequence[Factor], perplexity: float) -> str:
    """State the perplexity of the sentence, and its costliest factor."""
    worst = min(chain, key=lambda factor: factor.probability)
    if math.isinf(perplexity):
        return say(
            "The sentence is impossible for this model: {factor} = 0, so its perplexity is infinite. Add "
            "something to each count.",
            factor=_conditional(worst),
        )
    worse_than_guessing = later(
        "Perplexity {value}: worse than guessing evenly among all {size} tokens. Most surprising: "
        "{factor} = {percent}."
    )
    hesitates = later(
        "Perplexity {value}: at each of {count} tokens the model hesitates as if between {value} equally "
        "likely ones, of {size}. Most surprising: {factor} = {percent}."
    )
    return say(
        worse_than_guessing if perplexity > len(model.vocabulary) else hesitates,
        value=number_text(perplexity, 2),
        count=len(chain),
        size=len(model.vocabulary),
        factor=_conditional(worst),
        percent=percent_text(worst.probability),
    )


def _meaning(model: NGrams, perplexity: float) -> list[str]:
    vocabulary = len(model.vocabulary)
    return [
        say(
            "The best perplexity is 1; guessing evenly among all {size} tokens gives {size}, "
            "the dashed line. On the text that it was counted from, the model has {own}; this "
            "proves little, because it has seen that text.",
            size=vocabulary,
            own=number_text(perplexity, 2),
        ),
        say(
            "P = (count of context and token + {alpha}) / (count of context + {alpha} × {size}). The {size} "
            "tokens are the words of the text, {end} for the end of a sentence, and {unknown} "
            "for all other words.",
            alpha=number_text(model.alpha, 1),
            size=vocabulary,
            end=quoted("</s>"),
            unknown=quoted("<unk>"),
        ),
    ]


def _table(chain: Sequence[Factor]) -> Table:
    """Return the counts behind each factor."""
    rows: list[list[Cell]] = [
        [
            " ".join(factor.context),
            factor.token,
            factor.count,
            factor.context_count,
            percent_text(factor.probability),
        ]
        for factor in chain
    ]
    head = [say("context"), say("token"), say("count of both"), say("count of context"), say("probability")]
    return Table(head, rows)


LAB = Lab(
    "ngrams",
    later("n-grams"),
    later("How probable is a sentence, if each word depends only on a few words beside it?"),
    position=40,
    compute=compute,
)
