"""Planted breaches of the rules for modules of the product."""

from __future__ import annotations

from tests.lint.code import confined, forms, layers, messages
from tests.lint.planted import Planted, Sound
from tests.lint.repository import weight

LONG_FUNCTION = "\ndef f():\n" + "    x\n" * forms.LONGEST_FUNCTION
CYCLE = {
    "models/a.py": "from models.b import x",
    "models/b.py": "def f():\n    from models.c import y",
    "models/c.py": "if TYPE_CHECKING:\n    from models import a",
}
MANY = {f"demo/api/{number}.py": "" for number in range(weight.MAX_ENTRIES + 1)}
TORCH_ABOVE = {
    "models/decoding/__init__.py": "from .search.loop import search",
    "models/decoding/search/loop.py": "import torch.nn",
    "models/decoding/trace.py": "def f():\n    import torch",
}
TWICE = """raise DataError("empty", "{name} holds nothing at all", name=name)
raise DataError("blank", "{path} holds nothing at all", path=path)"""
# Messages with the fields of a dictionary: too many, too few, set twice, changed, and unknown ones.
SPREAD = tuple(
    f"def f(x):\n    {values}\n    return Message('a', '{{b}} is {{c}}', **x)"
    for values in (
        *("x = {'b': 1, 'c': 2, 'd': 3}", "x = {'b': 1}", "x = {'b': 1, 'c': 2}; x = {**x}"),
        *("x = {'b': 1, 'c': 2}; x['d'] = 3", "x = {'b': 1, 'c': 2}; x |= {'d': 3}", "pass", "x = {x: 1}"),
    )
)
UNTRANSLATED = (
    'raise DataError(f"{name} is empty")',
    'raise DataError("it is empty")',
    'raise RequestError(say("{name} is empty", name=name))',
    "raise RequestError(sentence(error))",
    'raise CheckpointError(name, file, f"cannot be read ({error})")',
    'raise CheckpointError(name, file, "is no such file", remedy)',
)

