"""A cell or a network that follows its recipe needs only its own files: all other tests find it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from models.networks.architectures import ARCHITECTURES
from models.networks.cells import CELLS
from tests.recipes import copy_project

pytestmark = pytest.mark.full

NETWORKS, FORM = "tests/models/networks", "tests/demo/training/work/test_fields.py"
UNITS = "tests/models/inspection/units/test_over_time.py"
TRAINED = (
    "tests/models/training/loop/test_every_network.py::test_every_network_is_trained_and_becomes_a_checkpoint"
)
# A sample of the tests that must have run: each covers every cell, or every architecture.
CELL = (
    f"{NETWORKS}/test_cells.py::test_unrolled_cells_equal_their_layers[1-1-mgu]",
    f"{NETWORKS}/test_cells.py::test_a_cell_has_its_stated_number_of_parameters[False-1-mgu]",
    f"{NETWORKS}/test_laws.py::test_padding_is_neutral[mgu-2-bi-concat-additive]",
    f"{NETWORKS}/test_laws_bf16.py::test_a_tiny_model_overfits_eight_pairs[mgu-2-bi-concat-additive]",
    f"{NETWORKS}/test_packed.py::test_a_checkpoint_decodes_the_same_when_packed[mgu-2-bi-concat-additive]",
    f"{FORM}::test_every_cell_can_be_chosen_and_is_named[mgu]",
    f"{UNITS}::test_gates_are_between_0_and_1[mgu]",
    f"{UNITS}::test_the_states_are_the_network_s_own[mgu-2-bi-concat-additive]",
    f"{TRAINED}[mgu]",
)
ARCHITECTURE = (
    f"{NETWORKS}/test_laws.py::test_stepwise_logits_are_the_teacher_forced_ones[convolutional]",
    f"{NETWORKS}/test_laws_bf16.py::test_a_tiny_model_overfits_eight_pairs[convolutional]",
    f"{NETWORKS}/test_config.py::test_a_size_is_a_whole_number_within_reason[convolutional-d_model]",
    f"{NETWORKS}/test_config.py::test_a_description_counts_the_parameters_of_the_built_network[convolutional]",
    f"{NETWORKS}/test_packed.py::test_every_linear_layer_is_packed_if_the_processor_supports_it[convolutional]",
    f"{FORM}::test_the_form_has_exactly_the_fields_of_an_architecture[convolutional]",
    f"{FORM}::test_every_architecture_has_a_description_and_a_form[convolutional]",
    f"{TRAINED}[convolutional]",
)
# Neither name is in the names of other tests, and one network of the new cell stands for all.
OF_CELLS = "(test_cells or test_fields or loop or gates)"
SELECTED = f"convolutional or mgu-2-bi-concat-additive or mgu and {OF_CELLS}"


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of pytest on a copy of the project with the examples of both recipes."""
    copy = copy_project(tmp_path_factory.mktemp("copy"), "A recurrent cell", "A network")
    files = [f"{NETWORKS}/test_{name}.py" for name in ("cells", "laws", "laws_bf16", "packed", "config")]
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-k", SELECTED]
    done = subprocess.run(
        [*command, *files, FORM, UNITS, TRAINED.partition("::")[0]],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("test", [*CELL, *ARCHITECTURE], ids=lambda test: test.partition("::")[2])
def test_a_new_network_or_cell_is_found_by_its_files_alone(outcome: str, test: str) -> None:
    assert "mgu" not in CELLS
    assert "convolutional" not in ARCHITECTURES
    assert f"{test} PASSED" in outcome
