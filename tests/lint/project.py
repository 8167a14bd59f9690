"""The files that rules read, and the breaches that they yield."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import PurePosixPath
from typing import Any

from tests.source_modules import PROGRAMS, ROOT, Module, module_of, read

CODE = ("app.py", "models/", "demo/")
Scope = str | tuple[str, ...]  # beginnings of paths


@dataclass(frozen=True, order=True)
class Breach:
    """A place that breaks a rule, and what is wrong with it."""

    path: str
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.sentence}"


@dataclass(frozen=True)
class Project:
    """All files of the project by their paths, each read and parsed once."""

    texts: Mapping[str, str]  # files that hold a zero byte are left out
    parsed: Mapping[str, Module]  # by path, also programs for readers
    sizes: Mapping[str, int]  # bytes of tracked files
    is_whole: bool = True  # False for a few planted files

    @cached_property
    def paths(self) -> frozenset[str]:
        """All files and folders."""
        files = self.texts.keys() | self.sizes.keys()
        folders = {str(folder) for file in files for folder in PurePosixPath(file).parents}
        return frozenset(files | folders)

    def modules(self, scope: Scope, *, programs: bool = False) -> dict[str, Module]:
        """Return modules by path; `programs` includes those for readers."""
        return {
            path: self.parsed[path]
            for path in self.matching(scope, ".py")
            if programs or f"/{PROGRAMS}/" not in path
        }

    def matching(self, scope: Scope, suffix: Scope) -> dict[str, str]:
        """Return texts by path. Raises ValueError if the whole project has none, as after a renaming."""
        result = {
            path: text
            for path, text in self.texts.items()
            if path.startswith(scope) and path.endswith(suffix)
        }
        if self.is_whole and not result:
            raise ValueError(f"no file in {scope} ends with {suffix}")
        return result

    def line_of(self, path: str, words: str) -> int:
        """Return the first line of a file with these words; 1 if there is none."""
        before, *after = self.texts[path].split(words, maxsplit=1)
        return before.count("\n") + 1 if after else 1

    @classmethod
    def planted(cls, texts: Mapping[str, str]) -> Project:
        """Return a project of a few files, in which a rule should find something, or nothing."""
        modules = {
            path: module_of(PurePosixPath(path), text) for path, text in texts.items() if path.endswith(".py")
        }
        return cls(texts, modules, {path: len(text) for path, text in texts.items()}, is_whole=False)

    @classmethod
    def on_disk(cls) -> Project:
        """Return this project."""
        paths = _git_files("--cached", "--others", "--exclude-standard")
        data = {path: (ROOT / path).read_bytes() for path in paths if not path.endswith(".py")}
        modules = {path: read(ROOT / path) for path in paths if path.endswith(".py")}
        texts = {
            path: content.decode(errors="ignore") for path, content in data.items() if b"\0" not in content
        }
        texts |= {path: module.text for path, module in modules.items()}
        return cls(texts, modules, {path: (ROOT / path).stat().st_size for path in _git_files("--cached")})


Rule = Callable[[Project], Iterator[Breach]]
Findings = Iterator[tuple[int | ast.AST, str]]  # a line or a node on it, and what is wrong with it


def each_module(*scope: str, programs: bool = False) -> Callable[[Callable[[Module], Findings]], Rule]:
    """Turn a rule for one module into one for those of a scope; `programs` includes those for readers."""
    return lambda rule: _for_each(rule, lambda project: project.modules(scope, programs=programs))


def each_text(*scope: str, suffix: Scope) -> Callable[[Callable[[str], Findings]], Rule]:
    """Turn a rule for one text into a rule for the files of a scope."""
    return lambda rule: _for_each(rule, lambda project: project.matching(scope, suffix))


def _for_each(rule: Callable[[Any], Findings], files: Callable[[Project], Mapping[str, Any]]) -> Rule:
    @wraps(rule)
    def of_project(project: Project) -> Iterator[Breach]:
        for path, content in files(project).items():
            for line, sentence in rule(content):
                yield Breach(path, line if isinstance(line, int) else line.lineno, sentence)

    return of_project


def unless(path: str, checks: Mapping[str, bool]) -> Iterator[Breach]:
    """Yield a breach of a file for each check that fails, given by what is wrong then."""
    yield from (Breach(path, 1, sentence) for sentence, is_right in checks.items() if not is_right)


def line_at(text: str, position: int) -> int:
    """Return the number of the line of a position in a text."""
    return text.count("\n", 0, position) + 1


def _git_files(*options: str) -> list[str]:
    """Return the files that git lists; in an unpacked archive those that .gitignore allows."""
    if (ROOT / ".git").exists():
        # In a container the user often differs from the one who cloned: git needs safe.directory then.
        command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", *options]
        names = subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    else:
        ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text().split()}
        paths = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        names = [path.as_posix() for path in paths if not ignored & {*path.parts}]
    return [name for name in dict.fromkeys(names) if name and (ROOT / name).is_file()]
