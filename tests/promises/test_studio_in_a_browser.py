"""The studio in a real browser: every screen's journey, a messy table, what must be refused.

Every page is looked at by axe-core, every request is seen, and every error of the page fails.
"""

import os
import re
import shutil
from importlib.resources import files

import pytest

from studio_server import running_studio

MESSY = "patient;weight;visit;note;same;outcome\n" + "\n".join(
    f"p{k};{60 + k % 9},5;0{k % 9 + 1}.02.2020;{k % 5 or 'unclear'};1;{'yes' if k % 3 else 'no'}"
    for k in range(60)
)
BROWSER = os.environ.get("BRANCHLINE_BROWSER") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(
    BROWSER is None,
    reason="NO BROWSER: the studio was NOT tested in a browser; install chromium",
)


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with running_studio(tmp_path_factory.mktemp("browser") / "studio") as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as found:
        opened = found.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


class Visit:
    """A page that fails on errors, and knows where its requests went."""

    def __init__(self, browser, studio, **options):
        self.context = browser.new_context(viewport={"width": 1380, "height": 900}, **options)
        self.context.set_default_timeout(90_000)
        self.requests, self.faults = [], []
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._console)
        self.base = studio.base

    def _console(self, message):
        # The browser itself tells of each answer that is not 200; those are looked at elsewhere.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(message.text)

    def axe(self):
        """Fail on what axe-core finds serious."""
        source = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        self.page.evaluate(source)
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [
            (one["id"], [node["html"][:120] for node in one["nodes"][:3]])
            for one in found["violations"]
            if one["impact"] in {"serious", "critical"}
        ]
        assert serious == [], self.page.url

    def button(self, name, **more):
        return self.page.get_by_role("button", name=name, **more)

    def close(self):
        self.context.close()
        assert self.faults == []
        outside = [
            url for url in self.requests if not url.startswith((self.base, "data:", "blob:"))
        ]
        assert outside == []


@pytest.fixture
def visit(browser, studio):
    made = Visit(browser, studio)
    made.page.goto(studio.address)
    yield made
    made.close()


def test_from_a_table_to_a_decision(visit):
    page = visit.page
    visit.button("Iris").first.click()
    assert "token" not in page.url
    page.get_by_role("heading", name="Columns", exact=True).wait_for()
    visit.axe()
    assert "branchline look iris.csv --target species" in page.locator(".dock pre").inner_text()
    page.get_by_role("link", name="Compare learners").click()
    page.get_by_text("Choose", exact=True).click()
    page.get_by_text("Naive Bayes").first.wait_for()
    page.get_by_label("Folds").fill("3")
    visit.axe()
    visit.button("Compare", exact=True).click()
    page.get_by_role("link", name="Open the report").wait_for()
    visit.axe()
    page.reload()
    page.get_by_role("link", name="Open the report").wait_for()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open the report").click()
    opened.value.get_by_role("heading").first.wait_for()
    opened.value.close()
    visit.button("Predict with").click()
    page.get_by_role("region", name="Prediction").wait_for()
    width = page.get_by_label("petal_width, as a number")
    width.fill("0.1")
    length = page.get_by_label("petal_length, as a number")
    length.fill("1.2")
    page.locator(".prediction strong", has_text="setosa").wait_for()
    width.fill("2.4")
    length.fill("6.2")
    page.locator(".prediction strong", has_text="virginica").wait_for()
    visit.axe()
    text = "sepal_length,sepal_width,petal_length,petal_width\n5,3,1.4,0.2\n"
    picture = {"name": "new.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.get_by_label("Choose a table").set_input_files(picture)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download predictions.csv").click()
    assert "setosa" in download.value.path().read_text()


def test_the_workshop_by_pointer_and_by_keys(visit):
    page = visit.page
    visit.button("Iris").first.click()
    page.get_by_role("link", name="Grow a tree").click()
    page.get_by_text("Tests that were considered").wait_for()
    visit.axe()
    page.locator("g[data-node='2']").click()
    visit.button("Prune: make it a leaf").click()
    page.get_by_text("1 edit").wait_for()
    page.locator(".price.costs").first.wait_for()
    assert "--edit edits.json" in page.locator(".dock pre").inner_text()
    page.reload()
    page.get_by_text("1 edit").wait_for()
    visit.button("Undo").click()
    page.get_by_text("0 edits").wait_for()
    root = page.locator("g[data-node='0']")
    root.focus()
    page.keyboard.press("Enter")
    page.get_by_text("150 training rows here").wait_for()
    for tab, sign in (
        ("Size", "Next split"),
        ("Ask me", "I don't know"),
        ("A row's path", "Follow it"),
    ):
        page.get_by_role("tab", name=tab).click()
        visit.button(sign).wait_for()
    visit.button("Follow it").click()
    page.get_by_text("In the table").wait_for()
    page.get_by_role("tab", name="Ask me").click()
    visit.button("yes", exact=True).first.click()
    page.locator(".lead", has_text="→").wait_for()
    visit.axe()


