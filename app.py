"""Starts the page: `python app.py`, then open the URL that it prints."""

from __future__ import annotations

import gc

gc.disable()  # what is imported stays: looking through it again and again takes half a second

import argparse
import ctypes
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Timer

from demo.api.switch import ToolsError, wants_tools
from demo.context import AppContext
from demo.hub.service import Hub
from demo.interface import build_demo, launch_settings
from demo.rates import Rates
from demo.settings import OperatorSettings, SettingsError
from demo.training.service import Training
from demo.zero_gpu import build_launcher, on_zero_gpu
from models.hub.settings import HubSettings, HubSettingsError
from models.registry.registry import Registry
from models.training.limits import LimitsError, TrainingLimits
from models.training.runs import Runs

gc.freeze()
gc.enable()

TAKEN = "the port is taken, or the host is not this machine's"
M_ARENA_MAX = -8  # of <malloc.h>
WARM_UP_AFTER = 0.5  # seconds: the first page is served first


def main() -> None:
    """Read the flags, serve until interrupted."""
    options = _parser().parse_args()
    _share_arenas()
    try:
        tools = wants_tools(options.mcp)
        settings = OperatorSettings.from_environment()
        context = _context(options, settings)
    except ToolsError as error:
        sys.exit(str(error))
    except (SettingsError, LimitsError, HubSettingsError) as error:
        sys.exit(f"{error}.")
    rates = Rates(settings.rate)
    demo = build_demo(context, settings.tabs, rates)
    try:
        demo.launch(
            server_name=options.host,
            server_port=options.port,
            prevent_thread_lock=True,
            **launch_settings(context.training is not None, rates, tools),
        )
    except OSError as error:  # Gradio's own message names a variable that this program does not read
        sys.exit(
            f"Cannot serve on {options.host}, port {options.port}: {error.strerror or TAKEN}. "
            "Choose another: PORT=7861 python app.py"
        )
    if tools and demo.mcp_error:
        sys.exit(f"The MCP server cannot start ({demo.mcp_error}). Try: pip install -r requirements-mcp.txt")
    warm_up = Timer(WARM_UP_AFTER, _warm_up, [context])
    warm_up.daemon = True
    warm_up.start()
    demo.block_thread()


def _warm_up(context: AppContext) -> None:
    """Load what the first decoding needs, and keep the page and torch out of every later collection."""
    context.warm_up()
    gc.collect()
    gc.freeze()


def _share_arenas() -> None:
    """Let the threads of glibc's allocator share two arenas: each keeps what was freed in it for itself."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL("libc.so.6").mallopt(M_ARENA_MAX, 2)


def _context(options: argparse.Namespace, settings: OperatorSettings) -> AppContext:
    """What the server knows, training and the Hub included unless they are switched off.

    Raises LimitsError, HubSettingsError.
    """
    limits, allowed = TrainingLimits.from_environment(), HubSettings.from_environment()
    hub = Hub(allowed) if allowed.access != "off" else None
    if options.runs is not None:
        limits = replace(limits, root=options.runs)
    if not limits.enabled or "training" not in settings.tabs:
        return AppContext(Registry(options.checkpoints, shelf=hub), options.device, hub=hub)
    runs = Runs(limits.root, limits.total_bytes)
    training = Training(runs, build_launcher(runs, limits), limits)
    registry = Registry(options.checkpoints, training.checkpoint_folder, hub)
    return AppContext(registry, options.device, training=training, hub=hub)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="See how sequence-to-sequence models decode.")
    parser.add_argument("--host", default=_host(), help="default: %(default)s")
    parser.add_argument("--port", type=int, default=os.environ.get("PORT", 7860), help="default: %(default)s")
    # Where a GPU is lent to one function at a time, the server itself has none.
    device = "cpu" if on_zero_gpu() else "auto"
    parser.add_argument("--device", default=device, help="auto, cpu, or another that torch knows")
    checkpoints = Path(__file__).parent / "checkpoints"
    parser.add_argument("--checkpoints", type=Path, default=checkpoints, help="folder; default: %(default)s")
    parser.add_argument("--runs", type=Path, help="folder of training runs; default: a user's data folder")
    parser.add_argument("--mcp", action="store_true", help="offer tools to language models (MCP)")
    return parser


def _host() -> str:
    """Visitors of this machine alone; on a Space all of them, for its proxy is another machine."""
    return os.environ.get("HOST") or ("0.0.0.0" if "SPACE_ID" in os.environ else "127.0.0.1")


if __name__ == "__main__":
    main()
