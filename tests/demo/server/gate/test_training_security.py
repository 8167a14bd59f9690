"""The Training tab over HTTP, called with invalid and malicious requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.work.errors import REFUSAL_TITLE
from demo.work.operator.caps import MAX_BODY_BYTES, MAX_UPLOAD_BYTES
from tests.fakes.calls import http_client
from tests.fakes.training.form import DATA_NAMES, QUICK, form

pytestmark = pytest.mark.slow

SECRET = "root-of-all-secrets\tnot yours\n" * 30


def call(url: str, demo: Any, name: str, data: list[Any]) -> str:
    """One call of a handler that is no endpoint, as the page's own script would make it."""
    index = next(i for i, fn in demo.fns.items() if fn.fn is not None and fn.fn.__name__ == name)
    session = "impolite"
    with http_client() as client:
        joined = client.post(
            f"{url}gradio_api/queue/join", json={"data": data, "fn_index": index, "session_hash": session}
        )
        if joined.status_code != 200:
            return joined.text
        with client.stream("GET", f"{url}gradio_api/queue/data", params={"session_hash": session}) as stream:
            for line in stream.iter_lines():
                if "process_completed" in line:
                    return line
    raise AssertionError("no answer came")


@pytest.mark.parametrize("kind", ["absolute", "relative", "config"])
def test_no_file_of_the_server_can_be_trained_on(
    served: tuple[str, Any], tmp_path: Path, kind: str, shipped: Path
) -> None:
    """A browser names its upload by a path; a path that it never uploaded must not be read."""
    url, demo = served
    secret = tmp_path / "secret.tsv"
    secret.write_text(SECRET, encoding="utf-8")
    paths = {"absolute": str(secret), "relative": "../../../etc/passwd", "config": str(shipped / "x.tsv")}
    upload = {"path": paths[kind], "meta": {"_type": "gradio.FileData"}}
    values = form(**QUICK | {"kind": "file"})
    values[2 + DATA_NAMES.index("path")] = [upload]
    answer = call(url, demo, "on_preview", ["0" * 32, *values])
    assert "root-of-all-secrets" not in answer
    assert '"success": false' in answer or '"success":false' in answer or "error" in answer.lower()


def test_a_path_that_is_too_long_is_refused(served: tuple[str, Any]) -> None:
    url, demo = served
    values = form(**QUICK | {"kind": "file"})
    values[2 + DATA_NAMES.index("path")] = [{"path": "x" * 5000, "meta": {"_type": "gradio.FileData"}}]
    assert REFUSAL_TITLE in call(url, demo, "on_preview", ["0" * 32, *values])


@pytest.mark.parametrize("address", ["http://example.com/x.tsv", "https://example.com/", "HTTP://127.0.0.1/"])
@pytest.mark.parametrize("name", ["on_preview", "on_load"])
def test_training_data_cannot_be_an_address(served: tuple[str, Any], address: str, name: str) -> None:
    """Gradio would download a file of any size with the server's connection."""
    url, demo = served
    upload = {"path": address, "meta": {"_type": "gradio.FileData"}}
    values = form(**QUICK | {"kind": "file"})
    values[2 + DATA_NAMES.index("path")] = [upload]
    answer = call(url, demo, name, ["0" * 32, *values] if name == "on_preview" else [upload])
    assert "Files cannot be fetched from addresses" in answer


@pytest.mark.parametrize(
    "upload",
    [
        [],
        {},
        "x",
        3,
        {"path": None},
        {"path": "/etc/passwd"},
        [{"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}],
        {"path": "x", "inner": {"path": "http://example.com/x", "meta": {"_type": "gradio.FileData"}}},
    ],
    ids=repr,
)
def test_an_invalid_upload_is_refused_without_a_traceback(
    served: tuple[str, Any], upload: object, capfd: pytest.CaptureFixture[str]
) -> None:
    url, demo = served
    values = form(**QUICK | {"kind": "file"})
    values[2 + DATA_NAMES.index("path")] = [upload]
    answer = call(url, demo, "on_preview", ["0" * 32, *values])
    assert "Reload the page" in answer or "Files cannot be fetched" in answer
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("value", [None, [], {}, "<img src=x>", 3, True, 1e308], ids=repr)
def test_a_nonsensical_form_starts_no_run(
    served: tuple[str, Any], value: object, capfd: pytest.CaptureFixture[str]
) -> None:
    url, demo = served
    answer = call(url, demo, "on_begin", ["0" * 32] + [value] * len(form()))
    assert "That does not work" in answer
    assert "<img" not in answer
    assert "Traceback" not in "".join(capfd.readouterr())


def test_no_file_of_the_server_is_read_as_a_recipe(served: tuple[str, Any], shipped: Path) -> None:
    url, demo = served
    for path in (str(Path(__file__).parents[4] / "checkpoints/reverse-gru/recipe.json"), "/etc/passwd"):
        answer = call(url, demo, "on_load", [{"path": path, "meta": {"_type": "gradio.FileData"}}])
        assert "error" in answer
        assert "recipe" not in answer.lower().replace(path, "")


def test_an_upload_that_was_cleared_away_is_asked_for_again(served: tuple[str, Any]) -> None:
    """The page's own files are deleted after an hour, and a form may stay open for longer."""
    url, demo = served
    stored = httpx.post(f"{url}gradio_api/upload", files={"files": ("gone.tsv", b"a\tb\n")}).json()[0]
    Path(stored).unlink()
    values = form(**QUICK | {"kind": "file"})
    values[2 + DATA_NAMES.index("path")] = [{"path": stored, "meta": {"_type": "gradio.FileData"}}]
    answer = call(url, demo, "on_preview", ["0" * 32, *values])
    assert "choose it again" in answer.lower()


def test_an_uploaded_file_can_be_trained_on(served: tuple[str, Any]) -> None:
    url, demo = served
    rows = "".join(f"eins {i}\tone {i}\n" for i in range(40)).encode()
    stored = httpx.post(f"{url}gradio_api/upload", files={"files": ("pairs.tsv", rows)}).json()[0]
    values = form(**QUICK | {"kind": "file"})
    values[2 + DATA_NAMES.index("path")] = [{"path": stored, "meta": {"_type": "gradio.FileData"}}]
    answer = json.loads(call(url, demo, "on_preview", ["0" * 32, *values]).removeprefix("data: "))
    assert "40 pairs from pairs.tsv" in json.dumps(answer["output"]["data"][0])


def test_an_upload_may_be_as_large_as_training_data_and_no_larger(served: tuple[str, Any]) -> None:
    url, _ = served
    fits = {"files": ("pairs.tsv", b"x" * (2 * MAX_BODY_BYTES))}
    assert httpx.post(f"{url}gradio_api/upload", files=fits).status_code == 200
    too_large = {"files": ("pairs.tsv", b"x" * (MAX_UPLOAD_BYTES + 1))}
    assert httpx.post(f"{url}gradio_api/upload", files=too_large).status_code == 413
    body = b'{"data": ["' + b"x" * MAX_BODY_BYTES + b'"]}'
    assert httpx.post(f"{url}gradio_api/queue/join", content=body).status_code == 413


def test_training_is_no_endpoint(served: tuple[str, Any]) -> None:
    info = httpx.get(f"{served[0]}gradio_api/info").json()["named_endpoints"]
    assert not [name for name in info if "begin" in name or "run" in name or "preview" in name]
