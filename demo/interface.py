"""The page: a header and its tabs, and how it is served."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr
from gradio.blocks import BlockFunction
from gradio.exceptions import ComponentProcessingError, InvalidPathError
from gradio.state_holder import SessionState
from gradio_client.utils import is_file_obj_with_meta, is_http_url_like, traverse
from pydantic import ValidationError
from starlette.middleware import Middleware
from starlette.requests import Request

from demo.api.calls import CheckedCalls
from demo.api.endpoints import ARGUMENTS, build_endpoints
from demo.components.link_notice import LinkNotice
from demo.components.trace_assets import plotly_file
from demo.context import AppContext
from demo.errors import UNFIT, safe_text
from demo.i18n import LANGUAGES, language, later, say, spoken
from demo.i18n.config import labels_of, localized
from demo.i18n.negotiation import wanted_language
from demo.i18n.served import Speaking
from demo.i18n.words import PageI18n
from demo.limits import MAX_BODY_BYTES, MAX_HANDLERS, MAX_QUEUE, MAX_UPLOAD_BYTES
from demo.links import page_config
from demo.links.long import ShortAddress
from demo.opening import wire_links
from demo.opening.compare import compare_target
from demo.opening.decode import decode_target
from demo.opening.elsewhere import checkpoints_target, training_target
from demo.rates import Ask, Rates, tells_to_wait, told_to_wait, visitor_address
from demo.security import Shield
from demo.settings import TABS
from demo.tabs.checkpoints import Around, build_checkpoints_tab
from demo.tabs.compare import build_compare_tab
from demo.tabs.decode import build_decode_tab
from demo.tabs.training import Elsewhere, build_training_tab
from demo.theme import build_theme, head, style_sheet
from demo.unfetched import forget_unfetched

if TYPE_CHECKING:
    from demo.api.tools import ToolServer

HEADER = """
<header class="page-header">
  <div>
    <h1>Unrolled</h1>
    <p>Watch a sequence-to-sequence model decode, one step at a time.</p>
  </div>
  <label class="language">
    <span class="for-screen-readers">Language</span>
    <select translate="no">OPTIONS</select>
  </label>
  <button type="button" class="scheme" aria-label="Switch between light and dark">
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="2"/>
      <path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>
    </svg>
  </button>
</header>
""".replace(
    "OPTIONS",
    "".join(f'<option lang="{code}" value="{code}">{name}</option>' for code, name in LANGUAGES.items()),
)

WAIT_A_SECOND = later("That was a lot at once, and others want their turn too. Wait a second, then go on.")
WAIT_SECONDS = later(
    "That was a lot at once, and others want their turn too. Wait {seconds} seconds, then go on."
)
DECODING = "decode"  # the concurrency_id of every handler that decodes

logger = logging.getLogger("unrolled")


class Page(gr.Blocks):
    """Blocks that refuse in a sentence what no page sends, where Gradio prints a traceback.

    A file that is named by an address Gradio would fetch, of whatever size, for whoever asks; and it would
    offer language models more than our tools.
    """

    rates = Rates(0)  # `build_demo` gives it those of the operator
    i18n_instance: PageI18n | None = None  # until `launch` gives it

    @property
    def config(self) -> dict[str, Any]:
        """Gradio's description of the page, in the language of the request."""
        if self.i18n_instance is None:
            return self._config
        code = language()
        if code not in self._localized:
            self._localized[code] = localized(self._config, self.i18n_instance.translations_dict, self.blocks)
        return self._localized[code]

    @config.setter
    def config(self, config: dict[str, Any]) -> None:
        self._config, self._localized = {**config, "i18n_translations": None}, {}
        if self.i18n_instance is not None:
            self.i18n_instance.labels = labels_of(config)

    def queue(self, *positional: Any, **settings: Any) -> Page:
        """See `Blocks.queue`. Gradio calls it for every page, and builds the server anew when called again.

        Decodings wait in a line of ours (demo/turns.py); this queue holds back what comes beyond that.
        """
        settings = {"max_size": MAX_QUEUE, "default_concurrency_limit": MAX_HANDLERS, **settings}
        super().queue(*positional, **settings)
        return self

    async def process_api(
        self,
        block_fn: BlockFunction | int,
        inputs: list[Any],
        state: SessionState | None = None,
        request: gr.Request | list[gr.Request] | None = None,
        iterator: Any = None,
        **more: Any,
    ) -> dict[str, Any]:
        """See `Blocks.process_api`, which is called once for each value of a generator."""
        if isinstance(request, list):  # the call said that it was a batch, and no handler takes any
            request = request[0]
        with spoken(_language_of(request)):
            if iterator is None and request is not None:
                forget_unfetched(self._queue)
                function = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
                ask = Ask.DECODING if function.concurrency_id == DECODING else Ask.SMALL
                message = self._refusal(ask, request)
                if message and not tells_to_wait(function.fn):
                    raise gr.Error(message, title=say("One moment"), print_exception=False)
                with told_to_wait(message):
                    return await super().process_api(block_fn, inputs, state, request, iterator, **more)
            return await super().process_api(block_fn, inputs, state, request, iterator, **more)

    def _refusal(self, ask: Ask, request: gr.Request | Request) -> str:
        """What to tell who asks too often, else "". Language models all share one session, or have none."""
        peer = request.client.host if request.client else None
        address = visitor_address(peer, request.headers, "SPACE_ID" in os.environ)
        shared = request.headers.get("x-gradio-user") == "mcp"
        seconds = self.rates.wait(ask, None if shared else getattr(request, "session_hash", None), address)
        if seconds > 1:
            return say(WAIT_SECONDS, seconds=seconds)
        return say(WAIT_A_SECOND) if seconds else ""

    @property
    def mcp_server_obj(self) -> ToolServer | None:
        """What answers language models, if anything does. Gradio sets it when it builds the app."""
        return self._tools

    @mcp_server_obj.setter
    def mcp_server_obj(self, server: object) -> None:
        if server is None:
            self._tools = None
        else:
            from demo.api.tools import ToolServer  # not for a page without tools: it takes a while

            self._tools = ToolServer(self)

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        """See `Blocks.validate_inputs`."""
        if len(inputs) < len(block_fn.inputs):
            message = f"This call takes {len(block_fn.inputs)} values; got {len(inputs)}."
            raise gr.Error(message, title=say(UNFIT), print_exception=False)
        traverse(inputs, _refuse_address, is_file_obj_with_meta)  # as Gradio looks for files

    async def preprocess_data(self, *values: Any, **settings: Any) -> Any:
        """See `Blocks.preprocess_data`."""
        try:
            return await super().preprocess_data(*values, **settings)
        except gr.Error as error:
            raise gr.Error(safe_text(str(error.message)), title=say(UNFIT), print_exception=False) from None
        except (ComponentProcessingError, InvalidPathError, ValidationError) as error:
            logger.info("refused: %s", type(error).__name__)
            message = say("The server does not know what the page sent. Reload the page, then try again.")
            raise gr.Error(message, title=say(UNFIT), print_exception=False) from None