def test_the_lab_answers_while_a_slider_moves(visit):
    page = visit.page
    page.get_by_role("link", name="Lab").click()
    page.get_by_text("Held-out error").wait_for()
    visit.axe()
    count = page.get_by_label("Number of points")
    canvas = page.locator("canvas")
    canvas.scroll_into_view_if_needed()
    before = canvas.screenshot()
    slider = page.get_by_label("γ (1 / width²)")
    with page.expect_response("**/api/lab/fit"):
        slider.press("End")
    page.wait_for_timeout(300)
    assert canvas.screenshot() != before
    assert count.input_value() == "120"
    with page.expect_response("**/api/lab/fit") as answer:
        canvas.click(position={"x": 20, "y": 20})
    assert len(answer.value.request.post_data_json["y"]) == 121
    canvas.focus()
    page.keyboard.press("ArrowRight")
    with page.expect_response("**/api/lab/fit") as answer:
        page.keyboard.press("Enter")
    assert len(answer.value.request.post_data_json["y"]) == 122
    visit.button("AdaBoost weights").click()
    page.get_by_text("Large dots are rows with large weights").wait_for()
    visit.button("Numbers, one column").click()
    visit.button("Bias and variance").click()
    page.get_by_text("which is the sum of").wait_for()
    visit.axe()


def test_a_messy_table_is_mended_by_buttons(visit):
    page = visit.page
    upload = page.get_by_label("Choose a file")
    for name, content in (("a.pkl", b"\x80\x04"), ("a.csv", b""), ("a.xlsx", b"nonsense")):
        upload.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})
        page.get_by_role("alert").wait_for()
        visit.button("Close this message").click()
    hostile = MESSY.replace("weight", "<img src=x onerror=alert(1)>")
    upload.set_input_files(
        {"name": "../messy.csv", "mimeType": "text/csv", "buffer": hostile.encode()}
    )
    page.get_by_role("heading", name="Columns", exact=True).wait_for()
    page.get_by_role("heading", name="messy.csv").wait_for()
    assert page.locator("img").count() == 0
    visit.axe()
    problems = page.get_by_role("region", name="Things to look at")
    row = problems.locator("li", has_text="patient")
    row.get_by_role("button", name="Leave the column out").first.click()
    page.get_by_role("button", name="Take patient back").wait_for()
    page.get_by_label("Column to predict (target)").select_option("outcome")
    page.get_by_role("link", name="Compare learners").wait_for()
    command = page.locator(".dock pre").inner_text()
    assert "--drop patient" in command
    assert "--target outcome" in command
    # another tab changes the same table: this page then shows the new state
    other = visit.context.new_page()
    other.goto(page.url)
    other.get_by_role("button", name="Leave note out").click()
    other.get_by_role("button", name="Take note back").wait_for()
    other.close()
    visit.button("Leave visit out").click()
    page.get_by_text("This was changed in another tab").wait_for()
    page.get_by_role("button", name="Take note back").wait_for()


def test_a_pair_of_c45_is_chosen_together(visit):
    page = visit.page
    upload = page.get_by_label("Choose a file")
    names = {"name": "fruit.names", "mimeType": "", "buffer": b"good, bad.\nsize: continuous.\n"}
    rows = {"name": "fruit.data", "mimeType": "", "buffer": b"1.5, good.\n?, bad.\n2, bad.\n"}
    for chosen, words in (
        ([rows], "choose fruit.names together with it"),
        ([names], "choose the .data file"),
        ([rows, rows], "a table is one file"),
    ):
        upload.set_input_files(chosen)
        page.get_by_role("alert").get_by_text(words).wait_for()
    upload.set_input_files([names, rows])
    page.get_by_role("heading", name="fruit.data").wait_for()
    page.get_by_role("heading", name="size", exact=True).wait_for()
    assert page.get_by_text("3 rows × 2 columns").is_visible()


