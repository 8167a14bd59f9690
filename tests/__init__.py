"""The project's tests, benchmarks and stand-ins."""

import demo  # noqa: F401  # before anything here imports gradio, see demo.no_stubs
