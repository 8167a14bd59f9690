"""An evaluation as rows for the browser, and as one HTML page that needs no other file.

The page has what the parts answer, then the segments. All texts are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.evaluate.parts import evaluation_parts
from demo.evaluate.parts.part import EvaluationPart
from demo.i18n import language, message_text, say
from demo.i18n.display import number_text
from demo.widgets.answers.content import Cell, Content, Controls, LinkCell, NotHereError, Select, Table
from demo.widgets.answers.word_diff import split_words, word_diff
from models.evaluation.report.evaluation_report import BAD_BELOW_CHRF, REPORT_JSON_NAMES

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport, SegmentOutput


TEMPLATE = Path(__file__).with_name("html_report.html")
SIDE_BY_SIDE = ("system", "pair", "by")  # controls whose answers are all unfolded
CELL_FIELDS = ("output", "chrf", "log_prob", "score", "reference_score", "mean_nll", "cause", "evidence")
DIFF_TAGS = {"s": "span", "c": "mark", "a": "ins", "m": "del"}


def to_html(report: EvaluationReport, title: str) -> str:
    """The page of a report in the language of the request, without the charts of its parts."""
    parts = [part for part in evaluation_parts() if part.applies(report) and not part.offer(report)]
    body = [_head(report), *(_part(part, report) for part in parts), _segments(rows_payload(report))]
    template = TEMPLATE.read_text(encoding="utf-8").replace("LANGUAGE", language())
    # The body comes last, since its texts may contain the placeholders of the template.
    return template.replace("TITLE", escape(title)).replace("BODY", "\n".join(body), 1)


def _head(report: EvaluationReport) -> str:
    facts = [
        (say("date"), report.date),
        (say("segments"), f"{report.segments:,}"),
        (say("references"), f"{report.references:,}"),
    ]
    facts += [
        (system.name, f"{system.checkpoint}, {system.decoding_in_full}")
        for system in report.systems
        if system.checkpoint
    ]
    return "".join(_fact(name, escape(value)) for name, value in facts)


def _part(part: EvaluationPart, report: EvaluationReport) -> str:
    """All answers of a part. A sentence that several of them share is written once."""
    html = [f"<h2>{escape(say(part.title))}</h2>", f'<p class="quiet">{escape(say(part.question))}</p>']
    earlier_sentences: set[str] = set()
    try:
        for choices, content in _answers(part, report, {}):
            sentences = [sentence for sentence in content.sentences if sentence not in earlier_sentences]
            earlier_sentences.update(sentences)
            inside = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
            inside += _table(content.table) if content.table else ""
            html.append(_details(choices, inside) if choices else inside)
    except NotHereError as error:
        html.append(f"<p>{escape(message_text(error))}</p>")
    return f"<section>{''.join(html)}</section>"


def _answers(
    part: EvaluationPart, report: EvaluationReport, options: Mapping[str, str]
) -> Iterator[tuple[list[Select], Content]]:
    """The answer to every combination of choices, with its controls. A choice may lead to another control."""
    controls = Controls(options=options)
    content = part.compute(report, controls)
    choices = [control for control in controls.controls if isinstance(control, Select)]
    undecided = next((control for control in choices if control.name not in options), None)
    if undecided is None:
        yield choices, content
        return
    for value, _ in undecided.options:
        yield from _answers(part, report, {**options, undecided.name: value})


def _details(choices: Sequence[Select], html: str) -> str:
    """An answer under the labels of its choices, folded if a reader of the page has to ask for it."""
    title = " · ".join(f"{choice.label}: {dict(choice.options)[choice.value]}" for choice in choices)
    is_first = all(choice.name in SIDE_BY_SIDE or choice.value == choice.options[0][0] for choice in choices)
    opening = "<details open>" if is_first else "<details>"
    return f"{opening}<summary>{escape(title)}</summary>{html}</details>"


def _table(table: Table) -> str:
    first_row = table.rows[0] if table.rows else table.head
    head = "".join(
        f"<th{' class=number' if isinstance(cell, int | float) else ''}>{escape(_cell_text(title))}</th>"
        for title, cell in zip(table.head, first_row, strict=True)
    )
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(cell: Cell) -> str:
    attributes = 'class="number"' if isinstance(cell, int | float) else 'dir="auto" translate="no"'
    return f"<td {attributes}>{escape(_cell_text(cell))}</td>"


def _cell_text(cell: Cell) -> str:
    if isinstance(cell, LinkCell):
        return cell.text  # the file has no page to link to
    return cell if isinstance(cell, str) else number_text(cell, 0 if float(cell).is_integer() else 2)


def _segments(payload: Mapping[str, Any]) -> str:
    """All segments, and the controls by which the script of the page sorts and filters them."""
    orders, rows = _orders(payload), payload["rows"]
    causes = [(name, message_text(cause["title"])) for name, cause in payload["causes"].items()]
    sorts = _options((str(index), label) for index, (label, _) in enumerate(orders))
    filters = _options([("", say("all segments")), *causes])
    body = "".join(
        _row(row, payload, [values[index] for _, values in orders]) for index, row in enumerate(rows)
    )
    return (
        f"<section><h2>{escape(say('Segments'))}</h2>"
        f'<p><label>{escape(say("Sort by"))} <select id="sort">{sorts}</select></label>'
        f'<label>{escape(say("Show"))} <select id="cause">{filters}</select></label>'
        f'<label>{escape(say("Find words"))} <input id="find" type="search"></label>'
        f'<span id="count" role="status"></span></p><table id="rows"><tbody>{body}</tbody></table>'
        f'<p><button id="more">{escape(say("More"))}</button></p></section>'
    )


def _orders(payload: Mapping[str, Any]) -> list[tuple[str, list[float]]]:
    """The ways to sort the segments, as on the page: a label, and values of which the least is first."""
    names, rows = payload["names"], payload["rows"]
    cells = [[row["cells"][index] for row in rows] for index in range(len(names))]
    chrf = [[cell["chrf"] for cell in column] for column in cells]
    orders = [
        (say("chrF of {system}, worst first", system=name), values)
        for name, values in zip(names, chrf, strict=True)
    ]
    orders += [
        (say("cost per token of {system}", system=name), [-cell["doubt"] for cell in column])
        for name, column in zip(names, cells, strict=True)
        if "doubt" in column[0]
    ]
    if len(names) > 1:
        for better, worse in ((0, 1), (1, 0)):
            gaps = [one - other for one, other in zip(chrf[worse], chrf[better], strict=True)]
            orders.append((say("where {a} beats {b} most", a=names[better], b=names[worse]), gaps))
    return [*orders, (say("line of the file"), [row["line"] for row in rows])]


def _row(row: Mapping[str, Any], payload: Mapping[str, Any], values: Sequence[float]) -> str:
    """A segment: its texts, its scores, and each output beside the first reference, with its cause."""
    facts = [(say("source"), row["source"])]
    facts += [(say("reference"), text) for text in row["references"]]
    scores = zip(payload["scores"], row["scores"], strict=True)
    facts += [(name, number_text(value)) for name, value in scores]
    html = [_fact(name, escape(text)) for name, text in facts]
    for name, cell in zip(payload["names"], row["cells"], strict=True):
        html.append(_fact(f"{name}, chrF {number_text(cell['chrf'], 0)}", _diff_html(cell["diff"])))
        if "cause" in cell:
            title = message_text(payload["causes"][cell["cause"]]["title"])
            html.append(_fact(title, escape(message_text(cell["evidence"]))))
    causes = " ".join({cell["cause"] for cell in row["cells"] if "cause" in cell})
    data = "".join(f' data-order{index}="{value}"' for index, value in enumerate(values))
    first = f'<tr data-causes="{escape(causes)}"{data}><td class="number">{row["line"]}</td>'
    return f"{first}<td>{''.join(html)}</td></tr>"


def _diff_html(pieces: Sequence[tuple[str, str]]) -> str:
    """An output with its differences marked; spaces stand beside a mark, as on the page."""
    html = []
    for index, (kind, text) in enumerate(pieces):
        word = text.lstrip()
        beside_missing = index > 0 and "m" in (kind, pieces[index - 1][0])
        space = " " if word != text or beside_missing else ""
        html.append(f"{space}<{DIFF_TAGS[kind]}>{escape(word)}</{DIFF_TAGS[kind]}>")
    return "".join(html) or escape(say("(empty)"))


def _fact(name: str, html: str) -> str:
    return f'<p><span class="quiet">{escape(name)}:</span> <bdi translate="no">{html}</bdi></p>'


def _options(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f'<option value="{escape(value)}">{escape(label)}</option>' for value, label in pairs)


def rows_payload(report: EvaluationReport) -> dict[str, Any]:
    """The rows with their scores as lists, and what is the same for all of them: names and causes."""
    return {
        "names": report.names,
        "causes": {
            name: {"title": cause.title, "remedy": cause.remedy} for name, cause in report.causes.items()
        },
        "badBelow": BAD_BELOW_CHRF,
        "scores": list(report.rows[0].scores),
        "rows": [
            {
                "line": row.line,
                "source": row.source,
                "references": row.references,
                "scores": list(row.scores.values()),
                "cells": [_output_cell(row.systems[name], row.references[0]) for name in report.names],
            }
            for row in report.rows
        ],
    }


def _output_cell(output: SegmentOutput, reference: str) -> dict[str, Any]:
    """The output of one system, and as `diff` its words beside those of the first reference."""
    diff = word_diff(split_words(reference), split_words(output.output))
    pieces: list[list[str]] = []  # runs of one kind: s(ame), c(hanged), a(dded), m(issing)
    for piece in diff:
        kind, text = piece.kind[0], piece.text
        if pieces and pieces[-1][0] == kind:
            pieces[-1][1] += text
        else:
            pieces.append([kind, text])
    values = {REPORT_JSON_NAMES.get(name, name): getattr(output, name) for name in CELL_FIELDS}
    return {**{name: value for name, value in values.items() if value is not None}, "diff": pieces}
