"""Calibration of a chain from touched points: zero offsets of its joints, and its constant angles.

A joint whose encoder reads zero in the wrong place adds a constant to `theta` in its row of the
DH table. A constant angle of the robot, such as phi of OpenMANIPULATOR-X, stands in several rows
at once, with a sign in each. So both are sums of turns about the joints' own axes, and the
derivative of a tool point by any of them is a combination of columns of the Jacobian.

That also says what no touched point can tell. An angle that stands in the rows of joint2 (-1) and
joint3 (+1) moves every point exactly as opposite zero offsets of those joints do:

    what = "phi"      fits the angles alone; the zero offsets count as known
    what = "offsets"  fits the zero offsets alone; the angles count as known
    what = "both"     fits all that can be told: the part of the offsets that has the signs of an
                      angle is called that angle, and what is left (at right angles to it) stays
                      an offset. One number fewer is free than there are names.
"""

from mecano.kinematics.calibration.fitting import calibrate as calibrate
from mecano.kinematics.calibration.measurements import check_measurements as check_measurements
from mecano.kinematics.calibration.model import CalibrationAngle as CalibrationAngle
from mecano.kinematics.calibration.model import CalibrationFit as CalibrationFit
from mecano.kinematics.calibration.model import Estimate as Estimate
from mecano.kinematics.calibration.model import What as What
from mecano.kinematics.calibration.model import turned as turned
from mecano.kinematics.calibration.points import fewest_points as fewest_points
from mecano.kinematics.calibration.points import suggest_points as suggest_points
