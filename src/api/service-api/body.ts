import type { z } from 'zod'
import type { Body } from '../http/endpoint.ts'
import { optionalBody } from '../http/json-body.ts'

/** A body that is required, although the reader accepts its absence: the schema refuses it then, with the service's own kind of error. */
export function serviceBody(schema: z.ZodType, example: unknown): Body {
  return { ...optionalBody(schema, example), isRequired: true }
}

/** The gateway has no such kind of callbacks. */
export const NO_KIND = { description: 'This gateway takes no callbacks of this kind.' }

export const GONE = { description: 'It gets nothing any more; what it was still owed is canceled.' }
