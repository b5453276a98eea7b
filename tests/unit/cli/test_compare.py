"""`mecano compare`: a table, a page, and one line for what cannot be compared."""

import pytest

PROGRAM = '''"""A program of a user."""

def run(robot):
    for turn in range({turns}):
        robot.arm.move_joints([{swing} * (-1) ** turn, -1.0, 1.0, 0.0], speed=0.3 + 0.1 * turn)
        robot.wait(0.5)
    return True
'''


@pytest.fixture
def runs(mecano, tmp_path, monkeypatch):
    """Record a user's program: `runs("name", turns, swing, *options)` returns its folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mecano.record.products.write_products", lambda *_: [])

    def make(name, turns=5, swing=0.6, *options):
        (tmp_path / f"{name}.py").write_text(PROGRAM.format(turns=turns, swing=swing))
        answer = mecano("run", f"{name}.py", "--record", name, "--json", *options)
        assert answer.code == 0, answer.err
        return tmp_path / name

    return make


@pytest.mark.slow
def test_a_stiffer_gear_is_found_and_written_to_a_page(mecano, runs):
    more = "joints.joint1.friction=0.15"
    a, b = runs("a"), runs("b", 5, 0.6, "--set", more)
    answer = mecano("compare", a, b)
    assert answer.code == 0
    assert "differs: joint1" in answer.out and "Coulomb friction" in answer.out
    assert "mN m" in answer.out and "[joints.joint1]" in answer.out
    assert "joint2: it moved" in answer.err
    assert (b / "likeness.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_has_the_numbers(mecano, runs, tmp_path):
    a, b = runs("a"), runs("b", 5, 0.6, "--set", "joints.joint1.friction=0.15")
    answer = mecano("compare", a, b, "--json", "--out", tmp_path / "page.html").json
    coulomb = answer["joints"]["open_manipulator_x/joint1"]["coulomb"]
    assert coulomb["difference"] == pytest.approx(0.1, rel=0.1)
    assert answer["page"] == str(tmp_path / "page.html") and (tmp_path / "page.html").is_file()
    assert answer["alike"] is False and not (b / "likeness.html").exists()


@pytest.mark.slow
def test_a_run_is_alike_with_itself(mecano, runs, tmp_path):
    a = runs("a")
    answer = mecano("compare", a, a, "--out", tmp_path / "page.html")
    assert answer.code == 0 and "\nalike\n" in answer.out


def test_what_is_no_run_folder_is_refused(fails_cleanly, runs, tmp_path):
    a = runs("a", 1)
    fails_cleanly("compare", a, tmp_path / "nowhere", says=("no run folder", "nowhere"))
    fails_cleanly("compare", tmp_path, a, says=("is no run folder",))


def test_different_programs_are_refused(fails_cleanly, runs):
    says = ("not runs of one program", "0.8")
    fails_cleanly("compare", runs("a", 3, 0.6), runs("b", 3, -0.6), says=says)


def test_too_little_motion_is_refused_with_what_to_run(fails_cleanly, runs):
    a, b = runs("a", 2, 0.02), runs("b", 2, 0.02)
    fails_cleanly("compare", a, b, says=("too little motion", "joint1", "identify"))


def test_a_page_that_cannot_be_written_is_refused(fails_cleanly, runs, tmp_path):
    a, file = runs("a"), tmp_path / "missing" / "page.html"
    fails_cleanly("compare", a, a, "--out", file, says=("cannot write", "page.html"))
