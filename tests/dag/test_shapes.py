from __future__ import annotations

import json

from jobsched import dag
from jobsched.dag.shapes import HeaderShape, TaskShape


def test_the_schema_is_json_and_knows_every_field() -> None:
    """A document is a header or a task, and an editor learns all that either may say."""
    schema = json.loads(json.dumps(dag.schema(), allow_nan=False))
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert schema["anyOf"] == [{"$ref": "#/$defs/HeaderShape"}, {"$ref": "#/$defs/TaskShape"}]
    for shape in (HeaderShape, TaskShape):
        written = schema["$defs"][shape.__name__]
        fields = {field.alias or name for name, field in shape.model_fields.items()}
        assert set(written["properties"]) == fields
        assert written["additionalProperties"] is False


def test_the_schema_allows_the_short_forms() -> None:
    """A text may stand for job_recovery and for a mount; one for a list; a number for a time."""
    definitions = dag.schema()["$defs"]
    for name in ("JobRecoveryShape", "MountShape"):
        assert {"type": "string"} in definitions[name]["anyOf"]
    depends_on = definitions["TaskShape"]["properties"]["depends_on"]["anyOf"]
    assert {"type": "string"} in depends_on
    delay = definitions["HeaderShape"]["properties"]["termination_delay"]["anyOf"]
    assert {"type": "number", "minimum": 0} in delay


def test_the_schema_describes_what_needs_it() -> None:
    """Descriptions are the fields' own."""
    properties = dag.schema()["$defs"]["TaskShape"]["properties"]
    assert properties["depends_on"]["description"].startswith("Names of tasks that must have")
