import json
from dataclasses import dataclass

import pytest

from mecano.cli.app import main


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def mecano(capsys):
    """Run the command in this process: `mecano("fk", "two_link", 0, 0)`."""

    def run(*words) -> Answer:
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        captured = capsys.readouterr()
        return Answer(int(ended.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def fails_cleanly(mecano):
    """Run the command and expect exit code 2 (or 1) and one line that holds the words given."""

    def run(*words, says: tuple[str, ...], code: int = 2) -> None:
        answer = mecano(*words)
        assert answer.code == code, answer
        assert "Traceback" not in answer.err
        lines = [line for line in answer.err.strip().splitlines() if line.startswith("mecano: ")]
        assert len(lines) == 1, answer.err
        for word in says:
            assert word in lines[0]

    return run
