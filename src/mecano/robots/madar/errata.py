"""What is wrong or open in the paper on MADAR, and what is right."""

from mecano.robots.description import Erratum

ERRATA = (
    Erratum(
        where="equations E.6, E.7, E.12",
        printed="L_pi for the radius of the wheel, L_pxi and L_pyi for its place",
        correct="1/R with R = 0.1 m",
        evidence="with it E.12 and table E.1 give matrix (2.1) exactly",
    ),
    Erratum(
        where="equations E.4 to E.7 and E.12, against E.14 to E.17",
        printed="phi is the slip angle of a roller and the heading of the platform",
        correct="slip angle gamma, which is 0; heading phi",
        evidence="the text calls the slip angle gamma; E.15 is exact for random headings only so",
    ),
    Erratum(
        where="equation E.8",
        printed="R(alpha_i), filled with beta_i",
        correct="R(beta_i)",
        evidence="the angles beta_i = 90, 210, 330 deg give the signs of (2.1)",
    ),
    Erratum(
        where="equation E.17",
        printed="J = [...]^-1, without saying what it is",
        correct="J goes from wheel rates to the twist in the world: forward kinematics",
        evidence="J times the rates of E.15 is the twist again, exactly",
    ),
    Erratum(
        where="appendix F and section 4.2",
        printed="A is the direct kinematics",
        correct="A is the inverse model: from a twist to wheel rates",
        evidence="A (1, 1, 0) = (10, -13.6603, 3.6603) rad/s",
    ),
    Erratum(
        where="appendix F, list of topics",
        printed="motor_2 twice",
        correct="the third is /madar_robot/platform/motor_3_vel_controller/command",
        evidence="there are three motors",
    ),
    Erratum(
        where="appendix A, mass of the shaft",
        printed="0.2414 kg",
        correct="0.214 kg",
        evidence="the code of figure A.3",
    ),
    Erratum(
        where="appendix A, moments of the structure",
        printed="12.54, 4.139, 12.171 kg m2 for x, y, z",
        correct="12.54, 12.171, 4.139 kg m2",
        evidence="the drawing has y up; a tall column has its smallest moment about the vertical",
    ),
    Erratum(
        where="figure A.3, friction of the wheels",
        printed="mu1 = mu2 = 100",
        correct="0.8 to 1.0",
        evidence="no wheel would ever slip; rubber on a floor has about 1",
    ),
    Erratum(
        where="appendix C, distance of the LIDARs",
        printed="390 mm from the centre",
        correct="0.350 m",
        evidence="the code: 0.3031^2 + 0.175^2 = 0.350^2",
    ),
    Erratum(
        where="appendix C, angles of the LIDARs",
        printed="-1.0472 to 1.0472 rad",
        correct="-2.09 to 2.09 rad, as on the real robot; 1.98 rad without own wheels in view",
        evidence="neighbouring edges are parallel: three blind corridors 0.606 m wide without end; "
        "29 % of the directions are blind at 1 m",
    ),
    Erratum(
        where="appendix D, gains of the wheels' PID",
        printed="p 1.2, i 0.01, d 0.1, clamp 1",
        correct="that controller only passes the command on; the gains are ignored",
        evidence="the header of velocity_controllers/JointVelocityController",
    ),
    Erratum(
        where="appendix E, distance of the wheels",
        printed="0.290 m",
        correct="0.2905 m",
        evidence="the drawing; 0.17 % of every turn",
    ),
    Erratum(
        where="appendix H, llsamplerstep and lasamplerstep",
        printed="keys that gmapping does not have",
        correct="llsamplestep, lasamplestep",
        evidence="ignored without a word; the defaults equal what was meant",
    ),
    Erratum(
        where="appendix H, scan",
        printed="given as a parameter",
        correct="a remapping of the topic",
        evidence="it has no effect; it works because the topic is /scan already",
    ),
    Erratum(
        where="appendix H, maxUrange",
        printed="16.0 m",
        correct="9.9 m at most",
        evidence="the sensor ends at 10 m",
    ),
    Erratum(
        where="appendix J",
        printed="six parameter files",
        correct="five are loaded",
        evidence="the launch file of figure J.3",
    ),
    Erratum(
        where="table 2.5, alternative 3",
        printed="8.75",
        correct="11.75, the second place",
        evidence="2.5 x 1 + 3 x 3 + 0 + 0.5 x 0.5 = 11.75",
    ),
    Erratum(
        where="tables 2.3 and 2.4",
        printed="weights with the total 8, percentages with the sum 87.5",
        correct="divide by 7",
        evidence="the weights add up to 7",
    ),
    Erratum(
        where="section 3.3, hours",
        printed="30 % of 630 h is 288 h",
        correct="189 h",
        evidence="0.3 x 630; nor is the platform's PC 0.21 x 288 = 37.8 EUR; the sums do add up",
    ),
    Erratum(
        where="section 3.3, motors SGD7",
        printed="the motors are SGD7",
        correct="SGD7 is the drive; the motors are not named",
        evidence="Yaskawa's SERVOPACK of the Sigma-7 series",
    ),
    Erratum(
        where="appendix K, figure M.1",
        printed="referred to",
        correct="they are missing",
        evidence="the pages after J and M",
    ),
    Erratum(
        where="the author's URDF, wrist 2",
        printed="offset 0.085 m",
        correct="0.093 m for the same chain; the maker's table is used",
        evidence="8 mm of error at the tool",
    ),
    Erratum(
        where="appendix N, position while it does not turn",
        printed="x += s_x, y += s_y, in the frame of the robot",
        correct="rotate the step by the heading first",
        evidence="90 deg of turn, then 1.5 m: 2.12 m of error; a square of 1.5 m: 6.0 m",
    ),
    Erratum(
        where="appendix N, which branch is taken",
        printed="atan(Vy / Vx) != V_phi",
        correct="no branch: one exact step of SE(2)",
        evidence="an angle is compared with a rate, for equality; Vx = 0 divides by zero",
    ),
    Erratum(
        where="appendix N, what is integrated",
        printed="the filtered velocity with the new, unfiltered heading",
        correct="the step of the encoders with the old heading",
        evidence="2.4 mm on a circle of 1 m; the exact step has 6e-13 m",
    ),
    Erratum(
        where="appendix N, beginning",
        printed="the last encoder values are not set",
        correct="set them to the first reading: the encoders are absolute",
        evidence="the first step is a jump",
    ),
    Erratum(
        where="appendix N, uncertainty",
        printed="no covariance; epsilon is not given",
        correct="a covariance that grows with the way; no epsilon is needed",
        evidence="localization weighs odometry by it",
    ),
)
