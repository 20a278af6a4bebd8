"""The site: Sphinx reads these settings (`make site`). Nothing is fetched: it builds offline."""

import sys
from pathlib import Path

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE / "_site"))
from gallery import draw_charts, in_reading_order  # noqa: E402

import branchline  # noqa: E402

project = "Branchline"
author = "the Branchline developers"
project_copyright = author
version = release = branchline.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "reference",
    "mathematics",
    "pictures",
    "links",
]
exclude_patterns = ["_site", "requirements.txt", "Thumbs.db", "**/GALLERY_HEADER.rst"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": [str(_HERE.parent / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"plot_.*\.py",
    "image_scrapers": (draw_charts,),
    "reset_modules": (),
    "capture_repr": (),
    "within_subsection_order": in_reading_order,
    "doc_module": ("branchline",),
    "backreferences_dir": "gallery/_used",
    "inspect_global_variables": True,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 60,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "plot_gallery": "True",
}
# Functions in settings cannot be cached; an attribute of several classes has several pages.
suppress_warnings = ["config.cache", "ref.python"]

html_theme = "pydata_sphinx_theme"
html_title = f"Branchline {release}"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # it fetches pages, which browsers refuse for files
html_theme_options = {
    "show_nav_level": 1,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "search_as_you_type": False,
    "pygments_light_style": "a11y-light",
    "pygments_dark_style": "a11y-dark",
    "logo": {"text": "Branchline"},
}
html_sidebars = {"index": [], "numbers/index": ["sidebar-nav-bs"]}
html_context = {"default_mode": "auto"}
