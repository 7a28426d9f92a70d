"""The world outside of the tables: what a job learns of it while it is loaded enters no dataflow unseen."""

from __future__ import annotations

import json
import subprocess
import textwrap
from pathlib import Path

import pytest

from tests.command import veer as command
from veer.api import load, load_pair, verify
from veer.assumptions import ReadWith
from veer.errors import InputError, UnsupportedError
from veer.options import JvmUse
from veer.verdict import Report, Verdict

DDL = "CREATE TABLE t (id INT, k STRING, n STRING, day DATE)"
HEAD = "from pyspark.sql import functions as F\n"


def judged(
    folder: Path, before: str, after: str | None = None, env: tuple[str, ...] = ()
) -> Report:
    """The report on two versions of a job, `after` being the same as before unless it is given."""
    for name, text in (("before.py", before), ("after.py", before if after is None else after)):
        (folder / name).write_text(HEAD + textwrap.dedent(text).lstrip("\n"))
    specs = (f"{folder / 'before.py'}:job", f"{folder / 'after.py'}:job")
    return verify(*load_pair(*specs, schema=DDL, env=env, jvm=JvmUse.NEVER))


def job(body: str, *above: str) -> str:
    """A job that returns the table with the value of an expression."""
    head = "".join(f"{line}\n" for line in above)
    return f"{head}def job(spark):\n    return spark.table('t').withColumn('v', {body})\n"


def chosen(condition: str, *above: str) -> str:
    """A job whose rows a condition of the world chooses."""
    head = "".join(f"{line}\n" for line in above)
    return f"""{head}def job(spark):
    t = spark.table('t')
    if {condition}:
        return t.where('id > 1')
    return t
"""


