import { z } from 'zod'
import { withoutControlCharacters } from '../../platform/control-characters.ts'

const CHARACTERS = 200

/** How a receiver's response body is shown, for descriptions. */
export const EXCERPT =
  'Beginning of the response body: at most 200 characters, white space as one space, control characters and bytes that are not UTF-8 as U+FFFD'

export const excerptSchema = z.string().max(CHARACTERS)

/** The beginning of a response body as text that is safe in a terminal, as `EXCERPT` describes it. */
export function excerptOf(body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8').replace(/\s+/g, ' ').trim()
  return [...withoutControlCharacters(text)].slice(0, CHARACTERS).join('')
}
