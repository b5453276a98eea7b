"""Tables of topics are found in the folder of a robot, whoever it belongs to."""

from dataclasses import replace

import pytest

from mecano import robots
from mecano.core.errors import InvalidInput, UserCodeFailed
from mecano.topics.codec import BY_NAME
from mecano.topics.generic_table import generic_table
from mecano.topics.robot_tables import table_of, topics_of


@pytest.mark.parametrize("name", [*robots.ROBOTS, "kobuki", "ur5", "widowx"])
def test_every_robot_has_topics_whose_types_are_known(name):
    robot = robots.get(name)
    for table in (table_of(robot), generic_table(robot)):
        own = {message.type_name for message in table.messages}
        names = [topic.name for topic in table.topics]
        assert len(names) == len(set(names)) > 0
        assert {topic.type_name for topic in table.topics} <= own | set(BY_NAME)
        assert all((topic.rate > 0.0) == (topic.way == "out") for topic in table.topics)


def test_the_packet_of_a_kobuki_is_only_in_tables_of_robots_that_drive_on_one():
    having = [name for name in robots.ROBOTS if table_of(robots.get(name)).messages]
    assert having == ["crumb", "crumb_mast"]


def test_variants_share_the_table_of_their_robot():
    names = {topic.name for topic in topics_of(robots.get("crumb"))}
    assert names < {topic.name for topic in topics_of(robots.get("crumb_mast"))}


OWN = """
from mecano.robots.topic_facts import TopicTable, command, TWIST

def table(robot):
    return TopicTable(topics=(command(f"/{robot.name}/go", TWIST, "velocity"),))
"""


def test_a_folder_of_somebody_else_brings_its_own_table(tmp_path):
    robot = replace(robots.get("youbot"), name="ours", folder=tmp_path)
    assert topics_of(robot) == generic_table(robot).topics
    (tmp_path / "topics.py").write_text(OWN)
    assert [topic.name for topic in topics_of(robot)] == ["/ours/go"]


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("1 / 0", UserCodeFailed, "division by zero"),
        ("def table(robot): return robot.wings", UserCodeFailed, "wings"),
        ("def table(robot): return 3", InvalidInput, "not a TopicTable"),
        ("tables = 3", InvalidInput, r"must define table\(robot\)"),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_file(tmp_path, text, error, says):
    (tmp_path / "topics.py").write_text(text)
    with pytest.raises(error, match=says) as raised:
        table_of(replace(robots.get("youbot"), folder=tmp_path))
    assert "topics.py" in str(raised.value)
