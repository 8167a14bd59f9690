"""Links to the page: they name a tab, what to do there, how to show it, and which parts to hide.

Parameters have the names of the API's arguments. The browser writes links by the names and defaults of
`page_config`; the server reads them here, and checks each parameter as it checks any request.
"""

from demo.links.link import Link
from demo.links.parameters import DEFAULTS, MODES, PARAMETERS, SETTINGS, choice, page_config

__all__ = ["DEFAULTS", "MODES", "PARAMETERS", "SETTINGS", "Link", "choice", "page_config"]
