"""In which order the mons of a new cluster start, so that they elect a leader once and at once.

As soon as most of them have found one another, each proposes itself to all, and the lowest rank
wins. A mon that starts a moment later missed that: the others wait for its answer for 5 seconds,
then do without, and elect again with it, which takes as long. Where the lowest rank starts last,
all others hear it and agree.
"""

from __future__ import annotations

SECONDS = 10
"""How long it waits for the others; two elections without it take as long."""

LOWEST_LAST = r"""set -eu
monmaptool --print "$2" | grep -q "^0: .* mon\.$1\$" || exit 0
monmaptool --print "$2" | sed -nE 's/^[1-9][0-9]*: \[v2:\[?([^],]*)\]?:([0-9]+)\/.*/\1 \2/p' |
  timeout "$3" bash -c 'while read -r host port; do
    until (: < "/dev/tcp/$host/$port") 2> /dev/null; do sleep 0.1; done
  done' || :
"""
"""Ends when all others listen, if the mon `$1` has the lowest rank in the map `$2`.

It waits for `$3` seconds at most, and never fails: a mon that is alone must start as well.
"""


def words(mon: str, monmap: str) -> list[str]:
    """Give the command that a new mon waits with before its first start."""
    return ["bash", "-c", LOWEST_LAST, "lowest-last", mon, monmap, str(SECONDS)]
