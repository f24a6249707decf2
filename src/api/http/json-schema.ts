import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** `input` for requests, `output` for answers: a default makes a member optional in requests and required in answers. */
export type Direction = 'input' | 'output'

/** The name of a schema in the document: the `id` of its `meta`. */
export function nameOf(schema: z.ZodType): string {
  const name = schema.meta()?.id
  if (name === undefined) throw new TypeError('a schema that the contract names has no id')
  return name
}

export function referenceTo(schema: z.ZodType): JsonSchema {
  return { $ref: `#/components/schemas/${nameOf(schema)}` }
}

/**
 * Schemas as components of an OpenAPI document, with every nested schema that has an `id`.
 * @throws TypeError where two schemas have the same name
 */
export function componentSchemas(
  schemas: Readonly<Record<Direction, Iterable<z.ZodType>>>,
): Readonly<Record<string, JsonSchema>> {
  const components: Record<string, JsonSchema> = {}
  for (const io of ['input', 'output'] as const) {
    for (const [name, schema] of Object.entries(definitionsOf(schemas[io], io))) {
      if (components[name] !== undefined && !isDeepStrictEqual(components[name], schema))
        throw new TypeError(`the schema ${name} means one thing in requests and another in answers`)
      components[name] = schema
    }
  }
  return Object.fromEntries(Object.entries(components).sort(([one], [two]) => (one < two ? -1 : 1)))
}

function definitionsOf(schemas: Iterable<z.ZodType>, io: Direction): Record<string, JsonSchema> {
  const all = z.object(Object.fromEntries([...schemas].map((schema) => [nameOf(schema), schema])))
  const { $defs = {} } = z.toJSONSchema(all, { io, target: 'draft-2020-12', override: removeRedundancies })
  const text = JSON.stringify($defs).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')
  return JSON.parse(text) as Record<string, JsonSchema>
}

/** Removes patterns that only repeat the format, and bounds that only repeat "integer". */
function removeRedundancies({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}