DECODE, CONTEXT = "demo/decode/tab.py", "demo/work/context.py"
HUB, CORPUS = "models/registry/hub.py", "models/corpus.py"
BREACHES: tuple[Planted, ...] = (
    (layers.imports_point_downward, "models/networks/recurrent.py", "from models.decoding import search"),
    (layers.imports_point_downward, "models/networks/recurrent.py", "from ..registry import Registry"),
    (layers.imports_point_downward, "models/decoding/loop.py", "def f():\n    import models.registry.hub"),
    (layers.imports_point_downward, "models/tokenization/tokenizer.py", "from models import networks"),
    (layers.imports_point_downward, "models/metrics/sentence.py", "from models.training import events"),
    (layers.imports_point_downward, "demo/widgets/form/x.py", "from demo.decode import build_decode_tab"),
    (layers.imports_point_downward, "demo/operations.py", "x = 1"),
    (layers.imports_point_downward, "models/__init__.py", "from models.registry.card import CheckpointCard"),
    (layers.imports_point_downward, "models/batch.py", "from models.registry.card import CheckpointCard"),
    (layers.decoding_points_downward, "models/decoding/search/x.py", "import models.decoding.strategies"),
    (layers.nothing_foreign, "models/training/loop/trainer.py", "import gradio as gr"),
    (layers.nothing_foreign, "models/decoding/trace.py", "if TYPE_CHECKING:\n    from torch import Tensor"),
    (layers.nothing_foreign, "demo/widgets/figures/attention.py", "import torch.nn"),
    (layers.nothing_foreign, "demo/widgets/figures/beam_tree.py", "from gradio import Plot"),
    (layers.features_do_not_meet, DECODE, "from demo import compare"),
    (layers.features_do_not_meet, "demo/evaluate/parts/x.py", "from demo.compare.work.rows import Row"),
    (layers.features_do_not_meet, "demo/training/work/x.py", "def f():\n    import demo.inspect.lens"),
    (layers.figures_read_records, "demo/widgets/figures/attention.py", "from models.decoding import search"),
    (weight.the_product_grows_no_further, {"demo/x.js": "f();\n" * (weight.MAX_CODE + 1)}, "1: the product"),
    (weight.folders_are_neither_crowded_nor_deep, MANY, "1: has 16 entries"),
    (weight.folders_are_neither_crowded_nor_deep, {"demo/a/b/c/d/x.py": ""}, "1: lies more than 4"),
    (layers.no_modules_import_each_other, CYCLE, "1: models."),
    (layers.light_modules_load_no_torch, TORCH_ABOVE, "1: loads torch in models.decoding.search.loop"),
    (layers.light_modules_load_no_torch, "models/decoding/strategies/best.py", "import torch"),
    (forms.has_docstring, "models/batch.py", "x = 1"),
    (forms.is_short, {"models/batch.py": "x = 1\n" * (forms.LONGEST_FILE + 1)}, "1: has 301 lines"),
    (forms.is_short, {"tests/test_x.py": LONG_FUNCTION}, "2: f has 61"),
    (forms.takes_few_arguments, "models/batch.py", "def f(self, a, b, c, d, e, *, f, g, h): ..."),
    (forms.no_name_is_the_plural_of_another, {"demo/hat.py": "", "demo/hats.py": ""}, "1: differs only by"),
    (forms.no_name_is_the_plural_of_another, {"demo/fly.py": "", "demo/flies/__init__.py": ""}, "1: differs"),
    (confined.one_file_knows_the_accelerator, CONTEXT, "x = 1\ndevice = 'CUDA:0'"),
    (confined.no_pickles, HUB, "import pickle"),
    (confined.no_pickles, HUB, "weights = torch.load(path, weights_only=False)"),
    (confined.no_pickles, HUB, "from torch import load"),
    (confined.clients_keep_no_idle_connection, "tests/test_x.py", "http = httpx.Client(base_url=url)"),
    (confined.syntax_trees_are_built_in_one_place, DECODE, "import ast\ntree = ast.parse('x')"),
    (confined.gradios_inside_is_in_one_place, DECODE, "from gradio.blocks import Block"),
    (confined.gradios_inside_is_in_one_place, DECODE, "from gradio import routes"),
    (confined.gradios_inside_is_in_one_place, "tests/test_x.py", "from gradio_client.utils import traverse"),
    (confined.gradios_inside_is_in_one_place, "app.py", "import gradio as gr\ngr.context.Context"),
    (confined.gradios_inside_is_in_one_place, DECODE, "def f(event):\n    return event._data"),
    (confined.settings_are_declared, CONTEXT, "import os\nos.environ.get('UNROLLED_RATE')"),
    (confined.faults_are_reported_in_one_place, DECODE, "from demo.work.errors import UNEXPECTED_ERROR"),
    (confined.faults_are_reported_in_one_place, CONTEXT, "logger.exception('it failed')"),
    (messages.messages_have_the_fields_of_their_templates, CORPUS, 'raise DataError("a", "{b} is a", c=b)'),
    *((messages.messages_have_the_fields_of_their_templates, CORPUS, text) for text in SPREAD),
    (messages.codes_are_lower_case_identifiers, CORPUS, 'Message("Empty", "it is empty")'),
    (messages.codes_are_lower_case_identifiers, CORPUS, 'Message("is empty", "it is empty")'),
    (messages.no_two_messages_have_one_code, CORPUS, 'Message("a", "a is b")\nMessage("a", "b is a")'),
    *((messages.every_error_has_a_code_and_one_template, CORPUS, text) for text in UNTRANSLATED),
    (messages.no_sentence_is_written_twice, CORPUS, TWICE),
    (messages.errors_of_the_library_have_one_base, CORPUS, "class OddError(ValueError): ..."),
)
IMPORTS = {
    "models/registry/checkpoint.py": "from models.networks.config import build_model\nimport torch",
    "models/networks/__init__.py": "from models.networks.base import Seq2SeqModel",
    "demo/decode/tab.py": "from demo.work.requests.decode import Request\nimport gradio as gr",
    "demo/widgets/figures/attention.py": "import plotly\nfrom models.decoding.trace import DecodingTrace",
    "app.py": "from demo.page import interface",
}
ERRORS = (
    'raise DataError("empty", "{name} is empty", name=name)',
    "raise DataError(not_one_of(name, allowed, value))",
    "raise CheckpointError(name, CONFIG, unreadable(reason))",
    "raise DecodingError(error.message) from error",
    "def _f():\n    x = {'b': 1}\n    y = {**x, 'c': 2}\n    return Message('a', '{b} is {c}', **y)",
)
SOUND: tuple[Sound, ...] = (
    *(("code", {path: f'"""Something."""\n{text}\n'}) for path, text in IMPORTS.items()),
    *(("code", {"models/corpus/__init__.py": f'"""Something."""\n{text}\n'}) for text in ERRORS),
    ("code", {"a/report.py": "", "b/reports.py": ""}),
)
