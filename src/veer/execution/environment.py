"""What results depend on beside the computation and its sources: Spark, Java, Hadoop, Python.

Each list below names what is known to change no result. Whatever is not on it is part of the key
of a result, if it is set to anything but Spark's own default.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veer.read.pyspark.setting_rows import OF_WRITES
from veer.read.session_settings import (
    check_settings,
    require_runnable,
    settings_of,
    settings_set,
)
from veer.settings import ANSI, ZONE, SessionSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _names(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


# With what Spark computes, where it logs, what it is called: not what comes out.
RESOURCES = _names(
    r"spark\.app\.(id|name|startTime|submitTime|attempt\.id)|spark\.master|spark\.submit\.deployMode",
    r"spark\.driver\.(host|port|bindAddress|memory\w*|cores|maxResultSize|blockManager\.port)",
    r"spark\.driver\.(extra|default)JavaOptions",  # by what they set, below
    r"spark\.driver\.appUIAddress|spark\.app\.initial\..*|spark\.yarn\.app\..*",
    r"spark\.kubernetes\.(driver\.pod\.name|executor\.podNamePrefix|submission\..*)",
    r"spark\.executor\.(id|memory\w*|cores|instances|heartbeatInterval|pyspark\.memory)",
    r"spark\.executor\.(resource|logs|metrics|decommission)\..*",
    r"spark\.(cores\.max|local\.dir|logConf|default\.parallelism|port\.maxRetries|rdd\.compress)",
    r"spark\.(ui|eventLog|history|log|memory|storage|broadcast|network|rpc|cleaner|speculation)\..*",
    r"spark\.(dynamicAllocation|scheduler|stage|excludeOnFailure|authenticate|acls|ssl)\..*",
    r"spark\.(authenticate|speculation)",
    r"spark\.task\.(cpus|maxFailures|reaper\..*|resource\..*)",
    r"spark\.shuffle\.(compress|spill\..*|service\..*|io\..*|file\..*|sort\..*|checksum\..*)",
    r"spark\.serializer\.objectStreamReset|spark\.kryoserializer\.buffer(\.max)?",
    r"spark\.kubernetes\.(namespace|authenticate\..*)",
    r"spark\.kubernetes\.(driver|executor)\.((request|limit)\.cores|label\..*|annotation\..*)",
    r"spark\.yarn\.(queue|tags|priority|maxAppAttempts|am\.(memory|cores)|submit\..*)",
    r"spark\.hadoop\.parquet\.page\.verify-checksum\.enabled",
)
# How Spark SQL plans and shows, and what plans show themselves.
PLANNING = _names(
    r"shuffle\.partitions|adaptive\..*|autoBroadcastJoinThreshold|broadcastTimeout|warehouse\.dir",
    r"catalogImplementation|files\.(maxPartition\w+|minPartition\w+|openCostInBytes)|ui\..*",
    r"(parquet|orc)\.compression\.codec|sources\.parallelPartitionDiscovery\..*",
    r"execution\.arrow\.pyspark\.(enabled|fallback\.enabled|selfDestruct\.enabled)",
    r"statistics\..*|cbo\..*|codegen\..*|inMemoryColumnarStorage\..*|debug\.maxToStringFields",
    r"redaction\..*|max\w*StringLength|repl\..*|artifact\.isolation\..*|thriftServer\..*",
    r"planChangeLog\..*|dataFrameQueryContext\..*|stackTracesInDataFrameContext|session\.timeZone",
    r"ansi\.enabled|pyspark\.(jvmStacktrace\.enabled|udf\.profiler)|join\.preferSortMergeJoin",
    r"subquery\.maxThreadThreshold|streaming\..*|hive\.metastore\..*",
)
USUAL_SETTINGS = {
    "spark.submit.pyFiles": "",
    "spark.executorEnv.TZ": "UTC",
}
# Options of a Java process that set no property anybody looks at.
JAVA_FLAGS = _names(
    r"-XX:.*|-Xm[sx].*|-Xss.*|-Xlog.*|-verbose.*|-ea|-server|--add-(opens|exports|modules|reads)=.*",
    r"--enable-native-access=.*|--sun-misc-unsafe-memory-access=.*",
    r"-D(java\.net|jdk|io\.netty|sun\.nio|log4j2?|io\.grpc)\..*|-Dderby\..*",
)
PROPERTIES = _names(
    r"java\.(class|runtime|specification|vendor|vm|net|awt|security|rmi|library|io)\..*",
    r"java\.(home|version|version\.date|vendor)|jdk\..*|sun\..*|os\..*|user\.(dir|name|home)",
    r"native\.encoding|(file|path|line)\.separator|SPARK_SUBMIT|spark\..*|derby\..*|io\.(netty|grpc)\..*",
    r"log4j.*|py4j\..*|(http|https|ftp|socks)\..*|\w*[pP]roxy.*|com\.sun\.management\..*|awt\..*",
    r"stdout\.encoding|stderr\.encoding|jetty\..*|org\.(jboss|slf4j|apache\.logging)\..*",
)
USUAL_PROPERTIES = {
    "user.timezone": "UTC",
    "file.encoding": "UTF-8",
    "user.language": "en",
    "user.country": "US",
}
HADOOP = _names(
    r"io\.file\.buffer\.size|fs\.s3a\.downgrade\.syncable\.exceptions|hadoop\.tmp\.dir",
    r"hive\.metastore\.warehouse\.dir|mapreduce\.fileoutputcommitter\..*",
    r"parquet\.page\.verify-checksum\.enabled|(dfs|fs)\.client\.(socket|retry).*",
    r"fs\.s3a\.(committer|fast\.upload|threads|connection|multipart)\..*|ipc\..*|net\.topology\..*",
)
# What a Python process is told by its environment; only what begins so is looked at.
PYTHON_VARIABLES = _names(
    r"PYTHON\w*|PYSPARK\w*|LANG\w*|LC_\w+|TZ\w*",
    r"(OMP|MKL|OPENBLAS|BLIS|VECLIB|NUMBA|NUMPY|NPY|PANDAS|ARROW|TF|TORCH|CUDA)_\w+",
)
HARMLESS_VARIABLES = _names(
    r"PYTHON(PATH|DONTWRITEBYTECODE|UNBUFFERED|PYCACHEPREFIX|STARTUP|BREAKPOINT|FAULTHANDLER)",
    r"PYTHON(TRACEMALLOC|NODEBUGRANGES|INSPECT)",
    r"PYSPARK_(DRIVER_PYTHON\w*|GATEWAY_\w+|PIN_THREAD|SUBMIT_ARGS)",
)
# Variables that configure Spark beside its settings; a session tells what they came to.
ELSEWHERE = _names(
    r"SPARK_(?!LOCAL_IP|LOCAL_DIRS|LOCAL_HOSTNAME|HOME|ENV_LOADED|SCALA_VERSION"
    r"|AUTH_SOCKET_TIMEOUT|BUFFER_SIZE)\w+|HADOOP_\w+",  # PySpark sets these two itself
    r"YARN_\w+|(JAVA_TOOL|_JAVA|JDK_JAVA)_OPTIONS|PYSPARK_SUBMIT_ARGS",
)


def environment_of(session: SparkSession) -> dict[str, Any]:
    """What results of a session depend on; a session that changes what expressions mean is refused."""
    check_settings(session, OF_WRITES)
    require_runnable(settings_of(session))
    # A session may not say which variables its workers see; those of this process then count.
    worker_variables = getattr(session.sparkContext, "environment", {})
    variables = _variables(session) | {k: str(v) for k, v in worker_variables.items()}
    return {
        "spark": session.version,
        "java": str(_jvm(session).java.lang.System.getProperty("java.version")),
        "zone": str(session.conf.get(ZONE)),
        "settings": {
            **mode_settings(settings_of(session)),
            **_settings(session),
            **_properties(session),
            **_hadoop(session),
        },
        "python": python_variables(variables),
    }


def expected_environment(spark: str, zone: str, java: str, mode: SessionSettings) -> dict[str, Any]:
    """The environment of a session with only its mode configured."""
    variables = {"PYTHONHASHSEED": "0", **os.environ, "TZ": "UTC"}
    return {
        "spark": spark,
        "java": java,
        "zone": zone,
        "settings": mode_settings(mode),
        "python": python_variables(variables),
    }


def mode_settings(mode: SessionSettings) -> dict[str, str]:
    """What of a session decides the meaning of expressions, as part of keys.

    Without ANSI it is told, whatever the default of its Spark is.
    """
    return {} if mode.ansi else {ANSI: "false"}


def is_harmless(name: str) -> bool:
    """Whether a setting is known to change no result."""
    short = name.removeprefix("spark.sql.")
    if short != name:
        return PLANNING.fullmatch(short) is not None or name in OF_WRITES
    return RESOURCES.fullmatch(name) is not None


def python_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that may have to do with what Python functions give."""
    return {
        name: value
        for name, value in sorted(variables.items())
        if PYTHON_VARIABLES.fullmatch(name)
        and not HARMLESS_VARIABLES.fullmatch(name)
        and not (name == "PYSPARK_PYTHON" and _is_this_python(value))
    }


