"""Plays the wire transcripts of the corpus to a server over stdio, as an implementation in any language could.

usage: play.py [--only TEXT] COMMAND ARGUMENT...

COMMAND starts the server of a feature; the words {feature} and {revision} in its arguments are filled in. For example:

    python3 test/corpus/play.py node dist/test/corpus/serve.js {feature}
"""
import json
import pathlib
import queue
import re
import subprocess
import sys
import threading

PLACEHOLDER = re.compile(r"<[a-z][a-z0-9 -]*>")
PATIENCE = 30  # seconds for a message


class Difference(Exception):
    pass


def fill(value, known):
    """Puts what is known in the place of placeholders. One that is said before it was met is ours to make up."""
    if isinstance(value, str) and PLACEHOLDER.fullmatch(value):
        return known.setdefault(value, value.strip("<>"))
    if isinstance(value, list):
        return [fill(item, known) for item in value]
    if isinstance(value, dict):
        return {name: fill(item, known) for name, item in value.items()}
    return value


def compare(expected, got, known, path=""):
    """Raises where a message is not what was expected. A placeholder takes what it meets first."""
    if isinstance(expected, str) and PLACEHOLDER.fullmatch(expected):
        if expected == "<any>":
            return
        if expected in known:
            return compare(known[expected], got, {}, path)
        known[expected] = got
        return
    if isinstance(expected, dict) and isinstance(got, dict):
        if expected.keys() != got.keys():
            raise Difference(f"{path}: expected the members {sorted(expected)}, got {sorted(got)}")
        for name, item in expected.items():
            compare(item, got[name], known, f"{path}/{name}")
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            raise Difference(f"{path}: expected {len(expected)} items, got {len(got)}")
        for at, item in enumerate(expected):
            compare(item, got[at], known, f"{path}/{at}")
    elif isinstance(expected, bool) != isinstance(got, bool) or expected != got:
        raise Difference(f"{path}: expected {expected!r}, got {got!r}")


def play(transcript, command):
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lines = queue.Queue()
    threading.Thread(target=lambda: [lines.put(line) for line in child.stdout], daemon=True).start()
    known = dict(transcript["defined"])
    steps = transcript["steps"]
    try:
        at = 0
        while at < len(steps):
            step = steps[at]
            at += 1
            if step["from"] == "client":
                line = step["raw"] if "raw" in step else json.dumps(fill(step["message"], known))
                child.stdin.write(line.encode() + b"\n")
                child.stdin.flush()
                continue
            together = [step]
            while step.get("anyOrder") and at < len(steps) and steps[at].get("anyOrder"):
                together.append(steps[at])
                at += 1
            while together:
                got = json.loads(lines.get(timeout=PATIENCE))
                expect(together, got, known)
    finally:
        child.stdin.close()
        child.wait(PATIENCE)


def expect(together, got, known):
    """Takes the step that a message fits out of those that may come next."""
    why = []
    for step in together:
        learned = dict(known)
        try:
            compare(step["message"], got, learned)
        except Difference as difference:
            why.append(f"line {step['at']}{difference}")
            continue
        known.update(learned)
        together.remove(step)
        return
    raise Difference("; ".join(why))


def main():
    words = sys.argv[1:]
    only = ""
    if words[:1] == ["--only"]:
        only = words[1]
        words = words[2:]
    if not words:
        sys.exit(__doc__)
    played = failed = 0
    corpus = pathlib.Path(__file__).with_name("transcripts.ndjson")
    for line in corpus.read_text(encoding="utf-8").splitlines():
        transcript = json.loads(line)
        name = f"{transcript['revision']}/{transcript['feature']}"
        if transcript["kind"] != "wire" or transcript.get("for") == "client" or only not in name:
            continue
        command = [word.replace("{feature}", transcript["feature"]).replace("{revision}", transcript["revision"]) for word in words]
        played += 1
        try:
            play(transcript, command)
        except (Difference, queue.Empty, ValueError, KeyError) as error:
            failed += 1
            print(f"FAIL  {name}: {error!r}")
    print(f"{played - failed} of {played} transcripts played")
    sys.exit(1 if failed or not played else 0)


if __name__ == "__main__":
    main()
