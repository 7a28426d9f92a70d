"""An earlier edit undone in a later version, where nothing since depends on it."""

from __future__ import annotations

from benchmarks.workloads.flow import Flow, Link


def undone(flow: Flow, before: Flow, after: Flow) -> Flow | None:
    """The workflow without what led from `before` to `after`; None where that has been edited.

    a -> b       a -> new -> b        a -> new -> b -> c        =>   a -> b -> c
    before       after                flow
    """
    copy = flow.edited(flow.about)
    for id_ in before.operators | after.operators:
        old, new = before.operators.get(id_), after.operators.get(id_)
        if old == new:
            continue
        if copy.operators.get(id_) != new:
            return None
        if old is None:
            del copy.operators[id_]
        else:
            copy.operators[id_] = old
    added = [link for link in after.links if link not in before.links]
    if any(link not in copy.links for link in added):
        return None
    removed = [link for link in before.links if link not in after.links]
    copy.links = _put_back(copy.links, added, removed)
    ends = {end for src, dst, _ in copy.links for end in (src, dst)}
    fed = [(dst, port) for _, dst, port in copy.links if port is not None]
    if not ends <= set(copy.operators) or len(set(fed)) != len(fed):
        return None
    places = {id_: number for number, id_ in enumerate(before.operators)}
    ids = sorted(copy.operators, key=lambda id_: places.get(id_, len(places)))
    copy.operators = {id_: copy.operators[id_] for id_ in ids}
    return copy


def _put_back(links: list[Link], added: list[Link], removed: list[Link]) -> list[Link]:
    """Old links where the new ones stood: the order of links is that of a union's inputs."""
    waiting, restored = list(removed), []
    for link in links:
        if link not in added:
            restored.append(link)
        elif (old := next((o for o in waiting if o[1:] == link[1:]), None)) is not None:
            waiting.remove(old)
            restored.append(old)
    return restored + waiting
