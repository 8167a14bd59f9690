"""An evaluation as one HTML page, which needs no other file. All texts are escaped."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from models.evaluation.report.elements import estimate, interval, section, table
from models.evaluation.report.headings import decoding_of
from models.evaluation.report.widths import width_sections

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport, SegmentRow

TEMPLATE = Path(__file__).with_name("page.html")
MAX_SHOWN_NGRAMS = 10


def to_html(report: EvaluationReport, title: str) -> str:
    """The page of a report."""
    parts = [_head(report), _metric_scores(report), _bleu(report), _differences(report)]
    parts += [width_sections(report), _triage(report), _breakdowns(report), _calibrations(report)]
    parts += [_ngrams(report), _changes(report), _rows(report)]
    template = TEMPLATE.read_text(encoding="utf-8")
    # The body comes last, since its texts may contain the placeholders of the template.
    return template.replace("TITLE", escape(title)).replace("BODY", "\n".join(filter(None, parts)), 1)


def _head(report: EvaluationReport) -> str:
    counts = f"{report.segments:,} segments, {report.references:,} references"
    sentences = [f"{counts}, evaluated on {report.date}.", *report.notes]
    if report.left_out_count:
        lines = "; ".join(f"line {row.line}: {row.reason}" for row in report.left_out[:10])
        sentences.append(f"{report.left_out_count:,} rows left out ({lines}).")
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def _metric_scores(report: EvaluationReport) -> str:
    names = list(dict.fromkeys(score.name for system in report.systems for score in system.metric_scores))
    rows = []
    for system in report.systems:
        cells = [escape(text) for text in (system.name, system.checkpoint, decoding_of(system))]
        rows.append([*cells, *(estimate(system.metric_score(name)) for name in names)])
    signatures = dict.fromkeys(
        f"{score.name}: {score.signature}"
        for system in report.systems
        for score in system.metric_scores
        if score.signature
    )
    heads = [*(name + (" ↓" if name in ("TER", "perplexity") else "") for name in names)]
    notes = "".join(f'<p class="quiet">{escape(line)}</p>' for line in signatures)
    return section(
        "Figures",
        table(("system", "checkpoint", "decoding", *heads), rows, numbers=3)
        + '<p class="quiet">In brackets the 95% interval (bootstrap over segments). ↓: less is better.</p>'
        + notes,
    )


def _bleu(report: EvaluationReport) -> str:
    rows = []
    for system in report.systems:
        bleu = system.bleu
        precisions = [
            f"{order.precision:.1f} <span class=quiet>{order.matched:,} of {order.total:,}</span>"
            for order in bleu.orders
        ]
        lengths = f"{bleu.length:,} / {bleu.reference_length:,}"
        last = [f"{bleu.brevity_penalty:.3f}", lengths, f"{bleu.score:.2f}"]
        rows.append([escape(system.name), *precisions, *last, f"{bleu.mean_of_sentences:.2f}"])
    orders = (f"{n}-grams, %" for n in range(1, 5))
    heads = ("system", *orders, "brevity penalty", "tokens / reference", "BLEU", "mean of sentences")
    return section("BLEU in its parts", table(heads, rows, numbers=1))


def _differences(report: EvaluationReport) -> str:
    if not report.differences:
        return ""
    rows = [
        [
            escape(f"{difference.a} − {difference.b}"),
            escape(difference.metric),
            estimate(difference),
            f"{difference.bootstrap_p:.4f}",
            f"{difference.randomisation_p:.4f}",
            "yes" if difference.significant else "no",
        ]
        for difference in report.differences
    ]
    heads = (
        "systems",
        "metric",
        "difference",
        "p, paired bootstrap",
        "p, approximate randomisation",
        "real at 5%?",
    )
    return section("Differences", table(heads, rows, numbers=2))


def _triage(report: EvaluationReport) -> str:
    parts = []
    for system in report.systems:
        triage = system.triage
        if triage is None or not triage.causes:
            continue
        sentence = f"{triage.bad:,} outputs have a sentence chrF below {triage.bad_below:.0f}"
        if triage.looked_into < triage.bad:
            sentence += f"; the worst {triage.looked_into:,} were examined"
        rows = [
            [escape(cause.title), f"{cause.share:.0%}", _bar(cause.share), escape(cause.remedy)]
            for cause in triage.causes
        ]
        parts.append(f"<h3>{escape(system.name)}</h3><p>{sentence}.</p>")
        parts.append(table(("cause", "share", "", "what would help"), rows))
    return section("Why outputs are bad", "".join(parts)) if parts else ""


def _breakdowns(report: EvaluationReport) -> str:
    parts = []
    for breakdown in report.breakdowns:
        rows = [
            [
                escape(group.label),
                f"{group.count:,}",
                *(estimate(group.metric_scores.get(name)) for name in report.names),
            ]
            for group in breakdown.bins
        ]
        title = f"<h3>{escape(breakdown.title)}: {escape(breakdown.measure)}</h3>"
        parts.append(f"<div>{title}{table(('', 'count', *report.names), rows, numbers=1)}</div>")
    return section("Where", "".join(parts))


def _calibrations(report: EvaluationReport) -> str:
    parts = []
    for system in report.systems:
        calibration = system.calibration
        if calibration is None:
            continue
        rows = [
            [
                f"{100 * group.low:.0f}–{100 * group.high:.0f}%",
                f"{group.count:,}",
                f"{group.confidence:.1%}",
                f"{group.accuracy:.1%}",
                _bar(group.accuracy),
            ]
            for group in calibration.bins
        ]
        sentence = f"Expected calibration error {100 * calibration.error:.1f} points: mean confidence "
        sentence += f"{calibration.confidence:.1%}, right {calibration.accuracy:.1%}."
        heads = ("probability of the most probable token", "tokens", "mean", "right", "")
        parts.append(
            f"<div><h3>{escape(system.name)}</h3><p>{sentence}</p>{table(heads, rows, numbers=1)}</div>"
        )
    return section("Does the model know when it is right?", "".join(parts)) if parts else ""


def _ngrams(report: EvaluationReport) -> str:
    parts = []
    for system in report.systems:
        lists = []
        for order, differences in system.ngrams.items():
            for ngrams, title in ((differences.over, "too often"), (differences.under, "too rarely")):
                rows = [
                    [
                        escape(" ".join(ngram.words)),
                        f"+{ngram.surplus} −{ngram.lack}",
                        f"{ngram.matched:,}",
                    ]
                    for ngram in ngrams[:MAX_SHOWN_NGRAMS]
                ]
                if rows:
                    heads = (f"{order} word{'s' if order != '1' else ''}, {title}", "surplus, lack", "right")
                    lists.append(f"<div>{table(heads, rows, numbers=1)}</div>")
        parts.append(f'<h3>{escape(system.name)}</h3><div class="columns">{"".join(lists)}</div>')
    return section("Words written too often or too rarely", "".join(parts))


def _changes(report: EvaluationReport) -> str:
    parts = []
    for system in report.changes:
        rows = []
        for kind in system.kinds:
            damage = interval(kind.damage, *kind.damage_bounds)
            worst = "".join(
                f"<p>{_diff(output.changed, output.source)}<br>{_diff(output.after, output.before)}</p>"
                for output in kind.worst
            )
            title = f"{escape(kind.title)}<details><summary>examples</summary>{worst}</details>"
            good_output = "the same" if kind.keeps_meaning else "another"
            rows.append([title, f"{kind.changed:,}", damage, f"{kind.same:.0f}%", good_output])
        heads = ("change of the source", "sources", "chrF lost", "outputs unchanged", "output wanted")
        parts.append(f"<h3>{escape(system.system)}</h3>{table(heads, rows, numbers=1)}")
    return section("What changed sources do", "".join(parts)) if parts else ""


def _rows(report: EvaluationReport) -> str:
    names = report.names
    sorts = [(f"chrf{index}/1", f"chrF of {name}, worst first") for index, name in enumerate(names)]
    sorts += [(f"doubt{index}/-1", f"cost per token of {name}") for index, name in enumerate(names)]
    if len(names) > 1:
        sorts += [
            ("gap/1", f"{names[1]} better than {names[0]}"),
            ("gap/-1", f"{names[0]} better than {names[1]}"),
        ]
    sorts.append(("line/1", "line"))
    causes = [("", "any"), *((name, cause.title) for name, cause in report.causes.items())]
    controls = (
        f'<p><label>Sort by <select id="sort">{_options(sorts)}</select></label>'
        f'<label>Cause <select id="cause">{_options(causes)}</select></label>'
        '<label>Find <input id="find" type="search"></label><span id="count"></span> segments</p>'
    )
    body = "".join(map(_row, report.rows))
    table = (
        f'<table id="rows"><thead><tr><th>line</th><th>segment</th></tr></thead><tbody>{body}</tbody></table>'
    )
    return section("Segments", controls + table + '<p><button id="more">Show more</button></p>')


def _row(row: SegmentRow) -> str:
    outputs = list(row.systems.values())
    data = {f"chrf{index}": output.chrf for index, output in enumerate(outputs)}
    data |= {
        f"doubt{index}": 0 if output.mean_nll is None else output.mean_nll
        for index, output in enumerate(outputs)
    }
    data |= {"gap": outputs[0].chrf - outputs[1].chrf if len(outputs) > 1 else 0, "line": row.line}
    causes = " ".join(dict.fromkeys(output.cause for output in outputs if output.cause is not None))
    attributes = "".join(f' data-{name}="{value}"' for name, value in data.items())
    html = [f"<p>{escape(row.source)}</p>"]
    html += [f'<p class="quiet">reference: {escape(text)}</p>' for text in row.references]
    html += [f'<p class="quiet">{escape(name)} {value:g}</p>' for name, value in row.scores.items()]
    for name, output in row.systems.items():
        head = f"{name}, chrF {output.chrf:.0f}: "
        html.append(
            f'<p><span class="quiet">{escape(head)}</span>{_diff(output.output, row.references[0])}</p>'
        )
        if output.cause is not None:
            badge = f'<span class="badge">{escape(output.cause)}</span> {escape(output.evidence or "")}'
            html.append(f'<p class="quiet">{badge}</p>')
    first = f'<tr data-causes="{escape(causes)}"{attributes}><td class="number">{row.line}</td>'
    return f"{first}<td>{''.join(html)}</td></tr>"


def _diff(output: str, reference: str) -> str:
    """The output with its additional words marked, and with its missing words struck out."""
    output_parts, reference_parts = (re.findall(r"\w+|[^\w\s]|\s+", text) for text in (output, reference))
    parts = []
    for kind, a, b, c, d in difflib.SequenceMatcher(
        None, output_parts, reference_parts, autojunk=False
    ).get_opcodes():
        inserted, deleted = escape("".join(output_parts[a:b])), escape("".join(reference_parts[c:d]))
        if kind == "equal":
            parts.append(inserted)
            continue
        parts += [f"<ins>{inserted}</ins>" if inserted.strip() else inserted]
        parts += [f" <del>{deleted}</del> " if deleted.strip() else ""]
    return "".join(parts)


def _bar(share: float) -> str:
    return f'<span class="bar" style="--share: {share:.4f}"></span>'


def _options(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f'<option value="{escape(value)}">{escape(label)}</option>' for value, label in pairs)
