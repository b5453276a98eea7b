"""What MADAR's paper prints, as it is printed: nothing here is used unless it is asked for.

Experiments reproduce these numbers or show what they do; `mecano localize --settings madar_paper`
takes the table of AMCL. IST = iocroblab/sick_tim, the launch files of MADAR's laboratory.
"""

from typing import Any

RATES = (10.0, -13.6603, 3.6603)
"""Appendix E: for 1 s these rates of the wheels lead to (1, 1) [rad/s]."""
WHEEL_DISTANCE = 0.290
"""Of the wheels from the middle, as the equations have it [m]; it is drawn as 0.2905 m."""
TO_RATES = ((0.0, 10.0, -2.9), (-8.6603, -5.0, -2.9), (8.6603, -5.0, -2.9))
"""Equations 2.1 and E.13: from (u, v, r) to rates of the wheels."""
TO_TWIST = (
    (0.0, -0.057735, 0.057735),
    (0.066667, -0.033333, -0.033333),
    (-0.114943, -0.114943, -0.114943),
)
"""Its inverse."""
WHEEL_LOOP = {"p": 1.2, "i": 0.01, "d": 0.1, "clamp": 1.0}
"""Appendix D, at 125 Hz, as fields of `control.wheel_loop.WheelLoop`. Its simulator ignored them:
the controller it names there hands velocities on and has no loop."""
LIDAR_CROP = 1.0472
"""Appendix C: half of what each LIDAR is let see [rad]. It leaves three blind corridors."""
LAUNCH_CROP = 2.09
"""IST: the same in the launch files of the real robot [rad]. Own wheels are in view."""
AMCL: dict[str, Any] = {
    # Figure I.2; odom_alpha5 is not in it.
    "min_particles": 500, "max_particles": 3000, "kld_err": 0.02, "update_min_d": 0.20,
    "update_min_a": 0.20, "resample_interval": 1, "transform_tolerance": 0.1,
    "recovery_alpha_slow": 0.0, "recovery_alpha_fast": 0.0, "initial_pose_x": 0.0,
    "initial_pose_y": 0.0, "initial_pose_a": 0.0, "gui_publish_rate": 50.0,
    "laser_max_range": -1, "laser_max_beams": 180, "laser_z_hit": 0.5, "laser_z_short": 0.05,
    "laser_z_max": 0.05, "laser_z_rand": 0.5, "laser_sigma_hit": 0.2, "laser_lambda_short": 0.1,
    "laser_likelihood_max_dist": 2.0, "laser_model_type": "likelihood_field",
    "odom_model_type": "omni-corrected", "odom_alpha1": 0.1, "odom_alpha2": 0.1,
    "odom_alpha3": 0.1, "odom_alpha4": 0.1, "odom_frame_id": "odom", "base_frame_id": "base_link",
}  # fmt: skip
"""Parameters of AMCL, for `AmclSettings.from_table`."""
