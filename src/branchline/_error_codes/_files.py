"""Files of data that cannot be read or written (F)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "F001",
        "no such file",
        "No file exists at this path. Relative paths start at the folder in which the program "
        "was started. Addresses (URLs) are not fetched: download the file first.",
    ),
    ErrorCode(
        "F002",
        "a folder instead of a file",
        "A table is read from one file. Name a file in the folder; read several files one after "
        "the other.",
    ),
    ErrorCode(
        "F003",
        "a file that cannot be opened",
        "The operating system does not allow opening or reading the file, for the reason given: "
        "often its permissions, or another program that uses it.",
    ),
    ErrorCode(
        "F004",
        "an empty file",
        "The file has no cells at all. A file with a header only is allowed and gives a table "
        "without rows.",
    ),
    ErrorCode(
        "F005",
        "not a text file",
        "The bytes are not text, or they are text in an encoding that cannot be detected. Pass "
        "encoding=… if you know it, or format=… if it is another format.",
    ),
    ErrorCode(
        "F006",
        "undecodable text",
        "Some bytes are not text in the encoding asked for, or the encoding does not exist. "
        "Without encoding=, the encoding is detected.",
    ),
    ErrorCode(
        "F007",
        "a damaged compressed file",
        "The file starts like a compressed file but cannot be unpacked to its end, most often "
        "because a download was cut short.",
    ),
    ErrorCode(
        "F008",
        "a damaged file",
        "The file starts or is named like Parquet, Arrow, Excel, SQLite, SPSS, Stata or SAS, but "
        "cannot be read to its end. Fetch it again, or write it again from its source.",
    ),
    ErrorCode(
        "F009",
        "an unsupported format",
        "The format is unknown. Supported are delimited text, Excel, JSON, SQLite, ARFF, C4.5, "
        "libsvm, Orange, Parquet, Arrow, SPSS, Stata and SAS. Save other tables in one of these "
        "formats.",
    ),
    ErrorCode(
        "F010",
        "another number of cells",
        "A line has more or fewer cells than the first line or than the declared attributes. "
        "Usually the delimiter is another one, or a cell that contains the delimiter is not "
        "quoted.",
    ),
    ErrorCode(
        "F011",
        "an open quote",
        "A quoted cell is never closed, so everything after it would be one cell. Close the "
        "quote, or double a quote that belongs to the text.",
    ),
    ErrorCode(
        "F012",
        "a reading option that is not allowed",
        "delimiter is one ASCII character. decimal is a point or a comma and differs from the "
        "delimiter. header is true, false or left out.",
    ),
    ErrorCode(
        "F013",
        "a malformed ARFF header",
        "Before @data, an ARFF file holds @relation and @attribute lines and comments (%). A name "
        "with blanks must be quoted, a list of values closed with a brace.",
    ),
    ErrorCode(
        "F014",
        "an attribute type that cannot be read",
        "Attributes are numeric, real, integer, string, date with a Java date pattern, or a list "
        "of values in braces. Relational attributes are not read.",
    ),
    ErrorCode(
        "F015",
        "a value that contradicts its declaration",
        "The file declares what a column holds (numbers, listed values, dates), but a cell holds "
        "something else. Correct the declaration or the cell, or list the text in missing.",
    ),
    ErrorCode(
        "F016",
        "a malformed ARFF row",
        "A sparse row is {index value, index value, …} with increasing indices that start at 0. A "
        "weight is one number in braces at the end of a row.",
    ),
    ErrorCode(
        "F017",
        "a missing half of a C4.5 pair",
        "C4.5 keeps declarations in NAME.names and rows in NAME.data or NAME.test, in the same "
        "folder. One of the two files is missing.",
    ),
    ErrorCode(
        "F018",
        "a malformed C4.5 names file",
        "The first entry lists the classes. Each further entry is a name, a colon, and "
        "continuous, discrete N, ignore or the values. Many files called .names are descriptions "
        "in prose; in that case read the rows as CSV.",
    ),
    ErrorCode(
        "F020",
        "a malformed libsvm line",
        "A line is a numeric label, optionally qid:n, then index:value pairs separated by blanks. "
        "Comments begin with #.",
    ),
    ErrorCode(
        "F021",
        "indices out of order",
        "In libsvm files the indices of a line must increase, so that none occurs twice, and none "
        "may be negative.",
    ),
    ErrorCode(
        "F022",
        "an index too large",
        "The index would make a table of more columns than can be handled. Most often a value and "
        "an index were swapped.",
    ),
    ErrorCode(
        "F023",
        "a file that cannot be written",
        "The operating system does not allow writing there, for the reason given. Nothing was "
        "changed.",
    ),
    ErrorCode(
        "F100",
        "labels or query numbers beyond 2⁵³",
        "The labels of a libsvm file are numbers, and 64-bit floats round whole numbers beyond "
        "9,007,199,254,740,992: different labels would become one. Renumber them 1, 2, 3, … "
        "first.",
    ),
    ErrorCode(
        "F101",
        "a file that unpacks to far too much",
        "A compressed file whose content is thousands of times its size is not a table; it would "
        "fill the memory. If you trust it, unpack it yourself.",
    ),
    ErrorCode(
        "F102",
        "a file with a password",
        "Archives and workbooks with a password are not opened. Save a copy without a password.",
    ),
    ErrorCode(
        "F103",
        "which part of a file?",
        "A workbook has sheets, a database has tables, an archive has files. When there are "
        "several, name one: read_table(path, sheet=...), --sheet NAME, or file.xlsx#NAME.",
    ),
    ErrorCode(
        "F104",
        "JSON that is not a table",
        "A table in JSON is a list of objects, one for each row, an object with a list for each "
        "column, or an object on each line. Cells are numbers, texts, true, false or null. "
        "Objects inside rows become columns; lists inside rows are not supported.",
    ),
    ErrorCode(
        "F105",
        "a database that cannot be read",
        "The address, the driver, the permissions or the query are wrong; the message of the "
        "driver tells more. An address is scheme://user:password@host/database#table, with adbc+ "
        "before it for an ADBC driver. A query that begins with SELECT may stand in place of the "
        "table.",
    ),
    ErrorCode(
        "F110",
        "a saved model instead of a table",
        "The file is a model that Branchline saved. Commands that take both want the model first "
        "and the table second: branchline predict MODEL TABLE.",
    ),
)
