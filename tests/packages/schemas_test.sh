#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: schemas_test.sh SCHEMAS
# The descriptions of the packages against schemas that lie outside the repository: PACK.xsd of Open-CMSIS-Pack, the
# strict schema of arduino-lint, the one of ESP-IDF's component manager. The tests of the packages check what these
# schemas require of every package, without them.
set -eu
. "$(dirname "$0")/common.sh"
make_package all
xmllint --noout --schema "$1/PACK.xsd" "$out"/cmsis-pack/*/*.pdsc || fail "PACK.xsd refuses the description"
sed 's/<vendor>.*<\/vendor>//' "$out"/cmsis-pack/*/*.pdsc >"$folder/wrong.pdsc"
if xmllint --noout --schema "$1/PACK.xsd" "$folder/wrong.pdsc" 2>"$folder/log"; then
    fail "PACK.xsd takes a description without a vendor"
fi
python=$top/build/packages-python/bin/python
if [ ! -x "$python" ]; then
    echo "there is no $python: scripts/bootstrap --packages installs jsonschema"
    exit 77
fi
cat >"$folder/check.py" <<'PYTHON'
import json
import pathlib
import sys

import jsonschema
import yaml
from referencing import Registry, Resource

schemas = {}
for path in pathlib.Path(sys.argv[1]).glob("*.json"):
    if path.name != "pio-library.schema.json":  # is not a valid JSON Schema
        schemas[path.name] = json.loads(path.read_text())
resources = [Resource.from_contents(schema) for schema in schemas.values() if "$id" in schema]
registry = Registry().with_resources([(resource.id(), resource) for resource in resources])


def errors(name, value):
    validator = jsonschema.Draft7Validator(schemas[name], registry=registry)
    return [error.message for error in validator.iter_errors(value)]


out = pathlib.Path(sys.argv[2])
lines = (out / "arduino/Rushlight/library.properties").read_text().splitlines()
properties = dict(line.split("=", 1) for line in lines)
strict = "arduino-library-properties-strict-schema.json"
assert not errors(strict, properties), errors(strict, properties)
assert errors(strict, {**properties, "category": "Everything"})
manifest = yaml.safe_load((out / "esp-idf/rushlight/idf_component.yml").read_text())
assert not errors("idf_component.schema.json", manifest), errors("idf_component.schema.json", manifest)
assert errors("idf_component.schema.json", {**manifest, "description": 3})
PYTHON
"$python" "$folder/check.py" "$1" "$out" || fail "a schema refuses a description"
