import { printable } from '../platform/control-characters.ts'
import { isJson, textOf } from '../platform/json-text.ts'
import type { CleanText } from '../platform/secret-cleaner.ts'
import { type Exchanged, headerOf } from './exchange.ts'
import type { Refusal } from './failure.ts'

const TEXT_LIMIT = 300
/** Of a text that is cleaned before it is cut to its limit. */
const READ_LIMIT = 1024
const VIOLATIONS = 10

/** The body as JSON; undefined: it is none. */
export function jsonOf(body: Uint8Array): unknown {
  return isJson(body) ? JSON.parse(textOf(body, { start: 0, end: body.length })) : undefined
}

/**
 * Reads a 4xx or 5xx of any interface: `{nome, mensagem, erros}` and `{erro, descricao}` of Document 1, `{code, error, error_description}` of the
 * charges interface, `{error, error_description}` of OAuth (RFC 6749 section 5.2, RFC 6750 section 3.1). Its texts may repeat what was sent.
 */
export function refusalOf({ status, body }: Pick<Exchanged, 'status' | 'body'>, clean: CleanText): Refusal {
  const textOrNull = (value: unknown) => (typeof value === 'string' ? shownOf(value, clean) : null)
  const json = membersOf(jsonOf(body))
  const described = json.error_description
  const { property, message } = membersOf(described)
  const sentence =
    textOrNull(described) ?? textOrNull(message) ?? textOrNull(json.mensagem) ?? textOrNull(json.descricao)
  return {
    status,
    name: textOrNull(json.nome) ?? textOrNull(json.error),
    sentence,
    code: Number.isSafeInteger(json.code) ? Number(json.code) : null,
    property: textOrNull(property),
    violations: violationsOf(json.erros, textOrNull),
  }
}

/** The reason of a refusal on one line, such as `HTTP 400 url_webhook: …`. */
export function refusalText({ status, name, sentence, property, violations }: Refusal): string {
  const named = name === null ? `HTTP ${status}` : `HTTP ${status} ${name}`
  const placed = sentence !== null && property !== null ? `${property}: ${sentence}` : sentence
  const said = [placed, ...violations].filter((text) => text !== null)
  return said.length === 0 ? named : `${named}: ${said.join('; ')}`
}

/** `Retry-After` in ms: seconds or a date (RFC 9110 section 10.2.3); undefined: none, or neither. */
export function retryAfterOf(answer: Pick<Exchanged, 'headers'>, now: number): number | undefined {
  const text = headerOf(answer, 'retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = text === '' ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function violationsOf(value: unknown, textOrNull: (value: unknown) => string | null): string[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, VIOLATIONS).flatMap((one) => {
    const { caminho, mensagem } = membersOf(one)
    const said = [textOrNull(caminho), textOrNull(mensagem)].filter((text) => text !== null)
    return said.length === 0 ? [] : [said.join(': ')]
  })
}

/** The service chooses the text. */
function shownOf(text: string, clean: CleanText): string | null {
  const shown = clean(text.slice(0, READ_LIMIT)).trim()
  return shown === '' ? null : printable(shown).slice(0, TEXT_LIMIT)
}
