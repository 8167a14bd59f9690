"""Word vectors trained live: bag of words, CBOW, skip-gram, and neighbouring words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from demo.i18n import later, listed, quoted, say
from demo.i18n.display import number_text, percent_text, plotly_text
from demo.labs import Lab, LabTraining, own_text
from demo.widgets.answers.content import Chart, Content, Controls, NotHereError, Program, Table
from demo.widgets.figures.curves.live import CHART_HEIGHT, CHART_WIDTH, Level, LiveCurve, live_figure
from demo.widgets.figures.drawing import chart_layout, plain_axis, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure
from models.labs.ngrams import sentences
from models.labs.training import Progress

if TYPE_CHECKING:
    from models.labs.word_vectors import VectorChoices, VectorResult

COUNTS, CBOW, SKIP_GRAM = "counts", "cbow", "skipgram"
ABOUT_METHODS = {
    COUNTS: later(
        "Bag of words: the vector of a word counts the words at most {reach} away from it, in whatever "
        "order. Nothing is trained."
    ),
    CBOW: later(
        "CBOW: the mean of the vectors of the words at most {reach} away has to predict the word in the "
        "middle."
    ),
    SKIP_GRAM: later(
        "Skip-gram: the vector of a word has to predict each of the words at most {reach} away from it."
    ),
}
NEGATIVE, SOFTMAX = "negative", "softmax"
NEAREST = 10
MIN_COUNT = 5  # occurrences in the novel of a word that gets a vector
MIN_COUNT_IN_OWN_TEXT = 1  # the same in a text of the reader's
WORD = "hatter"


def settings(controls: Controls) -> VectorChoices:
    """Return the settings. Raises NotHereError for a text in which no word stands beside another."""
    from models.labs.word_vectors import VectorChoices

    methods = [(COUNTS, say("bag of words")), (CBOW, "CBOW"), (SKIP_GRAM, "skip-gram")]
    method = controls.choose("method", say("vectors by"), methods, SKIP_GRAM)
    reach = round(controls.number("window", say("words on each side"), 1, 10, 1, 5))
    noise = 0
    if method != COUNTS:
        losses = [(NEGATIVE, say("negative sampling")), (SOFTMAX, say("full softmax"))]
        if controls.choose("loss", say("loss"), losses, NEGATIVE) == NEGATIVE:
            noise = round(controls.number("noise", say("noise words"), 1, 20, 1, 5))
    text = own_text(controls)
    if text and not any(len(set(words)) > 1 for words in sentences(text)):
        raise NotHereError(
            "no_neighbouring_words",
            "No two different words of your text stand in one sentence. Type some more.",
        )
    return VectorChoices(method, reach, noise, MIN_COUNT_IN_OWN_TEXT if text else MIN_COUNT, text)


def _trainable(controls: Controls) -> VectorChoices | None:
    """Return the settings of a training; None for counts, which need no training."""
    choices = settings(controls)
    return None if choices.method == COUNTS else choices


def run(choices: VectorChoices) -> Iterator[Progress[VectorResult]]:
    """Train as `models.labs.word_vectors` does."""
    from models.labs.word_vectors import train

    return train(choices)


@lru_cache(16)  # a page that waits in the queue polls
def _untrained_result(choices: VectorChoices) -> VectorResult:
    return next(run(choices)).result()


@lru_cache(16)
def _examples(choices: VectorChoices) -> tuple[int, int]:
    """Return the number of examples of skip-gram and of CBOW in the whole text."""
    words = choices.words()
    return len(words.pairs(choices.reach)), len(words.contexts(choices.reach)[0])


def compute(controls: Controls) -> Content:
    """Show a word's neighbours by the vectors so far, on a map and in a table, and the loss curve."""
    from models.inspection.embeddings import principal_components
    from models.labs.word_vectors import neighbours, without_idle_dimensions

    choices = settings(controls)
    trained: VectorResult = controls.trained(choices) or _untrained_result(choices)
    vocabulary = trained.vocabulary
    first = vocabulary[0] if choices.text else WORD
    word = controls.text_field("word", say("neighbours of"), first).strip().lower()
    if word not in vocabulary:
        raise NotHereError(
            "word_too_rare",
            "{word} does not occur often enough in the text: {least} times or more. Try {some}.",
            word=quoted(word),
            least=choices.least,
            some=listed(vocabulary[:: max(1, len(vocabulary) // 5)][:5]),
        )
    result = neighbours(trained.vectors, vocabulary.index(word), NEAREST)
    rows = [vocabulary.index(word), *(index for index, _ in result)]
    near = [(vocabulary[index], cosine) for index, cosine in result]
    directions = without_idle_dimensions(trained.vectors[rows])
    projection = principal_components(directions)
    points = projection.project(directions)[:, :2].tolist()
    names = [word, *(item for item, _ in near)]
    charts = [Chart("map", say("The word and its neighbours"), map_figure(names, points))]
    facts: dict[str, float | str] = {
        "vocabulary": len(vocabulary),
        "dimensions": trained.vectors.shape[1],
        "nearest": near[0][0],
        "similarity": near[0][1],
        **dict(zip(("skipgram_examples", "cbow_examples"), _examples(choices), strict=True)),
    }
    if choices.method == COUNTS:
        facts |= _bag_facts(trained, rows[0], "bag") | _bag_facts(trained, rows[1], "nearest_bag")
        others = trained.vectors[rows[:2]].scatter(
            1, trained.vectors[rows[:1]].topk(2).indices.expand(2, 2), 0
        )
        facts["similarity_of_rest"] = float(others[0] @ others[1] / others.norm(dim=1).prod())
    else:
        charts.append(Chart("loss", say("Loss while it learns"), loss_figure(trained)))
    if trained.losses:
        facts |= {"loss_before": trained.first_loss, "loss": trained.losses[-1]}
    paragraphs = [
        _finding(choices, trained, word, near),
        say(ABOUT_METHODS[choices.method], reach=choices.reach),
        *([_loss(choices, trained)] if trained.losses else []),
        say(
            "The map holds {share} of the variance of these words; neighbours are sought in all {dimensions} "
            "dimensions.",
            share=percent_text(sum(projection.variance_shares[:2])),
            dimensions=trained.vectors.shape[1],
        ),
        _doubt(choices, trained),
    ]
    table = Table([say("word"), say("cosine")], [[item, cosine] for item, cosine in near])
    return Content(paragraphs, charts, table, facts, program=Program({"updates": trained.done}))


def _bag_facts(counted: VectorResult, row: int, name: str) -> dict[str, float | str]:
    """Return how many counts of a word are 0, and the two words that occur around it most often."""
    counts = counted.vectors[row]
    _, most = counts.topk(min(2, len(counts)))
    words = {f"{name}_{rank}": counted.vocabulary[index] for rank, index in enumerate(most.tolist(), 1)}
    return {f"{name}_zeros": int((counts == 0).sum()), **words}


def map_figure(words: Sequence[str], points: Sequence[Sequence[float]]) -> Figure:
    """Draw two principal components of the word, which comes first, and its clickable neighbours."""
    own_marker = {"color": LIGHT.attention, "size": 13}
    near = {"color": LIGHT.output, "size": 8}
    traces = [
        scatter_trace(
            "markers+text",
            x=[round(point[0], 4) for point in group],
            y=[round(point[1] if len(point) > 1 else 0.0, 4) for point in group],
            text=[plotly_text(word, 16) for word in labels],
            textposition=_positions(group),
            textfont={"size": 12, "color": marker["color"]},
            customdata=[["choose", "word", word] for word in labels],
            marker=marker,
            cliponaxis=False,
            hover="%{text}",
        )
        for labels, group, marker in ((words[1:], points[1:], near), (words[:1], points[:1], own_marker))
    ]
    axis: dict[str, Any] = plain_axis(showticklabels=False, fixedrange=True)
    fields: dict[str, Any] = {"showlegend": False, "hovermode": "closest", "xaxis": axis, "yaxis": axis}
    margin = (40, 40, 24, 24)
    return Figure(traces, chart_layout(CHART_HEIGHT + 60, margin, min_width=CHART_WIDTH, **fields))


def _positions(points: Sequence[Sequence[float]]) -> list[str]:
    """Return label positions, above and below in turn from left to right, so that they are legible."""
    in_order = sorted(range(len(points)), key=lambda index: points[index][0])
    below = {index for rank, index in enumerate(in_order) if rank % 2}
    return ["bottom center" if index in below else "top center" for index in range(len(points))]


def loss_figure(result: VectorResult) -> Figure:
    """Draw the mean of every few updates, and a dashed line at the initial loss."""
    from models.labs.word_vectors import AVERAGED_UPDATES, NUM_VECTOR_UPDATES

    steps = [min((index + 1) * AVERAGED_UPDATES, result.done) for index in range(len(result.losses))]
    curve = LiveCurve(say("while learning"), steps, result.losses, LIGHT.source, width=1.6)
    level = Level(result.first_loss, "dash") if result.losses else None
    return live_figure([curve], say("nats for an example"), NUM_VECTOR_UPDATES, level, log=False)


def _finding(
    choices: VectorChoices, result: VectorResult, word: str, near: Sequence[tuple[str, float]]
) -> str:
    values = {
        "word": quoted(word),
        "near": listed(f"{item} ({number_text(cosine, 2)})" for item, cosine in near[:3]),
    }
    if choices.method != COUNTS and not result.losses:
        return say("Untrained, the words nearest to {word} are chance: {near}. Press Train.", **values)
    return say("Nearest to {word}, by cosine: {near}.", **values)


def _loss(choices: VectorChoices, result: VectorResult) -> str:
    values = {
        "loss": number_text(result.losses[-1], 2),
        "first": number_text(result.first_loss, 2),
        "done": result.done,
    }
    if choices.noise:
        return say(
            "Loss after update {done}: {loss} nats; vectors without information have (1 + {noise}) · "
            "ln 2 = {first}. Words drawn at random, beside each true word: {noise}.",
            **values,
            noise=choices.noise,
        )
    return say(
        "Loss after update {done}: {loss} nats; vectors without information have ln {size} = "
        "{first}. Each true word has to be distinguished among all {size} words.",
        **values,
        size=len(result.vocabulary),
    )


def _doubt(choices: VectorChoices, result: VectorResult) -> str:
    count = f"{result.tokens:,}"
    if choices.text:
        return say(
            "Your text has {count} words; Mikolov et al. (2013) learnt from 1.6 billion. So the neighbours "
            "say what stands together here, not what words mean.",
            count=count,
        )
    return say(
        "The novel, Alice's Adventures in Wonderland (Lewis Carroll, 1865, public domain), has {count} "
        "words, without those that occur fewer than {least} times; Mikolov et al. (2013) learnt from 1.6 "
        "billion. The neighbours say what stands together in it, not what words mean.",
        count=count,
        least=choices.least,
    )


LAB = Lab(
    "wordvectors",
    later("Word vectors"),
    later("Which words are near each other, once each has learnt what stands around it?"),
    position=30,
    compute=compute,
    training=LabTraining(_trainable, run),
)
