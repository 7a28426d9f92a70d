"""What widgets mean, by their kind."""

from __future__ import annotations

from collections.abc import Mapping

from veer.frontends.gui.reading import Model

MODELS: Mapping[str, Model] = {}
