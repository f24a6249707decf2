import type { z } from 'zod'
import type { Body } from '../http/endpoint.ts'
import { optionalBody } from '../http/json-body.ts'

/** A body that is required, although the reader accepts its absence: the schema refuses it then, with the service's own kind of error. */
export function serviceBody(schema: z.ZodType, example: unknown): Body {
  return { ...optionalBody(schema, example), isRequired: true }
}

/** The gateway has no such kind of callbacks. */
export const NO_KIND = { description: 'This gateway receives no callbacks of this kind.' }

export const GONE = { description: 'The webhook was removed, and its pending deliveries were canceled.' }
