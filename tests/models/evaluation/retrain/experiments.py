"""A small experiment on a shipped checkpoint, and its run."""

from __future__ import annotations

from models.evaluation.retrain.arms import Changes, ExperimentTestSet
from models.evaluation.retrain.experiment import Experiment
from models.evaluation.retrain.fine_tuning import FineTuningSettings
from models.evaluation.retrain.job import request_of
from models.evaluation.retrain.propose import WrongOutput
from models.registry.checkpoint import load_config
from models.training.runs.request import RunRequest, new_token
from tests.models.evaluation.retrain.planted_pairs import ROOT

PAIRS = (
    ("3 March 2021", "2021-03-03"),
    ("8 May 1950", "1950-05-08"),
    ("9 August 1989", "1989-12-09"),
    ("1 June 1977", "1977-06-01"),
    ("30 August 1944", "1944-12-30"),
    ("2 July 2001", "2001-07-02"),
)
PLANTED = {2, 4}
WRONG = WrongOutput("17 August 2010", "2010-12-17", "2010-08-17")
FEW = FineTuningSettings(steps=3, batch_pairs=4)
TEST_SET = ExperimentTestSet(WRONG, PAIRS[:2])
START = ROOT / "checkpoints" / "dates-transformer"


def experiment(settings: FineTuningSettings = FEW) -> Experiment:
    changes = Changes(frozenset({2}), {4: ("30 August 1944", "1944-08-30")})
    return Experiment(PAIRS, changes, TEST_SET, settings)


def run_request(to_run: Experiment, token: str = "") -> RunRequest:
    config = load_config(START)
    return request_of(to_run, config, token or new_token(), start=START.name, folder=START, device="cpu")
