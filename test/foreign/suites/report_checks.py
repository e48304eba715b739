"""A plugin of pytest that writes what each test came to into the file that TOLLGATE_REPORT names."""

import json
import os


def pytest_runtest_logreport(report):
    # What a fixture fails at, or skips, is told before the test would be called.
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
