import type { z } from 'zod'
import type { Body } from '../http/endpoint.ts'
import { optionalBody } from '../http/json-body.ts'

/** A required body. The reader accepts a missing one, so that the schema refuses it with an error in the service's own format. */
export function serviceBody(schema: z.ZodType, example: unknown): Body {
  return { ...optionalBody(schema, example), isRequired: true }
}

/** Answer 422. */
export const NO_KIND = { description: 'This gateway receives no callbacks of this kind.' }

export const WEBHOOK_REMOVED = { description: 'The webhook was removed, and its pending deliveries were canceled.' }
