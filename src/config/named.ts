import { z } from 'zod'

/** What a number measures. Its key in the configuration ends in this unit: `handshakeTimeout: 10s` becomes `handshakeTimeoutMs`. */
export type Unit = 'Ms' | 'Bytes'

/** The value that a schema puts out, as the program sees it: keys say their units, and a key that is left out is null. */
export type Named<V> = V extends Measured
  ? number
  : V extends readonly (infer One)[]
    ? Named<One>[]
    : V extends object
      ? {
          [K in keyof V as NameOf<K, V[K]>]-?: Named<undefined extends V[K] ? Exclude<V[K], undefined> | null : V[K]>
        }
      : V

type Measured = z.$brand<'Ms'> | z.$brand<'Bytes'>
type NameOf<K, V> = K extends Uncapitalize<UnitOf<V>> ? K : K extends string ? `${K}${UnitOf<V>}` : K
type UnitOf<V> = NonNullable<V> extends z.$brand<'Ms'> ? 'Ms' : NonNullable<V> extends z.$brand<'Bytes'> ? 'Bytes' : ''

/** @param value put out by the schema, which knows the units */
export function named<S extends z.ZodType>(schema: S, value: z.output<S>): Named<z.output<S>> {
  return namedBy(schema, value) as Named<z.output<S>>
}

function namedBy(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === undefined) return null
  const inner = innermost(schema)
  if (inner instanceof z.ZodArray) return (value as unknown[]).map((one) => namedBy(inner.element, one))
  if (inner instanceof z.ZodRecord)
    return Object.fromEntries(Object.entries(Object(value)).map(([key, one]) => [key, namedBy(inner.valueType, one)]))
  if (!(inner instanceof z.ZodObject)) return value
  const members = Object.entries<z.ZodType>(inner.shape).map(([key, child]) => {
    return [nameOf(key, child), namedBy(child, (value as Record<string, unknown>)[key])]
  })
  return Object.fromEntries(members)
}

function nameOf(key: string, schema: z.core.$ZodType): string {
  const { unit = '' } = z.globalRegistry.get(innermost(schema)) ?? {}
  return key === String(unit).toLowerCase() ? key : `${key}${unit}`
}

/** The schema of the value, without what may be left out and what a text is read from. */
export function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault)
    return innermost(schema.unwrap())
  return schema instanceof z.ZodPipe && !(schema.out instanceof z.ZodTransform) ? innermost(schema.out) : schema
}
