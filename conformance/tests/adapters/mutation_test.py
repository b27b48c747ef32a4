#!/usr/bin/python3
"""Mutation test of the suite: changes one expression or statement of the Python adapter `right` at a time, and runs the
suite on the result. A mutant that still conforms is a survivor: a hole of the suite, or a change without an effect.

  mutation_test.py --conformance target/debug/conformance [--sample 60] [--seed 1] [--jobs 4] [--json FILE]

Only lines that the suite executes are changed. The mutants are made from the syntax tree, so they owe nothing to the faults
that the suite's authors thought of.
"""
import argparse
import ast
import copy
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ADAPTER = Path(__file__).resolve().parent / "right"
# Variants are legal differences, and the manifest is data that the suite reads as the truth.
UNCHANGED_MODULES = {"variants.py", "manifest.py"}
TIME_LIMIT_SECONDS = 240
RUN_OPTIONS = ["--fail-fast", "--patience", "3", "--jobs", "4"]

# Records the lines that an adapter process executes: a process may be killed, so each line is written at once.
TRACER = '''
import os, sys, threading
_seen, _file = set(), os.open({lines!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def _trace(frame, event, argument):
    key = (os.path.basename(frame.f_code.co_filename), frame.f_lineno)
    if "/adapter/" not in frame.f_code.co_filename: return None
    if key not in _seen:
        _seen.add(key)
        os.write(_file, f"{{key[0]}}:{{key[1]}}\\n".encode())
    return _trace
threading.settrace(_trace)
sys.settrace(_trace)
'''

SWAPPED_COMPARISONS = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}
SWAPPED_OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult}


def changes(node):
    """Yields (description, replacement) for one node of the syntax tree."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in SWAPPED_COMPARISONS:
            swapped = copy.deepcopy(node)
            swapped.ops = [SWAPPED_COMPARISONS[type(operator)]()]
            yield "comparison swapped", swapped
        case ast.BoolOp():
            swapped = copy.deepcopy(node)
            swapped.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "and/or swapped", swapped
        case ast.UnaryOp(op=ast.Not()):
            yield "not removed", node.operand
        case ast.BinOp() if type(node.op) in SWAPPED_OPERATORS:
            swapped = copy.deepcopy(node)
            swapped.op = SWAPPED_OPERATORS[type(node.op)]()
            yield "operator swapped", swapped
        case ast.Constant(value=bool(value)):
            yield f"{value} negated", ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield f"{value} incremented", ast.Constant(value + 1)
        case ast.Constant(value=str(value)) if value and "\n" not in value:
            yield f"text {value[:30]!r} changed", ast.Constant(value + "_")
        case ast.IfExp():
            yield "condition always true", node.body
            yield "condition always false", node.orelse
        case ast.If():
            removed = copy.deepcopy(node)
            removed.test = ast.Constant(False)
            yield "branch never taken", removed
        case ast.Expr(value=ast.Call()):
            yield f"call removed: {ast.unparse(node)[:60]}", ast.Pass()
        case ast.AugAssign():
            yield f"assignment removed: {ast.unparse(node)[:60]}", ast.Pass()
        case ast.Return(value=value) if value is not None:
            yield f"returns None: {ast.unparse(node)[:60]}", ast.Return(ast.Constant(None))


class Replace(ast.NodeTransformer):
    def __init__(self, wanted, replacement):
        self.wanted, self.replacement, self.count = wanted, replacement, -1

    def visit(self, node):
        self.count += 1
        if self.count == self.wanted:
            return ast.copy_location(self.replacement, node)
        return self.generic_visit(node)


def documentation(tree):
    """The texts that are documentation or parts of a formatted text: a change has no effect, or breaks the syntax."""
    texts = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            texts.add(id(body[0].value))
        if isinstance(node, (ast.JoinedStr, ast.MatchValue, ast.MatchMapping)):
            texts.update(id(part) for part in ast.walk(node))
    return texts


def numbered(tree):
    """Every node with its number, in the order in which `Replace` visits them."""
    nodes = []

    class Walk(ast.NodeVisitor):
        def visit(self, node):
            nodes.append(node)
            self.generic_visit(node)

    Walk().visit(tree)
    return enumerate(nodes)


def mutants(covered):
    for module in sorted((ADAPTER / "adapter").glob("*.py")):
        if module.name in UNCHANGED_MODULES:
            continue
        tree = ast.parse(module.read_text())
        skipped = documentation(tree)
        for number, node in numbered(tree):
            line = getattr(node, "lineno", 0)
            if id(node) in skipped or (module.name, line) not in covered:
                continue
            for description, replacement in changes(node):
                yield {"module": module.name, "line": line, "number": number, "change": description,
                       "replacement": replacement}


def install(folder):
    shutil.copytree(ADAPTER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "od-adapter-right"


def run(arguments, executable, options):
    command = [arguments.conformance, "run", executable, "--pack", ADAPTER / "conformance", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return 1, "the suite did not end in time"
    return done.returncode, done.stdout


def covered_lines(arguments, scratch):
    executable, lines = install(scratch / "traced"), scratch / "lines.txt"
    text = executable.read_text()
    executable.write_text(text.replace('sys.path.insert(0', TRACER.format(lines=str(lines)) + 'sys.path.insert(0', 1))
    code, output = run(arguments, executable, ["--patience", "8", "--jobs", "4"])
    if code not in (0, 1):
        sys.exit(f"the adapter cannot be checked:\n{output[-2000:]}")
    pairs = (line.split(":") for line in set(lines.read_text().splitlines()))
    return {(module, int(number)) for module, number in pairs}


def check(arguments, scratch, index, mutant):
    executable = install(scratch / f"mutant-{index}")
    module = executable.parent / "adapter" / mutant["module"]
    tree = Replace(mutant["number"], mutant["replacement"]).visit(ast.parse(module.read_text()))
    module.write_text(ast.unparse(ast.fix_missing_locations(tree)))
    code, output = run(arguments, executable, RUN_OPTIONS)
    failed = [line.split()[1] for line in output.splitlines() if line.strip().startswith(("fail ", "blocked "))]
    shutil.rmtree(executable.parent, ignore_errors=True)
    return {**mutant, "survived": code == 0, "caught_by": failed[:3], "code": code}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conformance", required=True, help="the executable of the suite")
    parser.add_argument("--sample", type=int, default=60, help="how many mutants; 0 means all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.conformance = str(Path(arguments.conformance).resolve())
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        scratch = Path(folder)
        every = list(mutants(covered_lines(arguments, scratch)))
        chosen = every if not arguments.sample else random.Random(arguments.seed).sample(
            every, min(arguments.sample, len(every)))
        with ThreadPoolExecutor(arguments.jobs) as pool:
            tasks = [pool.submit(check, arguments, scratch, *pair) for pair in enumerate(chosen)]
            results = [task.result() for task in tasks]
    survivors = [result for result in results if result["survived"]]
    for result in survivors:
        print(f"survived  {result['module']}:{result['line']}  {result['change']}")
    caught = len(results) - len(survivors)
    print(f"{caught} of {len(results)} mutants caught ({100 * caught / max(1, len(results)):.0f} %), "
          f"{len(every)} possible, {time.monotonic() - started:.0f} s")
    if arguments.json:
        shown = [{name: value for name, value in result.items() if name != "replacement"} for result in results]
        arguments.json.write_text(json.dumps(shown, indent=1))


if __name__ == "__main__":
    main()
