"""A first look: counts, remarks, and how they print."""

import json
import math
from datetime import date, datetime, time, timedelta
from html.parser import HTMLParser

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse

from branchline.errors import DataError
from branchline.table import Table, as_table, look
from branchline.table.looking._look_words import pad, percent, shorten, width, wrap

RNG = np.random.default_rng(7)


def topics(**columns):
    """The topics of the remarks on the last column."""
    return [note.topic for note in look(columns).columns[-1].notes]


def remark(topic, **columns):
    """The sentence of one remark on the last column."""
    notes = {note.topic: note.text for note in look(columns).columns[-1].notes}
    assert topic in notes, notes
    return notes[topic]


def mixed():
    n_rows = 40
    return pandas.DataFrame(
        {
            "id": np.arange(n_rows) + 100,
            "age": [None, 31.5] * 20,
            "town": ["Mons", "Liège", "Mons", None] * 10,
            "sunny": [True, False] * 20,
            "day": pandas.date_range("2020-01-01", periods=n_rows).as_unit("s"),
            "class": [0, 1, 1, 1] * 10,
        }
    )


# -- counts --------------------------------------------------------------------------------------


def test_a_look_counts_rows_columns_and_missing_cells():
    seen = look(mixed())
    assert (seen.n_rows, seen.n_columns) == (40, 6)
    assert seen.n_missing == 30
    assert seen.n_incomplete_rows == 30
    assert seen["age"].n_missing == 20
    assert seen["age"].missing_share == 0.5
    assert [column.n_distinct for column in seen.columns] == [40, 1, 2, 2, 40, 2]
    assert [column.kind for column in seen.columns].count("category") == 2
    assert [column.words for column in seen.columns] == [
        "whole number",
        "numeric",
        "category",
        "boolean",
        "date and time",
        "whole number",
    ]


def test_numbers_have_lowest_median_and_highest():
    seen = look({"x": [4, 1, 3, 2, None, 9, 8], "y": [0.123456, 1234.5678, 1e-9, 1e20, 5.0, 7, 2]})
    assert (seen["x"].low, seen["x"].median, seen["x"].high) == ("1", "3.5", "9")
    assert (seen["y"].low, seen["y"].median, seen["y"].high) == (
        "1\xa0×\xa010⁻⁹",
        "5",
        "1\xa0×\xa010²⁰",
    )
    assert seen["x"].frequent == ()


def test_numbers_of_few_values_and_categories_have_shares():
    seen = look({"x": [0, 1, 1, 1], "c": ["b", "a", "b", None]})
    assert seen["x"].frequent == (("1", 0.75), ("0", 0.25))
    assert seen["c"].frequent == (("b", 2 / 3), ("a", 1 / 3))
    assert seen["c"].low is None


def test_moments_durations_and_times_are_written_out():
    seen = look(
        {
            "date": [date(2020, 1, 1), date(1969, 5, 6)],
            "moment": [datetime(2020, 1, 1, 12, 30), datetime(2020, 1, 2)],
            "zoned": pandas.date_range("2020-01-01 01:00", periods=2, tz="Europe/Brussels"),
            "duration": [timedelta(days=2, hours=3), -timedelta(minutes=5)],
            "time": [time(6, 7, 8), time(0)],
        }
    )
    assert [(column.low, column.high) for column in seen.columns] == [
        ("1969-05-06", "2020-01-01"),
        ("2020-01-01 12:30", "2020-01-02"),
        ("2020-01-01", "2020-01-02"),
        ("−00:05:00", "2 d 03:00:00"),
        ("00:00:00", "06:07:08"),
    ]


