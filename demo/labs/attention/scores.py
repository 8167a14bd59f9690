"""Four scores on random vectors, and the effect of their width on softmax."""

from __future__ import annotations

import math
from collections.abc import Mapping

from demo.i18n import later, say
from demo.i18n.display import number_text, percent_text, small_percent_text
from demo.labs.attention.dictionary import in_percent, parts_table
from demo.labs.attention.figures import bars_figure, entropy_figure
from demo.widgets.answers.content import Chart, Content, Controls

DOT, SCALED_DOT, GENERAL, ADDITIVE = "dot", "scaled_dot", "general", "additive"
SCORE_NAMES = {
    DOT: later("dot"),
    SCALED_DOT: later("scaled dot"),
    GENERAL: later("general"),
    ADDITIVE: later("additive"),
}
FORMULAS = {
    DOT: "q · k (Luong et al. 2015)",
    SCALED_DOT: "q · k / √d (Vaswani et al. 2017)",
    GENERAL: "q · W k (Luong et al. 2015)",
    ADDITIVE: "v · tanh(W q + U k) (Bahdanau et al. 2015)",
}
ABOUT_SCORES = {
    DOT: later(
        "A dot product adds up d products, so its scores spread like √d = {root}: here their standard "
        "deviation is {deviation}. Softmax turns a lead of a few points into nearly all the weight."
    ),
    SCALED_DOT: later(
        "Divided by √d = {root}, the scores have a standard deviation of {deviation}, and close to that "
        "for every d."
    ),
    GENERAL: later(
        "The learnt matrix W lets queries and keys be of different kinds. With a random W, as here, "
        "scores spread like √d = {root} too: their standard deviation is {deviation}."
    ),
    ADDITIVE: later(
        "tanh lies between −1 and 1, so the scores hardly grow with d: their standard deviation is "
        "{deviation}. The price is a small network that runs for each pair of query and key."
    ),
}
WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256)
MAX_KEYS = 20


def scores_view(controls: Controls) -> Content:
    """Show one query and its keys by one score, and the entropy of the weights by width for all four."""
    from models.labs.attention import score_facts, score_keys

    kind = controls.choose("score", say("score"), [(name, say(SCORE_NAMES[name])) for name in SCORE_NAMES])
    widths = [(str(width), str(width)) for width in WIDTHS]
    width = int(controls.choose("width", say("numbers in a vector, d"), widths, "4"))
    count = round(controls.number("keys", say("keys"), 2, MAX_KEYS, 1, 10))
    seed = round(controls.number("seed", say("draw of the vectors"), 0, 99, 1, 5))
    result = score_keys(kind, width, count, seed)
    entropies = {
        name: [score_keys(name, width, count, seed).entropy for width in WIDTHS] for name in SCORE_NAMES
    }
    facts = {
        **score_facts(result, width),
        **{f"{name}_entropy": entropies[name][WIDTHS.index(width)] for name in SCORE_NAMES},
    }
    labels, weights = [f"k{number}" for number in range(1, count + 1)], result.weights.tolist()
    lines = {say(SCORE_NAMES[name]): entropies[name] for name in SCORE_NAMES}
    by_width = entropy_figure(lines, WIDTHS, math.log(count))
    charts = [
        Chart("scores", say("The weight of each key"), bars_figure(labels, weights)),
        Chart("entropy", say("Entropy of the attention weights by d"), by_width),
    ]
    table = parts_table(labels, result.values.tolist(), (say("score"), result.scores.tolist()), weights)
    paragraphs = [
        _finding(kind, facts),
        say(ABOUT_SCORES[kind], deviation=number_text(result.deviation), root=number_text(math.sqrt(width))),
        say(
            "A small change of a score changes its weight w by w (1 − w) times as much, here at most {slope} "
            "of it. Where one weight is nearly 1, hardly any gradient is left to learn from.",
            slope=small_percent_text(facts["slope"]),
        ),
        _of_mean(facts),
        say(
            "Queries, keys and matrices are random, the matrices with variance 1/d, as before a training. A "
            "trained network may well look at one key alone, because it has learnt to."
        ),
    ]
    return Content(paragraphs, charts, table, facts, in_percent(labels, weights))


def _finding(kind: str, facts: Mapping[str, float]) -> str:
    return say(
        "Score: {formula}. With d = {width} the largest of {count} weights is {percent}, and their entropy "
        "{entropy} nats, of {most} at most.",
        formula=FORMULAS[kind],
        width=facts["width"],
        count=facts["keys"],
        percent=percent_text(facts["largest_weight"]),
        entropy=number_text(facts["entropy"]),
        most=number_text(facts["most_entropy"]),
    )


def _of_mean(facts: Mapping[str, float]) -> str:
    from models.labs.attention import NUM_QUERIES

    return say(
        "One draw proves little: over {draws} of them the largest weight is {percent} on average, and the "
        "entropy {entropy} nats.",
        draws=NUM_QUERIES,
        percent=percent_text(facts["mean_largest"]),
        entropy=number_text(facts["mean_entropy"]),
    )
