"""Tables as people have them, each of which holds the same two pairs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

PAIRS = (("Me gusta la música.", "I like the music."), ("¿Dónde está el perro?", "Where is the dog?"))
ES, EN = zip(*PAIRS, strict=True)
LABELS = ["TRUE", "FALSE"]
FAIRSEQ = "2021-06-01 | INFO | fairseq_cli.generate | loading model\n" + "".join(
    f"S-{i}\t{s}\nT-{i}\t{t}\nH-{i}\t-0.3\tI like .\nD-{i}\t-0.3\tI like.\nP-{i}\t-0.1 -0.2\n"
    for i, (s, t) in enumerate(PAIRS)
)
CC = "CC-BY 2.0 (France) Attribution: tatoeba.org #1 (a) & #2 (b)"


def rows(*columns: tuple[str, ...] | list[str], mark: str = "\t", head: str = "", end: str = "\n") -> str:
    """A table of columns, its header first."""
    lines = [head] if head else []
    return "".join(line + end for line in lines + [mark.join(cells) for cells in zip(*columns, strict=True)])


# A name, the text, and the columns that a user names; every one of them holds PAIRS.
TABLES: dict[str, tuple[str, str, str]] = {
    "two columns": ("a.tsv", rows(ES, EN), ""),
    "the target first": ("a.tsv", rows(EN, ES), ""),
    "a header": ("a.tsv", rows(ES, EN, head="source\treference"), ""),
    "target": ("a.csv", rows(EN, ES, mark=";", head="target;source"), ""),
    "camel case": ("a.csv", rows(EN, ES, mark=",", head="targetText,sourceText"), ""),
    "capitals": ("a.csv", rows(EN, ES, mark=",", head="TARGET,SOURCE"), ""),
    "codes of languages": (
        "a.csv",
        rows(["es"] * 2, ["en"] * 2, ES, EN, mark=",", head="source_lang,target_lang,source,target"),
        "",
    ),
    "codes without a header": ("a.tsv", rows(["es"] * 2, ES, ["en"] * 2, EN), ""),
    "ids": ("a.csv", rows(["x-1", "x-2"], ES, EN, mark=",", head="source_id,source,reference"), ""),
    "ids without a header": ("a.tsv", rows(["1276", "2481"], EN, ["2482", "1277"], ES), ""),
    "an index of pandas": ("a.csv", rows(["0", "1"], EN, ES, mark=",", head=",English,Spanish"), ""),
    "a shuffled index": ("a.csv", rows(["7", "3"], EN, ES, mark=",", head=",en,es"), ""),
    "an index with a name": ("a.csv", rows(["7", "3"], EN, ES, mark=",", head="Unnamed: 0,en,es"), ""),
    "names of languages": ("a.tsv", rows(EN, ES, head="English\tSpanish"), ""),
    "three languages": ("a.tsv", rows(EN, ["x y z", "u v w"], ES, head="en\tfr\tes"), ""),
    "an attribution": ("spa.txt", rows(EN, ES, [CC, CC]), ""),
    "scores": ("a.tsv", rows(ES, EN, ["0.5", "1"], head="src\tref\tcomet"), ""),
    "scores first": ("a.tsv", rows(["0.5", "0.9"], ES, EN), ""),
    "another system": ("a.tsv", rows(ES, EN, ["I like.", "Dog?"], head="source\treference\tours"), ""),
    "sep": ("a.csv", "sep=;\n" + rows(ES, EN, mark=";", head="source;target"), ""),
    "sep and a carriage return": ("a.csv", "sep=,\r\n" + rows(ES, EN, mark=",", end="\r\n"), ""),
    "some trailing tabs": ("a.tsv", f"{ES[0]}\t{EN[0]}\t\n{ES[1]}\t{EN[1]}\n", ""),
    "a trailing tab after the header": ("a.tsv", "source\ttarget\t\n" + rows(ES, EN), ""),
    "a column of nothing": ("a.tsv", rows(ES, EN, ["", ""], head="source\ttarget\tnotes"), ""),
    "cells missing at the end": ("a.tsv", rows(ES, EN, head="source\ttarget\tnotes"), ""),
    "quoted by a spreadsheet": ("a.tsv", rows(*([f'"{t}"' for t in side] for side in (ES, EN))), ""),
    "Windows-1252": ("a.tsv", "cp1252", ""),
    "UTF-16": ("a.csv", "utf-16", ""),
    "a byte order mark": ("a.tsv", "\ufeff" + rows(ES, EN, head="source\ttarget"), ""),
    "lone carriage returns": ("a.tsv", rows(ES, EN, end="\r"), ""),
    "NaN": (
        "a.jsonl",
        '{"source": NaN, "target": "x"}\n'
        + "".join(f'{{"source": "{s}", "target": "{t}", "score": NaN}}\n' for s, t in PAIRS),
        "source=source,reference=target",
    ),
    "names of languages in Spanish": (
        "a.csv",
        rows(ES, EN, ["x", "y"], mark=";", head="Español;Inglés;Note"),
        "",
    ),
    "translated": ("a.csv", rows(ES, EN, mark=",", head="original,translated"), ""),
    "languages and an attribution": ("a.tsv", rows(EN, ES, [CC, CC], head="eng\tspa\tattribution"), ""),
    "languages and a score": ("a.tsv", rows(ES, EN, ["0.5", "0.9"], head="es\ten\tscore"), ""),
    "a title above the header": ("a.csv", "Our pairs,\n" + rows(ES, EN, mark=",", head="source,target"), ""),
    "a remark above the header": ("a.tsv", "# July\n\n" + rows(ES, EN, head="source\ttarget"), ""),
    "two references of one name": ("a.tsv", rows(ES, EN, EN, head="source\ttarget\ttarget"), ""),
    "an origin called source": (
        "a.csv",
        rows(["wiki"] * 3, [*ES, ES[0]], [*EN, EN[0]], mark=",", head="source,source_text,target_text"),
        "",
    ),
    "an instruction": (
        "a.tsv",
        rows(["Translate this.", "Now this."], ES, EN, head="instruction\tinput\toutput"),
        "",
    ),
    "one name for two languages": (
        "a.csv",
        rows(["0", "1"], EN, ES, mark=",", head="id,translation.en,translation.es"),
        "",
    ),
    "bars": ("a.txt", rows(ES, EN, mark="|", head="source|target"), ""),
    "three bars": ("a.txt", rows(ES, EN, mark=" ||| "), ""),
    "a Markdown table": (
        "a.txt",
        "| source | target |\n| --- | :-- |\n" + "".join(f"| {s} | {t} |\n" for s, t in PAIRS),
        "",
    ),
    "a Markdown rule of one dash": ("a.txt", rows(ES, EN, mark=" | ", head="source | target\n-|:-:"), ""),
    "a Markdown table in Hungarian": ("a.txt", rows(ES, EN, mark="|", head="Forrás|Cél\n--|--"), ""),
    "Anki": ("a.txt", "#separator:tab\n#html:true\n" + rows([f"<b>{ES[0]}</b><br>", ES[1]], EN), ""),
    "Anki with names of columns": (
        "a.txt",
        "#separator:Semicolon\n#html:true\n#columns:Back;Front;Tags\n#tags column:3\n"
        + rows(EN, [text.replace(" ", "&nbsp;") for text in ES], ["a b", "c"], mark=";"),
        "",
    ),
    "Anki with ids": (
        "a.tsv",
        "#separator:tab\n#html:false\n#guid column:1\n#notetype column:2\n"
        + rows(["xK3;j", "b<N>1"], ["Basic", "Basic"], ES, EN),
        "",
    ),
    "a log of fairseq": ("generate-test.txt", FAIRSEQ, ""),
    "labels": ("a.tsv", rows(ES, EN, LABELS, head="Español\tEnglish\tOK"), ""),
    "labels first": ("a.tsv", rows(LABELS * 2, ES * 2, EN * 2), ""),
    "formulas of texts": ("a.csv", rows(*([f'="{t}"' for t in side] for side in (ES, EN)), mark=","), ""),
    "quoted formulas": (
        "a.csv",
        rows(*([f'"=""{t}"""' for t in side] for side in (ES, EN)), mark=",", head="source,target"),
        "",
    ),
    "variants of languages": ("a.csv", rows(EN, ES, mark=",", head="en_US,es-419"), ""),
    "variants of languages after a word": (
        "a.tsv",
        rows(EN, ES, ["x y", "z"], head="text_en_CA\ttext_es_AR\ttext_zh-Hant-TW"),
        "",
    ),
    "features between the texts": (
        "a.txt",
        rows(ES, ["F0= -1.77 F1= 2", "F0= -2.5 F1= 3"], ["-0.1 -0.2", "-0.3 -1e-3"], EN, mark=" ||| "),
        "",
    ),
    "line-aligned files": ("test.es", "\n".join(ES), ""),  # the last line may end without a line feed
    "line-aligned files of variants": ("a.b.en_US.gz", rows(EN), ""),
    "line-aligned files and a system": ("test.ref", rows(EN), ""),
    "an object of columns": ("a.json", json.dumps({"source": ES, "target": EN}, indent=1), ""),
    "columns of pandas": (
        "a.json",
        json.dumps({"source": dict(enumerate(ES)), "target": dict(enumerate(EN))}),
        "",
    ),
    "rows of pandas": (
        "a.json",
        json.dumps({number: {"en": en, "es": es} for number, (es, en) in enumerate(PAIRS)}),
        "",
    ),
    "a split table of pandas": (
        "a.json",
        json.dumps({"columns": ["en", "es"], "index": [0, 1], "data": [[en, es] for es, en in PAIRS]}),
        "",
    ),
    "rows under a name": (
        "a.json",
        json.dumps({"version": "1", "data": [{"source": es, "target": en} for es, en in PAIRS]}),
        "",
    ),
    "an object of pairs": ("a.json", json.dumps(dict([*PAIRS, PAIRS[0], ("Sí.", "")])), ""),
    "columns by number": ("a.tsv", rows(["x", "y z"], EN, ES), "source=3,target=2"),
    "against the names": ("a.tsv", rows(EN, ES, head="source\ttarget"), "source=target,target=source"),
}  # fmt: skip
# Files beside those of some cases.
BESIDE = {
    "line-aligned files": {"test.en": rows(EN), "test.es.bak": "x\n", "test.2.es": "x\n", "test.txt": "x\n"},
    "line-aligned files of variants": {"a.b.es-419": rows(ES, end="\r\n")},
    "line-aligned files and a system": {"test.src": rows(ES), "test.hyp": "I like.\nDog?\n"},
}
ENCODED = {"Windows-1252": "cp1252", "UTF-16": "utf-16"}


def write_table(folder: Path, case: str) -> tuple[Path, str]:
    """The file of a case, and the user's choice of its columns."""
    name, text, columns = TABLES[case]
    if case in ENCODED:
        mark = "\t" if name.endswith(".tsv") else ","
        text = rows(ES, EN, mark=mark)
    content = text.encode(ENCODED.get(case, "utf-8"))
    (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    for other, other_text in BESIDE.get(case, {}).items():
        (folder / other).write_bytes(other_text.encode())
    return folder / name, columns