def test_a_look_agrees_with_numpy():
    values = np.where(RNG.random(501) < 0.1, np.nan, RNG.integers(0, 50, 501) / 4)
    seen = look({"x": values})["x"]
    present = values[~np.isnan(values)]
    assert seen.n_distinct == len(np.unique(present))
    assert float(seen.median) == np.median(present)
    assert float(seen.low) == present.min()


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32])
def test_any_number_type_can_be_looked_at(dtype):
    seen = look({"x": np.array([1, 2, 2, 5], dtype=dtype)})["x"]
    assert (seen.low, seen.median, seen.high, seen.n_distinct) == ("1", "2", "5", 3)


def test_a_table_without_rows_can_be_looked_at():
    seen = look(polars.DataFrame(schema={"a": polars.Int8, "b": polars.String, "c": polars.Date}))
    assert seen.n_rows == 0
    assert [note.topic for note in seen.notes] == ["no_rows"]
    assert "0 rows × 3 columns" in str(seen)
    assert seen.to_html()


def test_a_look_takes_tables_data_and_paths(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("a,b\n1,x\n2,y\n", encoding="utf-8")
    for data in (as_table({"a": [1, 2]}), {"a": [1, 2]}, path, str(path)):
        assert look(data)["a"].high == "2"
    assert as_table({"a": [1]}).look().n_rows == 1


# -- remarks -------------------------------------------------------------------------------------


def test_constant_and_empty_columns_are_noticed_and_nothing_else_said_of_them():
    assert remark("constant", x=[3] * 30) == "Always 3."
    assert remark("constant", x=["a", None, "a"]) == "Always a where it is not missing."
    assert topics(x=[None] * 30) == ["empty"]
    assert topics(y=[3] * 30, x=[3] * 30) == ["constant"]


def test_mostly_missing_columns_are_noticed():
    assert remark("mostly_missing", x=[1, 2] + [None] * 6) == "75 % of the cells are missing."
    assert "mostly_missing" not in topics(x=[1, 2, None, None])


def test_identifiers_are_noticed():
    n_rows = 50
    shuffled = RNG.permutation(n_rows)
    assert "consecutive" in remark("identifier", x=shuffled)
    assert "consecutive" in remark("identifier", x=shuffled.astype(float))
    ascending = np.cumsum(RNG.integers(1, 9, n_rows))
    assert topics(x=ascending) == topics(x=RNG.permutation(ascending)) == []
    assert "50 values" in remark("identifier", x=[f"row {place}" for place in shuffled])
    nearly = remark("identifier", x=[f"a{i}" for i in range(30)] + ["a0"])
    assert nearly == "Looks like an identifier: 30 different values in 31, such as 'a0'."
    assert "name says so" in remark("identifier", customer_id=RNG.permutation(n_rows) * 7)


def test_what_is_no_identifier_is_not_called_one():
    n_rows = 50
    assert "identifier" not in topics(x=RNG.normal(size=n_rows))
    assert "identifier" not in topics(x=RNG.permutation(n_rows) * 7)
    assert "identifier" not in topics(x=np.arange(5))
    assert "identifier" not in topics(x=np.arange(n_rows) // 2)
    assert "identifier" not in topics(x=np.arange(n_rows).astype("M8[D]"))


def test_equal_columns_are_noticed_whether_whole_or_real():
    x = [3, 1, 2, None]
    assert remark("duplicate", x=x, y=[3.0, 1.0, 2.0, None]) == "The same as column 'x'."
    assert remark("duplicate", x=["b", "a"], y=["b", "a"]) == "The same as column 'x'."
    assert "duplicate" not in topics(x=x, y=[3, 1, 2, 0])
    assert "duplicate" not in topics(x=["b", "a"], y=["d", "c"])
    assert "duplicate" not in topics(x=[0, 1], y=["a", "b"])
    assert "duplicate" not in topics(x=[2**60, 1], y=[2**60 + 1, 1])
    assert "duplicate" not in topics(x=[1, 2], y=np.array([1, 2], dtype="M8[D]"))
    assert "duplicate" in topics(x=[0.0, 1.0], y=[-0.0, 1.0])


def test_numbers_written_as_text_are_noticed_with_a_repair():
    texts = [str(value) for value in range(5)] * 20
    assert remark("numbers_as_text", x=texts) == (
        "Every name is a number, as in postcodes. If they measure something instead: "
        "kinds={'x': 'numeric'}."
    )
    text = remark("numbers_as_text", x=[*texts, "few", "many", "many"])
    assert text.startswith("97 % of the values are numbers; the others are 'many', 'few'. ")
    assert "read_table(path, missing=['', 'NA', '?'," in text
    assert text.endswith("'few']).")
    assert "numbers_as_text" not in topics(x=[*texts, *["a", "b"] * 20])


def test_marks_for_missing_beside_numbers_are_told():
    texts = [*[str(value) for value in range(5)] * 20, "unknown", "?", "?"]
    assert remark("marks", x=texts) == (
        "'?' and 'unknown' count as missing. kinds={'x': 'category'} keeps the texts."
    )
    assert look({"x": texts})["x"].n_missing == 3


def test_the_repair_of_numbers_written_as_text_works(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("x\n" + "\n".join(["1", "2", "3", "4"] * 10 + ["several"]), encoding="utf-8")
    note = look(path)["x"].notes[0]
    assert note.command.endswith("If these mean missing: --missing several.")
    text = note.text
    call = text[text.index("read_table") :].removesuffix(".")
    from branchline.table import read_table

    table = eval(call, {"read_table": read_table, "path": path})
    assert table["x"].kind == "numeric"
    assert table["x"].is_missing.sum() == 1


N = 60
PRICES = RNG.permutation(N) * 37.25 + 1001.5
DAYS = pandas.date_range("2020-01-01", periods=N)
WRITTEN = {
    "amounts": (
        [f"${price:,.2f}" for price in PRICES],
        [f"{price * 10:,.0f}" for price in PRICES],
        [*["5", "12", "7"] * 10, "1,234"],
        [f"{price:.0f} €" for price in PRICES],
        [f"{price:,.2f}".translate({44: ".", 46: ","}) for price in PRICES],
    ),
    "percentages": ([f"{place} %" for place in range(N)], [f"{place}.5%" for place in range(N)]),
    "times": ([f"{7 + place // 60}:{place % 60:02}" for place in range(N)], ["7:45 pm", "8:00 am"]),
    "dates": (
        [f"{day.day}/{day.month}/{day.year}" for day in DAYS],
        [f"{day.month:02}/{day.day:02}/{day.year}" for day in DAYS],
        [f"{day.year}/{day.month:02}/{day.day:02}" for day in DAYS],
        ["1.2.2020", "3.4.2021"],
    ),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_texts_of_frames_are_converted_and_told(what):
    for texts in WRITTEN[what]:
        topic = {note.topic for note in look({"x": texts})["x"].notes}
        # 7:01 to 7:59 may be dilutions or scores
        assert topic & {"converted", "written_as_text" if texts[0] == "7:00" else "converted"}
        assert not {"identifier", "numbers_as_text"} & topic


@pytest.mark.parametrize("what", WRITTEN)
def test_declared_categories_of_amounts_and_dates_are_noticed_with_a_remedy_that_works(what):
    for texts in WRITTEN[what]:
        frame = pandas.DataFrame({"x": pandas.Categorical(texts)})
        [note] = [note for note in look(frame)["x"].notes if note.topic == "written_as_text"]
        assert note.text.startswith(f"Looks like {what} written as text, such as '"), texts[:3]
        kinds = note.text.partition("kinds=")[2].removesuffix(".")
        assert note.command.endswith(f"--kind x={eval(kinds)['x']}.")
        assert Table(frame, kinds=eval(kinds))["x"].kind == "numeric"
        assert "identifier" not in {note.topic for note in look(frame)["x"].notes}


@pytest.mark.parametrize(
    "texts", [["a", "b"] * 9, ["1", "2.5"] * 9, ["04000", "75001"] * 9, ["x 1:20", "$"] * 9]
)
def test_other_texts_are_not_called_amounts(texts):
    assert "written_as_text" not in topics(x=texts)


def test_a_category_that_was_asked_for_is_not_told_to_become_numeric(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("zip,n\n" + "".join(f"0{4000 + n % 9},{n}\n" for n in range(40)), "utf-8")
    from branchline.table import read_table

    notes = read_table(path, kinds={"zip": "category"}).look()["zip"].notes
    assert all("use kinds" not in note.text for note in notes)
    assert "If they measure something" in notes[0].text


def test_dates_written_as_text_and_real_dates_are_noticed():
    texts = ["2020-01-01", "2020-02-01", "2020-01-01"]
    assert topics(x=texts) == ["moments"]
    assert "dates_as_text" in topics(x=pandas.Categorical(texts))
    assert "days since 1970" in remark("moments", x=[date(2020, 1, 1), date(2020, 1, 2)])


def test_words_for_missing_and_odd_names_are_noticed():
    assert remark("words_for_missing", x=["a", "?", "b"]).startswith("'?' may mean missing")
    assert remark("lookalikes", x=["Male", "male", "Female"]) == (
        "'Male' and 'male' differ only in capitals or blanks."
    )
    assert "' b'" in remark("blanks", x=["a", " b"])


def test_many_and_rare_categories_are_noticed():
    n_rows = 70_000
    texts = [f"{place:05}-{place % 7}" for place in range(n_rows)]
    assert "65,533" in remark("too_many", x=texts + texts)
    assert "few rows share one" in remark(
        "near_unique", x=[f"a{i}" for i in range(30)] + ["a0"] * 9
    )
    words = ["common"] * 100 + [f"rare {place}" for place in range(20)]
    assert remark("rare", x=words) == "20 of the 21 categories occur only once."


def test_unused_categories_and_nearly_constant_columns_are_noticed():
    declared = pandas.Categorical(["a", "b"], ["a", "b", "c"])
    assert remark("unused", x=declared) == "1 of the 3 declared categories does not occur."
    assert remark("almost_constant", x=[0] * 199 + [1]) == "99.5 % of the values are 0."


def test_infinite_numbers_are_noticed_and_left_out_of_the_numbers():
    assert remark("infinite", x=[1.0, math.inf, 2.0]).startswith("1 cell is infinite")
    seen = look({"x": [1.0, math.inf, -math.inf, 2.0]})["x"]
    assert (seen.low, seen.high) == ("1", "2")
    assert topics(x=[math.inf, math.inf]) == ["infinite"]


def test_codes_for_missing_and_far_outliers_are_noticed():
    incomes = RNG.integers(1000, 5000, 200)
    assert remark("outlier", x=[*incomes, 99999, 99999]) == (
        "99,999 (2 cells) lies far from the rest: a code for missing?"
    )
    assert "−999 (2 cells)" in remark("outlier", x=[*RNG.random(100), -999, -999])
    assert "far from the rest: half of the values are" in remark(
        "outlier", x=[*RNG.random(100), 1e6]
    )
    assert "outlier" not in topics(x=RNG.normal(size=500))
    assert "outlier" not in topics(x=[90, 95, 97, 98, 99, 99])


def test_repeated_rows_are_counted():
    seen = look({"a": [1, 1, 2, 1, None, None], "b": ["x", "x", "x", "y", None, None]})
    assert seen.n_repeated_rows == 2
    assert [note.text for note in seen.notes] == ["2 rows repeat an earlier row."]
    assert look(np.zeros((5, 2))).n_repeated_rows == 4
    assert look({"a": [0, 1], "b": [1, 0]}).n_repeated_rows == 0


def test_repeated_rows_agree_with_pandas():
    frame = pandas.DataFrame(
        {"a": RNG.integers(0, 5, 300), "b": RNG.integers(0, 5, 300) / 2, "c": ["x", "y", "z"] * 100}
    )
    assert look(frame).n_repeated_rows == frame.duplicated().sum()


def test_a_table_wider_than_long_gets_a_warning():
    assert [note.topic for note in look(RNG.normal(size=(5, 9))).notes] == ["wide"]


# -- print ---------------------------------------------------------------------------------------


def awkward():
    long_name = "a very long column name that goes on and on and on"
    return {
        long_name: ["x" * 200, "y" * 200, "z" * 200, None],
        "東京都の人口": ["大阪", "京都", "奈良", "大阪"],
        "line\nbreak": ["a\tb", "\x1b[31mred", "c\u202ed", "e\u0301"],
        "<b>&\"'": ["<script>alert(1)</script>", "&amp;", "x", "x"],
        "": [1, 2, 3, 4],
    }


@pytest.mark.parametrize(
    "data", [mixed(), awkward(), RNG.normal(size=(5, 300)), {"a": [None]}], ids=range(4)
)
def test_the_text_fits_a_hundred_places_and_prints_nothing_strange(data):
    text = str(look(data))
    assert max(width(line) for line in text.splitlines()) <= 100
    assert all(line == line.rstrip() for line in text.splitlines())
    assert all(character.isprintable() for character in text.replace("\n", ""))


@pytest.mark.parametrize("most", [60, 72, 80, 100, 140])
@pytest.mark.parametrize("data", [mixed(), awkward(), {"c": ["x" * 99, "y"] * 9}], ids=range(3))
def test_the_text_fits_the_width_asked_for_and_stays_aligned(data, most):
    lines = look(data).to_text(width=most).splitlines()
    assert max(map(width, lines)) <= most
    rule = next(place for place, line in enumerate(lines) if line.startswith("─"))
    begin = width(lines[rule][: lines[rule].rindex(" ")])
    for line in lines[rule + 1 : rule + 1 + len(data.keys())]:
        used = [width(line[:place]) for place in range(len(line)) if line[place] != " "]
        assert not {begin - 1, begin} & set(used)


def test_the_text_is_never_narrower_than_sixty_places():
    seen = look(mixed())
    assert seen.to_text(width=5) == seen.to_text(width=60)
    assert str(seen) == seen.to_text() == seen.to_text(width=100)


def test_the_text_reads_well():
    assert str(look(mixed())).splitlines() == [
        "40 rows × 6 columns · 4 numeric, 2 category · 12 % missing · 10 complete rows",
        "",
        "column  kind             missing  distinct  shape     "
        "lowest – median – highest, or most frequent",
        "──────  ─────────────  ─────────  ────────  ────────  " + "─" * 46,
        "id      whole number           0        40  ████████  100 – 119.5 – 139",
        "age     numeric        20 (50 %)         1            31.5",
        "town    category       10 (25 %)         2  █▄        Mons: 67 %, Liège: 33 %",
        "sunny   boolean                0         2  ██        False: 50 %, True: 50 %",
        "day     date and time          0        40  ████████"
        "  2020-01-01 – 2020-01-20 – 2020-02-09",
        "class   whole number           0         2  ▃█        1: 75 %, 0: 25 %",
        "",
        "Worth a second look",
        "  id   Looks like an identifier: consecutive whole numbers, all different.",
        "  age  Always 31.5 where it is not missing.",
        "  day  Learners see it as the number of days since 1970.",
    ]


def test_columns_stand_under_their_headings_also_with_wide_characters():
    lines = str(look(awkward())).splitlines()
    at = width(lines[2][: lines[2].index("kind")])
    for line in lines[4:9]:
        words = "whole number" if "whole number" in line else "category"
        assert width(line[: line.index(words)]) == at


def test_many_columns_are_cut_and_shared_remarks_gathered():
    text = str(look(np.ones((500, 100))))
    assert "… and 40 more columns" in text
    assert "100 columns  Always the same value: x0, x1, x2, x3, x4, x5, x6, x7, …" in text
    assert len(text.splitlines()) < 75


def test_plain_data_go_through_json():
    data = json.loads(
        json.dumps(look({**mixed(), "inf": [math.inf] * 40}).to_dict(), allow_nan=False)
    )
    assert data["n_rows"] == 40
    assert data["columns"][0]["notes"][0]["topic"] == "identifier"
    assert data["columns"][2]["frequent"][0] == ["Mons", pytest.approx(2 / 3)]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.names, self.words = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.names.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_html_is_closed_and_everything_in_it_escaped():
    html = look(awkward()).to_html()
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    allowed = "div style p table thead tbody tr th td span ul li b svg path"
    assert tags.names == set(allowed.split())
    assert "<b>&\"'" in "".join(tags.words)
    assert "<script" not in html
    assert "color-scheme" not in html
    assert "light-dark" not in html
    assert "#" not in html[html.index("<style>") : html.index("</style>")]  # the page's colors
    assert "http" not in html
    assert look(awkward())._repr_html_() == html


def test_the_html_keeps_blanks_and_does_not_wrap_short_cells():
    html = look({"a   b": ["x  y ", "z"] * 3, "n": [1, 2] * 3}).to_html()
    assert "x  y " in html
    assert "white-space:pre-wrap" in html
    assert '<td class="short"><span class="quiet">whole number</span></td>' in html


def test_the_html_of_many_columns_is_cut():
    html = look(np.ones((3, 250))).to_html()
    assert "… and 50 more columns" in html


def test_sparse_tables_are_looked_at_column_by_column(monkeypatch):
    monkeypatch.setenv("BRANCHLINE_MEMORY", "10000")
    seen = look(scipy.sparse.eye_array(50, format="csr"))
    assert seen["x3"].frequent == (("0", 0.98), ("1", 0.02))
    assert seen.n_repeated_rows == 0


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.0004, "< 0.1 %"),
        (0.9996, "> 99.9 %"),
        (0.021, "2.1 %"),
        (0.0951, "9.5 %"),
        (0.654, "65 %"),
        (0.996, "99.6 %"),
    ],
)
def test_shares_never_round_to_all_or_nothing(share, words):
    assert percent(share) == words


def test_words_are_cut_padded_and_wrapped_by_their_width():
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("東京都", 4) == "東…"
    assert width("e\u0301東") == 3
    assert pad("東", 4) == "東  "
    assert pad("1", 3, right=True) == "  1"
    assert wrap("a bb ccc dddd", 5) == ["a bb", "ccc", "dddd"]
    assert wrap("a  b", 5) == ["a  b"]
    assert wrap("abcdefgh", 5) == ["abcd…"]


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(DataError, match="Did you mean 'town'") as caught:
        look({"town": ["a"]})["twon"]
    assert caught.value.code == "D003"


def test_small_integers_do_not_overflow():
    numbers = np.arange(-128, 128).astype(np.int8)
    assert remark("identifier", x=numbers).endswith("consecutive whole numbers, all different.")


def test_the_range_of_numbers_is_there_for_machines():
    seen = look({"x": [-12345, 0, 99999], "c": ["a", "b", "a"]})
    assert (seen["x"].low, seen["x"].high) == ("−12,345", "99,999")
    assert seen.to_dict()["columns"][0]["range"] == (-12345, 0, 99999)
    assert seen["c"].range is None


def test_one_row_and_one_column_are_singular():
    assert str(look({"x": [1]})).startswith("1 row × 1 column ")


def test_a_dash_does_not_stand_beside_a_minus() -> None:
    from branchline.table.looking import values_words

    (column,) = look(Table({"x": [-2.5, -0.5, 1.25, 0.5, -1.0] * 8})).columns
    assert "–" not in values_words(column, 80)
    (column,) = look(Table({"x": [-2.5 + 0.37 * at for at in range(40)]})).columns
    assert values_words(column, 80) == "−2.5 to 11.93, median 4.715"
