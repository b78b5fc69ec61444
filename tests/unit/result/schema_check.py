"""Validates DOCUMENT against SCHEMA; prints each error with its path and ends 1 if there is one."""
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    document = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
for error in errors:
    print("$" + "".join(f"[{part!r}]" for part in error.absolute_path), error.message[:300])
sys.exit(1 if errors else 0)
