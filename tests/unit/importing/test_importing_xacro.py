"""Xacro files: expanded as the library does it, bounded, and with file and line of each mistake."""

import pytest

from mecano.importing.findings import UnreadableRobot
from mecano.importing.packages import Packages
from mecano.importing.urdf import read_urdf
from mecano.importing.xacro_expressions import RefusedExpression, evaluate, guard_xacro
from mecano.importing.xacro_files import expand_xacro

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
ARM = f"""{HEAD}
  <xacro:arg name="length" default="0.5"/>
  <xacro:property name="radius" value="0.05"/>
  <xacro:macro name="segment" params="name mass:=1.0">
    <link name="${{name}}">
      <inertial><mass value="${{mass}}"/>
        <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
      <visual><geometry>
        <cylinder radius="${{2*radius}}" length="$(arg length)"/></geometry></visual>
    </link>
  </xacro:macro>
  <xacro:segment name="a"/>
  <xacro:segment name="b" mass="${{radius * 40}}"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/>
    <origin xyz="0 0 ${{math.sin(math.pi / 2)}}"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def write(folder, text: str, name: str = "arm.urdf.xacro"):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def refused(file, **options):
    with pytest.raises(UnreadableRobot) as error:
        expand_xacro(
            file, arguments=options.pop("arguments", {}), packages=Packages(file), **options
        )
    return error.value.findings[0]


def test_macros_properties_and_arguments_are_expanded(tmp_path):
    robot = read_urdf(write(tmp_path, ARM))
    assert robot.links["a"].visuals[0].geometry.size == (0.1, 0.5)
    assert robot.links["b"].inertial is not None and robot.links["b"].inertial.mass == 2.0
    assert robot.joints["j"].origin.position[2] == pytest.approx(1.0)


def test_arguments_of_the_user_replace_defaults(tmp_path):
    robot = read_urdf(write(tmp_path, ARM), arguments={"length": "0.7"})
    assert robot.links["a"].visuals[0].geometry.size == (0.1, 0.7)


def test_unknown_argument_is_named_with_those_there_are(tmp_path):
    robot = read_urdf(write(tmp_path, ARM), arguments={"lenght": "0.7"})
    found = next(each for each in robot.findings if each.code == "xacro-argument")
    assert "'lenght'" in found.message and "did you mean 'length'" in found.message


def test_elements_keep_file_and_line_of_their_origin(tmp_path):
    file = write(tmp_path, ARM)
    root, _, _ = expand_xacro(file, arguments={}, packages=Packages(file))
    lines = ARM.splitlines()
    for element in root.walk():
        assert f"<{element.tag}" in lines[element.line - 1]
        assert element.file.name == file.name


def test_a_urdf_with_xacro_elements_is_expanded_whatever_its_name(tmp_path):
    robot = read_urdf(write(tmp_path, ARM, "arm.urdf"))
    assert set(robot.links) == {"a", "b"}


def test_packages_are_found_without_ros(tmp_path):
    write(tmp_path / "parts_description", f'{HEAD}<link name="part"/></robot>', "urdf/part.xacro")
    text = f'{HEAD}<xacro:include filename="$(find parts_description)/urdf/part.xacro"/></robot>'
    file = write(tmp_path / "robot_description" / "urdf", text)
    assert "part" in read_urdf(file).links


# --- mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ('<link name="${nope}"/>', "xacro-error", "'nope' is not defined"),
        ('<link name="${1/0}"/>', "xacro-error", "division by zero"),
        ('<link name="$(arg needed)"/>', "xacro-argument", "--arg needed:=VALUE"),
        ('<xacro:arg name="needed"/>', "xacro-argument", "--arg"),
        ('<link name="$(find gone)/x"/>', "package-path", "package 'gone'"),
        ('<xacro:unknown_macro a="1"/>', "xacro-error", "unknown macro"),
        ('<xacro:include filename="gone.xacro"/>', "xacro-error", "gone.xacro"),
        ('<xacro:if value="maybe"><a/></xacro:if>', "xacro-error", "not a boolean"),
        ('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/>'
         '<link name="${a}"/>', "xacro-error", "circular"),
        ('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', "xacro-recursion", "m"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_file_and_line(tmp_path, line, code, says):
    found = refused(write(tmp_path, f"{HEAD}\n\n{line}\n</robot>"))
    assert (found.code, found.where) == (code, "arm.urdf.xacro:3")
    assert says in found.message


def test_mistake_in_an_included_macro_names_the_included_file(tmp_path):
    write(
        tmp_path,
        f'{HEAD}\n<xacro:macro name="m" params="x">\n<link name="${{y}}"/>\n</xacro:macro></robot>',
        "parts.xacro",
    )
    text = f'{HEAD}\n<xacro:include filename="parts.xacro"/>\n<xacro:m x="1"/></robot>'
    found = refused(write(tmp_path, text))
    assert found.where == "parts.xacro:3" and "in macro m" in found.message


def test_file_with_macros_only_says_so(tmp_path):
    text = f'{HEAD}<xacro:macro name="m"><a/></xacro:macro></robot>'
    assert refused(write(tmp_path, text)).code == "robot-empty"


# --- harm ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "().__class__",
        "(lambda: ().__class__)()",
        "[x.__class__ for x in [1]]",
        "(x for x in [1]).gi_frame",
        "python.type(python.type(1))",
        "python.vars(math)",
        "python.str.mro()",
        "math.sin.__self__",
        "xacro.load_yaml.__globals__",
        "'{0.__class__}'.format(1)",
        "'{0[0]}'.format([1])",
        "__builtins__",
        "__import__('os')",
        "open('/etc/passwd')",
        "xacro.parent",
        "f'{().__class__}'",
    ],
)
def test_expressions_stay_in_their_box(expression):
    import xacro

    guard_xacro()
    with pytest.raises((RefusedExpression, NameError)):
        evaluate(expression, xacro.Table(xacro._global_symbols))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", 7),
        ("math.sqrt(16)", 4.0),
        ("sqrt(16)", 4.0),
        ("'a' + str(1)", "a1"),
        ("[2 * x for x in range(3)]", [0, 2, 4]),
        ("dict(a=1)['a']", 1),
        ("dict(a=dict(b=2)).a.b", 2),
        ("'{:.2f}'.format(pi)", "3.14"),
        ("' x '.strip()", "x"),
        ("python.sum([1, 2])", 3),
        ("max(1, 2) if True else 0", 2),
        ("python.type(1) == int", True),
    ],
)
def test_ordinary_expressions_work(expression, value):
    import xacro

    guard_xacro()
    assert evaluate(expression, xacro.Table(xacro._global_symbols)) == value


def test_eval_command_has_no_builtins(tmp_path):
    # The library's lexer ends at the first bracket; a call needs one more, so it is a name here.
    found = refused(write(tmp_path, f'{HEAD}<link name="$(eval open)"/></robot>'))
    assert found.code == "xacro-error" and "open" in found.message
    root, _, _ = expand_xacro(
        file := write(tmp_path, f'{HEAD}<link name="$(eval 1 + 1)"/></robot>'),
        arguments={}, packages=Packages(file),
    )  # fmt: skip
    assert root.children[0].attributes["name"] == "2"


@pytest.mark.parametrize(
    "line",
    [
        '<xacro:include filename="/etc/hostname"/>',
        '<xacro:include filename="../../outside.xacro"/>',
        '<xacro:property name="x" value="${xacro.load_yaml(\'/etc/hostname\')}"/>'
        '<link name="${x}"/>',
    ],
)
def test_files_outside_are_refused(tmp_path, line):
    write(tmp_path, f'{HEAD}<link name="outside"/></robot>', "outside.xacro")
    file = write(tmp_path / "a" / "b", f"{HEAD}{line}</robot>")
    assert refused(file).code == "include-outside"


def test_files_outside_are_included_where_that_is_allowed(tmp_path):
    write(tmp_path, f'{HEAD}<link name="outside"/></robot>', "outside.xacro")
    text = f'{HEAD}<xacro:include filename="../../outside.xacro"/></robot>'
    file = write(tmp_path / "a" / "b", text)
    assert "outside" in read_urdf(file, allow_outside=True).links
    assert "outside" in read_urdf(file, packages=[tmp_path]).links


def test_link_out_of_the_folder_is_refused(tmp_path):
    write(tmp_path, f'{HEAD}<link name="outside"/></robot>', "outside.xacro")
    file = write(tmp_path / "a", f'{HEAD}<xacro:include filename="inside.xacro"/></robot>')
    (tmp_path / "a" / "inside.xacro").symlink_to(tmp_path / "outside.xacro")
    assert refused(file).code == "include-outside"


def test_cyclic_includes_are_named(tmp_path):
    write(tmp_path, f'{HEAD}<xacro:include filename="arm.urdf.xacro"/></robot>', "other.xacro")
    found = refused(write(tmp_path, f'{HEAD}<xacro:include filename="other.xacro"/></robot>'))
    assert found.code == "xacro-cycle"
    assert "arm.urdf.xacro -> other.xacro -> arm.urdf.xacro" in found.message


def test_entities_of_an_included_file_are_refused(tmp_path):
    write(tmp_path, '<!DOCTYPE r [<!ENTITY a "b">]><robot>&a;</robot>', "other.xacro")
    found = refused(write(tmp_path, f'{HEAD}<xacro:include filename="other.xacro"/></robot>'))
    assert (found.code, found.where) == ("xml-entities", "other.xacro:1")


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression", ["9**9**9**9", "[x for x in range(10**12) if x == -1]"]
)  # fmt: skip
def test_endless_expressions_are_stopped(tmp_path, expression):
    found = refused(write(tmp_path, f'{HEAD}<link name="${{{expression}}}"/></robot>'), seconds=1)
    assert found.code in ("xacro-too-long", "xacro-too-large")


def test_memory_is_bounded(tmp_path):
    found = refused(write(tmp_path, f"{HEAD}<link name=\"${{'a' * 10**10}}\"/></robot>"))
    assert found.code == "xacro-too-large"


@pytest.mark.slow
def test_exponential_growth_is_stopped(tmp_path):
    macros = "".join(
        f'<xacro:macro name="m{n + 1}"><xacro:m{n}/><xacro:m{n}/></xacro:macro>' for n in range(40)
    )
    text = f'{HEAD}<xacro:macro name="m0"><a/></xacro:macro>{macros}<xacro:m40/></robot>'
    assert refused(write(tmp_path, text), seconds=2).code in ("xacro-too-long", "xacro-too-large")


def test_arguments_without_default_are_named_with_file_and_line(tmp_path):
    file = tmp_path / "needy.xacro"
    file.write_text(
        '<robot name="needy" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
        '<xacro:arg name="colour" default="red"/>\n<xacro:arg name="length"/>\n'
        '<xacro:arg name="mass"/>\n<link name="base"/></robot>'
    )
    with pytest.raises(UnreadableRobot) as raised:
        read_urdf(file)
    (found,) = raised.value.findings
    assert found.code == "xacro-argument" and "needy.xacro:3" in found.where
    assert "'length', 'mass'" in found.message and "--arg length:=VALUE" in found.message
    assert "colour" not in found.message
    with pytest.raises(UnreadableRobot, match="argument 'mass' is needed"):
        read_urdf(file, arguments={"length": "1"})
