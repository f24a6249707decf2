import type { z } from 'zod'
import type { Body } from '../http/endpoint.ts'
import { optionalBody } from '../http/json-body.ts'

/**
 * A required body. The reader accepts a missing one, so that the check refuses it with an error in the service's own format.
 * @param check gets an empty object for a missing body
 */
export function serviceBody<T>(schema: z.ZodType, example: unknown, check: (given: unknown) => T): Body<T> {
  return {
    ...optionalBody(schema, { what: 'the body', example }),
    check: (given) => check(given ?? {}),
    isRequired: true,
  }
}

/** Answer 422. */
export const NO_KIND = { description: 'This gateway receives no callbacks of this kind.' }

export const WEBHOOK_REMOVED = { description: 'The webhook was removed, and its pending deliveries were canceled.' }
