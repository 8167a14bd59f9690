"""The program of a search: “This in PyTorch” shows the listing of the strategy with all that it calls.

The parts are read, not imported: listings, and the files of `pytorch/`. A program has those of their
statements that its last line needs, the call of the listing. `imports.py` has the imports of all parts.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from symtable import SymbolTable, symtable

from demo.i18n import say
from demo.syntax import syntax_tree
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from demo.work.requests.edit import WhatIf
from demo.work.watch import Watch
from models.decoding.options import DecodingOptions, settings
from models.decoding.strategies import description_of, is_used
from models.decoding.strategies.listings import FOLDER as LISTINGS
from models.metrics.sentence import TOKENIZERS
from models.registry.name import CheckpointName

FOLDER = Path(__file__).parent / "pytorch"
ARCHITECTURES = ("recurrent", "transformer")
PACKAGES = ("torch", "sacrebleu", "tokenizers")
IMPORT = re.compile(r"^(?:from|import) (\w+).*\n", re.MULTILINE)
CALLS = "    # CONSTRAINTS\n"  # the place in `model.py` of the calls of constraints
SEARCH = re.compile(r"^def (\w+)\((.*)\):", re.MULTILINE)
GAP = "\n\n\n"


def search_program(context: AppContext, data: object, _: Watch | None = None) -> dict[str, str]:
    """The program of a search, with the name of its file without ".py".

    data: an edit that changes nothing. Raises RequestError, also if there is no program.
    """
    edit = WhatIf.parse(data if isinstance(data, Mapping) else {})
    request = DecodeRequest(edit.checkpoint, edit.text, edit.settings)
    context.check_fits(request.checkpoint, request.text)
    if edit.forced or edit.typed or edit.overrides:
        raise RequestError("no_program_for_edit", "There is no program for a result that you changed.")
    network, name = context.config(request.checkpoint).network, CheckpointName.of(request.checkpoint)
    supported = network.get("attention", "none") in {"additive", "none"} and network.get("pre_norm", True)
    if network["architecture"] not in ARCHITECTURES or not supported or name.precision:
        raise RequestError("no_program_for_network", "There is no program for this kind of checkpoint yet.")
    if name.variant or name.base not in context.registry.names():
        raise RequestError("no_program_for_stranger", "Only checkpoints of this server have a program.")
    tokenizer, options = context.tokenizer(name), request.settings
    constants = {
        "CHECKPOINT": f"checkpoints/{name.base}",
        "SOURCE": list(tokenizer.encode(request.text).ids),
        "START, END, PADDING": (tokenizer.bos_id, tokenizer.eos_id, list(tokenizer.forbidden_ids)),
        **{setting.upper(): value for setting, value in asdict(options).items() if setting != "utility"},
        "MEASURE, LANGUAGE": (options.utility, TOKENIZERS.get(context.config(name).target_language, "")),
    }
    script = program(options, network["architecture"], constants)
    note = ""  # instead of the sentence below other programs
    if description_of(options.strategy).complete:
        note = say("The program has no budget of prefixes: it goes on where the page stopped.")
    elif is_used("utility", options.strategy):
        note = say("Run it in the project's folder, with torch, sacrebleu and tokenizers installed.")
    return {"name": f"{request.checkpoint}-{options.strategy}", "script": script, "note": note}


def program(options: DecodingOptions, architecture: str, constants: Mapping[str, object]) -> str:
    """The text of a program with these constants. Raises RequestError if there is none."""
    searches, parts = (
        {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("[a-z]*.py"))}
        for folder in (LISTINGS, FOLDER)
    )
    if options.strategy not in searches:
        raise RequestError("no_program_for_strategy", "There is no program for this strategy yet.")
    for name in options.constraints():
        if f"def {name}(" not in parts["arguments"]:
            raise RequestError(
                "no_program_for_setting",
                "There is no program with the setting “{setting}” yet.",
                setting=say(settings()[name].label),
            )
    calls = "".join(f"    {name}(row, prefix)\n" for name in options.constraints())
    parts["model"] = parts["model"].replace(CALLS, calls)
    ((search, names),) = SEARCH.findall(searches[options.strategy])
    arguments = [name.upper() if name.upper() in constants else name for name in names.split(", ")]
    values = "".join(f"{name} = {json.dumps(value)}\n" for name, value in constants.items())
    texts = [
        f"{parts['imports']}\n{values}",
        *(IMPORT.sub("", text) for text in searches.values()),
        *(parts[name] for name in ("checkpoint", architecture, "model", "arguments")),
        f"show({search}({', '.join(arguments)}))",
    ]
    script = re.sub(r"\n{4,}", GAP, "\n".join(_statements(GAP.join(texts))))
    packages = ", ".join(name for name in PACKAGES if name in IMPORT.findall(script))
    about = ast.get_docstring(syntax_tree(searches[options.strategy]))
    return f"# {about}\n# It needs {packages} and the checkpoint's folder.\n{script}\n"


def _statements(text: str) -> list[str]:
    """The last statement of a module, and before it those that bind what it and they use."""
    lines, end, statements = text.splitlines(), 0, []
    for node in syntax_tree(text).body:
        part, end = "\n".join(lines[end : node.end_lineno]), node.end_lineno or 0
        table = symtable(part, "", "exec")
        binds = {item.get_name() for item in table.get_symbols() if item.is_assigned() or item.is_imported()}
        statements.append((part, binds, set(_globals(table))))
    names = statements[-1][2]
    while (more := names.union(*(uses for _, binds, uses in statements if binds & names))) != names:
        names = more
    return [part for part, binds, _ in statements if binds & names] + [statements[-1][0]]


def _globals(table: SymbolTable) -> Iterator[str]:
    yield from (item.get_name() for item in table.get_symbols() if item.is_referenced() and item.is_global())
    for inner in table.get_children():
        yield from _globals(inner)
