import json
import math
import sys
from functools import cache
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from sacrebleu.metrics import BLEU, CHRF
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional as F
