"""Exemptions from a rule: a path and why, for as long as it is needed."""

from collections.abc import Mapping


def apply(findings: Mapping[str, str], exempt: Mapping[str, str], rule: str) -> list[str]:
    """Drop the exempt findings, and report each exemption that nothing needs any more.

    Args:
        findings: what breaks the rule, by path.
        exempt: the reason for each exempt path.
        rule: the file that holds the exemptions, for messages.
    """
    left = [f"{path}: {problem}" for path, problem in findings.items() if path not in exempt]
    stale = [
        f"{path}: is exempt in {rule}, but nothing is wrong with it. Remove the exemption."
        for path in exempt
        if path not in findings
    ]
    return left + stale
