"""Clusters and tables larger than memory (F120 to F123, P950 to P959, W108 to W111, X010 on)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "F120",
        "a file that cannot be scanned part by part",
        "scan_table reads delimited text and Parquet, part by part, and all files of a scan in one "
        "of the two formats. Other formats are read whole by read_table, or written as CSV or "
        "Parquet first.",
    ),
    ErrorCode(
        "F121",
        "files that disagree about a column",
        "All files of a scan are one table: they have the same column names, and a Parquet column "
        "has the same type in all of them (or no value at all). The message names the file and the "
        "column. Correct the file, or leave the column out (drop=…).",
    ),
    ErrorCode(
        "F122",
        "a folder that cannot be a cache",
        "The cache of a scan is a folder of its own: it holds no other files, can be written, and "
        "only one program makes it at a time. Name another folder (cache=…).",
    ),
    ErrorCode(
        "F123",
        "a disk without room for the columns",
        "A scan writes its columns to disk: 8 bytes per cell of most numbers, 4 per cell of a "
        "category. Name a folder on a larger disk (cache=…), or leave columns out (drop=…).",
    ),
    ErrorCode(
        "P950",
        "an engine that is not known",
        "An engine says where work is done: a distributed.Client, the address of a scheduler "
        "(tcp://HOST:8786, or tls://HOST:8786 with the certificates of Dask's configuration), or "
        "local:4 for four processes on this machine.",
    ),
    ErrorCode(
        "P951",
        "a model that a cluster does not grow",
        "fit_on grows random forests and extra-trees, and gradient boosting with constant leaves "
        "that are Newton steps: the losses squared_error, log_loss, exponential, poisson, gamma "
        "and tweedie with second_order=True. Medians, quantiles and losses of your own need all "
        "rows of a leaf at once. Fit such a model in one process: model.fit(X, y).",
    ),
    ErrorCode(
        "P952",
        "an address that workers on other machines reach",
        "Workers connect to the process of the fit. By itself it listens on 127.0.0.1 only, which "
        "other machines do not reach. Where the scheduler is on another machine, say which address "
        "of this machine its workers reach: fit_on(..., listen='10.0.0.5').",
    ),
    ErrorCode(
        "W108",
        "workers of a cluster ended",
        "Processes that fitted models ended: killed, out of memory, or cut off. Their fits begin "
        "again on other workers, and results do not change. Where that happens often, workers "
        "need more memory, or there should be fewer of them on a machine.",
    ),
    ErrorCode(
        "W109",
        "a worker of a fit was lost",
        "A process that held rows of a fit, or grew its trees, was killed, ran out of memory, or "
        "was silent for too long. Its work was given to another worker, which made up for what was "
        "lost. The model is the same. Where that happens often, workers need more memory.",
    ),
    ErrorCode(
        "W110",
        "a damaged checkpoint",
        "A file of finished rounds or trees cannot be read. What it held is made again; the model "
        "is the same.",
    ),
    ErrorCode(
        "W111",
        "a damaged cache",
        "A file in the cache of a scan is not what was written there. The cache is made again from "
        "its sources; the table is the same. Where that happens often, look at the disk.",
    ),
    ErrorCode(
        "X010",
        "Dask is not installed",
        "Working on a cluster needs dask and distributed. Install them with the command in the "
        "message, here and on all workers.",
    ),
    ErrorCode(
        "X011",
        "no scheduler at the address",
        "Nothing answered at the address of the cluster. Start a scheduler there (dask scheduler), "
        "check the port and the firewall, or work on this machine: engine='local:4'.",
    ),
    ErrorCode(
        "X012",
        "no worker is left",
        "All workers of the cluster ended, and none came back within half a minute. Results that "
        "were finished are in the run file. Start workers and continue: --resume.",
    ),
    ErrorCode(
        "X013",
        "the scheduler is gone",
        "The process that gives work to the workers does not answer any more. Results that were "
        "finished are in the run file. Start it again and continue: --resume.",
    ),
    ErrorCode(
        "X014",
        "a job that ends its workers",
        "The same job was begun on one worker after the other, and each of them ended. Mostly the "
        "memory of a worker is too small for it: start fewer workers on a machine.",
    ),
    ErrorCode(
        "X015",
        "a part of the rows that no worker keeps",
        "The same rows were given to one worker after the other, and each of them ended. Mostly "
        "the memory of a worker is too small for them: cut the rows into more parts (n_parts), or "
        "give workers more memory. With a checkpoint, resume=True continues from the rounds that "
        "are done.",
    ),
    ErrorCode(
        "X016",
        "workers that grow different trees",
        "All workers must grow the same trees, and these did not. Install the same version of "
        "Branchline on all machines.",
    ),
    ErrorCode(
        "X017",
        "workers too small for the codes of all rows",
        "A worker that grows trees of a forest keeps the codes of all rows: one or two bytes for "
        "each cell, twice where there are several classes or random thresholds, and about 50 bytes "
        "for each row and thread. Give workers more memory (fewer of them on a machine), or fit "
        "gradient boosting, of which each worker keeps a part of the rows only.",
    ),
    ErrorCode(
        "X018",
        "trees that end their workers",
        "The same trees were begun on one worker after the other, and each of them ended. Mostly "
        "the memory of a worker is too small: start fewer workers on a machine, or workers with "
        "fewer threads. With a checkpoint, resume=True continues from the trees that are grown.",
    ),
)
