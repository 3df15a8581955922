"""The site of these documents: `sphinx-build -W docs site`, with the dependency group `docs`."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from durak_core.installation import version as version_of_durak  # noqa: E402 - from this checkout

project = "Durak"
author = copyright = "The Durak developers"  # noqa: A001 - the name that Sphinx reads
release = version = version_of_durak()

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"Durak {release}"
exclude_patterns = ["experiments/*/games"]

myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure"]

napoleon_use_ivar = True
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
default_role = "code"
