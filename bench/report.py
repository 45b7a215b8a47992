"""From seconds to the numbers that say whether the orchestrator is fast enough; pure."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from statistics import median

LIMITS = {
    "create_ratio": 2.5,
    "noop_ratio": 0.3,
    "plan_ratio": 0.3,
    "discovery_seconds": 1.5,
    "plan_1000_hosts_seconds": 2.0,
    "plan_1000_hosts_mb": 500.0,
    "selection_1000x60_seconds": 5.0,
    "k8s_first_task_seconds": 2.0,
    "k8s_idle_percent": 2.0,
    "k8s_operator_mb": 200.0,
    "k8s_create_ratio": 3.0,
    "k8s_noop_seconds": 2.0,
}

RATIOS = ("create", "noop", "plan")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Seconds of one turn on one set of hosts: by plain commands, then by the orchestrator.

    `discovery` is what looking at the hosts adds to a run.
    """

    floor: float
    create: float
    noop: float
    plan: float
    discovery: float


def summary(rounds: Sequence[Round], others: Mapping[str, float]) -> dict[str, float]:
    """Return the medians, the ratios to the floor's median, and what was measured elsewhere."""
    parts: dict[str, Callable[[Round], float]] = {
        "floor": lambda one: one.floor,
        "create": lambda one: one.create,
        "noop": lambda one: one.noop,
        "plan": lambda one: one.plan,
        "discovery": lambda one: one.discovery,
    }
    seconds = {name: median(map(part, rounds)) for name, part in parts.items()}
    ratios = {f"{name}_ratio": seconds[name] / seconds["floor"] for name in RATIOS}
    inside = others["k8s_create_seconds"] - others["k8s_image_start_seconds"]
    ratios["k8s_create_ratio"] = inside / seconds["floor"]
    named = {f"{name}_seconds": value for name, value in seconds.items()}
    return {name: round(value, 3) for name, value in {**ratios, **others, **named}.items()}


def table(numbers: Mapping[str, float]) -> str:
    """Return the numbers as lines, each beside its limit."""
    return "\n".join(
        f"{name:26}{value:9.3f}{_verdict(name, value)}" for name, value in numbers.items()
    )


def too_slow(numbers: Mapping[str, float]) -> list[str]:
    return [name for name, limit in LIMITS.items() if numbers[name] > limit]


def _verdict(name: str, value: float) -> str:
    if name not in LIMITS:
        return ""
    return f"   at most {LIMITS[name]:g}: {'ok' if value <= LIMITS[name] else 'TOO SLOW'}"
