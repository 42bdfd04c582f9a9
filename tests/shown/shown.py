"""shown.py - what a page shows is what happens: runs the commands in its fenced blocks and compares what they print,
to the byte.

Usage: shown.py PAGE FOLDER [OLD NEW]      every OLD in the page is read as NEW

A fence without a language whose lines begin with `$ ` is a session: each such line is a command for bash, run in FOLDER,
or in a folder of its own for each `## ` section of a page that names files; the lines up to the next one are what it
prints, stdout and stderr. A line of dots alone stands for any number of lines. "`NAME`:" before a fenced block makes
the block a file. The last line printed is `N passed, N failed`."""
import os
import re
import subprocess
import sys

SECONDS_MAX = 900


def blocks(text):
    """(section, name or "", language, lines) of each fenced block."""
    section, name, inside, lines, language = "", "", False, [], ""
    for line in text.split("\n"):
        if line.startswith("```"):
            if inside:
                yield section, name, language, lines
                name = ""
            inside, lines, language = not inside, [], line[3:]
        elif inside:
            lines.append(line)
        elif line.startswith("## "):
            section = re.sub(r"\W+", "_", line[3:].lower())
        elif line:
            found = re.search(r"`([\w./]+)`:$", line)
            name = found.group(1) if found else ""


def sessions(lines):
    """(command, lines that it prints) of each."""
    told = []
    for line in lines:
        if line.startswith("$ "):
            told.append((line[2:], []))
        elif told:
            told[-1][1].append(line)
    return told


def matches(wanted, printed):
    pattern = "".join(r"(?:.*\n)*?" if re.fullmatch(r" *\.\.\.", line) else re.escape(line) + r"\n" for line in wanted)
    return re.fullmatch(pattern, printed) is not None


def first_difference(wanted, printed):
    lines = printed.split("\n")
    for line in wanted:
        if not re.fullmatch(r" *\.\.\.", line) and line not in lines:
            return f"the page has: {line!r}"
    return "all lines of the page are there, but others between them"


def main():
    page, folder = sys.argv[1:3]
    text = open(page, encoding="utf-8").read()
    for old, new in zip(sys.argv[3::2], sys.argv[4::2]):
        text = text.replace(old, new)
    passed = failed = 0
    all_blocks = list(blocks(text))
    with_files = {section for section, name, _, _ in all_blocks if name}
    for section, name, language, lines in all_blocks:
        here = os.path.join(folder, section) if section in with_files else folder
        os.makedirs(here, exist_ok=True)
        if name:
            os.makedirs(os.path.dirname(os.path.join(here, name)), exist_ok=True)
            with open(os.path.join(here, name), "w", encoding="utf-8") as f:
                f.write("\n".join(lines) + "\n")
            continue
        for command, wanted in sessions(lines) if not language else []:
            done = subprocess.run(["bash", "-c", command], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS_MAX, encoding="utf-8", check=False)
            if matches(wanted, done.stdout):
                passed += 1
            else:
                failed += 1
                print(f"FAIL {page}: {command}\n  {first_difference(wanted, done.stdout)}\n  it prints:")
                print("".join("  | " + line + "\n" for line in done.stdout.split("\n")[:60]), end="")
    if passed + failed == 0:
        failed = 1
        print(f"FAIL {page}: it shows no command")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
