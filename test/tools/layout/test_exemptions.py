from layout import exemptions

FINDINGS = {"a.py": "is too long"}


def test_a_finding_is_reported() -> None:
    assert exemptions.apply(FINDINGS, {}, "rule.py") == ["a.py: is too long"]


def test_an_exempt_finding_is_not() -> None:
    assert exemptions.apply(FINDINGS, {"a.py": "generated"}, "rule.py") == []


def test_an_exemption_that_nothing_needs_is_reported() -> None:
    (problem,) = exemptions.apply({}, {"a.py": "generated"}, "rule.py")
    assert (
        problem == "a.py: is exempt in rule.py, but nothing is wrong with it. Remove the exemption."
    )
