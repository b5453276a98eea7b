"""Names of topics, in one place: what a log holds and under which name."""

JOINT_STATES = "/joint_states"
"""sensor_msgs/JointState: what the encoders read."""
JOINT_COMMANDS = "/joint_commands"
"""sensor_msgs/JointState: what the joints were told, for the time of the stamp."""
TOOL_POSE = "/tool_pose"
"""geometry_msgs/PoseStamped: where the tool is in the base frame, by the encoders."""
STATE = "/mecano/state"
"""std_msgs/Float64MultiArray: the whole state of the physics engine, bit for bit."""
TRANSFORMS = "/tf"
"""tf2_msgs/TFMessage: where every moving body really is in the world."""
STATIC_FRAMES = "/tf_static"
"""tf2_msgs/TFMessage: where frames lie that never move in each other."""
CLOCK = "/clock"
"""rosgraph_msgs/Clock: the time of the session."""
ODOMETRY = "/odom"
"""nav_msgs/Odometry: where a base believes to be, by wheels and gyro."""
BASE_REPORT = "/base_report"
"""mecano_msgs/BaseReport: all readings of a base in one message, of any number of wheels."""
BASE_IMU = "/imu/data"
"""sensor_msgs/Imu: turn rate and heading by the base's gyro, if its own driver has no name for it.
"""
SCAN = "/scan"
"""sensor_msgs/LaserScan: what all LIDARs of a robot see, in the frame of its base. Each LIDAR has a
topic of its own, see `LidarFacts.topic`."""
TRUE_POSE = "/simulation/pose"
"""geometry_msgs/PoseStamped: where a base or a body on legs really is. Simulation only."""
IMU = "/imu/data_raw"
"""sensor_msgs/Imu: turn rates and accelerations of a body on legs."""
CUPS = "/cups"
"""mecano_msgs/CupStates: what the cups do and carry."""
CUP_CHANGES = "/cups/changes"
"""mecano_msgs/CupChange: bonds, releases and breaks, as they happen."""
NAVIGATION_STATUS = "/navigation/status"
"""mecano_msgs/NavigationStatus: what the navigator does."""
PLAN, LOCAL_PLAN = "/plan", "/local_plan"
"""nav_msgs/Path: the path that is driven, and what the controller expects to drive next."""
COSTMAP = "/global_costmap/costmap"
"""nav_msgs/OccupancyGrid: costs of the floor, 0 to 100."""
GOAL, CANCEL_GOAL = "/goal_pose", "/navigation/cancel"
"""geometry_msgs/PoseStamped, std_msgs/Empty: commands to the navigator."""
WHOLE = "/robot_state"
"""mecano_msgs/RobotState: arm, gripper, legs and base in one message."""
SIMULATED_TIME = "/simulation/sim_time"
"""std_msgs/Float64: the time of the session [s]."""
REAL_TIME = "/simulation/real_time"
"""std_msgs/Float64: real time since the session began [s]. Simulation only."""
ROBOT_TOPICS = (JOINT_STATES, JOINT_COMMANDS, TOOL_POSE)
"""Topics that each robot has for itself."""
TYPES = {
    JOINT_STATES: "sensor_msgs/msg/JointState",
    JOINT_COMMANDS: "sensor_msgs/msg/JointState",
    TOOL_POSE: "geometry_msgs/msg/PoseStamped",
    STATE: "std_msgs/msg/Float64MultiArray",
    TRANSFORMS: "tf2_msgs/msg/TFMessage",
    CLOCK: "rosgraph_msgs/msg/Clock",
    TRUE_POSE: "geometry_msgs/msg/PoseStamped",
    IMU: "sensor_msgs/msg/Imu",
    BASE_REPORT: "mecano_msgs/msg/BaseReport",
    CUPS: "mecano_msgs/msg/CupStates",
    CUP_CHANGES: "mecano_msgs/msg/CupChange",
}


def robot_topic(topic: str, robot: str, *, alone: bool) -> str:
    """Return the name of a robot's topic: as it is, or `/<robot>/...` if there are several."""
    return topic if alone else f"/{robot}{topic}"
