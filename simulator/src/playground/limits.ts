import type { Schema } from '../documents/json-schema.ts'
import { textIn, type Words } from './words/words.ts'

/** What a schema allows, in words; '' where it says nothing but its type. */
export function limitsOf(schema: Schema, words: Words): string {
  const { description, format, default: preset } = schema
  const isPattern = schema.pattern !== undefined && format === undefined
  return [
    description === undefined ? undefined : textIn(words, description),
    boundsOf(schema, words),
    format === undefined ? undefined : words.form.format(format),
    isPattern ? words.form.pattern(schema.pattern ?? '') : undefined,
    preset === undefined ? undefined : words.form.preset(JSON.stringify(preset)),
  ]
    .filter((part) => part !== undefined)
    .join('; ')
}

function boundsOf(
  { minLength, maxLength, minimum, exclusiveMinimum, maximum }: Schema,
  words: Words,
): string | undefined {
  const highest = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (minLength !== undefined || maxLength !== undefined) return words.form.characters(minLength ?? 0, maxLength)
  if (minimum === undefined && exclusiveMinimum === undefined && highest === undefined) return undefined
  return words.form.between(minimum ?? exclusiveMinimum, highest)
}

/**
 * The pattern of a JSON schema, which need not match the whole text, as the attribute `pattern` of an input, which has to. It is read with the flag `v`.
 * @returns null: the attribute cannot say it
 */
export function htmlPattern(pattern: string | undefined): string | null {
  if (pattern === undefined || /\\[rn]/.test(pattern)) return null
  const before = pattern.startsWith('^') ? '' : '.*'
  const after = /(?<!\\)\$$/.test(pattern) ? '' : '.*'
  const inner = pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')
  // With the flag `v` a hyphen of a class needs a backslash everywhere.
  const written = `${before}(?:${inner.replaceAll(/(?<!\\)-\]/g, '\\-]')})${after}`
  try {
    new RegExp(`^(?:${written})$`, 'v')
    return written
  } catch {
    return null
  }
}
