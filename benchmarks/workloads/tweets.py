"""W7 and W8: analyses of tweets, and the paper's running example."""

from __future__ import annotations

from benchmarks.workloads.flow import Flow

USERS = {"user_id": "bigint not null", "name": "string", "description": "string"}
TWEETS = {
    "tweet_id": "bigint not null",
    "author_id": "bigint",
    "text": "string",
    "lang": "string",
    "likes": "int",
}
RELATED = "topic = 'related'"


def _matcher_and_classifier(flow: Flow, tweets: str) -> None:
    """The two library operators of the tobacco dataflows."""
    flow.add(
        "b",
        "dictionary_matcher",
        "a",
        description="commercial or non-commercial",
        column="description",
        dictionary={
            "commercial": ["shop", "store", "sale", "vape"],
            "otherwise": "non-commercial",
        },
        output="commerce",
    )
    flow.add(
        "e",
        "classifier",
        tweets,
        description="related or non-related",
        column="text",
        model="tobacco-topic-1",
        output="topic",
    )


def w7() -> dict[str, Flow]:
    """The influencers on tobacco, and the same edits on the running example."""
    p = Flow(
        "w7",
        "W7, base version: the ten most active non-commercial influencers on tobacco.\n"
        "Ids as in the running example. The influencer decides between equal counts: the limit is "
        "no choice.",
    )
    p.add("a", "source", table="users", columns=USERS, keys=["user_id"])
    p.add("c", "source", table="tweets", columns=TWEETS, keys=["tweet_id"])
    p.add("english", "filter", "c", predicate="lang = 'en'")
    p.add("d", "keyword", "english", column="text", keyword="tobacco")
    _matcher_and_classifier(p, "d")
    p.add("f", "join", "b", "e", kind="left", on="user_id = author_id")
    p.add(
        "j",
        "aggregate",
        "f",
        by=[
            {"name": "influencer", "expression": "user_id"},
            "commerce",
            {"name": "about", "expression": "topic"},
        ],
        calls={"count": "count(tweet_id)", "likes": "sum(likes)", "most_liked": "max(likes)"},
    )
    p.add("k", "filter", "j", predicate="commerce = 'non-commercial'")
    p.add("o", "filter", "k", predicate="about = 'related'")
    p.add("l", "sort", "o", by=["count desc", "influencer"])
    p.add("m", "limit", "l", count=10)
    p.add("q", "project", "m", columns=["influencer", "count", "likes"])
    p.add("p", "chart", "q", name="influencers", chart="scatterplot", x="count", y="likes")

    v2 = p.edited(
        "W7, version 2, equivalent: `o` moved down past the aggregate and the outer join to the\n"
        "tweets (g); a filter added after the outer join (h), as in the running example."
    )
    v2.remove("o")
    v2.insert("g", "filter", "e", "f", predicate=RELATED)
    v2.insert("h", "filter", "f", "j", predicate=RELATED)

    v3 = p.edited(
        "W7, version 3, not equivalent: the most liked tweet instead of all likes; the chart\n"
        "shows it."
    )
    v3.change("q", columns=["influencer", "count", "most_liked"])
    v3.change("p", y="most_liked")
    return {"v1": p, "v2": v2, "v3": v3, **_running_example()}