# What lets the world in, and what is said of it; each in a file of its own.
LET_IN = {
    "date": (job("F.lit(date.today())", "from datetime import date"), ":4: the value of the clock"),
    "moment": (job("F.lit(datetime.now())", "from datetime import datetime"), "the clock"),
    "text of a date": (job("F.lit(str(date.today()))", "from datetime import date"), "the clock"),
    "parts of a date": (job("F.lit(TODAY.year)", "import datetime as d", "TODAY = d.date.today()"),
                        "the clock"),
    "text of a clock": (job("F.lit(time.strftime('%Y'))", "import time"), "the clock"),
    "clock decides": (chosen("time.time() % 2 > 1", "import time"), "the clock"),
    "day decides": (chosen("datetime.now().strftime('%A') == 'Monday'",
                           "from datetime import datetime"), "the clock"),
    "clock by another name": (job("F.lit(partial(timer)())", "from functools import partial",
                                  "from timeit import default_timer as timer"), "the clock"),
    "clock of a field": (job("F.lit(str(Run().at))", "from dataclasses import dataclass, field",
                             "from datetime import datetime", "@dataclass", "class Run:",
                             "    at: datetime = field(default_factory=datetime.now)"), "the clock"),
    "clock of a thread": (job("F.lit(ThreadPoolExecutor().submit(time.time).result())",
                              "import time", "from concurrent.futures import ThreadPoolExecutor"),
                          "the clock"),
    "clock of no time": (job("F.lit(time.localtime(None).tm_year)", "import time"), "the clock"),
    "clock by its number": (job("F.lit(time.clock_gettime(0))", "import time"), "the clock"),
    "clock of a record": (job("F.lit(logging.makeLogRecord({}).created)", "import logging"),
                          "loaded again in another process"),
    "word for today": (job("F.lit(str(np.datetime64('today')))", "import numpy as np"),
                       ":4: the code asks a package for the current date or time"),
    "pandas": (job("F.lit(str(pd.Timestamp.now()))", "import pandas as pd"), "the clock"),
    "environment": (job("F.lit(os.environ['STAGE'])", "import os"),
                    ":4: the environment variable STAGE is read; give --env STAGE=VALUE"),
    "default": (chosen("os.getenv('STAGE', 'dev') == 'prod'", "import os"), "variable STAGE"),
    "is set": (chosen("'STAGE' in os.environ", "import os"), "variable STAGE"),
    "home": (job("F.lit(os.path.expanduser('~'))", "import os"), "variable HOME"),
    "all variables": (job("F.lit(len(dict(os.environ)))", "import os"), "all variables"),
    "deleted": ('''import os
def job(spark):
    try:
        del os.environ["STAGE"]
    except KeyError:
        return spark.table("t")
    return spark.table("t").where("id > 1")
''', ":5: the environment variable STAGE"),
    "inner table": (job("F.lit(len(os.environ._data))", "import os"), "all variables"),
    "variable in a thread": (job("F.lit(ThreadPoolExecutor().submit(os.getenv, 'A', 'x').result())",
                                 "import os", "from concurrent.futures import ThreadPoolExecutor"),
                             "variable A"),
    "bytes": (job("F.lit(os.environb.get(b'STAGE', b'x').decode())", "import os"), "STAGE"),
    "folder": (job("F.lit(os.getcwd())", "import os"), "os.getcwd()"),
    "folder of pathlib": (job("F.lit(str(Path.cwd()))", "from pathlib import Path"), "cwd"),
    "absolute path": (job("F.lit(os.path.abspath('x'))", "import os"), "the folder it is in"),
    "place of the file": (job("F.lit(__file__)"), "the folder it is in"),
    "host": (job("F.lit(socket.gethostname())", "import socket"), "gethostname"),
    "platform": (job("F.lit(platform.system())", "import platform"), "platform.system"),
    "user": (job("F.lit(getpass.getuser())", "import getpass"), "getuser"),
    "process": (chosen("os.getpid() > 100", "import os"), "os.getpid"),
    "packages": (chosen("metadata.version('pyspark') > '3'", "from importlib import metadata"),
                 "metadata.version"),
    "random": (job("F.lit(random.random())", "import random"), "random numbers without a seed"),
    "random decides": (chosen("random.choice([True, False])", "import random"), "random numbers"),
    "own generator": (job("F.lit(random.Random().random())", "import random"), "random numbers"),
    "secrets": (job("F.lit(secrets.token_hex(4))", "import secrets"), "random numbers"),
    "uuid": (job("F.lit(str(uuid.uuid4()))", "import uuid"), "uuid.uuid4"),
    "numpy": (job("F.lit(float(np.random.rand()))", "import numpy as np"), "random numbers"),
    "hash": (job("F.lit(hash('a') % 1000)"), ":3: the value of hash()"),
    "hash decides": (chosen("hash('a') % 2"), "the value of hash()"),
    "python": (job("F.lit(sys.executable)", "import sys"), "the folder it is in"),
    "c": (job("F.lit(ctypes.pythonapi.getpid())", "import ctypes"), "C is called"),
    "stat": (job("F.lit(os.stat(__file__).st_mtime)", "import os"), "what a file system says"),
    "set": (job("F.coalesce(*{'n', 'k', 'a', 'b'} & {'n', 'k'})"), "loaded again"),
    **{f"set of {a} and {b}": (job(f"F.coalesce(*{{'{a}', '{b}'}})"), "loaded again")
       for a, b in (("n", "k"), ("id", "k"), ("id", "n"))},
    "set decides": (chosen("list({'n', 'k'})[0] == 'n'"), "loaded again"),
    "set loses one": (job("F.col(names.pop())", "names = {'n', 'k'}"), "loaded again"),
    "set is unpacked": (job("F.col(first)", "first, _ = {'n', 'k'}"), "loaded again"),
    "set as a text": (job("F.lit('-'.join(x for x in {'n', 'k'}))"), "loaded again"),
    "address": (job("F.lit(repr(object()))"), "loaded again in another process"),
    "command line": (chosen("len(sys.argv) > 1", "import sys"), "the command line is read"),
    "options": (job("F.lit(argparse.ArgumentParser().parse_args().__str__())", "import argparse"),
                "the command line is read"),
    "typed": (job("F.lit(input())"), "input is read"),
    "process started": (job("F.lit(subprocess.check_output(['id']).decode())",
                            "import subprocess"), ":4: a process is started"),
    "shell": (chosen("os.system('true') == 0", "import os"), "a process is started"),
    "file outside": (job("F.lit(open('/etc/hostname').read())"), "outside of the project"),
    "is a file there": (chosen("os.path.exists('/etc/veer')", "import os"), "the job looks at /etc/veer"),
    "folder outside": (job("F.lit(len(list(Path('/etc').iterdir())))",
                           "from pathlib import Path"), "the job looks at /etc"),
    "git": (job("F.lit(open('.git/HEAD').read())"), "the job looks at .git/HEAD"),
    "time of a file": (job("F.lit(os.path.getmtime(__file__))", "import os"), "getmtime"),
    "partitions": (job("F.lit(spark.sparkContext.defaultParallelism)"), "defaultParallelism"),
    "master": (job("F.lit(spark.conf.get('spark.master', 'x'))"), "--conf spark.master=VALUE"),
}  # fmt: skip


