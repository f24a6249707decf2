type Json = Readonly<Record<string, unknown>>

/** Values by the end of a member's path, as `name` or `customer.name`; the longer one counts. '' is a whole body. undefined: the member is left out. */
export type KnownValues = Readonly<Record<string, unknown>>

/** An example of a JSON schema, with every member. @returns undefined where nothing is known that fits */
export function exampleOf(schema: Json, known: KnownValues, path: readonly string[] = []): unknown {
  const name = nameIn(known, path)
  if (name !== undefined && (known[name] === undefined || fits(schema, known[name]))) return known[name]
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  const [alternative] = alternativesOf(schema).filter(({ type }) => type !== 'null')
  if (alternative !== undefined) return exampleOf(alternative, known, path)
  return byType(schema, known, path)
}

function byType(schema: Json, known: KnownValues, path: readonly string[]): unknown {
  switch (typesOf(schema)[0]) {
    case 'object':
      return objectOf(schema, known, path)
    case 'array':
      return [exampleOf(schema.items as Json, known, path)]
    case 'integer':
    case 'number':
      return Math.max(Number(schema.minimum ?? 0), 1)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return undefined
  }
}

function objectOf(schema: Json, known: KnownValues, path: readonly string[]): Json {
  const { properties = {}, additionalProperties: others } = schema as { properties?: Json; additionalProperties?: Json }
  const members = Object.entries(properties).map(([name, member]) => [
    name,
    exampleOf(member as Json, known, [...path, name]),
  ])
  const isMap = members.length === 0 && typeof others === 'object'
  const all = isMap ? [[String(known.anyKey), exampleOf(others, known, [...path, '*'])]] : members
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

function typesOf({ type }: Json): readonly unknown[] {
  return [type].flat()
}

function alternativesOf({ anyOf = [], oneOf = [] }: { anyOf?: Json[]; oneOf?: Json[] }): Json[] {
  return [...anyOf, ...oneOf]
}

function nameIn(known: KnownValues, path: readonly string[]): string | undefined {
  const names = path.length === 0 ? [''] : path.map((_, index) => path.slice(index).join('.'))
  return names.find((name) => name in known)
}

export function fits(schema: Json, value: unknown): boolean {
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return alternatives.some((one) => fits(one, value))
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  if ('const' in schema) return schema.const === value
  const types = typesOf(schema)
  if (types.includes('integer') && Number.isInteger(value)) return true
  if (types.includes('object')) return fitsObject(schema, value)
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return (
    types.includes(type) && (typeof value !== 'string' || new RegExp(String(schema.pattern ?? ''), 'u').test(value))
  )
}

/** Members that the schema does not know fit where it allows them. */
function fitsObject(schema: Json, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { required = [], properties = {} } = schema as { required?: string[]; properties?: Record<string, Json> }
  const members = Object.entries(value)
  return (
    required.every((name) => name in value) &&
    members.every(([name, member]) => {
      const known = properties[name]
      return known === undefined ? schema.additionalProperties !== false : fits(known, member)
    })
  )
}
