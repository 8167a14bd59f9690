"""The view of a head's role over many sentences, and of the loss without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from demo.answers.content import Cell, Chart, Content, NotHereError, Table
from demo.figures.drawing.builders import bar_trace, chart_layout, legend_above
from demo.figures.drawing.figure import Figure
from demo.figures.drawing.palette import LIGHT
from demo.i18n import in_page, later, say
from demo.i18n.display import number_text, percent_text
from demo.inspect.heads.names import head_name, head_title, no_heads
from demo.inspect.inspected import Inspected
from demo.inspect.other_checkpoints import attends
from demo.inspect.typed_sentences import typed_sentences
from demo.inspect.view import InspectView

if TYPE_CHECKING:
    from models.corpus.pairs import Pair
    from models.inspection.dossier.loss import QualityLoss
    from models.inspection.dossier.role import AttentionMeans, HeadRole

GENERATED, TYPED, CURATED, EXAMPLES = "generated", "lines", "written", "examples"
MAX_PAIRS, MAX_PICTURES = 60, 12  # decoded twice while a reader waits
METRICS = {"exact_match": later("exact match"), "chrf": "chrF", "bleu": "BLEU"}
MEASURED_ON = (later("all sentences"), later("the current sentence"), later("even attention"))
CHART_HEIGHT = 230  # pixels


def compute(inspected: Inspected) -> Content:
    """A head's role over many sentences and in the current one, and the scores with it and without it."""
    from models.inspection.dossier.ablation import HeadIndex
    from models.inspection.dossier.loss import both_outputs, losses
    from models.inspection.dossier.role import head_role
    from models.inspection.neighbours.states import examples

    checkpoint = inspected.checkpoint
    if checkpoint.model.attention_shape is None:
        raise no_heads()
    layer, head = _head(inspected, *checkpoint.model.attention_shape)
    origin, pairs = _pairs(inspected)
    fitting = tuple(examples(checkpoint, pairs))
    if not fitting:
        raise NotHereError(
            "no_sentence_read", "No sentence could be read. Type a source, a tab and its reference in a line."
        )
    part = HeadIndex(layer, head)
    role = head_role(checkpoint, part, fitting)
    output = checkpoint.tokenizer.target.decode(inspected.output)
    current = tuple(examples(checkpoint, [(inspected.text, output)]))
    current_role = head_role(checkpoint, part, current).head if current else None
    outputs = both_outputs(checkpoint, part, [example.pair for example in fitting])
    lost = losses(checkpoint, outputs)
    measure = "chrf" if checkpoint.config.task == "translation" else "exact_match"
    sentences = [_finding(_by(measure, lost), outputs.changed, len(fitting)), _origin(origin), _trust()]
    charts = []
    if role.head.profile is not None and role.even.profile is not None:
        figure = profile_figure(
            role.head.profile, current_role.profile if current_role else None, role.even.profile
        )
        charts.append(Chart("profile", say("Where it looks, in tenths of the source"), figure))
    return Content(sentences, charts, _table(role, current_role, lost))


def _head(inspected: Inspected, layers: int, heads: int) -> tuple[int, int]:
    """Ask for a head; layer and head from 0."""
    options = [
        (head_name(layer, head), head_title(layer, head)) for layer in range(layers) for head in range(heads)
    ]
    layer, head = inspected.choose("head", say("head"), options).split(".")
    return int(layer) - 1, int(head) - 1


def _pairs(inspected: Inspected) -> tuple[str, Sequence[Pair]]:
    """The origin of the sentences, and the sentences with references."""
    from models.corpus.generated.all_tasks import TASKS
    from models.inspection.neighbours.available_states import example_pairs, generated_pairs, line_pairs

    checkpoint = inspected.checkpoint
    lines = [line for line in typed_sentences(inspected) if line.strip()]
    if lines:
        return TYPED, line_pairs(checkpoint, lines[:MAX_PAIRS])
    if checkpoint.config.task in TASKS:
        most = MAX_PICTURES if checkpoint.config.reads_pictures else MAX_PAIRS
        return GENERATED, generated_pairs(checkpoint)[:most]
    if inspected.sentences:
        return CURATED, inspected.sentences[:MAX_PAIRS]
    return EXAMPLES, example_pairs(checkpoint)


