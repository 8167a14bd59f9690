"""The Gradio application."""

from demo.no_stubs import leave_out_stubs

__version__ = "0.1.0"  # the version of the whole project: the page, the changelog and CITATION.cff show it

leave_out_stubs()  # here, before any module of ours imports Gradio
