import type { ErrorRequestHandler, Response } from 'express'
import type { z } from 'zod'
import { httpStatusOf, PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { sendJson } from '../http/answer.ts'
import { HTTP_ERROR_TEXTS, logFailure, statusOfHttpError } from '../http/problem.ts'
import { type BodyViolation, violationsIn } from '../http/violations.ts'
import type { serviceErrorSchema } from './schema.ts'

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
  500: 'erro_interno',
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

/**
 * Parses a body or a query.
 * @param what name of the value in the error text
 * @throws ServiceApiError 400 with every violation
 */
export function checkServiceRequest<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const violations = violationsIn(parsed.error)
  const words = violations.map(({ pointer, words }) => `${pointer} ${words}`)
  throw new ServiceApiError(400, `${what} is not valid: ${words.join('; ')}`, { violations })
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
    if (problem.status === 500) logFailure(log, request, error)
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
  if (error instanceof PortariaError)
    return new ServiceApiError(contractStatus(httpStatusOf(error.code)), error.message)
  const status = statusOfHttpError(error)
  if (status === null) return new ServiceApiError(500, 'internal error')
  const known = contractStatus(status)
  return new ServiceApiError(known, HTTP_ERROR_TEXTS[known] ?? 'the request cannot be answered as it is')
}

function contractStatus(status: number): ServiceApiStatus {
  return status in NAMES ? (status as ServiceApiStatus) : 400
}
