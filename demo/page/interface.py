"""The page: a header and its tabs, and how it is served."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import gradio as gr
from starlette.middleware import Middleware

from demo import __version__
from demo.api.endpoints import arguments_by_endpoint, build_endpoints
from demo.checkpoints.tab import build_checkpoints_tab
from demo.compare.tab import build_compare_tab
from demo.decode.filling import wire_reopening
from demo.decode.tab import build_decode_tab
from demo.evaluate.tab import build_evaluate_tab
from demo.i18n import LANGUAGES
from demo.i18n.page_translations import PageI18n
from demo.learn.classroom import Classrooms
from demo.learn.lessons import opened_lesson
from demo.learn.views import LessonDock, build_learn_tab, lesson_server_functions
from demo.links import page_config
from demo.links.notice.component import LinkNotice
from demo.links.targets.compare import compare_target
from demo.links.targets.decode import decode_target
from demo.links.targets.training import training_target
from demo.links.targets.views import checkpoints_target, evaluate_target, learn_target
from demo.links.wiring import ShortAddress, Visits, wire_links
from demo.page.theme import build_theme, head, style_sheet
from demo.server.answer_cache import AnswerCache
from demo.server.assets import assets_route
from demo.server.calls.api_calls import CheckedCalls, CountedCalls
from demo.server.calls.begun_work import QUICK_THREADS, states_route
from demo.server.gate.rates import Rates
from demo.server.gate.routes import FrontPath, comes_whole
from demo.server.gate.shield import Shield
from demo.server.gradio_compat import Packing
from demo.server.page import Page
from demo.server.request_language import RequestLanguage
from demo.training.tab import build_training_tab
from demo.widgets.form.choices import OtherTabs
from demo.widgets.glossary.terms import glossary_addresses
from demo.widgets.view.payload import json_text
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_BODY_BYTES, MAX_HANDLERS, MAX_UPLOAD_BYTES
from demo.work.operator.settings import TABS, ServerSettings

if TYPE_CHECKING:
    from demo.api.tools import ToolServer

HEADER = """
<header class="page-header">
  <a class="skip-link" href="#source">Skip to the source text</a>
  <div>
    <h1>Unrolled</h1>
    <p>Watch a sequence-to-sequence model decode, one step at a time.</p>
  </div>
  <button type="button" class="tools-open" aria-label="More" aria-expanded="false">⋯</button>
  <div class="page-tools">
  <label class="language">
    <span class="for-screen-readers">Language</span>
    <select translate="no">OPTIONS</select>
  </label>
  <button type="button" class="glossary-open" data-version="VERSION"
    aria-label="Glossary" aria-expanded="false">?</button>
  <button type="button" class="scheme" aria-label="Switch between light and dark">
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="2"/>
      <path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>
    </svg>
  </button>
  </div>
</header>
""".replace(
    "OPTIONS",
    "".join(
        f'<option lang="{code}" value="{code}">{language.label}</option>'
        for code, language in LANGUAGES.items()
    ),
).replace("VERSION", __version__)


def build_demo(context: AppContext, tab_names: Sequence[str] = TABS, rates: Rates | None = None) -> Page:
    """Build the page with the tabs named in `tab_names`.

    Without `rates` there is no limit on requests.
    """
    # After each call Gradio would update a table of past calls, which this page does not use.
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "1000000000")
    os.environ.setdefault("GRADIO_ANALYTICS_MAX_EVENTS", "1")
    options: dict[str, Any] = {"title": "Unrolled", "analytics_enabled": False, "fill_width": True}
    demo = Page(rates or Rates(0), _tool_server, delete_cache=(3600, 3600), **options)
    with demo:
        gr.HTML(html_template=HEADER, js_on_load=None, apply_default_css=False)
        notice = LinkNotice(elem_id="link-notice")
        # A returning visitor is recognised by a secret in their browser; `secret` only obscures it there.
        visitor = gr.BrowserState(None, storage_key="unrolled-visitor", secret="unrolled")
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap") as tabs:  # a row that scrolls: page.css
            decoded = build_decode_tab(context, visitor)
            targets = [decode_target(context, decoded)]
            compared = build_compare_tab(context, visitor) if "compare" in tab_names else None
            if compared is not None:
                targets.append(compare_target(context, compared))
            if "evaluate" in tab_names:
                build_evaluate_tab(context)
                targets.append(evaluate_target(context))
            lists = (compared.checkpoint, compared.other_checkpoint) if compared is not None else ()
            others = OtherTabs(demo, tabs, visitor, (decoded.checkpoint, *lists))
            if "checkpoints" in tab_names:
                build_checkpoints_tab(context, others)
                targets.append(checkpoints_target(context))
            if context.training is not None and compared is not None and "training" in tab_names:
                targets.append(training_target(build_training_tab(context, others)))
            if "learn" in tab_names:
                build_learn_tab(context)
                targets.append(learn_target())
        classes = Classrooms()
        LessonDock(elem_id="lesson", server_functions=lesson_server_functions(context, classes))
        wire_reopening(context, decoded)
        wire_links(demo, Visits(context, targets, partial(opened_lesson, classes)), notice)
        build_endpoints(context)
    public = arguments_by_endpoint()
    for function in demo.fns.values():  # the sign-in button adds an endpoint that is not part of the API
        if function.api_name not in public:
            function.api_visibility = "private"
    demo.api_open = False  # Gradio refuses direct calls to a queued handler
    return demo


def _tool_server(page: Page) -> ToolServer:
    from demo.api.tools import ToolServer  # slow to import, and needed only by a page with tools

    return ToolServer(page)


def launch_settings(
    uploads: bool = True, rates: Rates | None = None, server: ServerSettings | None = None
) -> dict[str, Any]:
    """Return the keyword arguments of `launch`: the theme, the style sheets, the middleware and the limits.

    Without `uploads` no file may be sent.
    """
    server = server or ServerSettings()
    largest = MAX_UPLOAD_BYTES if uploads else 0
    middleware = [
        Middleware(FrontPath),
        Middleware(Shield, max_upload_bytes=largest, rates=rates, server=server),
        Middleware(AnswerCache),
        Middleware(Packing, also=comes_whole),
        Middleware(RequestLanguage),
        Middleware(ShortAddress),
        Middleware(CountedCalls),
        Middleware(CheckedCalls, endpoints=arguments_by_endpoint()),
    ]
    return {
        "theme": build_theme(),
        "css": style_sheet(),
        "head": head({**page_config(), "glossary": glossary_addresses()}),
        "app_kwargs": {"middleware": middleware, "routes": [assets_route(), states_route(json_text)]},
        "footer_links": ["api"],
        "show_error": False,
        "max_file_size": largest or MAX_BODY_BYTES,
        "max_threads": MAX_HANDLERS + QUICK_THREADS,  # quick requests need not wait for long ones
        "state_session_capacity": 500,  # each session is a copy of the page and holds no state of ours
        "run_history": False,
        "enable_monitoring": False,
        "ssr_mode": False,
        "root_path": server.front,
        "mcp_server": server.tools,
        "i18n": PageI18n(),
        # Skips a check that fails if a busy machine needs more than three seconds to answer; `launch` has
        # already waited for the server to start.
        "_frontend": False,
    }
