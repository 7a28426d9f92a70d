"""The settings of a session without a server: those of captured jobs, and Spark's defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from veer.frontends.connect.server_settings import ANSI, DECIDING
from veer.frontends.session_settings import TIME_PARSERS
from veer.frontends.spark.capture.session import session_defaults
from veer.frontends.spark.plans.time_zones import is_utc
from veer.frontends.spark.settings import HARMLESS, TIME_PARSER, WRITING
from veer.settings import SPARK_4_0, SPARK_4_2, SparkVersion

# What PySpark itself asks, what decides a write, and what programs ask for: as in Spark 4.
DEFAULTS = {
    "spark.sql.adaptive.coalescePartitions.enabled": "true",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.skewJoin.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": "10485760b",
    "spark.sql.broadcastTimeout": "300000ms",
    "spark.sql.caseSensitive": "false",
    "spark.sql.cbo.enabled": "false",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.dataFrameQueryContext.enabled": "true",
    "spark.sql.datetime.java8API.enabled": "false",
    "spark.sql.debug.maxToStringFields": "25",
    "spark.sql.execution.arrow.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.pyspark.fallback.enabled": "true",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.execution.pandas.convertToArrowArraySafely": "true",
    "spark.sql.execution.pandas.inferPandasDictAsMap": "false",
    "spark.sql.execution.pyspark.binaryAsBytes": "true",
    "spark.sql.execution.pythonUDF.arrow.enabled": "true",
    "spark.sql.files.maxPartitionBytes": "134217728b",
    "spark.sql.files.maxRecordsPerFile": "0",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.inMemoryColumnarStorage.batchSize": "10000",
    "spark.sql.inMemoryColumnarStorage.compressed": "true",
    "spark.sql.legacy.allowHashOnMapType": "false",
    "spark.sql.legacy.charVarcharAsString": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.parquet.compression.codec": "snappy",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.parquet.outputTimestampType": "INT96",
    "spark.sql.parquet.writeLegacyFormat": "false",
    "spark.sql.pivotMaxValues": "10000",
    "spark.sql.preserveCharVarcharTypeInfo": "false",
    "spark.sql.pyspark.inferNestedDictAsStruct.enabled": "false",
    "spark.sql.pyspark.legacy.inferArrayTypeFromFirstElement.enabled": "false",
    "spark.sql.pyspark.legacy.inferMapTypeFromFirstPair.enabled": "false",
    "spark.sql.readSideCharPadding": "true",
    "spark.sql.repl.eagerEval.enabled": "false",
    "spark.sql.repl.eagerEval.maxNumRows": "20",
    "spark.sql.repl.eagerEval.truncate": "20",
    "spark.sql.session.localRelationBatchOfChunksSizeBytes": "1073741824",
    "spark.sql.session.localRelationCacheThreshold": "1048576",
    "spark.sql.session.localRelationChunkSizeBytes": "16777216",
    "spark.sql.session.localRelationChunkSizeRows": "10000",
    "spark.sql.session.localRelationSizeLimit": "3221225472",
    "spark.sql.sources.bucketing.enabled": "true",
    "spark.sql.sources.commitProtocolClass": (
        "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"
    ),
    "spark.sql.sources.default": "parquet",
    "spark.sql.sources.partitionOverwriteMode": "STATIC",
    "spark.sql.stackTracesInDataFrameContext": "1",
    "spark.sql.storeAssignmentPolicy": "ANSI",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.variable.substitute": "true",
}
# Where the default was another one.
BEFORE_4_0 = {
    "spark.sql.execution.pandas.convertToArrowArraySafely": "false",
    "spark.sql.legacy.timeParserPolicy": "EXCEPTION",
    "spark.sql.parquet.datetimeRebaseModeInRead": "EXCEPTION",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "EXCEPTION",
    "spark.sql.parquet.int96RebaseModeInRead": "EXCEPTION",
    "spark.sql.session.localRelationCacheThreshold": "67108864",
}
# True by default since Spark 4.2.
ARROW = ("spark.sql.execution.arrow.pyspark.enabled", "spark.sql.execution.pythonUDF.arrow.enabled")
ZONE = "spark.sql.session.timeZone"
# A builder does not change these of a session that runs.
FIXED = ("spark.master", "spark.remote", "spark.app.name", "spark.sql.warehouse.dir",
         "spark.sql.extensions")  # fmt: skip


class Settings:
    """What is set, over what Spark has by default."""

    def __init__(
        self, refuse: Callable[[str], NoReturn], conf: Mapping[str, str], spark: SparkVersion
    ) -> None:
        self._refuse = refuse
        self._spark = spark
        own = {"spark.app.name": "veer", "spark.master": "local[1]"}
        self._initial = {**session_defaults(spark), **own, **conf}
        self._set = dict(self._initial)
        self._unusual: dict[str, None] = {}  # settings that had a value which changes plans

    @property
    def deciding(self) -> tuple[str, ...]:
        """Settings that had, at some time, a value under which plans mean something else."""
        return tuple(self._unusual)

    def all(self) -> Mapping[str, str]:
        """What is set."""
        return dict(self._set)

    def get(self, name: str) -> str:
        """The value of a setting; refused if neither it nor Spark's default is known."""
        value = self._set.get(name, _default(name, self._spark))
        if value is None:
            self._refuse(f"the setting {name} is asked")
        return value

    def default(self, name: str) -> str | None:
        """Spark's default of a setting, if it is known."""
        return _default(name, self._spark)

    def get_or(self, name: str, default: str | None) -> str | None:
        """The value of a setting, or what the program gives for one that is not set."""
        return self._set.get(name, default)

    def set(self, name: str, value: str) -> None:
        """Set a value; refused where Spark may not allow it."""
        if name.startswith("spark.") and not name.startswith("spark.sql."):
            self._refuse(f"the setting {name} is changed")
        self._change(name, value)

    def _change(self, name: str, value: str) -> None:
        self._set[name] = value
        if not _is_usual(name, value, self._spark):
            self._unusual[name] = None

    def configure(self, options: Mapping[str, str]) -> None:
        """Take in what a builder was given; masters and names of applications stay."""
        for name, value in options.items():
            if name not in FIXED:
                self._change(name, value)

    def unset(self, name: str) -> None:
        """Go back to the default."""
        if name in self._initial:
            self._refuse(f"the setting {name} is unset")
        self._set.pop(name, None)

    def reset(self) -> None:
        """Go back to what the session began with."""
        self._set = dict(self._initial)


def _default(name: str, spark: SparkVersion) -> str | None:
    """A Spark's default of a setting."""
    if spark < SPARK_4_0 and name in BEFORE_4_0:
        return BEFORE_4_0[name]
    if name in ARROW and spark < SPARK_4_2:
        return "false"
    return DEFAULTS.get(name)


def _is_usual(name: str, value: str, spark: SparkVersion) -> bool:
    """Whether plans mean with a setting what they mean without it; writes are told by themselves."""
    short = name.removeprefix("spark.sql.")
    if name == ZONE:
        return is_utc(value)
    if name == ANSI:
        return value.lower() in ("true", "false")
    if name == TIME_PARSER:
        return value.upper() in TIME_PARSERS
    harmless = HARMLESS.fullmatch(short) and not DECIDING.fullmatch(short)
    if short == name or name in WRITING or harmless:
        return True
    return (_default(name, spark) or "").lower() == value.lower()
