"""Starts the page: `python app.py`, then open the URL that it prints."""

from __future__ import annotations

from demo.server.process import reach_without_proxy, share_arenas, warm_up_soon, without_collection

with without_collection():
    import argparse
    import sys
    from dataclasses import replace
    from importlib.util import find_spec
    from pathlib import Path
    from socket import SOCK_STREAM, create_server, getaddrinfo
    from typing import Any

    import gradio as gr

    from demo import __version__
    from demo.page.interface import build_demo, launch_settings
    from demo.server.gate.rates import Rates
    from demo.server.process import timely
    from demo.server.shutdown import serve_until_stop_signal
    from demo.server.zero_gpu import build_launcher, on_zero_gpu
    from demo.work.context import AppContext
    from demo.work.hub import Hub
    from demo.work.operator.settings import OperatorSettings, ServerSettings
    from demo.work.training_service import TrainingService
    from models.environment import SettingError, read
    from models.hub.settings import HubSettings
    from models.registry.registry import Registry
    from models.training.launch.launcher import TrainingLimits
    from models.training.runs.collection import Runs

NO_UTF8 = "This locale does not let Python read the folder's name. Try: PYTHONUTF8=1 python app.py"


def main() -> None:
    """Read the flags, serve until interrupted."""
    if sys.getfilesystemencoding() != "utf-8" and not f"{__file__}{sys.prefix}".isascii():
        sys.exit(NO_UTF8)
    try:
        options = _parser(read(ServerSettings)).parse_args()
        server = read(ServerSettings, HOST=options.host, PORT=options.port)
        server = replace(server, tools=options.mcp)
        settings = read(OperatorSettings)
        context = _context(options, settings)
    except SettingError as error:
        sys.exit(f"{error}.")
    if options.mcp and find_spec("mcp") is None:
        sys.exit("The MCP server needs one more package: pip install -r requirements-mcp.txt")
    share_arenas()
    rates = Rates(settings.rate)
    demo = build_demo(context, settings.tabs, rates)
    launch(demo, server, launch_settings(context.training is not None, rates, server))
    if options.mcp and demo.mcp_error:
        sys.exit(f"The MCP server cannot start ({demo.mcp_error}). Try: pip install -r requirements-mcp.txt")
    config = demo.server.config
    config.http_protocol_class = timely(config.http_protocol_class)  # for every connection from now on
    warm_up_soon(context.warm_up)
    serve_until_stop_signal(demo, context.end_work)


def launch(demo: gr.Blocks, server: ServerSettings, settings: dict[str, Any]) -> None:
    """Begin to serve, or end with a sentence."""
    name = server.host.strip("[]")
    reach_without_proxy(name)
    try:
        family, *_, address = getaddrinfo(name, server.port, type=SOCK_STREAM)[0]
        create_server(address, family=family).close()  # Gradio would not say why it cannot
        demo.launch(
            server_name=f"[{name}]" if ":" in name else name,
            server_port=server.port,
            prevent_thread_lock=True,
            **settings,
        )
    except Exception as error:  # Gradio's own messages name variables that this program does not read
        reason = getattr(error, "strerror", "") or error
        sys.exit(
            f"Cannot serve on {name}, port {server.port}: {reason}. Choose another: PORT=7861 python app.py"
        )


def _context(options: argparse.Namespace, settings: OperatorSettings) -> AppContext:
    """Return the server's context, with training and the Hub unless they are switched off.

    Raises SettingError.
    """
    limits, allowed = read(TrainingLimits), read(HubSettings)
    hub = Hub(allowed) if allowed.access != "off" else None
    if options.runs is not None:
        limits = replace(limits, root=options.runs)
    if not limits.enabled or "training" not in settings.tabs:
        return AppContext(Registry(options.checkpoints, hub_models=hub), options.device, hub=hub)
    runs = Runs(limits.root, limits.total_bytes, recorded=Path(__file__).parent / "recordings")
    training = TrainingService(runs, build_launcher(runs, limits), limits)
    registry = Registry(options.checkpoints, training.checkpoint_folder, hub)
    return AppContext(registry, options.device, training=training, hub=hub)


def _parser(server: ServerSettings) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="See how sequence-to-sequence models decode.")
    parser.add_argument("--version", action="version", version=f"Unrolled {__version__}")
    parser.add_argument("--host", default=server.host, help="default: %(default)s")
    parser.add_argument("--port", default=str(server.port), help="default: %(default)s")
    # Where a GPU is lent to one function at a time, the server itself has none.
    device = "cpu" if on_zero_gpu() else "auto"
    parser.add_argument("--device", default=device, help="auto, cpu, or another that torch knows")
    checkpoints = Path(__file__).parent / "checkpoints"
    parser.add_argument("--checkpoints", type=Path, default=checkpoints, help="folder; default: %(default)s")
    parser.add_argument("--runs", type=Path, help="folder of training runs; default: a user's data folder")
    mcp = "offer tools to language models (MCP)"
    parser.add_argument("--mcp", action="store_true", default=server.tools, help=mcp)
    return parser


if __name__ == "__main__":
    main()
