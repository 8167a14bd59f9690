"""One HTML page that holds a whole evaluation, needs nothing else, and escapes what it was given."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from models.evaluation.report.about import decoding_of
from models.evaluation.report.elements import Data, interval, section, table
from models.evaluation.report.widths import width_sections

TEMPLATE = Path(__file__).with_name("page.html")
SHOWN_NGRAMS = 10


def to_html(report: Data, title: str) -> str:
    """The page of what `dissect` found."""
    parts = [_head(report), _figures(report), _bleu(report), _differences(report)]
    parts += [width_sections(report), _triage(report), _breakdowns(report), _calibrations(report)]
    parts += [_ngrams(report), _changes(report), _rows(report)]
    template = TEMPLATE.read_text(encoding="utf-8")
    # The body last: it may hold the very words that are replaced.
    return template.replace("TITLE", escape(title)).replace("BODY", "\n".join(filter(None, parts)), 1)


def _head(report: Data) -> str:
    counts = f"{report['segments']:,} segments, {report['references']:,} references"
    sentences = [f"{counts}, evaluated on {report['date']}.", *report["notes"]]
    if report["left_out_count"]:
        lines = "; ".join(f"line {row['line']}: {row['reason']}" for row in report["left_out"][:10])
        sentences.append(f"{report['left_out_count']:,} rows left out ({lines}).")
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def _figures(report: Data) -> str:
    systems = report["systems"]
    names = list(dict.fromkeys(figure["name"] for system in systems for figure in system["figures"]))
    rows = []
    for system in systems:
        found = {figure["name"]: figure for figure in system["figures"]}
        cells = [escape(text) for text in (system["name"], system["checkpoint"], decoding_of(system))]
        rows.append([*cells, *(interval(found.get(name)) for name in names)])
    signatures = dict.fromkeys(
        f"{figure['name']}: {figure['signature']}"
        for system in systems
        for figure in system["figures"]
        if figure["signature"]
    )
    heads = [*(name + (" ↓" if name in ("TER", "perplexity") else "") for name in names)]
    notes = "".join(f'<p class="quiet">{escape(line)}</p>' for line in signatures)
    return section(
        "Figures",
        table(("system", "checkpoint", "decoding", *heads), rows, numbers=3)
        + '<p class="quiet">In brackets the 95% interval (bootstrap over segments). ↓: less is better.</p>'
        + notes,
    )


def _bleu(report: Data) -> str:
    rows = []
    for system in report["systems"]:
        bleu = system["bleu"]
        precisions = [
            f"{order['precision']:.1f} <span class=quiet>{order['matched']:,} of {order['total']:,}</span>"
            for order in bleu["orders"]
        ]
        lengths = f"{bleu['length']:,} / {bleu['reference_length']:,}"
        last = [f"{bleu['brevity_penalty']:.3f}", lengths, f"{bleu['score']:.2f}"]
        rows.append([escape(system["name"]), *precisions, *last, f"{bleu['mean_of_sentences']:.2f}"])
    orders = (f"{n}-grams, %" for n in range(1, 5))
    heads = ("system", *orders, "brevity penalty", "tokens / reference", "BLEU", "mean of sentences")
    return section("BLEU in its parts", table(heads, rows, numbers=1))


def _differences(report: Data) -> str:
    if not report["differences"]:
        return ""
    rows = [
        [
            escape(f"{each['a']} − {each['b']}"),
            escape(each["metric"]),
            interval(each),
            f"{each['bootstrap_p']:.4f}",
            f"{each['randomisation_p']:.4f}",
            "yes" if each["significant"] else "no",
        ]
        for each in report["differences"]
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


def _triage(report: Data) -> str:
    parts = []
    for system in report["systems"]:
        found = system.get("triage")
        if not found or not found["causes"]:
            continue
        told = f"{found['bad']:,} outputs have a sentence chrF below {found['bad_below']:.0f}"
        if found["looked_into"] < found["bad"]:
            told += f"; the worst {found['looked_into']:,} were looked into"
        rows = [
            [escape(each["title"]), f"{each['share']:.0%}", _bar(each["share"]), escape(each["knob"])]
            for each in found["causes"]
        ]
        parts.append(f"<h3>{escape(system['name'])}</h3><p>{told}.</p>")
        parts.append(table(("cause", "share", "", "what would help"), rows))
    return section("Why outputs are bad", "".join(parts)) if parts else ""


def _breakdowns(report: Data) -> str:
    parts = []
    for each in report["breakdowns"]:
        names = [system["name"] for system in report["systems"]]
        rows = [
            [
                escape(one["label"]),
                f"{one['count']:,}",
                *(interval(one["figures"].get(name)) for name in names),
            ]
            for one in each["bins"]
        ]
        heads = ("", "count", *names)
        title = f"<h3>{escape(each['title'])}: {escape(each['measure'])}</h3>"
        parts.append(f"<div>{title}{table(heads, rows, numbers=1)}</div>")
    return section("Where", "".join(parts))


def _calibrations(report: Data) -> str:
    parts = []
    for system in report["systems"]:
        found = system["calibration"]
        if found is None:
            continue
        rows = [
            [
                f"{100 * one['low']:.0f}–{100 * one['high']:.0f}%",
                f"{one['count']:,}",
                f"{one['confidence']:.1%}",
                f"{one['accuracy']:.1%}",
                _bar(one["accuracy"]),
            ]
            for one in found["bins"]
        ]
        told = f"Expected calibration error {100 * found['error']:.1f} points: mean confidence "
        told += f"{found['confidence']:.1%}, right {found['accuracy']:.1%}."
        heads = ("probability of the most probable token", "tokens", "mean", "right", "")
        parts.append(
            f"<div><h3>{escape(system['name'])}</h3><p>{told}</p>{table(heads, rows, numbers=1)}</div>"
        )
    return section("Does the model know when it is right?", "".join(parts)) if parts else ""


def _ngrams(report: Data) -> str:
    parts = []
    for system in report["systems"]:
        lists = []
        for order, found in system["ngrams"].items():
            for kind, title in (("over", "too often"), ("under", "too rarely")):
                rows = [
                    [
                        escape(" ".join(each["words"])),
                        f"+{each['surplus']} −{each['lack']}",
                        f"{each['matched']:,}",
                    ]
                    for each in found[kind][:SHOWN_NGRAMS]
                ]
                if rows:
                    heads = (f"{order} word{'s' if order != '1' else ''}, {title}", "surplus, lack", "right")
                    lists.append(f"<div>{table(heads, rows, numbers=1)}</div>")
        parts.append(f'<h3>{escape(system["name"])}</h3><div class="columns">{"".join(lists)}</div>')
    return section("Words written too often or too rarely", "".join(parts))


def _changes(report: Data) -> str:
    parts = []
    for system in report["changes"]:
        rows = []
        for kind in system["kinds"]:
            low, high = kind["damage_interval"] or (kind["damage"], kind["damage"])
            damage = {"value": kind["damage"], "low": low, "high": high}
            worst = "".join(
                f"<p>{_diff(each['changed'], each['source'])}<br>{_diff(each['after'], each['before'])}</p>"
                for each in kind["worst"]
            )
            told = f"{escape(kind['title'])}<details><summary>examples</summary>{worst}</details>"
            wanted = "the same" if kind["keeps_meaning"] else "another"
            rows.append([told, f"{kind['changed']:,}", interval(damage), f"{kind['same']:.0f}%", wanted])
        heads = ("change of the source", "sources", "chrF lost", "outputs unchanged", "output wanted")
        parts.append(f"<h3>{escape(system['system'])}</h3>{table(heads, rows, numbers=1)}")
    return section("What changed sources do", "".join(parts)) if parts else ""


def _rows(report: Data) -> str:
    names = [system["name"] for system in report["systems"]]
    sorts = [(f"chrf{at}/1", f"chrF of {name}, worst first") for at, name in enumerate(names)]
    sorts += [(f"doubt{at}/-1", f"doubt of {name}") for at, name in enumerate(names)]
    if len(names) > 1:
        sorts += [
            ("gap/1", f"{names[1]} better than {names[0]}"),
            ("gap/-1", f"{names[0]} better than {names[1]}"),
        ]
    sorts.append(("line/1", "line"))
    causes = {
        cause["name"]: cause["title"]
        for system in report["systems"]
        for cause in (system.get("triage") or {"causes": []})["causes"]
    }
    controls = (
        f'<p><label>Sort by <select id="sort">{_options(sorts)}</select></label>'
        f'<label>Cause <select id="cause">{_options([("", "any"), *causes.items()])}</select></label>'
        '<label>Find <input id="find" type="search"></label><span id="count"></span> segments</p>'
    )
    body = "".join(_row(row, names) for row in report["rows"])
    table = (
        f'<table id="rows"><thead><tr><th>line</th><th>segment</th></tr></thead><tbody>{body}</tbody></table>'
    )
    return section("Segments", controls + table + '<p><button id="more">Show more</button></p>')


def _row(row: Data, names: Sequence[str]) -> str:
    cells = [row["systems"][name] for name in names]
    data = {f"chrf{at}": cell["chrf"] for at, cell in enumerate(cells)}
    data |= {f"doubt{at}": cell.get("doubt", 0) for at, cell in enumerate(cells)}
    data |= {"gap": cells[0]["chrf"] - cells[1]["chrf"] if len(cells) > 1 else 0, "line": row["line"]}
    causes = " ".join(dict.fromkeys(cell["cause"] for cell in cells if "cause" in cell))
    attributes = "".join(f' data-{name}="{value}"' for name, value in data.items())
    inside = [f"<p>{escape(row['source'])}</p>"]
    inside += [f'<p class="quiet">reference: {escape(text)}</p>' for text in row["references"]]
    inside += [f'<p class="quiet">{escape(name)} {value:g}</p>' for name, value in row["scores"].items()]
    for name, cell in zip(names, cells, strict=True):
        told = f"{name}, chrF {cell['chrf']:.0f}: "
        inside.append(
            f'<p><span class="quiet">{escape(told)}</span>{_diff(cell["output"], row["references"][0])}</p>'
        )
        if "cause" in cell:
            evidence = f'<span class="badge">{escape(cell["cause"])}</span> {escape(cell["evidence"])}'
            inside.append(f'<p class="quiet">{evidence}</p>')
    head = f'<tr data-causes="{escape(causes)}"{attributes}><td class="number">{row["line"]}</td>'
    return f"{head}<td>{''.join(inside)}</td></tr>"


def _diff(output: str, reference: str) -> str:
    """The output, with what the reference lacks marked, and what it lacks itself struck out."""
    ours, theirs = (re.findall(r"\w+|[^\w\s]|\s+", text) for text in (output, reference))
    parts = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        written, wanted = escape("".join(ours[a:b])), escape("".join(theirs[c:d]))
        if kind == "equal":
            parts.append(written)
            continue
        parts += [f"<ins>{written}</ins>" if written.strip() else written]
        parts += [f" <del>{wanted}</del> " if wanted.strip() else ""]
    return "".join(parts)


def _bar(share: float) -> str:
    return f'<span class="bar" style="--share: {share:.4f}"></span>'


def _options(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f'<option value="{escape(value)}">{escape(label)}</option>' for value, label in pairs)
