import express, { type RequestHandler } from 'express'
import type { z } from 'zod'
import { createBodyBudget } from '../../platform/body-budget.ts'
import { withinBudget } from './bounded-body.ts'
import type { Body } from './endpoint.ts'

export const JSON_TYPE = 'application/json'
const LIMIT_BYTES = 64 * 1024
/** For all bodies that are read at the same time in this process. */
const bodies = createBodyBudget({ limitBytes: 256 * LIMIT_BYTES })

/** A JSON body that must be present. @param types the content types that are accepted */
export function requiredBody(schema: z.ZodType, example: unknown, types: readonly string[] = [JSON_TYPE]): Body {
  return { schema, types, isRequired: true, example, read: [requireType(types), readJson(types)] }
}

/** A JSON body that may be left out. */
export function optionalBody(schema: z.ZodType, example: unknown): Body {
  const types = [JSON_TYPE]
  return { schema, types, isRequired: false, example, read: [unlessEmpty(requireType(types)), readJson(types)] }
}

function readJson(types: readonly string[]): RequestHandler {
  return withinBudget(express.json({ limit: LIMIT_BYTES, inflate: false, type: [...types] }), bodies, LIMIT_BYTES)
}

function unlessEmpty(requireJson: RequestHandler): RequestHandler {
  return function requireJsonOrNothing(request, response, next) {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (encoding === undefined && Number(length ?? 0) === 0) return next()
    requireJson(request, response, next)
  }
}

/** The body parser alone would treat any other type as an absent body. */
function requireType(types: readonly string[]): RequestHandler {
  return function requireJson(request, _response, next) {
    const isJson = types.includes(request.is([...types]) || '')
    next(isJson ? undefined : Object.assign(new Error('the body is not JSON'), { status: 415 }))
  }
}
