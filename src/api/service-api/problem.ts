import type { ErrorRequestHandler, Response } from 'express'
import { z } from 'zod'
import { httpStatusOf, PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { sendJson } from '../http/answer.ts'
import { logFailure, placeOf, statusOfHttpError } from '../http/problem.ts'
import { type BodyViolation, violationsIn } from '../http/violations.ts'
import type { serviceErrorSchema } from './schema.ts'
import { INVALID_REQUEST, SENTENCES, UNKNOWN_FIELD } from './sentences.ts'

/** Default `nome` of each status. */
const NAMES = {
  400: 'requisicao_invalida',
  401: 'nao_autorizado',
  403: 'acesso_negado',
  404: 'nao_encontrado',
  405: 'metodo_nao_permitido',
  409: 'conflito',
  413: 'corpo_grande_demais',
  415: 'tipo_de_conteudo_invalido',
  421: 'destino_incorreto',
  422: 'nao_processavel',
  429: 'requisicoes_demais',
  500: 'erro_aplicacao',
  503: 'servico_indisponivel',
} as const
export type ServiceApiStatus = keyof typeof NAMES

/** An error in the format of the service's own API (service-decisions.md, Errors). */
export class ServiceApiError extends Error {
  readonly status: ServiceApiStatus
  readonly nome: string
  readonly violations: readonly BodyViolation[]

  constructor(
    status: ServiceApiStatus,
    message: string,
    options: { nome?: string; violations?: readonly BodyViolation[]; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceApiError'
    this.status = status
    this.nome = options.nome ?? NAMES[status]
    this.violations = options.violations ?? []
  }
}

/** Words for violations whose schema has none. */
const { localeError: portuguese } = z.locales.pt()

/**
 * Parses a body or a query.
 * @param nomes of the error where every violation is of one member, by its JSON Pointer
 * @throws ServiceApiError 400 with every violation
 */
export function checkServiceRequest<T>(
  schema: z.ZodType<T>,
  value: unknown,
  nomes: Readonly<Record<string, string>> = {},
): T {
  const parsed = schema.safeParse(value, { error: portuguese })
  if (parsed.success) return parsed.data
  const violations = violationsIn(parsed.error, { unknown: UNKNOWN_FIELD })
  const [pointer, ...others] = new Set(violations.map((one) => one.pointer))
  const nome = others.length === 0 && pointer !== undefined ? nomes[pointer] : undefined
  throw new ServiceApiError(400, INVALID_REQUEST, { violations, ...(nome !== undefined && { nome }) })
}

/** Error handler of everything below the base addresses of the service's own API. */
export function answerServiceApiErrors(log: Log): ErrorRequestHandler {
  return function answerContractError(error: unknown, request, response, next) {
    if (response.headersSent) return next(error)
    if (error instanceof PortariaError && error.code === 'insufficient_scope') {
      response.status(403)
      return sendJson(response, { error: error.code, error_description: error.message })
    }
    const problem = contractErrorOf(error)
    if (problem.status === 500) logFailure(log, placeOf(request), error)
    sendContractError(response, problem)
  }
}

function sendContractError(response: Response, { status, nome, message, violations }: ServiceApiError): void {
  if ((status === 503 || status === 429) && !response.hasHeader('retry-after')) response.setHeader('retry-after', '5')
  const erros = violations.map(({ pointer, words }) => ({ caminho: pointer, mensagem: words }))
  const body: z.output<typeof serviceErrorSchema> = {
    nome,
    mensagem: message,
    ...(erros.length > 0 && { erros }),
  }
  response.status(status)
  sendJson(response, body)
}

/** Errors of the body parser and the router carry a status below 500; all other unknown errors are internal. */
function contractErrorOf(error: unknown): ServiceApiError {
  if (error instanceof ServiceApiError) return error
  const status = error instanceof PortariaError ? httpStatusOf(error.code) : (statusOfHttpError(error) ?? 500)
  const known = status in NAMES ? (status as ServiceApiStatus) : 400
  return new ServiceApiError(known, SENTENCES[known])
}
