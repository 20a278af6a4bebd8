"""The studio: the page in the browser and its server (P960 to P969, D960, F960 to F965, X020)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D960",
        "a table that is too large for the studio",
        "The studio shows tables of up to 5 million rows, 5,000 columns and 50 million cells. Use "
        "the command line or Python for larger ones, or load a sample of the rows.",
    ),
    ErrorCode(
        "D961",
        "no target was chosen",
        "Comparing learners and growing a tree need a column to predict. Choose one on the Table "
        "screen.",
    ),
    ErrorCode(
        "F960",
        "a file that is too large to upload",
        "The studio accepts files of up to 200 MB, and requests without a file of up to 2 MB. "
        "Start the studio with the file instead (branchline studio FILE), or use the command line.",
    ),
    ErrorCode(
        "F961",
        "a kind of file that the studio does not take",
        "Tables are taken as CSV, TSV, Excel, OpenDocument, JSON, Parquet, Arrow, SQLite, ARFF, "
        "libsvm, SPSS, Stata and SAS files, also compressed; models as .branchline files. Pickles "
        "are never read, because they can run code.",
    ),
    ErrorCode(
        "F962",
        "a file of the workspace that was changed from outside",
        "The studio reads only ordinary files that it has written into its workspace. Links and "
        "files that are gone are refused. Load the table again.",
    ),
    ErrorCode(
        "F963",
        "a workspace that cannot be used",
        "The studio keeps everything in one folder, by default branchline-studio in the current "
        "folder. It must be a folder that you may write into; --workspace names another one.",
    ),
    ErrorCode(
        "F964",
        "a workspace that another studio uses",
        "Two studios in one folder would change each other's tables and results. The first one "
        "goes on: open the address that its terminal shows. Or name another folder for the second: "
        "branchline studio --workspace FOLDER. A studio that has ended, or has crashed, does not "
        "keep its folder.",
    ),
    ErrorCode(
        "F965",
        "a compressed file that unpacks to too much for the studio",
        "The studio takes compressed files that unpack to at most 2 GB and to at most 200 times "
        "their size (up to 50 MB is always fine). Unpack the file yourself when you trust it, or "
        "use the command line.",
    ),
    ErrorCode(
        "P960",
        "a request that the studio does not understand",
        "The page and the server exchange JSON of a fixed form. This request had another form, a "
        "value out of range, or a header was missing.",
    ),
    ErrorCode(
        "P961",
        "changed in another tab",
        "Another tab changed the same table or tree after this page had read it. The page loads "
        "the new state; repeat what you did, if it is still wanted.",
    ),
    ErrorCode(
        "P962",
        "an id that does not exist",
        "Tables, trees, comparisons and models have ids that the studio makes. There is nothing "
        "with this one; it may have been removed in another tab.",
    ),
    ErrorCode(
        "P963",
        "the studio is busy",
        "The studio carries out a limited number of requests at a time and keeps a short list of "
        "waiting ones. Try again in a moment.",
    ),
    ErrorCode(
        "P964",
        "a step that took too long",
        "Each step in the studio has a time limit, and reading a file has a limit of processor "
        "time, too. The step was stopped and nothing was changed. Use a smaller table or a simpler "
        "learner, or the printed command line, which has no limit.",
    ),
    ErrorCode(
        "P965",
        "not the address of the studio",
        "The studio answers only its own page, opened with the address that was printed when it "
        "was started. The address holds a secret that changes with each start. Open the address "
        "that the terminal shows.",
    ),
    ErrorCode(
        "P966",
        "the port is taken",
        "Another program listens on the port, perhaps another studio. Choose another one with "
        "--port, or leave it out: a free one is found.",
    ),
    ErrorCode(
        "P969",
        "a fault of the studio",
        "Something failed inside the studio that should not have. The terminal in which the studio "
        "was started shows the details; please report them. Your tables and results are kept.",
    ),
    ErrorCode(
        "X020",
        "the studio is not installed",
        "The studio needs FastAPI and uvicorn, which are installed only when asked for: "
        'pip install "branchline[studio]".',
    ),
)
