import type { Schema } from '../documents/json-schema.ts'
import { filled, textIn, type Words } from './words/words.ts'

/** What a schema allows, in words; '' where it says nothing but its type. */
export function limitsOf(schema: Schema, words: Words): string {
  const { description, format, default: preset } = schema
  const isPattern = schema.pattern !== undefined && format === undefined
  return [
    description === undefined ? undefined : textIn(words, description),
    boundsOf(schema, words),
    format === undefined ? undefined : filled(words.form.format, { format }),
    isPattern ? filled(words.form.pattern, { pattern: schema.pattern ?? '' }) : undefined,
    preset === undefined ? undefined : filled(words.form.preset, { value: JSON.stringify(preset) }),
  ]
    .filter((part) => part !== undefined)
    .join('; ')
}

function boundsOf(
  { minLength, maxLength, minimum, exclusiveMinimum, maximum }: Schema,
  { form }: Words,
): string | undefined {
  const highest = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (minLength !== undefined || maxLength !== undefined)
    return filled(maxLength === undefined ? form.leastCharacters : form.characters, {
      least: minLength ?? 0,
      most: maxLength,
    })
  const lowest = minimum ?? exclusiveMinimum
  if (lowest === undefined) return highest === undefined ? undefined : filled(form.atMost, { most: highest })
  return filled(highest === undefined ? form.atLeast : form.between, { least: lowest, most: highest })
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
