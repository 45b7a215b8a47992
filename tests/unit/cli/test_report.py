"""`orchestrator report`: one page of the last run."""

from orchestrator.stores import files
from tests.fakes.commands import KEY, home


def test_a_run_can_be_reported(built, tmp_path):
    page = tmp_path / "page.html"
    result = built("report", "-o", str(page))

    assert result.exit_code == 0
    assert result.stderr == f"rook-ceph/test: the report of the last run is in {page}\n"
    text = page.read_text()
    assert "converged: nothing is left to do" in text
    assert "new cluster, 10.0.0.1" in text
    assert "running, in quorum" in text
    assert "wwn-sda" in text


def test_a_report_goes_to_stdout_where_that_is_asked_for(built):
    result = built("report", "-f", "F", "-o", "-")

    assert result.exit_code == 0
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert result.stderr == ""


def test_a_failed_run_is_reported_with_its_words(orchestrator, fake):
    fake.broken = "ansible"
    assert orchestrator("run", "-f", "F", "-i", "I").exit_code == 1

    page = orchestrator("report", "-f", "F", "-o", "-").stdout
    assert "ERROR! no module named x" in page
    assert '<span class="word bad">failed</span>' in page


def test_looks_leave_the_report_of_the_last_run_alone(built):
    before = built("report", "-o", "-").stdout
    assert built("plan", "-f", "F", "-i", "I").exit_code == 0
    assert built("status", "-f", "F", "-i", "I").exit_code == 0
    after = built("report", "-o", "-").stdout

    assert before.count("new cluster, 10.0.0.1") == after.count("new cluster, 10.0.0.1") == 1


def test_without_a_run_there_is_nothing_to_report_and_no_file_is_made(orchestrator, tmp_path):
    page = tmp_path / "page.html"
    result = orchestrator("report", "-f", "F", "-o", str(page))

    assert result.exit_code == 1
    assert "no run of rook-ceph/test is known here" in result.stderr
    assert not page.exists()


def test_a_record_that_is_not_understood_is_no_traceback(built, tmp_path):
    files.LastRunFile(home(tmp_path)).put(KEY, {"from": "the future"})
    result = built("report", "-o", "-")

    assert result.exit_code == 3
    assert "another version noted the last run" in result.stderr


def test_a_place_that_cannot_be_written_is_wrong_usage(built, tmp_path):
    place = tmp_path / "missing" / "report.html"

    result = built("report", "-f", "F", "-o", str(place))

    assert result.exit_code == 2
    assert f"Error: Could not open file '{place}': No such file or directory" in result.stderr
