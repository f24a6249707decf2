# Makes OpenAPI 3.0 of the gateway's OpenAPI 3.1, for generators that read only that. Webhooks are left out.
#   jq -f openapi-3.0.jq openapi.json > openapi-3.0.json

# A type or null: `nullable`. Other alternatives: any value.
def nullable:
  if (.type | type) == "array" then
    (.type - ["null"]) as $types
    | (if .type != $types then .nullable = true else . end)
    | if ($types | length) == 1 then .type = $types[0] else del(.type) end
  elif (.anyOf | type) == "array" then
    (.anyOf - [{type: "null"}]) as $schemas
    | (if .anyOf != $schemas then .nullable = true else . end)
    | del(.anyOf)
    | if ($schemas | length) > 1 then .
      elif $schemas[0] | has("$ref") then .allOf = $schemas
      else $schemas[0] + . end
  else . end;

def bound($limit; $exclusive):
  if (.[$exclusive] | type) == "number" then .[$limit] = .[$exclusive] | .[$exclusive] = true else . end;

def schema:
  (if has("const") then .enum = [.const] | del(.const) else . end)
  | (if has("prefixItems") then .items = {} | del(.prefixItems) else . end)
  | (if (.examples | type) == "array" then .example = .examples[0] | del(.examples) else . end)
  | bound("minimum"; "exclusiveMinimum") | bound("maximum"; "exclusiveMaximum")
  | nullable | del(.propertyNames, .contentMediaType, .contentEncoding);

# Of several types of a body, generators take the first and may send another.
def content:
  if (.requestBody.content["application/x-www-form-urlencoded"]?) then
    .requestBody.content |= {"application/x-www-form-urlencoded"}
  else . end;

walk(if type == "object" then schema | content else . end) | .openapi = "3.0.3" | del(.webhooks)