def _language_of(request: object) -> str:
    if not isinstance(request, gr.Request):
        return language()
    return wanted_language(str(request.query_params or ""), request.headers)


def _refuse_address(file: dict[str, Any]) -> None:
    if is_http_url_like(file["path"].strip().lower()):
        message = say("Files are not fetched from addresses. Download it yourself, then upload it.")
        raise gr.Error(message, title=say(UNFIT), print_exception=False)


def build_demo(context: AppContext, shown: Sequence[str] = TABS, rates: Rates | None = None) -> gr.Blocks:
    """The page over what `context` knows, with some of its tabs.

    Without `rates` everybody may ask as often as they like.
    """
    # Gradio would sum up the calls of the past in a table after each one, and nobody reads it here.
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "1000000000")
    os.environ.setdefault("GRADIO_ANALYTICS_MAX_EVENTS", "1")
    with Page(title="Unrolled", analytics_enabled=False, delete_cache=(3600, 3600), fill_width=True) as demo:
        demo.rates = rates or Rates(0)
        gr.HTML(html_template=HEADER, js_on_load=None, apply_default_css=False)
        notice = LinkNotice()
        # Who comes back is known by a secret of their browser; the key only keeps it from being read by eye.
        visitor = gr.BrowserState(None, storage_key="unrolled-visitor", secret="unrolled")
        with gr.Tabs(elem_id="tabs") as tabs:
            decoded = build_decode_tab(context, visitor)
            targets = [decode_target(context, decoded)]
            compared = build_compare_tab(context, visitor) if "compare" in shown else None
            if compared is not None:
                targets.append(compare_target(context, compared))
            if "checkpoints" in shown:
                others = (compared.checkpoint, compared.other_checkpoint) if compared is not None else ()
                around = Around(demo, tabs, visitor, (decoded.checkpoint, *others))
                build_checkpoints_tab(context, around)
                targets.append(checkpoints_target(context))
            if context.training is not None and compared is not None and "training" in shown:
                pickers = compared.checkpoint, compared.other_checkpoint, compared.mode
                build_training_tab(context, demo, visitor, Elsewhere(tabs, decoded.checkpoint, *pickers))
                targets.append(training_target())
        wire_links(context, demo, targets, notice)
        build_endpoints(context)
    for function in demo.fns.values():  # the button to sign in brings one of its own, which is for no program
        if function.api_name not in ARGUMENTS:
            function.api_visibility = "private"
    demo.api_open = False  # nobody passes the queue by
    return demo


def launch_settings(uploads: bool = True, rates: Rates | None = None, tools: bool = False) -> dict[str, Any]:
    """Keyword arguments of `launch` that make the page look and defend itself as it should.

    Without `uploads` nobody may send a file; with `tools` there is an MCP server.
    """
    largest = MAX_UPLOAD_BYTES if uploads else 0
    own_files = (str(plotly_file()),)
    middleware = [
        Middleware(Speaking),
        Middleware(Shield, max_upload_bytes=largest, rates=rates, own_files=own_files),
        Middleware(ShortAddress),
        Middleware(CheckedCalls, endpoints=ARGUMENTS),
    ]
    return {
        "theme": build_theme(),
        "css": style_sheet(),
        "head": head(page_config()),
        "app_kwargs": {"middleware": middleware},
        "footer_links": ["api"],
        "show_error": False,
        "max_file_size": largest or MAX_BODY_BYTES,
        "max_threads": MAX_HANDLERS + 24,  # small things pass by those who wait
        "state_session_capacity": 500,  # each a copy of the page, and nothing of ours is in it
        "run_history": False,
        "enable_monitoring": False,
        "ssr_mode": False,
        "mcp_server": tools,
        "i18n": PageI18n(),
    }
