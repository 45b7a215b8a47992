"""Where the sources are that a contract compares."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
