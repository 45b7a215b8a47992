"""Logs: one JSON object a line on standard error, with cluster, generation, run and step bound."""

import logging
import sys

import structlog

LEVELS = {
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARNING": logging.WARNING,
    "ERROR": logging.ERROR,
}
"""Rook's words for ROOK_LOG_LEVEL; CRITICAL and TRACE have nothing of their own here."""

TOLD_BY_US = ("kubernetes.informer.informer", "leaderelection")
"""Loggers that write a traceback for what is said here in one line."""


def set_up(level: str) -> None:
    """Send all logs through structlog, those of libraries too."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,  # without variables: those may be secret
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(LEVELS.get(level.upper(), logging.INFO))
    for name in TOLD_BY_US:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("urllib3").setLevel(logging.ERROR)


log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger("orchestrator")
