"""The command language of arms and legs: a line of text in, a reply with numbers and units out.

It knows no terminal: the shell, scripts and a web page use the same `Console`. A line is read in
full before anything moves, so a mistake in its last command does not leave the arm half way.
"""

from mecano.lab.console.arms_console import ArmsConsole as ArmsConsole
from mecano.lab.console.console import Console as Console
from mecano.lab.console.explaining import HERE as HERE
from mecano.lab.console.leg_console import LegConsole as LegConsole
from mecano.lab.console.leg_console import console_for as console_for
from mecano.lab.console.replies import Action as Action
from mecano.lab.console.replies import Reply as Reply
from mecano.lab.console.replies import Status as Status
from mecano.lab.console.table import COMMANDS as COMMANDS
from mecano.lab.console.table import NOTES as NOTES
from mecano.lab.console.table import Command as Command
from mecano.lab.console.table import find_command as find_command
from mecano.lab.console.words import ANGLE as ANGLE
from mecano.lab.console.words import FARTHEST as FARTHEST
from mecano.lab.console.words import FORCE as FORCE
from mecano.lab.console.words import FRACTION as FRACTION
from mecano.lab.console.words import LENGTH as LENGTH
from mecano.lab.console.words import TIME as TIME
from mecano.lab.console.words import UNITS as UNITS
from mecano.lab.console.words import Quantity as Quantity