@pytest.mark.parametrize("name", LET_IN)
def test_world_enters_no_dataflow(name: str, tmp_path: Path) -> None:
    text, said = LET_IN[name]
    (tmp_path / "job.py").write_text(HEAD + text)
    with pytest.raises(InputError) as refused:
        load(f"{tmp_path / 'job.py'}:job", schema=DDL, jvm=JvmUse.NEVER)
    assert said in str(refused.value)


NETWORK = {
    "urllib": ("urllib.request", "urllib.request.urlopen('http://veer.invalid/x').read()"),
    "lookup": ("socket", "socket.getaddrinfo('veer.invalid', 80)"),
    "name": ("socket", "socket.gethostbyname('veer.invalid')"),
    "connection": ("socket", "socket.create_connection(('127.0.0.1', 9), 1)"),
}


@pytest.mark.parametrize("name", NETWORK)
def test_fallback_does_not_decide(name: str, tmp_path: Path) -> None:
    module, asked = NETWORK[name]
    at_import = f"""
        import {module}
        try:
            ALLOWED = {asked}
        except Exception:
            ALLOWED = []
        def job(spark):
            return spark.table('t').where(F.col('id').isin(*ALLOWED))
        """
    inside = f"""
        import {module}
        def allowed():
            try:
                return {asked}
            except BaseException:
                return []
        def job(spark):
            return spark.table('t').where(F.col('id').isin(*allowed()))
        """
    for text, line in ((at_import, 4), (inside, 5)):
        (tmp_path / "job.py").write_text(HEAD + textwrap.dedent(text).lstrip("\n"))
        with pytest.raises(InputError, match=rf"job.py:{line}: (the network is|a socket)"):
            load(f"{tmp_path / 'job.py'}:job", schema=DDL, jvm=JvmUse.NEVER)


# What only looks as if the world came in: each is equal to itself.
HARMLESS = {
    "time it took": """
        import logging
        import time
        logger = logging.getLogger(__name__)
        STARTED = time.time()
        def job(spark):
            start = time.time()
            t = spark.table('t').where('id > 1')
            print(f"took {time.time() - start:.2f} s")
            elapsed = round(time.perf_counter(), 2)
            logger.info("took %s of %.1f", elapsed, time.time() - STARTED)
            return t
        """,
    "decorator": """
        import functools, time
        from datetime import datetime
        def timed(function):
            @functools.wraps(function)
            def wrapper(*args, **named):
                start = datetime.now()
                result = function(*args, **named)
                print("took", (datetime.now() - start).total_seconds())
                return result
            return wrapper
        @timed
        def job(spark):
            return spark.table('t').where('id > 1')
        """,
    "logger of an object": """
        import logging, time
        class Job:
            def __init__(self):
                self.logger = logging.getLogger("job")
                self.start = time.time()
            def run(self, spark):
                self.logger.info(f"started at {self.start}, took {time.time() - self.start}")
                return spark.table('t')
        def job(spark):
            return Job().run(spark)
        """,
    "where it runs": """
        import os, platform, socket
        def job(spark):
            print(f"on {socket.gethostname()}, {platform.python_version()}, {os.getpid()}")
            print(f"{spark.sparkContext.appName} {spark.sparkContext.master}")
            return spark.table('t')
        """,
    "own variables": """
        import os, sys
        os.environ["STAGE"] = "prod"
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        def job(spark):
            return spark.table('t').withColumn('v', F.lit(os.environ["STAGE"]))
        """,
    "seed": """
        import random
        random.seed(7)
        def job(spark):
            return spark.table('t').withColumn('v', F.lit(random.randint(1, 9)))
        """,
    "sorted set": """
        def job(spark):
            return spark.table('t').select(*sorted({'n', 'k', 'id'} - {'id'}))
        """,
    "set in an IN": """
        WANTED = {1, 20, 300} | {4000}
        NAMES = {'n', 'k', 'id'}
        def job(spark):
            found = spark.table('t').where(F.col('id').isin(WANTED) | F.col('n').isin(*WANTED))
            return found.drop(*NAMES.difference({'n', 'id'}))
        """,
    "membership": """
        WANTED = {'n', 'k'}
        def job(spark):
            t = spark.table('t')
            return t.select(*[c for c in t.columns if c in WANTED])
        """,
    "given moment": """
        from datetime import date, datetime, timedelta
        import time
        def job(spark):
            day = date(2024, 1, 31) - timedelta(days=1)
            text = time.strftime('%Y', time.gmtime(0))
            return spark.table('t').where(F.col('day') > F.lit(day)).withColumn('v', F.lit(text))
        """,
    "moment of the run": """
        def job(spark):
            return spark.table('t').where(F.col('day') == F.current_date())
        """,
    "size of a file": """
        from pathlib import Path
        def job(spark):
            here = Path(__file__)
            assert here.is_file() and here.exists() and here.stat().st_size > 10
            return spark.table('t')
        """,
    "own hash": """
        class Key:
            def __hash__(self):
                return hash(("a", 1))
            def __eq__(self, other):
                return isinstance(other, Key)
        def job(spark):
            return spark.table('t').withColumn('v', F.lit({Key(): 1}[Key()] + hash(5)))
        """,
    "isinstance": """
        from datetime import date, datetime
        def job(spark):
            d = datetime(2024, 1, 1)
            assert type(d) is datetime and isinstance(d, date)
            return spark.table('t')
        """,
}


