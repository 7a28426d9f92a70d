"""The settings of a session without a server: those of captured jobs, and Spark's defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from veer.errors import InputError
from veer.functions.zone_rules import canonical_zone
from veer.read.pyspark.capture.session import is_of_loading, session_defaults
from veer.read.pyspark.setting_rows import OF_WRITES, is_accounted_for, spark_default
from veer.settings import ZONE, SparkVersion

# A builder does not change these of a session that runs.
FIXED = ("spark.master", "spark.remote", "spark.app.name", "spark.sql.warehouse.dir",
         "spark.sql.extensions")  # fmt: skip


class Settings:
    """What is set, over what Spark has by default."""

    def __init__(
        self,
        refuse: Callable[[str], NoReturn],
        stop: Callable[..., NoReturn],
        conf: Mapping[str, str],
        spark: SparkVersion,
    ) -> None:
        self._refuse, self._stop = refuse, stop
        self._spark = spark
        own = {"spark.app.name": "veer", "spark.master": "local[1]"}
        self._initial = {**session_defaults(spark), **own, **conf}
        self._given = set(conf)  # by the user, or set by the program
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
        default = spark_default(name, self._spark)
        value = default if self._is_of_loading(name) else self._set.get(name, default)
        if value is None and (not name.startswith("spark.sql.") or is_of_loading(name)):
            self._stop(
                f"the setting {name} is asked, which is not set; give --conf {name}=VALUE",
                says_what_to_do=True,
            )
        if value is None:
            self._refuse(f"the job reads the setting {name}, and Veer does not know its default")
        return value

    def default(self, name: str) -> str | None:
        """Spark's default of a setting, if it is known."""
        return spark_default(name, self._spark)

    def get_or(self, name: str, default: str | None) -> str | None:
        """The value of a setting, or what the program gives for one that is not set."""
        if self._is_of_loading(name):
            return default if name.startswith("spark.sql.") else self.get(name)
        return self._set.get(name, default)

    def set(self, name: str, value: str) -> None:
        """Set a value; refused where Spark may not allow it."""
        if name.startswith("spark.") and not name.startswith("spark.sql."):
            self._refuse(f"the job changes the setting {name}")
        self._change(name, value)

    def _is_of_loading(self, name: str) -> bool:
        return name not in self._given and is_of_loading(name)

    def _change(self, name: str, value: str) -> None:
        self._given.add(name)
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
            self._refuse(f"the job unsets the setting {name}")
        self._set.pop(name, None)

    def reset(self) -> None:
        """Go back to what the session began with."""
        self._set = dict(self._initial)


def _is_known_zone(value: str) -> bool:
    try:
        canonical_zone(value)
    except InputError:
        return False
    return True


def _is_usual(name: str, value: str, spark: SparkVersion) -> bool:
    """Whether plans mean with a setting what they mean without it; writes are told by themselves."""
    short = name.removeprefix("spark.sql.")
    if name == ZONE:
        return _is_known_zone(value)
    if short == name or name in OF_WRITES or is_accounted_for(name, analyzed=False):
        return True
    return (spark_default(name, spark) or "").lower() == value.lower()
