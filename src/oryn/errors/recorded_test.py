"""Errors of recorded tests (docs/tests.md): a file that can't be read, a preparation that fails, an outcome that
differs."""

from __future__ import annotations

from oryn.errors.base import OrynError


class RecordedTestError(OrynError):
    """Base of errors of tests."""

    exit_code = 15


class InvalidTest(RecordedTestError):
    """The file is not a test that this version can read; the message names its line and column, from 1."""

    code = "INVALID_TEST"
    exit_code = 2
    advice = "Correct that line: docs/tests.md has the format."


class InvalidHar(RecordedTestError):
    """A test's HAR file can't be replayed: it is no HAR 1.2, or lacks bodies; the message names the place."""

    code = "INVALID_HAR"
    exit_code = 2
    advice = "Record it again: 'oryn test run --har record'."


class NoTestsFound(RecordedTestError):
    """No test has that path, or none is chosen by the options."""

    code = "TEST_NOT_FOUND"
    exit_code = 2
    advice = "Name a file that ends in .oryntest, or a folder with some."


class OutcomeDiffers(RecordedTestError):
    """A step has had another outcome than the one that its test expects."""

    code = "TEST_FAILED"
    advice = "Look at the step's report: either the site is broken, or the test has to be recorded again."


class PreparationFailed(RecordedTestError):
    """What a test needs before its first step can't be done: its seed command, its state, its clock."""

    code = "TEST_NOT_PREPARED"
    exit_code = 16
    advice = "No step was done. Prepare that by hand to see why."


class AcceptRefused(RecordedTestError):
    """`--accept` is given, and a step's outcome differs: a file never takes over what a broken site does."""

    code = "ACCEPT_REFUSED"
    advice = "Record the test again if the new outcome is meant."


class RecordingExists(RecordedTestError):
    """A test of that session is being recorded already."""

    code = "RECORDING_EXISTS"
    exit_code = 10
    advice = "'oryn test stop' writes it."


class RecordingNotFound(RecordedTestError):
    """Nothing is being recorded in that session, or nothing was done that a test could repeat."""

    code = "RECORDING_NOT_FOUND"
    exit_code = 10
    advice = "'oryn test record <name>' begins a recording."
