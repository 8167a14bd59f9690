"""The Python of the page without a server needs the standard library and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from demo.i18n import in_language
from demo.learn.lab_answers import on_lab
from demo.static.answers import LABS
from demo.static.python_files import pack
from demo.widgets.view.payload import json_text

pytestmark = pytest.mark.slow
LACKING = "tokens"  # a lab of which two methods need another package
# Prints an answer of each kind. With `-I -S`, Python finds the standard library and these files alone.
PROGRAM = """
import json
import sys
sys.path.insert(0, sys.argv[1])
from demo.static import answers
trace = open(sys.argv[2], encoding="utf-8").read()
facts = {"label": "a", "usual_length": 1, "max_length": 20, "reads_pictures": False}
request = {"checkpoint": "a", "text": "b"}
print(answers.decoder_arguments(json.dumps({"request": request, "checkpoint": facts}), "en"))
print(answers.view_data(json.dumps({"trace": trace, "checkpoint": facts}), "es"))
print(answers.decoder_arguments(json.dumps({"request": {**request, "text": ""}, "checkpoint": facts}), "zh"))
for name in answers.LABS:
    print(answers.lab(json.dumps({"name": name, "options": {}}), "es"))
"""


@pytest.mark.slow
def test_the_packed_files_answer_with_the_standard_library_alone(site_folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(site_folder / "python.zip") as archive:
        archive.extractall(tmp_path / "files")
    example = Path("checkpoints/reverse-gru/example.json").absolute()
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(tmp_path / "files"), str(example)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    arguments, content, refused, *labs = done.stdout.splitlines()
    assert '"text":"b"' in arguments
    assert '"figures":' in content
    assert refused == '{"refused":"没有可解码的文本。请先输入一个句子。"}'
    for name, answer in zip(LABS, map(json.loads, labs), strict=True):
        with in_language("es"):
            expected = json.loads(json_text(on_lab({"lab": name})))
        assert (answer == expected) == (name != LACKING)
        assert answer["table"] == expected["table"]


@pytest.mark.slow
def test_equal_files_make_equal_archives(site_folder: Path, tmp_path: Path) -> None:
    pack(tmp_path / "python.zip")
    assert (tmp_path / "python.zip").read_bytes() == (site_folder / "python.zip").read_bytes()


@pytest.mark.slow
def test_no_file_is_large(site_folder: Path) -> None:
    with zipfile.ZipFile(site_folder / "python.zip") as archive:
        assert max(entry.file_size for entry in archive.infolist()) < 500_000
