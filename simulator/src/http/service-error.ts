import { z } from 'zod'
import type { Interface } from '../interfaces.ts'

/** An answer of the service that ends a request. */
export class ServiceError extends Error {
  readonly status: number
  /** Sent as JSON; null: there is no body. */
  readonly body: object | null
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: object | null, headers: Readonly<Record<string, string>> = {}) {
    super(`answer ${status} ${JSON.stringify(body)}`)
    this.name = 'ServiceError'
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** One violation of a request; `caminho` is a JSON pointer (RFC 6901). */
export interface Violation {
  readonly caminho: string
  readonly mensagem: string
}

/** An error in the form of Document 1's interfaces (service-decisions.md, Errors; names in service-errors.md). */
export function problem(
  status: number,
  nome: string,
  mensagem: string,
  erros: readonly Violation[] = [],
): ServiceError {
  return new ServiceError(status, { nome, mensagem, ...(erros.length > 0 && { erros }) })
}

/** Codes of the charges interface (service-decisions.md, Errors). */
const CHARGE_CODES = {
  internal: 3_500_000,
  unauthorized: 3_500_008,
  not_found: 3_500_010,
  validation_error: 3_500_034,
  invalid_status: 3_500_043,
} as const
export type ChargeErrorName = keyof typeof CHARGE_CODES

/** An error in the form of the charges interface. @param description a sentence, or the first property that is wrong */
export function chargeProblem(
  status: number,
  error: ChargeErrorName,
  description: string | { readonly property: string; readonly message: string },
  headers?: Readonly<Record<string, string>>,
): ServiceError {
  return new ServiceError(status, { code: CHARGE_CODES[error], error, error_description: description }, headers)
}

/** A refusal that every interface makes, each in its own form: access, paths, methods, bodies. */
export class Refusal extends Error {
  readonly status: number
  readonly nome: string
  readonly violations: readonly Violation[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    nome: string,
    mensagem: string,
    details: { violations?: readonly Violation[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(mensagem)
    this.name = 'Refusal'
    this.status = status
    this.nome = nome
    this.violations = details.violations ?? []
    this.headers = details.headers ?? {}
  }
}

/** The refusal as the interface answers it. */
export function inFormOf(name: Interface, { status, nome, message, violations, headers }: Refusal): ServiceError {
  if (name === 'charges') return chargeProblem(status, chargeErrorOf(status), firstOf(violations) ?? message, headers)
  const { body } = problem(status, nome, message, violations)
  return new ServiceError(status, body, headers)
}

function chargeErrorOf(status: number): ChargeErrorName {
  if (status === 401) return 'unauthorized'
  if (status === 404) return 'not_found'
  return status >= 500 ? 'internal' : 'validation_error'
}

function firstOf([first]: readonly Violation[]): { property: string; message: string } | undefined {
  return first && { property: first.caminho, message: first.mensagem }
}

/** Every violation that zod found; unknown members are named one by one, and of alternatives the one that fits best counts. */
export function violationsOf(
  error: Pick<z.ZodError, 'issues'>,
  {
    at = [],
    unknownField = 'Este campo não é conhecido.',
  }: { at?: readonly PropertyKey[]; unknownField?: string } = {},
): Violation[] {
  return error.issues.flatMap((issue) => {
    const path = [...at, ...issue.path]
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        caminho: pointerOf([...path, key]),
        mensagem: unknownField,
      }))
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const alternatives = issue.errors.map((issues) => violationsOf({ issues }, { at: path, unknownField }))
      return alternatives.reduce((best, other) => (other.length < best.length ? other : best))
    }
    return [{ caminho: pointerOf(path), mensagem: issue.message }]
  })
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Errors of Document 1's interfaces. */
export const problemSchema = z.object({
  nome: z.string(),
  mensagem: z.string(),
  erros: z.array(z.object({ caminho: z.string(), mensagem: z.string() })).optional(),
})

export const scopeErrorSchema = z.object({ error: z.literal('insufficient_scope'), error_description: z.string() })
