"""Every limit of the studio in one place: sizes, times, lengths of queues."""

__all__ = [
    "CELLS",
    "COLUMNS",
    "CPU_SECONDS",
    "DOCUMENTS",
    "JSON_BYTES",
    "LAB_POINTS",
    "REQUEST_SECONDS",
    "ROWS",
    "RUNS_WAITING",
    "STREAMS",
    "UNPACKED_BYTES",
    "UNPACKED_FREE_BYTES",
    "UNPACKED_TIMES",
    "UPLOAD_BYTES",
    "WAITING",
]

UPLOAD_BYTES = 200 * 2**20
# What a compressed file may unpack to: bytes, and times its size; a little is always fine.
UNPACKED_BYTES, UNPACKED_TIMES, UNPACKED_FREE_BYTES = 2 * 2**30, 200, 50 * 2**20
JSON_BYTES = 2 * 2**20
ROWS, COLUMNS, CELLS = 5_000_000, 5_000, 50_000_000
LAB_POINTS = 600
# The number of documents of a kind that a workspace holds: old ones are removed by hand.
DOCUMENTS = 500
# Requests that wait for a worker, comparisons that wait for their turn, open streams of progress.
WAITING, RUNS_WAITING, STREAMS = 64, 8, 64
# How much time of all processors together the reading of a file may take.
CPU_SECONDS = 120
# How long a request may take in its worker, by lane.
REQUEST_SECONDS = {"desk": 120.0, "tree": 120.0, "lab": 20.0, "groups": 600.0}
