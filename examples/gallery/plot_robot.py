"""
A robot that learns rules from six lessons
==========================================

A small robot sees obstacles on four sides and remembers its last action. A teacher shows it six
situations with the right action. A tree makes rules of them; the rules drive the robot through a
room. Driving is the test: fitting six lessons says nothing about other situations.
"""

import os

import numpy as np

import branchline as bl
from branchline.charts import Axis, Chart, Line, Panels, Points
from branchline.tree import ID3

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# Six lessons
# -----------

lessons = bl.load_dataset("robot")
X, y = lessons.split_target("action")
rules = ID3().fit(X, y)
print(rules.to_text())
for rule in rules.rules():
    print(rule)
tree_of_rules = rules.draw()

# %%
# A room
# ------
#
# "#" is a wall. The robot goes forward or turns; forward into a wall is a crash: it stays where it
# is, and the crash is counted.

ROOM = (
    "##############",
    "#      #     #",
    "#      #     #",
    "#            #",
    "###      #   #",
    "#        #   #",
    "#    #       #",
    "#    #       #",
    "##############",
)
WALLS = np.array([[cell == "#" for cell in line] for line in ROOM])
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # north, east, south, west


def see(place: tuple[int, int], heading: int, previous: str) -> dict[str, str]:
    """Return what the robot sees, as a row of the table of lessons."""
    sides = {"left": 3, "right": 1, "forward": 0, "back": 2}
    row = {}
    for name, turn in sides.items():
        down, across = STEPS[(heading + turn) % 4]
        row[name] = "obstacle" if WALLS[place[0] + down, place[1] + across] else "free"
    return row | {"previous": previous}


def drive(model: ID3, n_steps: int) -> tuple[list[tuple[int, int]], int]:
    """Return the places where the robot was, and the number of crashes."""
    place, heading, previous, n_crashes = (6, 2), 0, "forward", 0
    path = [place]
    for _ in range(n_steps):
        row = see(place, heading, previous)
        previous = str(model.predict(bl.Table({key: [value] for key, value in row.items()}))[0])
        if previous == "forward":
            down, across = STEPS[heading]
            ahead = (place[0] + down, place[1] + across)
            n_crashes += bool(WALLS[ahead])
            place = place if WALLS[ahead] else ahead
        else:
            heading = (heading + (1 if previous == "turn-right" else 3)) % 4
        path.append(place)
    return path, n_crashes


def picture(path: list[tuple[int, int]], words: str) -> Chart:
    """Return the room and the way through it."""
    walls = np.argwhere(WALLS)
    way = np.array(path)
    return Chart(
        (
            Points(walls[:, 1], -walls[:, 0], "wall", color="quiet", symbol="square"),
            Line(way[:, 1], -way[:, 0], "way of the robot", dots=True),
        ),
        Axis("east"),
        Axis("north"),
        words,
        shape="square",
    )


n_steps = 25 if SMALL else 80
first_path, first_crashes = drive(rules, n_steps)

# %%
# Do two more lessons help?
# -------------------------
#
# What to do with a wall in front and on the right, and in a dead end, was never shown. Two more
# lessons say it.

more = {
    "left": ["free", "obstacle"],
    "right": ["obstacle", "obstacle"],
    "forward": ["obstacle", "obstacle"],
    "back": ["free", "free"],
    "previous": ["forward", "forward"],
}
frame = X.to_pandas()
longer = {name: [*frame[name].astype(str), *more[name]] for name in more}
taught = ID3().fit(bl.Table(longer), [*y, "turn-left", "turn-right"])
second_path, second_crashes = drive(taught, n_steps)
two_drives = Panels(
    (
        picture(first_path, f"6 lessons: {first_crashes} crashes"),
        picture(second_path, f"8 lessons: {second_crashes} crashes"),
    )
)
print(f"{first_crashes} crashes after six lessons, {second_crashes} after eight")
print(f"{len(set(first_path))} places seen after six lessons, {len(set(second_path))} after eight")
print("the same way" if first_path == second_path else "another way")

# %%
# What was learned
# ----------------
#
# - A tree finds the shortest rules that fit the lessons: here it only asks what is in front, and
#   then the left side.
# - Rules that can be read can be corrected: it is easy to see which situation was never shown.
# - The two further lessons change nothing on this way: they are about situations that it does not
#   meet. The robot never crashes, but it walks in a circle and sees half of the room. No lesson
#   said that seeing all of it is wanted.
