"""A build backend that builds nothing, but prints how to use the arena on this system."""

import sys

ADVICE = """
gothello-arena runs on Linux, and there is no wheel for this system.
  Windows: install it in WSL 2, with the same command.
  macOS: install it in an x86-64 Linux container, with the same command.
  Linux on another processor: `cargo install --locked gothello-arena` compiles it.
A bot on this system can play against an arena on another machine (README.md, "Windows and macOS").
"""


def refuse(*_arguments, **_options):
    sys.exit(ADVICE)


get_requires_for_build_wheel = prepare_metadata_for_build_wheel = build_wheel = build_editable = refuse
