"""The command language of arms and legs: a line of text in, a reply with numbers and units out.

It knows no terminal: the shell, scripts and a web page use the same `Console`. A line is read in
full before anything moves, so a mistake in its last command does not leave the arm half way.
"""

from mecano.operate.console.arms_console import ArmsConsole as ArmsConsole
from mecano.operate.console.console import Console as Console
from mecano.operate.console.explaining import HERE as HERE
from mecano.operate.console.leg_console import LegConsole as LegConsole
from mecano.operate.console.leg_console import console_for as console_for
from mecano.operate.console.replies import Action as Action
from mecano.operate.console.replies import Reply as Reply
from mecano.operate.console.replies import Status as Status
from mecano.operate.console.table import COMMANDS as COMMANDS
from mecano.operate.console.table import NOTES as NOTES
from mecano.operate.console.table import Command as Command
from mecano.operate.console.table import find_command as find_command
from mecano.operate.console.words import ANGLE as ANGLE
from mecano.operate.console.words import FARTHEST as FARTHEST
from mecano.operate.console.words import FORCE as FORCE
from mecano.operate.console.words import FRACTION as FRACTION
from mecano.operate.console.words import LENGTH as LENGTH
from mecano.operate.console.words import TIME as TIME
from mecano.operate.console.words import UNITS as UNITS
from mecano.operate.console.words import Quantity as Quantity
