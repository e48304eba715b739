"""A pytest plugin that writes the result of each test to the file that TOLLGATE_REPORT names."""

import json
import os


def pytest_runtest_logreport(report):
    # If a fixture fails or skips the test, pytest reports this before it would call the test.
    if report.when != "call" and report.passed:
        return
    if report.when == "teardown" and report.skipped:
        return
    name = report.nodeid.removeprefix("tests/api_resources/")
    lines = report.longreprtext.strip().splitlines()
    reason = next((line for line in reversed(lines) if line.startswith("E  ")), "".join(lines[-1:]))
    outcome = {"name": name, "outcome": report.outcome, "reason": reason[:300]}
    with open(os.environ["TOLLGATE_REPORT"], "a", encoding="utf-8") as file:
        file.write("check " + json.dumps(outcome) + "\n")
