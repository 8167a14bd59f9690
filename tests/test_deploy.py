"""docs/deploy.md: its commands, variables and configurations are those that programs of today accept."""

from __future__ import annotations

import re
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
from torch.distributed.run import get_args_parser

from models.environment import read
from models.setting import settings_of
from models.training.__main__ import _parser as training_parser
from tests.documents import ROOT, Document
from tests.environment_settings import OWNERS
from tests.fakes.servers.front_proxy import OF_CADDY, configured, is_installed

GUIDE = Document(ROOT / "docs" / "deploy.md")
ASSIGNMENT = re.compile(r"\b([A-Z][A-Z_]+)=([^\s`]+)")
NAMED = re.compile(r"\b(?:UNROLLED|GRADIO)_[A-Z_]+\b")
OF_UVICORN = {"FORWARDED_ALLOW_IPS"}  # tests/test_app.py looks whether the server has it
DECLARED = {item.variable for owner in OWNERS for item in settings_of(owner).values()}


def commands(program: str) -> list[list[str]]:
    """The words of each command of a program, without the variables before it."""
    lines = (line for block in GUIDE.blocks for line in block.code.replace("\\\n", " ").splitlines())
    words = [[word for word in line.split() if not ASSIGNMENT.fullmatch(word)] for line in lines]
    return [line for line in words if line and Path(line[0]).name == program]


def test_every_variable_is_declared_and_its_value_can_be_read() -> None:
    assert set(NAMED.findall(GUIDE.text)) <= DECLARED
    assignments = [pair for pair in ASSIGNMENT.findall(GUIDE.text) if pair != ("FORWARDED_ALLOW_IPS", "*")]
    assert {name for name, _ in assignments} - {"HOST", "PORT"} - OF_UVICORN <= DECLARED
    for owner in OWNERS:
        for name, value in assignments:
            read(owner, {name: value})


def test_the_service_starts_the_app_where_it_lies() -> None:
    (unit,) = (block.code for block in GUIDE.blocks if block.language == "ini")
    service = ConfigParser(strict=False)  # systemd allows a name twice
    service.read_string(unit)
    _, script = service["Service"]["ExecStart"].split()
    assert (ROOT / script).is_file()


def test_the_first_command_is_a_target_of_the_makefile() -> None:
    ((_, target, *assignments),) = commands("make")
    plan = subprocess.run(["make", "-n", target, *assignments], cwd=ROOT, capture_output=True, text=True)
    assert "app.py" in plan.stdout


@pytest.mark.slow
def test_the_command_for_several_machines_is_understood() -> None:
    (words,) = commands("torchrun")
    group = get_args_parser().parse_args(words[1:])
    assert (group.module, group.training_script, group.nnodes) == (True, "models.training", "2")
    training_parser().parse_args([*group.training_script_args, "--resume"])


@pytest.mark.slow
@pytest.mark.parametrize("words", commands("hf"), ids=" ".join)
def test_the_command_of_the_hub_has_these_options(words: list[str]) -> None:
    program = Path(sys.executable).with_name("hf")
    options = [word for word in words if word.startswith("--")]
    called = [str(program), *(word for word in words[1:] if word.isalpha() and word.islower())]
    done = subprocess.run([*called[:3], "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert [option for option in options if option not in done.stdout] == []


@pytest.mark.slow
@pytest.mark.parametrize(("program", "sign"), [("nginx", "upstream"), ("caddy", "lb_policy")])
def test_the_proxy_accepts_the_configuration_of_replicas(program: str, sign: str, tmp_path: Path) -> None:
    """tests/browser/page/test_front_path.py uses those of one server."""
    if not is_installed(program):
        pytest.skip(f"{program} is not installed")
    (block,) = (block.code for block in GUIDE.blocks if sign in block.code)
    path = str(configured(program, block, 7999, tmp_path))
    check = {
        "nginx": ["nginx", "-t", "-e", "stderr", "-c", path],
        "caddy": ["caddy", "validate", *OF_CADDY, path],
    }
    subprocess.run(check[program], check=True, capture_output=True)
