#!/usr/bin/env python3
"""Runs what the documents show: check-docs.py DOCUMENT… [--update]

In a ```console block each line after `$ ` is a command and the lines below it are what it must print (both streams); a line of
`…` stands for any lines. A block after `<!-- file: NAME -->` is that file's text. `<!-- not run -->` before a block leaves it
alone. Commands run in one scratch folder a document that holds `examples`; the tools are those of PATH. --update writes the
output that was seen.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?:<!-- (file: (?P<file>\S+)|(?P<skip>not run)) -->\n)?```(?P<lang>\w*)\n(?P<body>.*?)```", re.S)


def matches(want, got):
    if not want:
        return not got
    if want[0].strip() == "…":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and want[0].rstrip() == got[0].rstrip() and matches(want[1:], got[1:])


def commands(body):
    """[(command, expected lines)]; a command goes on after a trailing backslash."""
    out = []
    lines = body.splitlines()
    i = 0
    while i < len(lines):
        if not lines[i].startswith("$ "):
            raise SystemExit(f"a console block starts with output: {lines[i]!r}")
        cmd = lines[i][2:]
        while cmd.endswith("\\"):
            i += 1
            cmd = cmd[:-1] + lines[i]
        i += 1
        want = []
        while i < len(lines) and not lines[i].startswith("$ "):
            want.append(lines[i])
            i += 1
        out.append((cmd, want))
    return out


def check(document, update):
    text = document.read_text("utf-8")
    bad, ran = 0, 0
    with tempfile.TemporaryDirectory() as t:
        folder = pathlib.Path(t)
        shutil.copytree(ROOT / "examples", folder / "examples")
        for m in BLOCK.finditer(text):
            if m["file"]:
                (folder / m["file"]).write_text(m["body"])
            if m["lang"] != "console" or m["skip"]:
                continue
            shown = []
            for cmd, want in commands(m["body"]):
                run = subprocess.run(["bash", "-c", cmd], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
                got = run.stdout.splitlines()
                ran += 1
                shown += ["$ " + cmd] + got
                if not matches(want, got) and not update:
                    bad += 1
                    print(f"{document.name}: `{cmd}` prints\n" + "\n".join(got) + "\nand the document shows\n" + "\n".join(want))
            if update and "…" not in m["body"]:
                document.write_text(document.read_text("utf-8").replace(m["body"], "\n".join(shown) + "\n"))
    print(f"{document.name}: {ran} commands, {bad} differ")
    return bad


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    return 1 if sum(check(pathlib.Path(n), "--update" in sys.argv) for n in names) else 0


if __name__ == "__main__":
    sys.exit(main())
