"""Keep the dialect out: words that a reader would have to read twice, and what to say instead.

Looks at the package, its native core, its pages and its tools. A phrase that goes on in the next
line is found, too. A line that quotes such a word on purpose ends with "words: ok".
"""

import re
import sys
from pathlib import Path

__all__ = ["findings", "main"]

ROOT = Path(__file__).parent.parent
_WHERE = ("src", "native", "docs", "studio/src", "tools", "benchmarks", "examples")
_PAGES = (
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "RELEASING.md",
    "SECURITY.md",
    "SUPPORT.md",
)
_KINDS = {
    ".py",
    ".md",
    ".hpp",
    ".cpp",
    ".txt",
    ".json",
    ".html",
    ".css",
    ".js",
    ".rst",
    ".ts",
    ".tsx",
}
_SKIPPED = ("tools/words.py", "docs/errors.md", "src/branchline/table/data/")

# What is looked for, and the field's words for it.
WORDS = {
    r"\bholes?\b": "missing value",
    r"\b(dealt|dealer|dealing|redealt)\b": "split into folds, shuffle",
    r"\bparted\b": "split",
    r"(?<!there )\b(is|are|was|were) no (?!longer|more|less|different|better|worse|other|need|way"
    r"|such|room"
    r"|reason|doubt|later|earlier|smaller|larger|fewer|warning|error|limit|missing|target|model"
    r"|rows?\b|columns?\b|time\b|test\b)[a-z]": "is not a, must be",
    r"\bso many (?!as\b)": "the number of, that many",
    r"\bunless said\b": "default:",
    r"\bcannot be told (from|apart)\b": "is statistically tied with, is not distinguishable",
    r"\bnobody\b|\bno one\b|\bwhoever\b": "no row, no caller: name the thing",
    r"\bbeside you\b": "in the current folder",
    r"\bjudg(es?|ed|ing) (rows?|sets?)\b|\bjudging\b": "validation rows",
    r"\b(chances|chance of)\b": "probability",
    r"\btests in a row\b": "maximum depth",
    r"\b(model|tree|forest|learner|classifier)s? (says?|said) (yes|no|(a|the) class)\b": "predicts",
    r"\brows that (only )?judge\b": "validation rows",
    r"\bno column\b(?= that is)": "unsupported",
    r"\ba row a (node|tree|fold|column)\b|\ba column a (row|node)\b": "per row, for each",
    r"\b(one|a) (row|column|score|entry|dictionary|line|description|value|number) an? "
    r"(row|column|fold|node|tree|step|feature|output|component|case|prediction|class)\b": "per …",
    r"\bthe most (steps|seconds|members|leaves|values|indicators|features|components|factors)\b"
    r"|\bthe most times\b": "maximum number of, maximum time",
    r"\bnot looked at\b": "ignored, unseen",
    r"\btells? (much|most|more|something|anything|nothing) of\b": "is informative about",
    r"\btells of (the|a) target\b": "is informative about",
    r"\bprices? of (a |the )?(weights?|coefficients?|columns?)\b": "penalty",
    r"(?-i:\bTaken is\b)": "the chosen one is: subject, verb, object",
    r"\bsee the module's words\b": "say it in the docstring of the class",
    r"\bhardly felt\b|\bmore restless\b|\bas long as its term deserves\b": "name the effect",
    r"\bin the same words\b": "same choices as …",
    r"\bmind who gets it\b": "check before you share it",
    r"\bthe most (generations|forests|rounds|trees)\b": "maximum number of",
    r"\bto those there are\b": "the existing ones",
    r"\b(made?|makes?) least\b": "minimized, minimizes",
    r"\bdear(er|est)?\b": "expensive",
    r"'s say\b|\bhas a say\b": "influence, weight",
    r"\bbells?\b": "radial functions",
    r"\bcentres?\b|\bcentred\b|\bcolours?\b|\bbehaviour\b|\bneighbours?\b|\blicences?\b"
    r"|\b(standard|normal|optim|summar|regular|random|penal|minim|maxim|initial|general|recogn)"
    r"is(e|es|ed|ing|ation)\b|\bmodell(ed|ing)\b|\blabell(ed|ing)\b|\blearnt\b|\bmisspelt\b"
    r"|\bfavour\w*|\bhonour\w*|\bgrey\b": "American spelling",
}
# Keys of model files keep their words.
_KEYS = re.compile(r"""["'](centres?|holes|learnt)["']""")
# What begins a line of a paragraph, a comment or a literal; what ends a sentence or a statement.
_LEAD = re.compile(r"""^\s*(?:#\s+|//\s+|\*\s+|>\s+)?[fr]?["']?""")
_ENDS = ".:;,(){}[]`|"
_RULES = [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in WORDS.items()]


def findings() -> list[str]:
    """Return a line for each word found: where, what, and what to say instead."""
    paths = [path for place in _WHERE for path in sorted((ROOT / place).rglob("*"))]
    names = [path.relative_to(ROOT).as_posix() for path in paths if path.suffix in _KINDS]
    wanted = [*_PAGES, *(name for name in names if "__pycache__" not in name)]
    found = []
    for name in wanted:
        path = ROOT / name
        if path.is_file() and not name.startswith(_SKIPPED):
            found += _in_file(name, path.read_text(encoding="utf-8"))
    return found


def _in_file(name: str, text: str) -> list[str]:
    """Return the findings in a file; each line is read with the beginning of the next one."""
    lines = [_KEYS.sub("", line) for line in text.splitlines()]
    lines = ["" if line.rstrip().endswith("words: ok") else line for line in lines]
    found = []
    for number, line in enumerate(lines):
        below = _LEAD.sub("", lines[number + 1]) if number + 1 < len(lines) else ""
        is_sentence = line.strip() and below and line.rstrip()[-1] not in _ENDS
        joint = f"{line.rstrip()} {below}" if is_sentence else line
        for rule, instead in _RULES:
            seen = rule.search(joint)
            if seen and seen.start() < len(line.rstrip()):
                found.append(f"{name}:{number + 1}: {seen.group(0)!r}; say: {instead}")
    return found


def main() -> int:
    """Print what was found; 1 when there is anything."""
    found = findings()
    print("\n".join(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
