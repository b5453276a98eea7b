"""Write legs.xml and drives.xml from the leg module and its mounts."""

from mecano.robots.modular_mjcf import SENSORS
from mecano.robots.romerin.description import LEGS
from mecano.robots.romerin.leg import LEG

LEGS_HEAD = """\
<!--
    ROMERIN: the six legs, to be put into body_link. make_model.py writes this: change that file.

    Frames: x beside the leg, y along it, z up; all parallel while the leg is stretched out (joints
    zero). Joint 1 about z, 2 and 3 about x. Then springs: joint 4 about the tibia, 5 about the
    leg's x, 6 about the cup (M: with the middle axis across to that, the wrist is singular where
    it matters). Origins T. Masses EST, with servos of 60 g (A1): coxa 70 g, femur 75 g, tibia 25 g
    (15 g and the 10 g that turn about it), cup with its turbine 65 g.
  -->"""

DRIVES_HEAD = (
    "<!-- ROMERIN: exclusions, servos, bonds, sensors. make_model.py writes this: change that. -->"
)

SERVOS_HEAD = """\
<!-- Inputs: position, velocity, torque. controller = kp ki kd slewmax Imax Vmax, in torque:
         kp  EST, M: 20 N m/rad; from 12 to 40 the loads of a climb change by a twentieth at most.
         ki  None (1e-9): in a closed chain of legs integrals fight each other (M: up to 11 % more
             pull). T has PI, gains not given: with ki (gainprm 5) = 40 the integral ends at
             ki Imax = 0.5 N m. Keep ki above 0: without it the integral's state would vanish, and
             the engine stops.
         kd  EST: with the joint's own damping of 0.05 the sheet's 0.4 N m s/rad; the engine's
             dcmotor makes up for back-EMF, so that damps nothing.
         1.5 N m is what the servo can give for long (EST); a climb should not ask for more.
         No ctrlrange: it would clamp velocity and torque with the limits of the position. -->"""

BONDS_HEAD = """\
<!-- The hold of each cup; the world moves it to where a cup takes hold. It gives way to moments, as
         rubber does: 3 deg at 5 N of shear. Stiffer ones (solimp 0.99, torquescale 1) raise the
         loads of a ceiling walk by a third: the springs cannot turn about every axis. -->"""


def legs_xml() -> str:
    """Return the text of legs.xml."""
    lines = [line for leg in LEGS for line in LEG.mjcf(leg, "body_link").bodies]
    return "\n".join(
        ["<mujocoinclude>", f"  {LEGS_HEAD}", *(f"  {line}" for line in lines), ""]
    ) + ("</mujocoinclude>\n")


def drives_xml() -> str:
    """Return the text of drives.xml."""
    legs = [LEG.mjcf(leg, "body_link") for leg in LEGS]
    pairs = [pair for leg in legs for pair in leg.exclusions]
    lines = ["  " + DRIVES_HEAD, "  <contact>"]
    lines += ["    <!-- Neighbours only; between tibia and cup there is only the small wrist. -->"]
    lines += [f'    <exclude body1="{one}" body2="{other}"/>' for one, other in pairs]
    lines += ["  </contact>", "", "  <actuator>", "    " + SERVOS_HEAD]
    lines += [f"    {line}" for leg in legs for line in leg.actuators]
    lines += ["  </actuator>", "", "  <equality>", "    " + BONDS_HEAD]
    lines += [f"    {line}" for leg in legs for line in leg.bonds]
    lines += ["  </equality>", "", "  <sensor>", "    <!-- Our addition, as the site is. -->"]
    lines += [f"    {line}" for line in SENSORS] + ["  </sensor>"]
    return "\n".join(["<mujocoinclude>", *lines, "</mujocoinclude>", ""])


def files() -> dict[str, str]:
    """Return the text of every file this script writes."""
    return {"legs.xml": legs_xml(), "drives.xml": drives_xml()}
