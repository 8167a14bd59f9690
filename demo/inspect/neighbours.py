"""The view of the stored states nearest to a state of the current step, with their sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import exp
from typing import TYPE_CHECKING

from demo.i18n import in_page, later, message_text, quoted, say
from demo.i18n.display import number_text, percent_text, plotly_text
from demo.inspect.view import Inspected, InspectView
from demo.widgets.answers.content import Chart, Content, Table
from demo.widgets.figures.drawing import bars_across, chart_layout, label_ticks, legend_above, plain_axis
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.inspection.neighbours.available_states import AvailableStates, StateStores, StepStates
    from models.inspection.neighbours.search import Neighbour

DECODER, CONTEXT, SOURCE = "decoder", "context", "source"
MAX_BARS, MIN_SHARE = 6, 0.001  # tokens whose votes are drawn, and the share of one that is seen
ROW, LEFT, RIGHT, TOP, BOTTOM = 40, 110, 24, 34, 34  # pixels
MARKS = "⟦{}⟧"  # around the token that a state is of


@cache
def _stores() -> StateStores:
    """The cache, shared by all visitors."""
    from models.inspection.neighbours.available_states import StateStores

    return StateStores()


def compute(inspected: Inspected) -> Content:
    """The nearest states as a table, and their vote beside the network's distribution."""
    from models.environment import read
    from models.inspection.neighbours import StateSettings
    from models.inspection.neighbours.available_states import states_of
    from models.inspection.neighbours.search import neighbours

    states = states_of(inspected.checkpoint, inspected.prediction.question)
    kind = inspected.choose("state", say("state"), _kinds(states))
    position = _source_position(inspected) if kind == SOURCE else 0
    k = round(inspected.number("k", say("how many neighbours"), 1, 50, 1, 10))
    temperature = (
        1.0 if kind == SOURCE else inspected.number("t", say("temperature of the vote"), 1, 500, 1, 10)
    )
    lines = _typed_sentences(inspected)
    available = _stores().of(inspected.checkpoint, read(StateSettings).root, lines, inspected.sentences)
    query = states.of_source[position] if kind == SOURCE else states.of_step[kind]
    nearest_states = neighbours(available.store.parts, kind, query, k, without=inspected.text)
    if not nearest_states:
        return Content([say("There are no states to search. Type some sentences, one in a line.")])
    sentences = [
        _search_sentence(available, kind),
        *filter(None, [message_text(available.problem)]),
        _trust(kind),
    ]
    table = _table(inspected, nearest_states, kind)
    if kind == SOURCE:
        return Content([_same_word(inspected, nearest_states, position), *sentences], table=table)
    votes = _votes(inspected, states, nearest_states, temperature)
    figure = votes_figure(inspected, votes)
    chart = Chart("votes", say("The neighbours' vote, and what the network says"), figure)
    return Content(
        [_finding(inspected, nearest_states, votes), _weight(nearest_states, temperature), *sentences],
        [chart],
        table,
    )


def _kinds(states: StepStates) -> list[tuple[str, str]]:
    titles = {DECODER: say("decoder, before this token"), CONTEXT: say("context from attention")}
    present = [(kind, name) for kind, name in titles.items() if kind in states.of_step]
    return [*present, (SOURCE, say("encoder, one token"))]


def _source_position(inspected: Inspected) -> int:
    """Ask for a token of the source, and return its index."""
    labels = enumerate(inspected.source_labels)
    options = [
        (str(index), say("{number}: {token}", number=index + 1, token=label)) for index, label in labels
    ]
    return int(inspected.choose("token", say("token that was read"), options))


def _votes(
    inspected: Inspected, states: StepStates, nearest_states: Sequence[Neighbour], temperature: float
) -> Mapping[int, tuple[float, float]]:
    """The neighbours' share and the network's probability, for the explained and the likeliest tokens."""
    from models.inspection.neighbours.search import votes

    votes_by_token = votes(nearest_states, temperature)
    likeliest = states.log_probs.topk(min(MAX_BARS, len(states.log_probs))).indices.tolist()
    explained = inspected.prediction.question.token
    shares = {
        token: (votes_by_token.get(token, 0.0), exp(float(states.log_probs[token])))
        for token in dict.fromkeys([explained, *votes_by_token, *likeliest])
    }
    visible = {token: item for token, item in shares.items() if token == explained or max(item) >= MIN_SHARE}
    return dict(sorted(visible.items(), key=lambda item: (item[0] != explained, -max(item[1]))))


def votes_figure(inspected: Inspected, votes: Mapping[int, tuple[float, float]]) -> Figure:
    """Two bars for each token, the network's below the neighbours'."""
    tokens = list(votes)[:MAX_BARS]
    labels = [plotly_text(inspected.label(token)) for token in tokens]
    names = [say("vote of the neighbours"), say("the network")]
    bars = [
        bars_across(
            name,
            colour,
            [round(votes[token][which], 4) for token in tokens],
            list(range(len(tokens))),
            text=[percent_text(votes[token][which]) for token in tokens],
            textposition="auto",
            hoverinfo="skip",
        )
        for which, (name, colour) in enumerate(zip(names, (LIGHT.attention, LIGHT.output), strict=True))
    ]
    layout = chart_layout(
        TOP + BOTTOM + ROW * len(tokens),
        (LEFT, RIGHT, TOP, BOTTOM),
        min_width=300,
        barmode="group",
        bargap=0.25,
        legend=legend_above(1),
        xaxis=plain_axis(showgrid=False, fixedrange=True, range=[0, 1], tickformat=".0%"),
        yaxis=label_ticks(labels, color=LIGHT.output, autorange="reversed"),
    )
    return Figure(bars, layout)


