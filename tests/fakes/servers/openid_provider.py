"""A local OpenID provider, in the place of huggingface.co, which signs visitors in on Spaces."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "a-space", "its-secret"  # made up


class OpenIdProvider:
    """Signs every visitor in as `name` and issues `token`."""

    def __init__(self, name: str, token: str) -> None:
        self.name, self.token = name, token
        self.authorizations: list[dict[str, str]] = []  # queries of authorization requests
        self.nonce = ""
        self.key = RSAKey.generate_key(2048, {"kid": "one"})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.provider = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def variables(self, scopes: str) -> dict[str, str]:
        """Return the environment of a Space that uses this provider."""
        return {
            "SYSTEM": "spaces",
            "SPACE_ID": "somebody/unrolled",
            "OAUTH_CLIENT_ID": CLIENT,
            "OAUTH_CLIENT_SECRET": SECRET,
            "OAUTH_SCOPES": scopes,
            "OPENID_PROVIDER_URL": self.url,
        }

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    @property
    def _provider(self) -> OpenIdProvider:
        return self.server.provider  # type: ignore[attr-defined,no-any-return]

    def do_GET(self) -> None:
        provider, url = self._provider, urlsplit(self.path)
        if url.path == "/.well-known/openid-configuration":
            self._answer(
                {
                    "issuer": provider.url,
                    "authorization_endpoint": f"{provider.url}/oauth/authorize",
                    "token_endpoint": f"{provider.url}/oauth/token",
                    "jwks_uri": f"{provider.url}/keys",
                }
            )
        elif url.path == "/keys":
            self._answer({"keys": [provider.key.as_dict(private=False)]})
        elif url.path == "/oauth/authorize":
            query = dict(parse_qsl(url.query))
            provider.authorizations.append(query)
            provider.nonce = query.get("nonce", "")
            back = query["redirect_uri"]
            code = urlencode({"code": "granted", "state": query["state"]})
            self.send_response(302)
            self.send_header("Location", f"{back}{'&' if '?' in back else '?'}{code}")
            self.end_headers()
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        provider, now = self._provider, int(time.time())
        claims = {
            "iss": provider.url,
            "sub": "1",
            "aud": CLIENT,
            "iat": now,
            "exp": now + 600,
            "nonce": provider.nonce,
            "name": provider.name,
            "preferred_username": provider.name,
            "profile": f"{provider.url}/{provider.name}",
            "picture": f"{provider.url}/{provider.name}.png",
        }
        identity = jwt.encode({"alg": "RS256", "kid": "one"}, claims, provider.key)
        granted = {"scope": provider.authorizations[-1]["scope"], "token_type": "bearer", "expires_in": 600}
        token = {"access_token": provider.token, **granted}
        self._answer({**token, "id_token": identity})

    def _answer(self, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
