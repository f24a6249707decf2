import express, { type RequestHandler } from 'express'
import type { z } from 'zod'
import { createBodyBudget } from '../../platform/body-budget.ts'
import { withinBudget } from './bounded-body.ts'
import type { BodyForm } from './contract.ts'
import type { Body } from './endpoint.ts'
import { checkBody } from './violations.ts'

export const JSON_TYPE = 'application/json'
const LIMIT_BYTES = 64 * 1024
/** For all bodies that are read at the same time in this process. */
const bodies = createBodyBudget({ limitBytes: 256 * LIMIT_BYTES })

type JsonBodyOptions = Omit<BodyForm, 'schema' | 'isOptional'>

/** A JSON body that must be present. */
export function requiredBody<T>(
  schema: z.ZodType<T>,
  { example, types = [JSON_TYPE], ...words }: JsonBodyOptions,
): Body<T> {
  const check = (given: unknown) => checkBody(schema, given, words)
  return { schema, check, types, isRequired: true, example, read: [requireType(types), readJson(types)] }
}

/** A JSON body that may be left out, which is the same as an empty object. */
export function optionalBody<T>(schema: z.ZodType<T>, { example, ...words }: JsonBodyOptions): Body<T> {
  const types = [JSON_TYPE]
  const check = (given: unknown) => checkBody(schema, given ?? {}, words)
  return { schema, check, types, isRequired: false, example, read: [unlessEmpty(requireType(types)), readJson(types)] }
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
