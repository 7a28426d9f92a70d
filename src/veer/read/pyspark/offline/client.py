"""What a Connect session asks its server, answered without one: no channel, no port."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

from veer.errors import InputError
from veer.read.pyspark.capture.session import OF_MACHINE
from veer.read.pyspark.connect.messages import told
from veer.read.pyspark.connect.surroundings import RegisteredFunction
from veer.read.pyspark.offline.functions import copied
from veer.read.pyspark.offline.settings import Settings
from veer.read.pyspark.offline.types import ddl_text, parse_ddl
from veer.read.pyspark.plans.types import type_of
from veer.read.pyspark.pyspark_version import pyspark_version
from veer.read.python.codes import unlike

if TYPE_CHECKING:
    from veer.read.pyspark.offline.capture import OfflineCapture


class Client:
    """Stands for PySpark's `SparkConnectClient`; methods that are not here need a server."""

    is_closed = False

    def __init__(self, capture: OfflineCapture, conf: Mapping[str, str]) -> None:
        self._capture = capture
        self._session_id = str(uuid.UUID(int=0))
        self._tags: set[str] = set()
        self._persisted: dict[int, Any] = {}
        self.settings = Settings(capture.stop_for_jvm, capture.stop, conf, capture.spark_version)
        self.functions: dict[str, RegisteredFunction] = {}  # registered, by lower-case name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._capture.stop_for_jvm(f"the server is asked for {name}")

    # -- settings ------------------------------------------------------------------------------

    def config(self, operation: Any) -> Any:
        """Settings asked and changed."""
        kind = operation.WhichOneof("op_type")
        asked = getattr(operation, kind)
        pairs: list[tuple[str, str | None]] = []
        match kind:
            case "set":
                silent = bool(told(asked, "silent"))
                for pair in asked.pairs:
                    self._set(pair.key, pair.value, silent)
            case "get":
                pairs = [(key, self.settings.get(key)) for key in asked.keys]
            case "get_with_default":
                pairs = [(p.key, self._with_default(p)) for p in asked.pairs]
            case "get_all":
                self._capture.stop("all settings of the session are asked", says_what_to_do=True)
            case "unset":
                for key in asked.keys:
                    self.settings.unset(key)
            case _:
                self._capture.stop_for_jvm(f"settings are asked by {kind}")
        return SimpleNamespace(pairs=pairs, warnings=[])

    def _set(self, name: str, value: str, silent: bool) -> None:
        if silent:
            self.settings.configure({name: value})
        else:
            self.settings.set(name, value)

    def _with_default(self, pair: Any) -> str | None:
        return self.settings.get_or(pair.key, pair.value if pair.HasField("value") else None)

    def get_configs(self, *keys: str) -> tuple[str, ...]:
        """The values of settings."""
        return tuple(self.settings.get(key) for key in keys)

    def get_config_dict(self, *keys: str) -> dict[str, str]:
        """The values of settings by name."""
        return {key: self.settings.get(key) for key in keys}

    # -- plans ---------------------------------------------------------------------------------

    def _set_relation_in_plan(self, plan: Any, relation: Any) -> None:
        plan.root.CopyFrom(relation)

    def schema(self, plan: Any) -> Any:
        """The columns of a plan."""
        return self._capture.answered(plan.root, self._capture.schema_of(plan.root))

    def explain_string(self, plan: Any, mode: str = "extended") -> str:
        """The output of `explain`, which is empty while a job is loaded."""
        self._capture.schema_of(plan.root)
        return ""

    def _analyze(self, method: str, **given: Any) -> Any:
        match method:
            case "schema":
                return SimpleNamespace(schema=self.schema(given["plan"]))
            case "is_streaming":
                return SimpleNamespace(is_streaming=False)
            case "is_local":
                self._capture.schema_of(given["plan"].root)
                return SimpleNamespace(is_local=False)
            case "spark_version":
                return SimpleNamespace(spark_version=self._version())
            case "ddl_parse":
                return SimpleNamespace(parsed=self.parsed_ddl(given["ddl_string"]))
            case "json_to_ddl":
                return SimpleNamespace(ddl_string=self._to_ddl(given["json_string"]))
            case "persist" | "unpersist" | "get_storage_level":
                return self._storage(method, **given)
            case _:
                self._capture.stop_for_jvm(f"the server is asked for {method}")

    def _version(self) -> str:
        """What `spark.version` says: the installed PySpark's, or `3.5.0` if another is asked for."""
        installed, asked = pyspark_version(), str(self._capture.spark_version)
        return installed if installed.startswith(f"{asked}.") else f"{asked}.0"

    def parsed_ddl(self, text: str) -> Any:
        """The type that a DDL text tells."""
        try:
            return parse_ddl(text)
        except InputError:
            self._capture.stop_for_jvm(f"the DDL {text[:60]!r} is parsed")

    def _to_ddl(self, text: str) -> str:
        from pyspark.sql.types import StructType

        try:
            return ddl_text(StructType.fromJson(_loads(text)))
        except InputError as error:
            self._capture.stop_for_jvm(str(error))

    def _storage(self, method: str, relation: Any, **given: Any) -> Any:
        """Whether a frame is cached, which changes no result."""
        from pyspark.storagelevel import StorageLevel

        plan = relation.common.plan_id
        if method == "persist":
            self._persisted[plan] = given.get("storage_level")
        if method == "unpersist":
            self._persisted.pop(plan, None)
        return SimpleNamespace(storage_level=self._persisted.get(plan, StorageLevel.NONE))

    # -- functions and tags --------------------------------------------------------------------

    def register_udf(
        self,
        function: Any,
        return_type: Any,
        name: str | None = None,
        eval_type: int = 100,
        deterministic: bool = True,
    ) -> str:
        """Give a function a name that SQL knows."""
        # PySpark 3.5 gives the text of a type as a type that is not parsed yet.
        text = getattr(return_type, "data_type_string", return_type)
        type_ = self.parsed_ddl(text) if isinstance(text, str) else return_type
        known_as = name or f"fun_{unlike()}"
        if known_as.lower() in self.functions:  # plans made before it call the other one
            self._capture.stop_for_jvm(f"another function is registered as {known_as}")
        self.functions[known_as.lower()] = RegisteredFunction(
            known_as, copied(function), type_of(type_.jsonValue()), eval_type, deterministic
        )
        return known_as

    def add_tag(self, tag: str) -> None:
        """Note a tag for queries to come."""
        self._tags.add(tag)

    def remove_tag(self, tag: str) -> None:
        """Drop a tag."""
        self._tags.discard(tag)

    def get_tags(self) -> set[str]:
        """The tags for queries to come."""
        return set(self._tags)

    def clear_tags(self) -> None:
        """Drop all tags."""
        self._tags.clear()

    def close(self) -> None:
        """Nothing was opened."""


def _loads(text: str) -> Any:
    import json

    return json.loads(text)


@dataclass(frozen=True)
class BroadcastStandIn:
    """Stands for a variable of `sparkContext.broadcast`, whose value is as it was then."""

    value: Any

    def unpersist(self, blocking: bool = False) -> None:
        """Nothing is kept elsewhere."""


class ContextStandIn:
    """Stands for `spark.sparkContext`: what changes no plan is taken, the rest needs a JVM."""

    IGNORED = ("setLogLevel", "setJobGroup", "setJobDescription", "setLocalProperty",
               "setCheckpointDir", "setInterruptOnCancel", "addJobTag", "clearJobTags",
               "removeJobTag")  # fmt: skip

    def __init__(self, capture: OfflineCapture) -> None:
        self._capture = capture

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self.IGNORED:
            return lambda *_, **__: None
        if name in OF_MACHINE:
            return self._capture.world_value(f"sparkContext.{name}")
        self._refuse(name)

    def broadcast(self, value: Any) -> BroadcastStandIn:
        """A value that functions read: nothing is sent anywhere."""
        return BroadcastStandIn(copied(value))

    def _refuse(self, name: str) -> NoReturn:
        self._capture.stop_for_jvm(f"sparkContext.{name} is used")
