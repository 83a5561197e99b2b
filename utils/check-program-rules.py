#!/usr/bin/env python3
"""Holds the table of docs/programs.md against the rules, the functions that check them and the tests that break them."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLASSES = {"Invalid": "invalid", "Refused": "error", "Limit": "limit"}
rules = re.findall(r'RULE\((\w+), "(P\d+)", (\w+),\s*"(.*?)"\)', (ROOT / "schemas/program/Rules.def").read_text(), re.S)
sources = "\n".join(p.read_text() for p in sorted((ROOT / "schemas/program").glob("*.cpp")))
tests = "\n".join(p.read_text() for p in sorted((ROOT / "unittests/Program").glob("*.cpp")))
rows = {}
for line in (ROOT / "docs/programs.md").read_text().splitlines():
    cells = [c.strip() for c in line.strip("|").split("|")]
    if re.fullmatch(r"P\d+", cells[0]):
        rows[cells[0]] = cells[1:]

errors = []
for name, number, kind, sentence in rules:
    row = rows.pop(number, None)
    if row is None:
        errors.append(f"{number}: no row")
        continue
    if row[:2] != [sentence, CLASSES[kind]]:
        errors.append(f"{number}: the row says {row[:2]}, Rules.def {[sentence, CLASSES[kind]]}")
    functions = re.findall(r"`(?:\w+::)?(\w+)[^`]*`", row[2])
    if not functions:
        errors.append(f"{number}: no function")
    for f in functions:
        if not re.search(rf"\b{f}\(", sources):
            errors.append(f"{number}: there is no function `{f}`")
    if f"Rule::{name}" not in sources:
        errors.append(f"{number}: nothing checks {name}")
    if row[3] != f"`{number} …`" or not re.search(rf'TEST_CASE\(\s*"{number} ', tests):
        errors.append(f"{number}: no test is named by it")
errors += [f"{number}: a row without a rule" for number in rows]
print("\n".join(errors) or f"{len(rules)} rules, each with a function and a test")
sys.exit(bool(errors))
