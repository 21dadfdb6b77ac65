"""Checks seeds with the package that this process imports: reads a request, prints the failures."""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Read the request from standard input."""
    from fuzz.jobs import JOBS

    request = json.load(sys.stdin)
    job = JOBS[request["job"]]
    job.warm_up()
    skipped, failures = set(request["skipped"]), []
    for seed in range(request["count"]):
        if seed in skipped:
            continue
        kinds = [f.kind for f in job.check(seed).failures if f.kind != "overrun"]
        if kinds:
            failures.append((seed, kinds[0]))
            if request["first_only"]:
                break
    print(json.dumps(failures))


if __name__ == "__main__":
    main()
