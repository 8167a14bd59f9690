"""What a link to the page says: a tab, what to do there, how to look at it, and what to leave out.

Parameters have the names of the API's arguments. The browser writes links by the names and defaults that
`page_config` gives it; here they are read and checked, fault by fault, by the checks of any request.
"""

from demo.links.link import Link
from demo.links.parameters import DEFAULTS, MODES, PARAMETERS, SETTINGS, choice
from demo.links.writing import page_config, query

__all__ = ["DEFAULTS", "MODES", "PARAMETERS", "SETTINGS", "Link", "choice", "page_config", "query"]
