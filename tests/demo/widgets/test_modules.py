"""The modules of the views, joined into one text: supported forms, their order, and refused forms."""

from __future__ import annotations

import pytest

from demo.server.assets import address
from demo.widgets.view.assets import asset, scripts
from demo.widgets.view.modules import ModuleFormError, in_order, modules_address, modules_script, read_module

WORDS = """// @ts-check
// What two texts share.
import { make, t as translated } from "../shared/dom.js";
import {
  clamp,
} from "./numbers.js";

/**
 * A word.
 * @param {string} text
 */
export function word(text) {
  // a comment of a whole line
  const url = "https://example.org"; // another
  return translated(text) + url;
}
export const LIMIT = 3;
export async function late() {}
class Hidden {}
"""


def test_a_module_is_read() -> None:
    module = read_module("compare/words.js", WORDS)
    assert module.imports == (("make, t as translated", "shared/dom.js"), ("clamp", "compare/numbers.js"))
    assert module.exports == ("word", "LIMIT", "late")
    assert "import" not in module.body
    assert "export" not in module.body
    assert "whole line" not in module.body
    assert "@param" not in module.body
    assert 'const url = "https://example.org"; // another' in module.body


@pytest.mark.parametrize(
    "line",
    [
        "export default 3;",
        'export * from "./a.js";',
        'import * as all from "./a.js";',
        'import one from "./a.js";',
        'import "./a.js";',
        'import { a } from "plotly";',
        "export let many = 1;",
        "const { a } = await import('./a.js');",
        "const here = import.meta.url;",
        'const text = "</script>";',
    ],
)
def test_another_form_of_import_or_export_is_refused(line: str) -> None:
    with pytest.raises(ModuleFormError, match=r"a\.js.*: "):
        read_module("a.js", f"const one = 1;\n{line}\n")


def module(path: str, *needs: str) -> tuple[str, str]:
    return path, "".join(f'import {{ a }} from "./{need}";\n' for need in needs)


def test_a_module_follows_its_imports() -> None:
    texts = dict((module("a.js", "b.js", "c.js"), module("b.js", "c.js"), module("c.js"), module("d.js")))
    modules = {path: read_module(path, text) for path, text in texts.items()}
    assert [entry.path for entry in in_order(modules, ["a.js"])] == ["c.js", "b.js", "a.js"]


def test_a_circle_is_refused() -> None:
    texts = dict((module("a.js", "b.js"), module("b.js", "a.js")))
    modules = {path: read_module(path, text) for path, text in texts.items()}
    with pytest.raises(ModuleFormError, match=r"a\.js → b\.js → a\.js"):
        in_order(modules, ["a.js"])


def test_a_missing_export_is_named() -> None:
    modules = {"a.js": read_module("a.js", 'import { b } from "./b.js";\n')}
    with pytest.raises(ModuleFormError, match=r"a\.js.*b\.js"):
        in_order(modules, ["a.js"])


def test_all_views_are_bundled_and_an_exported_page_takes_only_its_own() -> None:
    everything, some = modules_script(), modules_script(["compare/view/view.js"])
    views = [path for path in scripts() if path.endswith("/view.js")]
    assert [view for view in views if f'modules["{view}"] = ' not in everything] == []
    assert 'modules["compare/view/pair.js"] = ' in some
    assert 'modules["trace/view.js"] = ' not in some


def test_the_joined_modules_have_the_address_of_a_file() -> None:
    assert modules_address() == address("views", "views.js")
    assert modules_address().startswith("unrolled/views/")


def test_the_browser_code_writes_no_markup() -> None:
    banned = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
    assert [name for name in banned if name in modules_script()] == []


def test_lines_of_scripts_are_short_enough_to_read() -> None:
    long = {
        f"{path}:{index}"
        for path in scripts()
        for index, line in enumerate(asset(path).splitlines(), 1)
        if len(line) > 140
    }
    assert long == set()


def test_one_module_alone_tells_enter_from_the_end_of_a_composed_word_and_marks_data() -> None:
    """Every other one uses `isEnter` and `asData`, which know input methods and translating browsers."""
    for path in scripts():
        text = asset(path)
        if path != "widgets/view/dom.js":
            assert '"Enter"' not in text, (
                f"{path} compares the key itself: use isEnter of widgets/view/dom.js"
            )
            assert 'dir = "auto"' not in text, f"{path} marks data itself: use asData of widgets/view/dom.js"
