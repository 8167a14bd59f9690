"""The Python of the page without a server needs the standard library and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from demo.static.python_files import pack, python_files

# Only the standard library can be imported; prints an answer of each kind.
PROGRAM = """
import sys, importlib.abc
class StandardLibraryOnly(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] not in {*sys.stdlib_module_names, "demo", "models"}:
            raise ImportError(name)
sys.meta_path.insert(0, StandardLibraryOnly())
sys.path.insert(0, sys.argv[1])
import json
from demo.static import answers
trace = open(sys.argv[2], encoding="utf-8").read()
facts = {"label": "a", "usual_length": 1, "max_length": 20, "reads_pictures": False}
request = {"checkpoint": "a", "text": "b"}
print(answers.decoder_arguments(json.dumps({"request": request, "checkpoint": facts}), "en"))
print(answers.view_data(json.dumps({"trace": trace, "checkpoint": facts}), "es"))
print(answers.decoder_arguments(json.dumps({"request": {**request, "text": ""}, "checkpoint": facts}), "zh"))
"""


def test_the_packed_files_answer_with_the_standard_library_alone(tmp_path: Path) -> None:
    pack(tmp_path / "python.zip")
    with zipfile.ZipFile(tmp_path / "python.zip") as archive:
        archive.extractall(tmp_path / "files")
    example = Path("checkpoints/reverse-gru/example.json").absolute()
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(tmp_path / "files"), str(example)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    arguments, content, refused = done.stdout.splitlines()
    assert '"text":"b"' in arguments
    assert '"figures":' in content
    assert refused == '{"refused":"没有可解码的文本。请先输入一个句子。"}'


def test_equal_files_make_equal_archives(tmp_path: Path) -> None:
    for name in ("first.zip", "second.zip"):
        pack(tmp_path / name)
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()


def test_no_file_is_large() -> None:
    assert max(path.stat().st_size for path in python_files()) < 500_000