def _is_this_python(path: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(sys.executable)


def is_configured_elsewhere() -> bool:
    """Whether files or variables of this machine configure Spark, so that it must be asked."""
    if any(value and ELSEWHERE.fullmatch(name) for name, value in os.environ.items()):
        return True
    import pyspark

    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    try:
        names = [p.name for p in (home / "conf").iterdir()]
    except OSError:
        return False
    return any(not name.endswith(".template") and "log4j" not in name for name in names)


def java_of(home: str) -> str:
    """The version of the Java under a folder, as it says itself; empty if it does not."""
    try:
        text = (Path(home) / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = _java_says(f"{home}/bin/java")
    version = re.search(r'^(?:JAVA_VERSION=|\s*java\.version = )"?([^"\s]+)', text, re.MULTILINE)
    return version[1] if version else ""


def _java_says(java: str) -> str:
    command = [java, "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stderr + done.stdout


# -- what a session says -------------------------------------------------------------------------


def _jvm(session: SparkSession) -> Any:
    return session._jvm


def _settings(session: SparkSession) -> dict[str, str]:
    """Settings away from Spark's defaults; Hadoop reads those with names of its own."""
    defaults = _jvm(session).org.apache.spark.sql.internal.SQLConf()
    settings = {}
    for name, value in sorted(settings_set(session).items()):
        if is_harmless(name) or USUAL_SETTINGS.get(name) == value:
            continue
        if name in ("spark.executor.extraJavaOptions", "spark.executor.defaultJavaOptions"):
            value = " ".join(sorted(f for f in value.split() if not JAVA_FLAGS.fullmatch(f)))
            if value in ("", java_options()):
                continue
        if name.startswith("spark.sql.") and _is_default(defaults, name, value):
            continue
        settings[name] = value
    return settings


def java_options() -> str:
    """What pins Java processes to the usual properties."""
    return " ".join(f"-D{name}={value}" for name, value in sorted(USUAL_PROPERTIES.items()))


def _is_default(defaults: Any, name: str, value: str) -> bool:
    try:
        return str(defaults.getConfString(name)).lower() == value.lower()
    except Exception:  # a setting Spark does not know
        return False


_seen: dict[str, tuple[dict[str, str], dict[str, str]]] = {}  # by application: a process keeps them


def _process(session: SparkSession) -> tuple[dict[str, str], dict[str, str]]:
    """The properties and variables of Spark's process."""
    application = str(session.sparkContext.applicationId)
    if application not in _seen:
        system = _jvm(session).java.lang.System
        properties = system.getProperties()
        java_properties = {
            str(n): str(properties.getProperty(n)) for n in properties.stringPropertyNames()
        }
        variables = {str(name): str(value) for name, value in dict(system.getenv()).items()}
        _seen.clear()
        _seen[application] = java_properties, variables
    return _seen[application]


def _properties(session: SparkSession) -> dict[str, str]:
    properties = _process(session)[0]
    return {
        f"java:{name}": properties.get(name, "")
        for name in sorted({*properties, *USUAL_PROPERTIES})
        if not PROPERTIES.fullmatch(name) and properties.get(name, "") != USUAL_PROPERTIES.get(name)
    }


def _variables(session: SparkSession) -> dict[str, str]:
    return dict(_process(session)[1])


def _hadoop(session: SparkSession) -> dict[str, str]:
    """Settings of Hadoop that come from anywhere but its own defaults."""
    jvm, hadoop = _jvm(session), session.sparkContext._jsc.hadoopConfiguration()
    writer = jvm.java.io.StringWriter()
    jvm.org.apache.hadoop.conf.Configuration.dumpConfiguration(hadoop, writer)
    settings = {}
    for entry in json.loads(str(writer.toString()))["properties"]:
        name = str(entry["key"])
        if str(entry["resource"]).endswith("-default.xml") or HADOOP.fullmatch(name):
            continue
        # The listing leaves out what looks like a secret.
        settings[f"hadoop:{name}"] = str(hadoop.get(name))
    return settings
