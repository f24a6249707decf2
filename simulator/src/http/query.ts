import { z } from 'zod'

// Parameters of a query are text. The OpenAPI document shows the type that they have for a typed client.

/** `true`, `True` and `TRUE`: clients write Booleans in any case. */
export const booleanText = z
  .string()
  .regex(/^(true|false)$/i, 'Informe true ou false.')
  .meta({ type: 'boolean', pattern: undefined })
  .transform((text) => text.toLowerCase() === 'true')

/** A whole number in digits, which stays text. @param bounds of the OpenAPI document; `pattern` keeps to them */
export function integerText(pattern: RegExp, message: string, bounds: { minimum: number; maximum?: number }) {
  return z
    .string()
    .regex(pattern, message)
    .meta({ type: 'integer', pattern: undefined, ...bounds })
}
