"""Every limit of the studio in one place: sizes, times, lengths of queues."""

__all__ = [
    "CELLS",
    "COLUMNS",
    "DOCUMENTS",
    "JSON_BYTES",
    "LAB_POINTS",
    "REQUEST_SECONDS",
    "ROWS",
    "RUNS_WAITING",
    "STREAMS",
    "UPLOAD_BYTES",
    "WAITING",
]

UPLOAD_BYTES = 200 * 2**20
JSON_BYTES = 2 * 2**20
ROWS, COLUMNS, CELLS = 5_000_000, 5_000, 50_000_000
LAB_POINTS = 600
# The number of documents of a kind that a workspace holds: old ones are removed by hand.
DOCUMENTS = 500
# Requests that wait for a worker, comparisons that wait for their turn, open streams of progress.
WAITING, RUNS_WAITING, STREAMS = 64, 8, 64
# How long a request may take in its worker, by lane.
REQUEST_SECONDS = {"desk": 120.0, "tree": 120.0, "lab": 20.0, "groups": 600.0}
