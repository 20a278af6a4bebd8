"""What the workers of the studio can do: thin calls of the public library, by name.

Each call takes the ``Desk`` and the arguments of a request, and returns plain data.
"""

from branchline.studio.work._desk import Desk

__all__ = ["HOME_OF_CALL", "Desk"]

_CALLS = {
    "tables": ("add_bundled", "add_upload", "look_at", "rows_of", "change_table", "learners_for",
               "bundled_sets", "script_of_compare"),
    "trees": ("view_tree", "view_node", "edit_tree", "tree_path", "tree_answers", "tree_stability",
              "tree_sequence", "tree_growth", "save_tree", "drawing_of"),
    "lab": ("lab_fit", "lab_points", "lab_parts"),
    "models": ("add_model", "view_model", "predict_row", "predict_file"),
    "groups": ("find_groups_of", "find_axes_of"),
}  # fmt: skip

# Which module answers to a call.
HOME_OF_CALL = {
    name: f"branchline.studio.work.{module}" for module, names in _CALLS.items() for name in names
}
