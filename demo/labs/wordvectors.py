"""Vectors of words trained live: the bag of words around each, CBOW, skip-gram, and who is near to whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from demo.answers.content import Chart, Content, NotHereError, Table
from demo.answers.controls import Controls
from demo.figures.builders import chart_layout, plain_axis, scatter_trace
from demo.figures.figure import Figure
from demo.figures.live_curve import HEIGHT, WIDTH, Level, LiveCurve, live_figure
from demo.figures.palette import LIGHT
from demo.i18n import later, listed, quoted, say
from demo.i18n.display import number_text, percent_text, plotly_text
from demo.labs.lab import Lab, Trains
from demo.labs.own_text import own_text
from models.labs.ngrams import sentences
from models.labs.novel import novel
from models.labs.progress import Progress

if TYPE_CHECKING:
    from models.inspection.embeddings import Projection
    from models.labs.word_vectors import Learnt

COUNTS, CBOW, SKIP_GRAM = "counts", "cbow", "skipgram"
NEGATIVE, SOFTMAX = "negative", "softmax"
NEAREST = 10
OFTEN, OFTEN_OF_OWN = 5, 1  # times that a word must occur in the novel, and in a text of the reader's
WORD = "hatter"


@dataclass(frozen=True)
class Settings:
    """All that the vectors hang on."""

    method: str
    reach: int  # words on each side
    noise: int  # for each true word; 0: the full softmax
    text: str  # the reader's own; "" is the novel

    @property
    def least(self) -> int:
        """Times that a word must occur."""
        return OFTEN_OF_OWN if self.text else OFTEN


def settings(chosen: Controls) -> Settings:
    """Raises NotHereError for a text in which no word stands beside another."""
    ways = [(COUNTS, say("bag of words")), (CBOW, "CBOW"), (SKIP_GRAM, "skip-gram")]
    method = chosen.choose("method", say("vectors by"), ways, SKIP_GRAM)
    reach = round(chosen.number("window", say("words on each side"), 1, 10, 1, 5))
    noise = 0
    if method != COUNTS:
        losses = [(NEGATIVE, say("negative sampling")), (SOFTMAX, say("full softmax"))]
        if chosen.choose("loss", say("loss"), losses, NEGATIVE) == NEGATIVE:
            noise = round(chosen.number("noise", say("noise words"), 1, 20, 1, 5))
    asked = Settings(method, reach, noise, own_text(chosen))
    if asked.text and not _has_neighbours(asked.text):
        raise NotHereError(
            "no_neighbouring_words",
            "No two different words of your text stand in one sentence. Type some more.",
        )
    return asked


def _trainable(chosen: Controls) -> Settings | None:
    """Counts need no training."""
    asked = settings(chosen)
    return None if asked.method == COUNTS else asked


def _has_neighbours(text: str) -> bool:
    return any(len(set(words)) > 1 for words in sentences(text))


def run(asked: Settings) -> Iterator[Progress[Learnt]]:
    """See `models.labs.word_vectors`."""
    from models.labs.word_vectors import Choices, trained

    return trained(asked.text or novel(), Choices(asked.method, asked.reach, asked.noise, asked.least))


@lru_cache(16)  # who waits in line asks again and again
def _untrained(asked: Settings) -> Learnt:
    return next(run(asked)).learnt()


@lru_cache(16)
def _examples(asked: Settings) -> tuple[int, int]:
    """How many skip-gram and CBOW find in the whole text."""
    from models.labs.word_pairs import Words

    words = Words.of(asked.text or novel(), asked.least)
    return len(words.pairs(asked.reach)), len(words.contexts(asked.reach)[0])


def look(chosen: Controls) -> Content:
    """The neighbours of a word by the vectors so far, on a map and in a table, and the curve of the loss."""
    from models.inspection.embeddings import principal_components
    from models.labs.word_vectors import neighbours, without_idle_dimensions

    asked = settings(chosen)
    learnt: Learnt = chosen.trained(asked) or _untrained(asked)
    vocabulary = learnt.vocabulary
    word = (
        chosen.typed("word", say("neighbours of"), WORD if not asked.text else vocabulary[0]).strip().lower()
    )
    if word not in vocabulary:
        raise NotHereError(
            "word_too_rare",
            "{word} does not occur often enough in the text: {least} times or more. Try {some}.",
            word=quoted(word),
            least=asked.least,
            some=listed(vocabulary[:: max(1, len(vocabulary) // 5)][:5]),
        )
    result = neighbours(learnt.vectors, vocabulary.index(word), NEAREST)
    rows = [vocabulary.index(word), *(index for index, _ in result)]
    near = [(vocabulary[index], cosine) for index, cosine in result]
    shown = without_idle_dimensions(learnt.vectors[rows])
    projection = principal_components(shown)
    places = projection.project(shown)[:, :2].tolist()
    charts = [
        Chart(
            "map", say("The word and its neighbours"), map_figure([word, *(item for item, _ in near)], places)
        )
    ]
    facts: dict[str, float | str] = {
        "vocabulary": len(vocabulary),
        "dimensions": learnt.vectors.shape[1],
        "nearest": near[0][0],
        "similarity": near[0][1],
        **dict(zip(("skipgram_examples", "cbow_examples"), _examples(asked), strict=True)),
    }
    if asked.method != COUNTS:
        charts.append(Chart("loss", say("Loss while it learns"), loss_figure(learnt)))
    if learnt.losses:
        facts |= {"loss_before": learnt.first_loss, "loss": learnt.losses[-1]}
    told = [
        _finding(asked, learnt, word, near),
        _method(asked),
        *_loss(asked, learnt),
        _map(learnt, projection),
        _doubt(asked, learnt),
    ]
    return Content(told, charts, _table(near), facts)


def map_figure(words: Sequence[str], places: Sequence[Sequence[float]]) -> Figure:
    """Two principal components of the word, which comes first, and its neighbours, each to be clicked."""
    own = {"color": LIGHT.attention, "size": 13}
    near = {"color": LIGHT.output, "size": 8}
    traces = [
        scatter_trace(
            "markers+text",
            x=[round(place[0], 4) for place in shown],
            y=[round(place[1] if len(place) > 1 else 0.0, 4) for place in shown],
            text=[plotly_text(word, 16) for word in labels],
            textposition=_positions(shown),
            textfont={"size": 12, "color": marker["color"]},
            customdata=[["choose", "word", word] for word in labels],
            marker=marker,
            cliponaxis=False,
            hover="%{text}",
        )
        for labels, shown, marker in ((words[1:], places[1:], near), (words[:1], places[:1], own))
    ]
    axis: dict[str, Any] = plain_axis(showticklabels=False, fixedrange=True)
    layout = chart_layout(
        HEIGHT + 60,
        (40, 40, 24, 24),
        min_width=WIDTH,
        showlegend=False,
        hovermode="closest",
        xaxis=axis,
        yaxis=axis,
    )
    return Figure(traces, layout)


def _positions(places: Sequence[Sequence[float]]) -> list[str]:
    """Of labels: above and below in turn, from left to right, so that neighbours are legible."""
    in_order = sorted(range(len(places)), key=lambda index: places[index][0])
    below = {index for rank, index in enumerate(in_order) if rank % 2}
    return ["bottom center" if index in below else "top center" for index in range(len(places))]


def loss_figure(learnt: Learnt) -> Figure:
    """The mean of every few updates; a dashed line where it began."""
    from models.labs.word_vectors import AVERAGED, UPDATES

    steps = [min((index + 1) * AVERAGED, learnt.done) for index in range(len(learnt.losses))]
    curve = LiveCurve(say("while learning"), steps, learnt.losses, LIGHT.source, width=1.6)
    level = Level(learnt.first_loss, "dash") if learnt.losses else None
    return live_figure([curve], say("nats for an example"), UPDATES, level, log=False)


def _finding(asked: Settings, learnt: Learnt, word: str, near: Sequence[tuple[str, float]]) -> str:
    told = {
        "word": quoted(word),
        "near": listed(f"{item} ({number_text(cosine, 2)})" for item, cosine in near[:3]),
    }
    if asked.method != COUNTS and not learnt.losses:
        return say("Untrained, the words nearest to {word} are chance: {near}. Press Train.", **told)
    return say("Nearest to {word}, by cosine: {near}.", **told)


def _method(asked: Settings) -> str:
    if asked.method == COUNTS:
        return say(
            "Bag of words: the vector of a word counts the words at most {reach} away from it, in whatever "
            "order. Nothing is trained.",
            reach=asked.reach,
        )
    if asked.method == CBOW:
        return say(
            "CBOW: the mean of the vectors of the words at most {reach} away has to predict the word in the "
            "middle.",
            reach=asked.reach,
        )
    return say(
        "Skip-gram: the vector of a word has to predict each of the words at most {reach} away from it.",
        reach=asked.reach,
    )


def _loss(asked: Settings, learnt: Learnt) -> list[str]:
    if not learnt.losses:
        return []
    told = {
        "loss": number_text(learnt.losses[-1], 2),
        "first": number_text(learnt.first_loss, 2),
        "done": learnt.done,
    }
    if asked.noise:
        return [
            say(
                "Loss after {done} updates: {loss} nats, where vectors that say nothing have "
                "(1 + {noise}) · ln 2 = {first}: each true word is told from {noise} drawn at random.",
                **told,
                noise=asked.noise,
            )
        ]
    return [
        say(
            "Loss after {done} updates: {loss} nats, where vectors that say nothing have ln {size} = "
            "{first}: each true word is told from all {size}.",
            **told,
            size=len(learnt.vocabulary),
        )
    ]


def _map(learnt: Learnt, projection: Projection) -> str:
    return say(
        "The map holds {share} of the variance of these words; neighbours are sought in all {dimensions} "
        "dimensions.",
        share=percent_text(sum(projection.explained[:2])),
        dimensions=learnt.vectors.shape[1],
    )


def _doubt(asked: Settings, learnt: Learnt) -> str:
    count = f"{learnt.tokens:,}"
    if asked.text:
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
        least=asked.least,
    )


def _table(near: Sequence[tuple[str, float]]) -> Table:
    return Table([say("word"), say("cosine")], [[word, cosine] for word, cosine in near])


LAB = Lab(
    "wordvectors",
    later("Word vectors"),
    later("Which words are near each other, once each has learnt what stands around it?"),
    position=30,
    look=look,
    trains=Trains(_trainable, run),
)
