"""The list of endpoints, and the headers of every answer."""

from __future__ import annotations

import httpx
import pytest
from gradio_client import Client

from demo.api.arguments import REQUIRED
from demo.api.endpoints import ENDPOINTS

pytestmark = pytest.mark.slow


def test_helpers_of_the_page_are_no_endpoints(client: Client) -> None:
    public = {
        "/checkpoints",
        "/translate",
        "/score",
        "/attribute",
        "/lens",
        "/evaluate",
        "/tokenize",
        "/card",
    }
    assert set(client.view_api(return_format="dict")["named_endpoints"]) == public


def test_the_list_of_endpoints_describes_each_argument(client: Client) -> None:
    endpoints = client.view_api(return_format="dict")["named_endpoints"]
    for endpoint in ENDPOINTS:
        description = endpoints[f"/{endpoint.name}"]
        assert description["description"] == endpoint.meaning
        for parameter, argument in zip(description["parameters"], endpoint.arguments, strict=True):
            assert parameter["parameter_name"] == parameter["label"] == argument.name
            assert parameter["python_type"]["description"] == argument.meaning
            required = argument.default is REQUIRED
            assert parameter["parameter_has_default"] is not required
            assert parameter["parameter_default"] == (None if required else argument.default)


@pytest.mark.parametrize("path", ["", "config", "gradio_api/info", "nowhere"])
def test_every_answer_carries_security_headers(url: str, path: str) -> None:
    headers = httpx.get(url + path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "same-origin"


def test_files_of_the_server_are_not_served(url: str) -> None:
    for path in ("gradio_api/file=app.py", "gradio_api/file=/etc/passwd", f"gradio_api/file={__file__}"):
        assert httpx.get(url + path).status_code in {403, 404}