@pytest.mark.parametrize("name", HARMLESS)
def test_jobs_that_only_look_at_it_are_read(name: str, tmp_path: Path) -> None:
    assert judged(tmp_path, HARMLESS[name]).verdict is Verdict.EQUIVALENT


def test_other_seed_is_another_job(tmp_path: Path) -> None:
    seeded = HARMLESS["seed"]
    assert judged(tmp_path, seeded, seeded.replace("7", "8")).verdict is Verdict.INEQUIVALENT


# -- variables that are given --------------------------------------------------------------------

STAGED = chosen("os.environ.get('STAGE', 'dev') == 'prod'", "import os")


@pytest.mark.parametrize(
    ("given", "value", "other"),
    [
        ("STAGE=prod", "prod", "t.where('id >= 2')"),
        ("STAGE=", "", "t"),
        ("STAGE", None, "t"),
    ],
)
def test_given_variables_are_listed(
    given: str, value: str | None, other: str, tmp_path: Path
) -> None:
    after = f"def job(spark):\n    t = spark.table('t')\n    return {other}\n"
    report = judged(tmp_path, STAGED, after, env=(given, "UNUSED=1"))
    assert report.verdict is Verdict.EQUIVALENT
    assert report.sinks[0].assumptions == (ReadWith("STAGE", value),)
    wrong = after.replace("return t", "return t.where('id > 5')", 1)
    assert judged(tmp_path, STAGED, wrong, env=(given,)).verdict is Verdict.INEQUIVALENT


def test_variables_of_the_shell_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(HEAD + STAGED)
    words = ("verify", "job.py:job", "job.py:job", "--jvm", "never", "--schema", DDL)
    refused = command(*words, cwd=tmp_path, env={"STAGE": "prod"})
    assert refused.returncode == 65
    assert "job.py:5: the environment variable STAGE is read" in refused.stderr
    listed = command(*words, "--env", "STAGE=prod", cwd=tmp_path)
    assert listed.returncode == 0
    assert "read with STAGE=prod" in listed.stdout
    (tmp_path / "veer.toml").write_text('[env]\nSTAGE = "prod"\n')
    assert "read with STAGE=prod" in command(*words, cwd=tmp_path).stdout
    assert "id > 1" in command("show", *words[1:2], *words[3:], cwd=tmp_path).stdout
    assert command(*words, "--env", "=x", cwd=tmp_path).returncode == 64


# -- files of the project ------------------------------------------------------------------------

CONFIGURED = """
import json
from pathlib import Path
HERE = Path(__file__).parent
def job(spark):
    least = json.loads((HERE / "settings.json").read_text())["least"]
    most = json.load(open("settings.json"))["most"]
    return spark.table('t').where(F.col('id').between(least, most))
"""


