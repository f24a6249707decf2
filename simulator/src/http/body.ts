import express, { type Request, type RequestHandler } from 'express'
import { Refusal } from './service-error.ts'

const LARGEST_BODY = '256kb'

/** Reads the body as bytes under any content type; an encoded one is 415, a larger one 413. */
export function readBody(): RequestHandler {
  return express.raw({ inflate: false, limit: LARGEST_BODY, type: () => true })
}

/** No bytes are no body, whatever the content type says. @throws Refusal 400, 415 */
export function jsonOf(request: Request): unknown {
  const text = textOf(request)
  if (text === '') return undefined
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'tipo_de_conteudo_invalido', 'Envie o corpo como application/json.')
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'json_invalido', 'O corpo da requisição não é um JSON válido.')
  }
}

/** Members of a JSON object or of a form, by name. @throws Refusal 400, 415 */
export function fieldsOf(request: Request): Readonly<Record<string, unknown>> {
  const text = textOf(request)
  if (text !== '' && /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return Object.fromEntries(new URLSearchParams(text))
  const value = jsonOf(request)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf({ body }: Request): string {
  // Some clients write a byte order mark (RFC 8259 section 8.1).
  return Buffer.isBuffer(body) ? body.toString('utf8').replace(/^\uFEFF/, '') : ''
}
