#!/usr/bin/env python3
"""Holds the table of docs/programs.md against the rules, the functions that check them and the tests that break them."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLASSES = {"Invalid": "invalid", "Refused": "error", "Limit": "limit", "Memory": "out of memory", "Lost": "lost"}


def sources(folder):
    return "\n".join(p.read_text() for p in sorted((ROOT / folder).glob("*.cpp")))


def rules(kind, path, folder):
    """(enumerator, number, class, sentence, sources) of each rule of a table."""
    found = re.findall(kind + r'\((\w+), "(\w+)", (\w+),\s*"(.*?)"\)', (ROOT / path).read_text(), re.S)
    return [(("LoadRule::" if kind == "LOAD_RULE" else "Rule::") + r[0], *r[1:], sources(folder)) for r in found if re.fullmatch(r"[PLR]\d+", r[1])]


both = rules("RULE", "schemas/program/Rules.def", "schemas/program") + rules("LOAD_RULE", "runtime/lib/program/LoadRules.def", "runtime/lib/program")
tests = sources("unittests/Program")
rows, promises = {}, {}
for line in (ROOT / "docs/programs.md").read_text().splitlines():
    cells = [c.strip() for c in line.strip("|").split("|")]
    if re.fullmatch(r"[PLR]\d+", cells[0]):
        rows[cells[0]] = cells[1:]
    if re.fullmatch(r"B\d+", cells[0]):
        promises[cells[0]] = cells[1:]

errors = []
for name, number, kind, sentence, code in both:
    row = rows.pop(number, None)
    if row is None:
        errors.append(f"{number}: no row")
        continue
    if row[:2] != [sentence, CLASSES[kind]]:
        errors.append(f"{number}: the row says {row[:2]}, the table {[sentence, CLASSES[kind]]}")
    functions = re.findall(r"`(?:\w+::)?(\w+)[^`]*`", row[2])
    if not functions:
        errors.append(f"{number}: no function")
    for f in functions:
        if not re.search(rf"\b{f}\(", code):
            errors.append(f"{number}: there is no function `{f}`")
    if not re.search(rf"\b{name}\b", code):
        errors.append(f"{number}: nothing checks {name}")
    if row[3] != f"`{number} …`" or not re.search(rf'TEST_CASE\(\s*"{number} ', tests):
        errors.append(f"{number}: no test is named by it")
errors += [f"{number}: a row without a rule" for number in rows]

code = sources("schemas/program") + sources("runtime/lib/program") + "\n".join(p.read_text() for p in sorted((ROOT / "runtime/lib/program").glob("*.h")))
cases = set(re.findall(r'TEST_CASE\(\s*"(.*?)"', re.sub(r'"\s*\n\s*"', "", tests)))
for number, (_, functions, named) in promises.items():
    functions, named = re.findall(r"`(.*?)`", functions), re.findall(r"`(.*?)`", named)
    if not functions or not named:
        errors.append(f"{number}: no function or no test")
    errors += [f"{number}: there is no function `{f}`" for f in functions if not re.search(rf"\b{f}\(", code)]
    errors += [f"{number}: there is no test `{t}`" for t in named if t not in cases]
print("\n".join(errors) or f"{len(both)} rules and {len(promises)} promises, each with a function and a test")
sys.exit(bool(errors))