def _finding(
    inspected: Inspected, nearest_states: Sequence[Neighbour], votes: Mapping[int, tuple[float, float]]
) -> str:
    token = inspected.prediction.question.token
    vote, probability = votes.get(token, (0.0, 0.0))
    return say(
        "{same} of the {count} nearest states wrote {token} too. The nearer a state, the more its vote "
        "counts: together they give it {vote}, the network {own}.",
        same=sum(item.token == token for item in nearest_states),
        count=len(nearest_states),
        token=quoted(inspected.token),
        vote=percent_text(vote),
        own=percent_text(probability),
    )


def _weight(nearest_states: Sequence[Neighbour], temperature: float) -> str:
    """A sentence about the effective number of neighbours."""
    from models.inspection.neighbours.search import voters

    return say(
        "At this temperature nearer states count for more: the {count} votes are worth {number} equal ones.",
        count=len(nearest_states),
        number=number_text(voters(nearest_states, temperature), 1),
    )


def _same_word(inspected: Inspected, nearest_states: Sequence[Neighbour], position: int) -> str:
    if inspected.checkpoint.config.reads_pictures:
        return say(
            "The {count} nearest states of the encoder are of these cells of other pictures.",
            count=len(nearest_states),
        )
    token = inspected.prediction.question.source[position]
    return say(
        "{same} of the {count} nearest states of the encoder are of {token} too.",
        same=sum(item.token == token for item in nearest_states),
        count=len(nearest_states),
        token=quoted(inspected.source_labels[position]),
    )


def _search_sentence(available: AvailableStates, kind: str) -> str:
    """A sentence about the states that were searched."""
    from models.inspection.neighbours.available_states import STATES_OF_EXAMPLES, STATES_OF_GENERATED

    numbers = {"states": f"{available.store.count(kind):,}", "sentences": f"{available.store.pairs:,}"}
    if available.origin == STATES_OF_GENERATED:
        return say(
            "Searched: {states} states of {sentences} random examples of this task, without the current one.",
            **numbers,
        )
    if available.origin == STATES_OF_EXAMPLES:
        return say(
            "Searched: only {states} states of {sentences} sentences, the examples and those that you type. "
            "For a training set run `python -m models.inspection.neighbours` where this page runs.",
            **numbers,
        )
    return say(
        "Searched: {states} states of {sentences} sentences that are kept where this page runs, without "
        "the current one.",
        **numbers,
    )


def _trust(kind: str) -> str:
    if kind == DECODER:
        return say(
            "The network does not look sentences up: near states show what it treats alike. A neighbour's "
            "vote is exp(-d/T), with d the squared distance (Khandelwal et al. 2021)."
        )
    if kind == CONTEXT:
        return say(
            "The context is the source's states, weighted by attention (its mean over layers and heads): "
            "what was written before only steers where it looks."
        )
    return say(
        "A state of the encoder stands for a word in its sentence: the same word may be far away where "
        "it means something else."
    )


def _typed_sentences(inspected: Inspected) -> list[str]:
    """Lines, each a source, or source, tab and output; none for a network that reads pictures."""
    if inspected.checkpoint.config.reads_pictures:
        return []
    label = say("your own sentences, one on each line (after a tab: the output)")
    return inspected.text_field("lines", label).splitlines()


def _table(inspected: Inspected, nearest_states: Sequence[Neighbour], kind: str) -> Table:
    """The nearest states first, each with its sentence, in which the state's token is marked."""
    from models.inspection.neighbours.search import split_at_token

    tokenizer, pictures = inspected.checkpoint.tokenizer, inspected.checkpoint.config.reads_pictures
    rows: list[list[str | float | int]] = []
    for item in nearest_states:
        if pictures and kind == SOURCE:
            rows.append([item.distance, inspected.source_labels[item.position], item.pair[1]])
            continue
        before, token_text, after = split_at_token(tokenizer, item, kind)
        space = token_text[: len(token_text) - len(token_text.lstrip())]
        marked = f"{before}{space}{MARKS.format(token_text.lstrip())}{after}"
        other = [] if pictures else [item.pair[1 if kind == SOURCE else 0]]
        rows.append([item.distance, inspected.label(item.token), marked, *other])
    if pictures:
        first = say("cell") if kind == SOURCE else say("token")
        return Table([say("distance"), first, say("caption")], rows)
    sides = [say("sentence"), say("its output")] if kind == SOURCE else [say("output"), say("its sentence")]
    return Table([say("distance"), say("token"), *sides], rows)


VIEW = InspectView(
    "neighbours",
    in_page("Nearest states"),
    later("In which other sentences was the network in nearly the same state, and what did it write there?"),
    position=70,
    compute=compute,
    paper="Khandelwal et al. 2021",
)
