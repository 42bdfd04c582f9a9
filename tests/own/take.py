#!/usr/bin/python3
"""take.py - takes the Lua out of a library's source: every string literal that calls Redis, as it stands or joined from parts.

Usage: take.py SOURCE FOLDER      writes FOLDER/1.lua, FOLDER/2.lua, ... in the order of the source, and prints how
many. PHP, Python, Ruby and JavaScript. A method that is called between two parts of a literal ('.$this->now().') gives
the literal of its own that reads the server's clock.
"""
import ast
import pathlib
import re
import sys

PARTS = {
    ".php": r"<<<'(?P<end>\w+)'\n(?P<doc>.*?)\n\s*(?P=end);|'(?P<one>(?:[^'\\]|\\.)*)'",
    ".py": r'"""(?P<doc>.*?)"""|\'\'\'(?P<doc2>.*?)\'\'\'',
    ".rb": r"<<~(?P<end>\w+)\n(?P<doc>.*?)\n\s*(?P=end)\n",
    ".js": r'`(?P<doc>(?:[^`\\]|\\.)*)`|"(?P<two>(?:[^"\\\n]|\\.)*)"|\'(?P<one>(?:[^\'\\\n]|\\.)*)\'',
}
CALLS = re.compile(r"\b(redis\.p?call|rcall)\s*\(")


def text_of(match):
    named = match.groupdict()
    for name in ("doc", "doc2"):
        if named.get(name) is not None:
            return named[name].replace("\\`", "`").replace("\\\\", "\\")
    if named.get("two") is not None:
        return ast.literal_eval('"' + named["two"] + '"')
    return named["one"].replace("\\'", "'").replace("\\\\", "\\").replace("\\n", "\n")


def literals(source, pattern):
    """Neighbours that + or . or a call joins are one text; a call's own text is the last literal of its function."""
    joined, end = None, 0
    for match in pattern.finditer(source):
        between = source[end:match.start()]
        called = re.fullmatch(r"\s*\.\s*\$this->(\w+)\(\)\s*\.\s*", between)
        if joined is not None and (called or re.fullmatch(r"\s*[+.]\s*", between)):
            joined += (last_literal(source, called.group(1), pattern) if called else "") + text_of(match)
        else:
            if joined is not None:
                yield joined
            joined = text_of(match)
        end = match.end()
    if joined is not None:
        yield joined


def last_literal(source, name, pattern):
    body = source[re.search(r"function " + name + r"\b", source).end():]
    body = body[:re.search(r"\n    }\n", body).start()]
    return [text_of(m) for m in pattern.finditer(body) if "now = now[1]" in text_of(m)][-1]


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    pattern = re.compile(PARTS[source.suffix], re.S)
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for text in literals(source.read_text(), pattern):
        if CALLS.search(text) and "KEYS" in text:
            count += 1
            (folder / f"{count}.lua").write_text(text + "\n")
    print(count)


main()