def test_a_comparison_can_be_stopped(visit):
    page = visit.page
    visit.button("German credit").first.click()
    page.get_by_role("link", name="Compare learners").click()
    page.get_by_text("All learners", exact=True).click()
    visit.button("Compare", exact=True).click()
    page.get_by_text(re.compile(r"[2-9] of \d+ fits")).wait_for()
    began = page.evaluate("performance.now()")
    page.get_by_role("link", name="Lab").click()
    page.locator("nav a[aria-current]", has_text="Lab").wait_for()
    assert page.evaluate("performance.now()") - began < 2000  # the page itself does not wait
    page.go_back()
    visit.button("Stop").click()
    visit.button("Continue").wait_for()
    assert page.get_by_text("Stopped").first.is_visible()


def test_the_search_for_groups_says_its_steps_and_can_be_stopped(visit):
    page = visit.page
    visit.button("German credit").first.click()
    page.get_by_role("link", name="Groups and axes").click()
    visit.button("Find groups").click()
    page.get_by_text(re.compile(r"Counting groups: \d+ of at most \d+ similar")).wait_for()
    visit.button("Stop").click()
    visit.button("Stop").wait_for(state="detached")
    assert not page.get_by_role("alert").count()  # a person who stops need not be told so


def test_groups_and_axes_are_found_and_described(visit):
    page = visit.page
    visit.button("Iris").first.click()
    page.get_by_role("link", name="Groups and axes").click()
    page.get_by_label("How many groups").fill("3")
    visit.button("Find groups").click()
    groups = page.get_by_role("region", name="Groups")
    groups.get_by_role("heading", name="3 groups").wait_for()
    assert "petal_length" in groups.inner_text()
    assert "branchline groups" in page.locator(".dock pre").inner_text()
    visit.axe()
    visit.button("Find axes").click()
    axes = page.get_by_role("region", name="Axes")
    axes.get_by_text("of the variance").first.wait_for()
    assert "branchline axes" in page.locator(".dock pre").inner_text()
    visit.axe()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_without_scrolling_sideways(browser, studio, scheme):
    made = Visit(browser, studio, color_scheme=scheme)
    page = made.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(studio.address)
    made.button("Iris").first.click()
    page.get_by_role("heading", name="Columns", exact=True).wait_for()
    table = re.search(r"table=(\w+)", page.url)[1]
    for screen, sign in (
        ("table", "Columns"),
        ("compare", "Compare learners"),
        ("tree", "A tree for species"),
        ("lab", "Lab"),
        ("predict", "Predict"),
        ("groups", "Groups and axes"),
    ):
        page.goto(f"{studio.base}/#/{screen}?table={table}")
        page.get_by_role("heading", name=sign).first.wait_for()
        page.wait_for_timeout(200)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, screen
        made.axe()
    made.close()


def test_without_the_secret_nothing_is_shown(browser, studio):
    made = Visit(browser, studio)
    for address in (studio.base, f"{studio.base}/#token=wrong"):
        made.page.goto("about:blank")
        made.page.goto(address)
        made.page.get_by_text("opens with the address that the terminal shows").wait_for()
    made.axe()
    assert made.page.get_by_role("navigation").count() == 0
    made.close()


def test_another_page_gets_nothing(browser, studio):
    """A page of another origin in the same browser, with the cookie: no answer, no change."""
    made = Visit(browser, studio)
    made.page.goto(studio.address)
    made.page.get_by_text("Begin with a table").wait_for()
    other = made.context.new_page()
    foreign = studio.base.replace("127.0.0.1", "localhost")
    other.route("http://evil.example/**", lambda route: route.fulfill(body="<p>evil</p>"))
    other.goto("http://evil.example/")
    for base in (studio.base, foreign):
        for method, kind in (("GET", None), ("POST", "text/plain"), ("POST", "application/json")):
            told = other.evaluate(
                """async ([url, method, kind]) => {
                  const init = {method, credentials: "include"};
                  if (kind) init.headers = {"content-type": kind};
                  if (kind) init.body = '{"name": "iris"}';
                  try { return String(await (await fetch(url, init)).text()); }
                  catch (error) { return "blocked"; }
                }""",
                [f"{base}/api/tables{'/bundled' if kind else ''}", method, kind],
            )
            assert told == "blocked"
    framed = other.evaluate(
        """async (url) => {
          const frame = document.createElement("iframe");
          frame.src = url; document.body.append(frame);
          await new Promise((done) => { frame.onload = done; setTimeout(done, 3000); });
          try { return frame.contentDocument?.body?.innerText ?? "nothing"; }
          catch (error) { return "nothing"; }
        }""",
        studio.base,
    )
    assert "Studio" not in framed
    made.context.close()
