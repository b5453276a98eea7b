"""What is wrong with a robot: its file, its model, its description, and how it stands."""

from mecano.checkup.check import check_imported as check_imported
from mecano.checkup.check import check_robot as check_robot
from mecano.checkup.report import Report as Report
from mecano.checkup.report import Rest as Rest
from mecano.importing.findings import Finding as Finding
