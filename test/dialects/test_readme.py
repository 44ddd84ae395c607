import re
from pathlib import Path

from octavo.dialects.llm import LLM

README = Path(__file__).parents[2] / "dialects" / "README.md"


def test_the_table_is_the_dialect() -> None:
    rows = re.findall(r"^\| `(llm\.\w+)` \| (.+) \|$", README.read_text(), re.MULTILINE)
    operations = {op.OPERATION_NAME: op.__doc__.partition("\n")[0] for op in LLM.operations}
    assert rows == sorted(operations.items())
