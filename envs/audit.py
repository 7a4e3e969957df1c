"""Ask pip-audit whether a pinned Python package has a known vulnerability (`make audit`).

R packages are the distribution's, whose security updates are its own.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def pins() -> str:
    """Every pinned Python package, torch among them, as pip reads them."""
    torch = re.search(r"^TORCH=(\S+)", Path("envs/setup.sh").read_text(), re.MULTILINE)[1]
    return f"{Path('envs/constraints.txt').read_text()}torch=={torch}\n"


def verdict(report: str) -> tuple[str, int]:
    """What to tell people of pip-audit's JSON, and the exit status: 1 for a vulnerability, 2 if it could not ask."""
    try:
        packages = json.loads(report)["dependencies"]
    except (ValueError, KeyError):
        packages = []
    vulnerable = [package for package in packages if "vulns" in package]
    if not vulnerable:
        return "audit: skipped: the service that knows vulnerabilities cannot be reached.", 2
    lines = [
        f"{package['name']} {package['version']}: {', '.join([flaw['id'], *flaw.get('aliases', [])])}; fixed in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}."
        for package in vulnerable
        for flaw in package["vulns"]
    ]
    unknown = [package["name"] for package in packages if "vulns" not in package]
    remarks = [f"The service does not know {', '.join(unknown)}."] if unknown else []
    return "\n".join(
        [*lines, *remarks, f"audit: {len(vulnerable)} packages, {len(lines)} known vulnerabilities."]
    ), bool(lines)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:  # pip-audit is not among the pins
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, "pip-audit"]
        if subprocess.run(install, capture_output=True).returncode:
            print("audit: skipped: pip-audit cannot be installed; it needs a network.")
            return 2
        wanted = Path(folder, "pins.txt")
        wanted.write_text(pins())
        command = [sys.executable, "-m", "pip_audit", "--requirement", wanted, "--no-deps", "--disable-pip"]
        process = subprocess.run(
            [*command, "--format", "json"], env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True
        )
    verdict_text, status = verdict(process.stdout)
    print(verdict_text)
    return status


if __name__ == "__main__":
    sys.exit(main())