def profile_figure(many: Sequence[float], current: Sequence[float] | None, even: Sequence[float]) -> Figure:
    """The weight of each tenth of the source: in all sentences, in the current one, and if it were even."""
    tenths = [f"{10 * index}–{10 * (index + 1)}%" for index in range(len(many))]
    profiles = [(many, say(MEASURED_ON[0]), LIGHT.attention), (even, say(MEASURED_ON[2]), LIGHT.grid)]
    if current is not None:
        profiles.insert(1, (current, say(MEASURED_ON[1]), LIGHT.output))
    bars = [
        bar_trace(
            name=name,
            x=tenths,
            y=[round(value, 5) for value in values],
            marker={"color": colour},
            hovertemplate="%{x}: %{y:.1%}",
        )
        for values, name, colour in profiles
    ]
    layout = chart_layout(
        CHART_HEIGHT,
        (48, 12, 34, 34),
        min_width=460,
        barmode="group",
        legend=legend_above(1),
        xaxis={"fixedrange": True, "tickfont": {"size": 10}},
        yaxis={"tickformat": ".0%", "fixedrange": True, "rangemode": "tozero"},
    )
    return Figure(bars, layout)


def _by(metric: str, lost: Sequence[QualityLoss]) -> QualityLoss:
    """The loss by a metric, or by the first one if it is missing."""
    return next((loss for loss in lost if loss.metric == metric), lost[0])


def _finding(lost: QualityLoss, changed: float, count: int) -> str:
    fields = {"some": round(changed * count), "count": count, "metric": say(METRICS[lost.metric])}
    if lost.lost < 0:
        return say(
            "Without this head {some} of {count} outputs change, and {metric} rises by {gained} points "
            "({low} to {high}).",
            **fields,
            gained=number_text(-lost.lost, 1),
            low=number_text(-lost.high, 1),
            high=number_text(-lost.low, 1),
        )
    return say(
        "Without this head {some} of {count} outputs change, and {metric} falls by {lost} points "
        "({low} to {high}).",
        **fields,
        lost=number_text(lost.lost, 1),
        low=number_text(lost.low, 1),
        high=number_text(lost.high, 1),
    )


def _origin(origin: str) -> str:
    if origin == GENERATED:
        return say(
            "Measured on newly generated sentences of the checkpoint's task, with their right outputs."
        )
    if origin == TYPED:
        return say(
            "Measured on your sentences; without a reference, against the output of the whole network."
        )
    if origin == CURATED:
        return say("Measured on texts that were written for this page, with their references.")
    return say(
        "Measured on the checkpoint's examples, against the output of the whole network: this "
        "shows how much changes, not how much worse it gets. For that, type sentences with "
        "references."
    )


def _trust() -> str:
    return say(
        "95% intervals by paired bootstrap (Koehn 2004); with few sentences they are wide. A head rarely "
        "does in one sentence what it does in all, and other heads may replace it once it is gone (Voita "
        "et al. 2019)."
    )


def _table(role: HeadRole, current: AttentionMeans | None, lost: Sequence[QualityLoss]) -> Table:
    """The head's statistics over all sentences and in the current one, and the scores."""

    def line(title: str, name: str) -> list[Cell]:
        values = (getattr(item, name) if item else None for item in (role.head, current, role.even))
        if name == "entropy":
            cells = ["–" if value is None else number_text(value) for value in values]
        else:
            cells = ["–" if value is None else percent_text(value) for value in values]
        return [title, *cells]

    rows: list[list[Cell]] = [line(say("entropy, nats"), "entropy")]
    if role.head.diagonal is not None:
        rows += [
            line(say("weight on the diagonal"), "diagonal"),
            line(say("weight on the mirrored diagonal"), "mirrored"),
            line(say("weight on the end token"), "end"),
        ]
    rows += [
        [
            say(
                "{metric} without it, of {whole}",
                metric=say(METRICS[item.metric]),
                whole=number_text(item.whole, 1),
            ),
            number_text(item.without, 1),
            "–",
            "–",
        ]
        for item in lost
    ]
    return Table(["", *map(say, MEASURED_ON)], rows)


VIEW = InspectView(
    "dossier",
    in_page("A head's role"),
    later("What does a head do over many sentences, and what is lost without it?"),
    position=25,
    compute=compute,
    fits=attends,
    paper="Voita et al. 2019",
)
