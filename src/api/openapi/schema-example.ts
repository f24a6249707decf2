import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from '../http/json-schema.ts'

/**
 * Values by the end of a path of component names and members, as `id`, `Client.name` or `latencyMs.p50`; the longer one counts.
 * undefined: the member is left out.
 */
export type KnownValues = Readonly<Record<string, unknown>>
export type Components = Readonly<Record<string, JsonSchema>>

/** An example of a JSON schema with every member: what it names itself, a known value that fits, or what its type allows. */
export function createExamples(components: Components, known: KnownValues): (schema: JsonSchema) => unknown {
  function exampleOf(schema: JsonSchema, path: readonly string[]): unknown {
    const name = path.map((_, index) => path.slice(index).join('.')).find((one) => one in known)
    if (name !== undefined && (known[name] === undefined || fits(schema, known[name]))) return known[name]
    if (typeof schema.$ref === 'string') {
      const component = nameOf(schema)
      return exampleOf(components[component] ?? {}, [...path, component])
    }
    if (Array.isArray(schema.examples)) return schema.examples[0]
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum)) return schema.enum[0]
    const alternative = alternativesOf(schema).find(({ type }) => type !== 'null')
    if (alternative !== undefined) return exampleOf(alternative, path)
    return schema.default ?? byType(schema, path)
  }

  function byType(schema: JsonSchema, path: readonly string[]): unknown {
    switch ([schema.type].flat()[0]) {
      case 'object':
        return objectOf(schema, path)
      case 'array':
        return itemsOf(schema, path)
      case 'integer':
      case 'number':
        return Math.max(Number(schema.minimum ?? 0), 1)
      case 'boolean':
        return true
      case 'string':
        return schema.format === 'date-time' ? TIME : (path.at(-1) ?? '')
      default:
        return null
    }
  }

  function objectOf({ properties = {} }: JsonSchema, path: readonly string[]): JsonSchema {
    const members = Object.entries(properties as Components)
    const all = members.map(([name, member]) => [name, exampleOf(member, [...path, name])] as const)
    return Object.fromEntries(all.filter(([, value]) => value !== undefined))
  }

  function itemsOf({ items, prefixItems }: JsonSchema, path: readonly string[]): unknown[] {
    if (Array.isArray(prefixItems)) return prefixItems.map((item) => exampleOf(item, path))
    return typeof items === 'object' ? [exampleOf(items as JsonSchema, path)] : []
  }

  /** Whether a value may be there: its type, and what the schema lists. The test of the document validates the rest. */
  function fits(schema: JsonSchema, value: unknown): boolean {
    if (typeof schema.$ref === 'string') return fits(components[nameOf(schema)] ?? {}, value)
    const alternatives = alternativesOf(schema)
    if (alternatives.length > 0) return alternatives.some((one) => fits(one, value))
    if (Array.isArray(schema.enum)) return schema.enum.includes(value)
    if ('const' in schema) return isDeepStrictEqual(schema.const, value)
    const types = [schema.type].flat()
    if (schema.type === undefined || types.includes(typeOf(value))) return isMatch(schema, value)
    return types.includes('number') && typeof value === 'number'
  }

  return (schema) => exampleOf(schema, [])
}

const TIME = '2026-03-02T15:00:00.000Z'

function nameOf({ $ref }: JsonSchema): string {
  return String($ref).split('/').at(-1) ?? ''
}

function alternativesOf({ anyOf = [], oneOf = [] }: JsonSchema): JsonSchema[] {
  return [...(anyOf as JsonSchema[]), ...(oneOf as JsonSchema[])]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function isMatch({ pattern, required = [] }: JsonSchema, value: unknown): boolean {
  if (typeof value === 'string') return new RegExp(String(pattern ?? ''), 'u').test(value)
  if (typeOf(value) !== 'object') return true
  return (required as string[]).every((name) => name in (value as object))
}