def _running_example() -> dict[str, Flow]:
    """The two versions of the paper's first figure: only the chart p is the same in both."""
    p = Flow(
        "running-example",
        "The paper's running example, version 1, as in examples/tobacco: relevant tweets by the ten\n"
        "most active non-commercial influencers. 14 operators and 14 links; e and f fan out.",
    )
    p.add("a", "source", table="users", columns=USERS, keys=["user_id"])
    tweets = {name: type_ for name, type_ in TWEETS.items() if name != "lang"}
    p.add("c", "source", table="tweets", columns=tweets, keys=["tweet_id"])
    p.add("d", "keyword", "c", column="text", keyword="tobacco")
    _matcher_and_classifier(p, "d")
    p.add("f", "join", "b", "e", kind="left", on="b.user_id = e.author_id")
    p.add("i", "sink", "f", name="all tweets")
    p.add(
        "j",
        "aggregate",
        "f",
        by=[
            {"name": "influencer", "expression": "user_id"},
            "commerce",
            {"name": "about", "expression": "topic"},
        ],
        calls={"count": "count(tweet_id)"},
    )
    p.add("k", "filter", "j", predicate="commerce = 'non-commercial' AND about = 'related'")
    p.add("l", "sort", "k", by=["count desc", "influencer"])
    p.add("m", "limit", "l", count=10)
    p.add("n", "join", "m", "e", on="m.influencer = e.author_id")
    p.add("o", "filter", "n", predicate=RELATED)
    p.add("p", "chart", "o", name="influencers", chart="scatterplot", x="count", y="likes")

    q = p.edited(
        "The paper's running example, version 2: 'related' moved down (g), and added before the\n"
        "views (h). The chart p shows the same, the sink i does not."
    )
    q.remove("o")
    q.insert("g", "filter", "e", "n", predicate=RELATED)
    q.change("n", on="m.influencer = g.author_id")
    q.insert("h", "filter", "f", "j", predicate=RELATED)
    q.links = [("h", "i", None) if link == ("f", "i", None) else link for link in q.links]
    names = list(q.operators)
    names.remove("h")
    names.insert(names.index("f") + 1, "h")
    q.operators = {name: q.operators[name] for name in names}
    return {"running_v1": p, "running_v2": q}


BY_WORDS = """\
FEMALE = ("maria", "mary")
MALE = ("john", "jose")

def infer_gender(name):
    words = (name or "").lower().split()
    if words and words[0] in FEMALE:
        return "female"
    return "male" if words and words[0] in MALE else "unknown"
"""
BY_TABLE = """\
GENDERS = {"maria": "female", "mary": "female", "john": "male", "jose": "male"}

def infer_gender(name):
    first = ((name or "").lower().split() or [""])[0]
    return GENDERS.get(first, "unknown")
"""


def w8() -> dict[str, Flow]:
    """Who tweets about wildfires: a function infers the gender from a name."""
    p = Flow("w8", "W8, base version: tweets about wildfires with the gender inferred from names.")
    p.add(
        "tweets",
        "source",
        columns={
            "tweet_id": "bigint not null",
            "author_id": "bigint",
            "text": "string",
            "lang": "string",
            "likes": "int",
            "retweets": "int",
        },
        keys=["tweet_id"],
        foreign_keys=[{"columns": ["author_id"], "table": "users", "references": ["user_id"]}],
    )
    p.add(
        "users",
        "source",
        columns={
            "user_id": "bigint not null",
            "name": "string",
            "location": "string",
            "followers": "int",
        },
        keys=["user_id"],
    )
    p.add("wildfires", "keyword", "tweets", column="text", keyword="wildfire")
    p.add("english", "filter", "wildfires", predicate="lang = 'en'")
    p.add("spread", "filter", "english", predicate="retweets > 0")
    p.add("californians", "filter", "users", predicate="location = 'California'")
    p.add("written", "join", "spread", "californians", on="author_id = user_id")
    p.add("named", "filter", "written", predicate="name IS NOT NULL")
    p.add(
        "gender",
        "udf",
        "named",
        function="infer-gender",
        code=BY_WORDS,
        reads=["name"],
        adds={"gender": "string"},
    )
    p.add("inferred", "filter", "gender", predicate="gender <> 'unknown'")
    p.add("shown", "project", "inferred", columns=["tweet_id", "gender", "likes"])
    p.add("ordered", "sort", "shown", by=["likes desc", "tweet_id"])
    p.add("report", "sink", "ordered")

    v2 = p.edited(
        "W8, version 2, equivalent: the function rewritten, which gives what it gave;\n"
        "`named` merged into it: names that are missing have no gender."
    )
    v2.change("gender", code=BY_TABLE)
    v2.remove("named")

    v3 = p.edited(
        "W8, version 3, not equivalent: the retweets shown instead of the likes; sorted by them."
    )
    v3.change("shown", columns=["tweet_id", "gender", "retweets"])
    v3.change("ordered", by=["retweets desc", "tweet_id"])
    return {"v1": p, "v2": v2, "v3": v3}
