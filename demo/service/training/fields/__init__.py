"""Every setting of a training run, in the order of the form."""

from demo.service.training.fields.field import Field
from demo.service.training.fields.network import NETWORK_FIELDS
from demo.service.training.fields.optimizer import OPTIMIZER_FIELDS
from demo.service.training.fields.run import RUN_FIELDS
from demo.service.training.fields.tokens import TOKEN_FIELDS

FIELDS: tuple[Field, ...] = (*NETWORK_FIELDS, *TOKEN_FIELDS, *OPTIMIZER_FIELDS, *RUN_FIELDS)
SECTIONS = tuple(dict.fromkeys(field.section for field in FIELDS))

__all__ = ["FIELDS", "SECTIONS", "Field"]
