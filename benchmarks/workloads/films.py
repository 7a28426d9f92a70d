"""W5 and W6: questions about IMDB's public tables."""

from __future__ import annotations

from benchmarks.workloads.flow import Flow

TITLE_BASICS = {
    "tconst": "string not null",
    "titleType": "string",
    "primaryTitle": "string",
    "startYear": "int",
    "runtimeMinutes": "int",
}
TITLE_AKAS = {
    "titleId": "string not null",
    "ordering": "int not null",
    "title": "string",
    "region": "string",
    "isOriginalTitle": "int",
}
NAME_BASICS = {
    "nconst": "string not null",
    "primaryName": "string",
    "birthYear": "int",
    "primaryProfession": "array<string>",
    "knownForTitles": "array<string>",
}


def w5() -> dict[str, Flow]:
    """How many other titles movies have for one original title, by year."""
    p = Flow(
        "w5",
        "W5, base version: the ratio of non-original to original movie titles by year (IMDB).\n"
        "`movies` fans out to both kinds of titles: one Replicate.",
    )
    p.add(
        "title_akas",
        "source",
        columns=TITLE_AKAS,
        keys=[["titleId", "ordering"]],
        foreign_keys=[{"columns": ["titleId"], "table": "title_basics", "references": ["tconst"]}],
    )
    p.add("title_basics", "source", columns=TITLE_BASICS, keys=["tconst"])
    p.add("titled", "join", "title_akas", "title_basics", on="titleId = tconst")
    p.add("movies", "filter", "titled", predicate="titleType = 'movie'")
    p.add("original", "filter", "movies", predicate="isOriginalTitle = 1")
    p.add(
        "originals",
        "aggregate",
        "original",
        by=["startYear"],
        calls={"original_titles": "count(*)"},
    )
    p.add("other", "filter", "movies", predicate="isOriginalTitle = 0")
    p.add(
        "others",
        "aggregate",
        "other",
        by=[{"name": "year", "expression": "startYear"}],
        calls={"other_titles": "count(*)"},
    )
    p.add("both", "join", "originals", "others", on="startYear = year")
    ratio = {"name": "ratio", "expression": "other_titles / original_titles"}
    p.add("ratios", "project", "both", columns=["startYear", "other_titles", ratio])
    p.add("ordered", "sort", "ratios", by=["ratio desc", "startYear"])
    p.add("report", "sink", "ordered")

    v2 = p.edited(
        "W5, version 2, equivalent: `movies` pushed past the join to the titles' basics, so that\n"
        "the join fans out (testPushFilterPastJoin); an empty projection before `others`\n"
        "(testEmptyProject)."
    )
    v2.move("movies", "title_basics", "titled")
    v2.insert("empty", "project", "other", "others", columns=["*"])

    v3 = p.edited(
        "W5, version 3, not equivalent: the original titles shown instead of the others;\n"
        "sorted by year."
    )
    v3.change("ratios", columns=["startYear", "original_titles", ratio])
    v3.change("ordered", by=["startYear"])
    return {"v1": p, "v2": v2, "v3": v3}


def w6() -> dict[str, Flow]:
    """The movies of directors of a time who made a recent and a long movie."""
    p = Flow(
        "w6",
        "W6, base version: all movies of directors born since 1950 who are known for a recent and\n"
        "for a long movie (IMDB). `name_basics` and `movies` fan out: two Replicates.",
    )
    p.add("name_basics", "source", columns=NAME_BASICS, keys=["nconst"])
    p.add("title_basics", "source", columns=TITLE_BASICS, keys=["tconst"])
    p.add(
        "professions",
        "unnest",
        "name_basics",
        generator="primaryProfession",
        names=["profession"],
    )
    p.add("directing", "filter", "professions", predicate="profession = 'director'")
    p.add(
        "directors",
        "project",
        "directing",
        columns=[
            {"name": "director", "expression": "nconst"},
            {"name": "known_for", "expression": "knownForTitles"},
        ],
    )
    p.add("known_titles", "unnest", "directors", generator="known_for", names=["title_id"])
    p.add("titled", "join", "known_titles", "title_basics", on="title_id = tconst")
    p.add("movies", "filter", "titled", predicate="titleType = 'movie'")
    p.add("recent", "filter", "movies", predicate="startYear >= 2000")
    p.add(
        "recent_directors",
        "project",
        "recent",
        columns=[{"name": "recent_director", "expression": "director"}],
    )
    p.add(
        "with_recent",
        "join",
        "movies",
        "recent_directors",
        kind="semi",
        on="director = recent_director",
    )
    p.add("long", "filter", "movies", predicate="runtimeMinutes > 120")
    p.add(
        "with_long",
        "join",
        "with_recent",
        "long",
        kind="semi",
        on="with_recent.director = long.director",
    )
    p.add("born", "filter", "name_basics", predicate="birthYear >= 1950")
    p.add("named", "join", "with_long", "born", on="director = nconst")
    p.add(
        "shown",
        "project",
        "named",
        columns=["primaryName", "primaryTitle", "startYear"],
    )
    p.add("ordered", "sort", "shown", by=["primaryName", "startYear", "primaryTitle"])
    p.add("report", "sink", "ordered")

    v2 = p.edited(
        "W6, version 2, equivalent: `movies` pushed past the join to the titles, so that the join\n"
        "fans out; `born` pulled past the join (testPushFilterPastJoin, forwards and backwards)."
    )
    v2.move("movies", "title_basics", "titled")
    v2.move("born", "named", "shown")

    v3 = p.edited(
        "W6, version 3, not equivalent: the length shown instead of the year; sorted by it."
    )
    v3.change("shown", columns=["primaryName", "primaryTitle", "runtimeMinutes"])
    v3.change("ordered", by=["runtimeMinutes desc", "primaryName", "primaryTitle"])
    return {"v1": p, "v2": v2, "v3": v3}
