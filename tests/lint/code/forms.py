"""The form of a module: a docstring, its length, the arguments of its functions, and a name of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.lint.project import CODE, Breach, Findings, Project, each_module
from tests.source_modules import Module

LONGEST_FUNCTION, LONGEST_FILE = 60, 300  # lines
MAX_ARGUMENTS = 7
# Functions whose arguments others define: constructors of networks take the names of torch.nn one by one, as
# config.json has them; the transformers library prescribes the arguments of an attention function.
GIVEN_ARGUMENTS = (
    "models.networks.hugging_face.replaceable_attention",
    "models.networks.recurrent.model.__init__",
    "models.networks.transformer.model.__init__",
)


@each_module(*CODE)
def has_docstring(module: Module) -> Findings:
    if not ast.get_docstring(module.tree):
        yield 1, "does not say what the module is for: give it a docstring"


@each_module(*CODE, "tests/")
def is_short(module: Module) -> Findings:
    lines = module.text.count("\n")
    if lines > LONGEST_FILE:
        yield 1, f"has {lines} lines, more than {LONGEST_FILE}: split it by noun"
    for node in module.functions():
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if length > LONGEST_FUNCTION:
            yield node, f"{node.name} has {length} lines, more than {LONGEST_FUNCTION}"


@each_module(*CODE)
def takes_few_arguments(module: Module) -> Findings:
    for node in module.functions():
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        count = len([argument for argument in arguments if argument.arg not in {"self", "cls"}])
        if count > MAX_ARGUMENTS and f"{module.name}.{node.name}" not in GIVEN_ARGUMENTS:
            yield node, f"{node.name} takes {count} arguments: make some one thing"


def no_name_is_the_plural_of_another(project: Project) -> Iterator[Breach]:
    """Yield packages and modules of one folder of which one is the plural of the other."""
    paths = {module.name: path for path, module in project.modules(("models/", "demo/")).items()}
    for name, path in paths.items():
        for plural in (f"{name}s", f"{name[:-1]}ies"):
            if plural in paths:
                yield Breach(path, 1, f"differs only by a plural from {paths[plural]}")
