"""The page: a header and its tabs, and how it is served."""

from __future__ import annotations

import logging
from typing import Any

import gradio as gr
from gradio.blocks import BlockFunction
from gradio.exceptions import ComponentProcessingError, InvalidPathError
from gradio_client.utils import is_file_obj_with_meta, is_http_url_like, traverse
from pydantic import ValidationError
from starlette.middleware import Middleware

from demo.context import AppContext
from demo.errors import UNFIT, safe_text
from demo.limits import MAX_BODY_BYTES, MAX_QUEUE, MAX_RUNNING, MAX_UPLOAD_BYTES
from demo.security import Shield
from demo.tabs.checkpoints import build_checkpoints_tab
from demo.tabs.compare import build_compare_tab
from demo.tabs.decode import build_decode_tab
from demo.tabs.training import Elsewhere, build_training_tab
from demo.theme import build_theme, head, style_sheet

HEADER = """
<header class="page-header">
  <div>
    <h1>Unrolled</h1>
    <p>Watch a sequence-to-sequence model decode, one step at a time.</p>
  </div>
  <button type="button" class="scheme" aria-label="Switch between light and dark">
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="2"/>
      <path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>
    </svg>
  </button>
</header>
"""

logger = logging.getLogger("unrolled")


class Page(gr.Blocks):
    """Blocks that refuse in a sentence what no page sends, where Gradio prints a traceback.

    A file that is named by an address Gradio would fetch, of whatever size, for whoever asks.
    """

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        """See `Blocks.validate_inputs`."""
        if len(inputs) < len(block_fn.inputs):
            message = f"This call takes {len(block_fn.inputs)} values; got {len(inputs)}."
            raise gr.Error(message, title=UNFIT, print_exception=False)
        traverse(inputs, _refuse_address, is_file_obj_with_meta)  # as Gradio looks for files

    async def preprocess_data(self, *values: Any, **settings: Any) -> Any:
        """See `Blocks.preprocess_data`."""
        try:
            return await super().preprocess_data(*values, **settings)
        except gr.Error as error:
            raise gr.Error(safe_text(str(error.message)), title=UNFIT, print_exception=False) from None
        except (ComponentProcessingError, InvalidPathError, ValidationError) as error:
            logger.info("refused: %s", type(error).__name__)
            message = "The server does not know what the page sent. Reload the page, then try again."
            raise gr.Error(message, title=UNFIT, print_exception=False) from None


def _refuse_address(file: dict[str, Any]) -> None:
    if is_http_url_like(file["path"].strip().lower()):
        message = "Files are not fetched from addresses. Download it yourself, then upload it."
        raise gr.Error(message, title=UNFIT, print_exception=False)


def build_demo(context: AppContext) -> gr.Blocks:
    """The whole page over what `context` knows."""
    with Page(title="Unrolled", analytics_enabled=False, delete_cache=(3600, 3600), fill_width=True) as demo:
        gr.HTML(html_template=HEADER, js_on_load=None, apply_default_css=False)
        # Who comes back is known by a secret of their browser; the key only keeps it from being read by eye.
        visitor = gr.BrowserState(None, storage_key="unrolled-visitor", secret="unrolled")
        with gr.Tabs(elem_id="tabs") as tabs:
            picker = build_decode_tab(context, demo, visitor)
            compared = build_compare_tab(context)
            build_checkpoints_tab(context, tabs, picker)
            if context.training is not None:
                pickers = compared.checkpoint, compared.other_checkpoint, compared.mode
                build_training_tab(context, demo, visitor, Elsewhere(tabs, picker, *pickers))
    return demo.queue(max_size=MAX_QUEUE, default_concurrency_limit=MAX_RUNNING)


def launch_settings(uploads: bool = True) -> dict[str, Any]:
    """Keyword arguments of `launch` that make the page look and defend itself as it should.

    Without `uploads` nobody may send more than a form.
    """
    largest = MAX_UPLOAD_BYTES if uploads else MAX_BODY_BYTES
    return {
        "theme": build_theme(),
        "css": style_sheet(),
        "head": head(),
        "app_kwargs": {"middleware": [Middleware(Shield, max_upload_bytes=largest)]},
        "footer_links": ["api"],
        "show_error": False,
        "max_file_size": largest,
        "run_history": False,
        "enable_monitoring": False,
        "ssr_mode": False,
        "mcp_server": False,
    }
