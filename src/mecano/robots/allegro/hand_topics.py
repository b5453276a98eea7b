"""Topics of the Allegro hand's own program (simlabrobotics/allegro_hand_ros)."""

from mecano.robots.hands import HandFacts
from mecano.robots.topic_facts import JOINTS, TEXT, Topic, command, reading

POSTURE_WORDS = {
    "ready": "open", "grasp_3": "power", "grasp_4": "power", "envelop": "power",
    "pinch_it": "pinch", "pinch_mt": "pinch",
}  # fmt: skip
"""What the program calls its grasps, and our postures that come nearest."""


def hand_topics(side: str, hand: HandFacts, *, fastest: float) -> list[Topic]:
    """Return the topics of the hand on one side.

    Args:
        side: Name of the arm that carries it.
        hand: Its facts.
        fastest: Nothing of the robot comes more often [Hz].
    """
    space = f"/allegroHand_{side}"
    return [
        command(f"{space}/joint_cmd", JOINTS, "hand", of=side),
        command(f"{space}/lib_cmd", TEXT, "hand posture", of=side),
        reading(f"{space}/joint_states", JOINTS, "hand", min(fastest, hand.rate), of=side),
    ]