def commit(folder: Path) -> None:
    """A repository of what is in a folder."""
    who = ("-c", "user.name=v", "-c", "user.email=v@example.com")
    for words in (("init", "-q", "."), ("add", "-A"), ("commit", "-qm", "first")):
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_a_check_lists_given_variables(tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text(
        "from pyspark.sql import SparkSession\n" + STAGED.replace("spark)", "spark: SparkSession)")
    )
    (tmp_path / "veer.toml").write_text('[jobs]\nreport = "job.py:job"\n')
    commit(tmp_path)
    job.write_text(job.read_text().replace("id > 1", "id >= 2"))
    words = ("check", "--base", "HEAD", "--jvm", "never", "--schema", DDL, "--cache", "kept")
    refused = command(*words, cwd=tmp_path)
    assert refused.returncode == 2 and "variable STAGE is read" in refused.stdout
    for stage in ("prod", "prod", "dev"):
        shown = command(*words, "--env", f"STAGE={stage}", "--format", "json", cwd=tmp_path)
        (sink,) = json.loads(shown.stdout)["jobs"][0]["sinks"]
        assert sink["verdict"] == "equivalent"
        assert sink["assumptions"] == [f"read with STAGE={stage}, as given"]


def test_files_of_the_project_are_part_of_the_version(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(HEAD + CONFIGURED)
    settings = tmp_path / "settings.json"
    settings.write_text('{"least": 1, "most": 5}')
    commit(tmp_path)
    words = ("verify", "--base", "HEAD", "job.py:job", "--jvm", "never", "--schema", DDL)
    assert command(*words, cwd=tmp_path).returncode == 0
    settings.write_text('{"least": 1,\n "most": 5}')
    assert command(*words, cwd=tmp_path).returncode == 0
    settings.write_text('{"least": 1, "most": 6}')
    assert command(*words, cwd=tmp_path).returncode == 1


def test_order_of_files_is_no_order(tmp_path: Path) -> None:
    (tmp_path / "sql").mkdir()
    for name in "bac":
        (tmp_path / "sql" / f"{name}.sql").write_text(f"id > {ord(name)}")
    listed = """
        import glob
        def job(spark):
            t = spark.table('t')
            for number, file in enumerate({order}(glob.glob("sql/*.sql"))):
                t = t.where(open(file).read()).withColumn(f"n{{number}}", F.lit(open(file).read()))
            return t
        """
    assert judged(tmp_path, listed.format(order="sorted")).verdict is Verdict.EQUIVALENT
    with pytest.raises(UnsupportedError, match="loaded again"):
        judged(tmp_path, listed.format(order="list"))


# -- functions of the program --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("above", "body"),
    [
        ("from datetime import date", "date.today().year + x"),
        ("import os", "int(os.environ.get('N', '1')) + x"),
        ("import random", "random.randint(1, 3) + x"),
        ("import time", "int(time.time()) + x"),
    ],
)
def test_functions_that_ask_are_no_functions(above: str, body: str, tmp_path: Path) -> None:
    called = f"""
{above}
@F.udf("int")
def f(x):
    return {body}
def job(spark):
    return spark.table('t').select(f('id').alias('v'), f('id').alias('w'))
"""
    once = (
        called.replace("f('id').alias('w')", "F.col('v').alias('w')")
        .replace(
            "spark.table('t').select(", "spark.table('t').withColumn('v', f('id')).select('v', "
        )
        .replace("f('id').alias('v'), ", "")
    )
    assert judged(tmp_path, called, once).verdict is not Verdict.EQUIVALENT


def test_constants_of_functions_are_not_of_the_world(tmp_path: Path) -> None:
    text = """
        from datetime import date
        TODAY = date.today()
        @F.udf("boolean")
        def late(day):
            return day < TODAY
        def job(spark):
            return spark.table('t').where(late('day'))
        """
    with pytest.raises(InputError, match="the clock"):
        judged(tmp_path, text)
    fixed = text.replace("date.today()", "date(2024, 1, 1)")
    assert judged(tmp_path, fixed).verdict is Verdict.EQUIVALENT


@pytest.mark.spark
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            """
            import socket
            try:
                LEAST = len(socket.gethostbyname('veer.invalid'))
            except BaseException:
                LEAST = 1
            def job(spark):
                return spark.table('t').where(F.col('id') > LEAST)
            """,
            "job.py:4: the network is asked",
        ),
        (job("F.lit(spark.sparkContext.appName)"), "sparkContext.appName"),
        (job("F.coalesce(*{'n', 'k', 'a', 'b'} & {'n', 'k'})"), "loaded again in another process"),
        (job("F.lit(spark.conf.get('spark.sql.shuffle.partitions'))"), ""),
    ],
)
def test_a_jvm_changes_nothing_of_it(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(HEAD + textwrap.dedent(text).lstrip("\n"))
    spec = f"{tmp_path / 'job.py'}:job"
    if said:
        with pytest.raises(InputError, match=said):
            load(spec, schema=DDL, jvm=JvmUse.ALWAYS)
    else:
        told = load(spec, schema=DDL, jvm=JvmUse.ALWAYS).dataflow.operators
        assert "200" in repr(told)
