"""The operator's settings: caps for visitors, and the address of the server. Imports no torch or Gradio."""

from __future__ import annotations

from dataclasses import dataclass

from models.environment import HOST_PATTERN, HOSTS, SettingError, on_space, variable
from models.setting import words

TABS = ("decode", "compare", "evaluate", "checkpoints", "training", "learn")


@dataclass(frozen=True)
class OperatorSettings:
    """The caps of a server.

    Below a minimum the page's own presets would not fit; above a maximum it would not stay responsive.
    """

    tabs: tuple[str, ...] = variable(
        "UNROLLED_TABS",
        "tabs to show; Decode always, Training only beside Compare",
        TABS,
        offers=words(*TABS),
        always="decode",
    )
    max_characters: int = variable(
        "UNROLLED_MAX_CHARACTERS", "characters of a source text", 500, bounds=(100, 2_000)
    )
    max_beam_size: int = variable(
        "UNROLLED_MAX_BEAM_SIZE", "beams, and groups of diverse beam search", 16, bounds=(8, 32)
    )
    max_samples: int = variable("UNROLLED_MAX_SAMPLES", "samples of one decoding", 100, bounds=(16, 200))
    max_output_tokens: int = variable(
        "UNROLLED_MAX_OUTPUT_TOKENS", "tokens of an output", 100, bounds=(20, 256)
    )
    deadline: int = variable(
        "UNROLLED_DEADLINE",
        "seconds that one decoding may take in its turn; then it returns its best output so far",
        20,
        bounds=(1, 60),
    )
    running: int = variable(
        "UNROLLED_RUNNING",
        "decodings that run at once; set it to the number of the machine's cores",
        2,
        bounds=(1, 64),
    )
    queue: int = variable(
        "UNROLLED_QUEUE",
        "decodings that wait for their turn; later ones are refused for the moment",
        32,
        bounds=(1, 200),
    )
    rate: int = variable(
        "UNROLLED_RATE",
        "decodings a minute for one session, at most a third of them at once. One address may have thirty "
        "times as many. Small calls (tokens while typing, the status of a run) may be ten times as frequent",
        60,
        bounds=(0, 6_000),
        zero="no limit",
    )
    cache_bytes: int = variable(
        "UNROLLED_CACHE_BYTES",
        "weights in memory; beyond it the least recently used checkpoint is dropped",
        1 << 30,
        bounds=(64 << 20, 1 << 40),
        unit="bytes",
    )
    upload_bytes: int = variable(
        "UNROLLED_UPLOAD_BYTES",
        "one file of training data",
        20 << 20,
        bounds=(1 << 20, 100 << 20),
        unit="bytes",
    )

    def __post_init__(self) -> None:
        if "training" in self.tabs and "compare" not in self.tabs:
            raise SettingError(
                "training_without_compare",
                "UNROLLED_TABS must name compare beside training, where a run is set against its start; "
                "got {tabs}",
                tabs=repr(",".join(self.tabs)),
            )


def _default_host() -> str:
    """The loopback address; on a Space every address, since its proxy is another machine."""
    return "0.0.0.0" if on_space() else "127.0.0.1"


@dataclass(frozen=True)
class ServerSettings:
    """The address of the page, who may use it, and whether it serves tools. Flags override some of them."""

    host: str = variable(
        "HOST",
        "address at which the page is served; `--host` overrides it",
        make=_default_host,
        sort="an address",
        default_text="this machine alone; every address on a Space",
    )
    port: int = variable(
        "PORT", "port of the page; `--port` overrides it", 7860, bounds=(1, 65_535), default_text="7860"
    )
    tools: bool = variable(
        "UNROLLED_MCP",
        "whether language models are offered three tools, as with `--mcp`; needs `requirements-mcp.txt`",
        False,
    )
    hosts: tuple[str, ...] = variable(
        "UNROLLED_HOSTS",
        "host names of the page; requests under other names are refused",
        (),
        sort=HOSTS,
        pattern=HOST_PATTERN,
        default_text="the name of this machine, and those under which a proxy passes requests on",
    )
    frames: tuple[str, ...] = variable(
        "UNROLLED_FRAMES",
        "hosts whose pages may show this page in a frame, beside its own and Hugging Face",
        (),
        sort=HOSTS,
        pattern=HOST_PATTERN,
    )
    front: str = variable(
        "GRADIO_ROOT_PATH",
        "path below which a proxy serves the page; see [deploy.md](deploy.md#behind-a-proxy)",
        "",
        sort="a path, such as /unrolled",
        pattern=r"(?a:(https?://[\w.:\[\]-]+)?(/[\w.~-]+)*/?)",
    )
