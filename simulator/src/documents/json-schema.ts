/** What a form needs of a JSON schema (2020-12), as zod writes it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** The schemas of which a value has to fit one; empty: there is no choice. Null is no alternative of its own. */
export function alternativesOf(schema: Schema): readonly Schema[] {
  const given = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(({ type }) => type !== 'null')
  return given.flatMap((one) => {
    const inner = alternativesOf(one)
    return inner.length > 0 ? inner : [one]
  })
}

export function isNullable(schema: Schema): boolean {
  const types = [schema.type].flat()
  return types.includes('null') || [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some(isNullable)
}

/** The type of a value, without null. */
export function typeOf({ type, const: only, enum: values, properties }: Schema): string | undefined {
  const named = [type].flat().find((one) => one !== undefined && one !== 'null')
  if (named !== undefined) return named
  if (properties !== undefined) return 'object'
  const value = only ?? values?.[0]
  return value === undefined ? undefined : typeof value
}
