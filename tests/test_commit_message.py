"""The hook that checks commit messages, and its entry in the configuration of pre-commit."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
SCRIPT = ".ci/commit_message.py"
CONFIG = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
BODY = "\n\nWithout it the reason is lost.\n"

problem = runpy.run_path(str(ROOT / SCRIPT))["problem"]


@pytest.mark.parametrize(
    "message",
    [
        "Keep the torch that is installed" + BODY,
        "x" * 72 + BODY,
        "# a comment\nCorrect a sum" + BODY + "# Please enter the commit message\n",
        "Correct a sum\n\n# of two numbers\nIt was one too large.",
        "Correct a sum" + BODY + "\nSigned-off-by: A Person <a@example.org>\n",
        "Merge branch 'torch' into main, which brings the work of many people on many things at once\n",
        "fixup! Correct a sum\n",
        f'Revert "{"x" * 72}"\n\nThis reverts commit 0123456.\n',
    ],
)
def test_a_good_message_is_accepted(message: str) -> None:
    assert problem(message) == ""


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("", "is empty"),
        ("# Please enter the commit message\n", "is empty"),
        ("x" * 73 + BODY, "has 73 characters"),
        ("Correct a sum\nIt was one too large.\n", "must be blank"),
        ("Correct a sum\n", "no body"),
        ("Correct a sum\n\n\n# a comment\n", "no body"),
        ("Correct a sum\n\nCo-authored-by: A Person <a@example.org>\n", "no body"),
        ("Correct a sum\n# ------------------------ >8 ------------------------\n\n+a line\n", "no body"),
    ],
)
def test_a_bad_message_is_refused_with_a_sentence(message: str, words: str) -> None:
    assert words in problem(message)


@pytest.mark.parametrize(("body", "status"), [(BODY, 0), ("", 1)])
def test_the_hook_checks_messages_and_the_others_check_files(tmp_path: Path, body: str, status: int) -> None:
    assert CONFIG["default_install_hook_types"] == ["pre-commit", "commit-msg"]
    assert CONFIG["default_stages"] == ["pre-commit"]
    hooks = [hook for repo in CONFIG["repos"] for hook in repo["hooks"]]
    (entry,) = [hook["entry"] for hook in hooks if hook.get("stages") == ["commit-msg"]]
    assert entry == f".venv/bin/python {SCRIPT}"
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text("Correct a sum" + body, encoding="utf-8")
    assert subprocess.run([sys.executable, SCRIPT, str(file)], cwd=ROOT, check=False).returncode == status
