import { z } from 'zod'
import type { Refusal } from '../../http/service-error.ts'
import { problem, ServiceError, type Violation } from '../../http/service-error.ts'
import type { Settings } from '../../settings.ts'

/** Types of problems are URIs of the instant-payment scheme. */
const TYPES = 'https://pix.bcb.gov.br/api/v2/error/'

/** Errors of endpoints 7 and 8 in the field (service-errors.md). */
export const statementProblemSchema = z.object({
  type: z.url(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  violacoes: z.array(z.object({ razao: z.string(), propriedade: z.string() })).optional(),
})

/** Errors of endpoints 7 and 8: in the field they have a form of their own (service-errors.md), strict ones that of the interface. */
export interface StatementProblems {
  /** 400 with every violation of the body. */
  invalid(violations: readonly Violation[]): ServiceError
  notFound(): ServiceError
  /** For what the interface refuses before the endpoint runs. undefined: the form of the interface. */
  unreadableBody(refusal: Refusal): ServiceError | undefined
  unreadablePath(refusal: Refusal): ServiceError | undefined
}

const INVALID = 'O pedido de extrato não é válido: veja as violações.'
const NOT_FOUND = 'Esta conta não tem um extrato com este identificador.'

export function statementProblems(errors: Settings['errors']): StatementProblems {
  if (errors === 'strict')
    return {
      invalid: (violations) => problem(400, 'erro_de_validacao', INVALID, violations),
      notFound: () => problem(404, 'extrato_nao_encontrado', NOT_FOUND),
      unreadableBody: () => undefined,
      unreadablePath: () => undefined,
    }
  const invalid = (violations: readonly Violation[]) =>
    fieldProblem(400, 'ExtratoConciliacaoConsultaInvalida', {
      title: 'Consulta inválida',
      detail: INVALID,
      violacoes: violations.map(({ caminho, mensagem }) => ({ razao: mensagem, propriedade: propertyOf(caminho) })),
    })
  const notFound = () => fieldProblem(404, 'NaoEncontrado', { title: 'Não encontrado', detail: NOT_FOUND })
  return {
    invalid,
    notFound,
    unreadableBody: (refusal) =>
      refusal.status === 400 ? invalid([{ caminho: '', mensagem: refusal.message }]) : failureOf(refusal),
    unreadablePath: (refusal) => (refusal.status === 400 ? notFound() : failureOf(refusal)),
  }
}

function failureOf({ status, message, headers }: Refusal): ServiceError | undefined {
  if (status < 500) return undefined
  return fieldProblem(status, 'ErroInterno', { title: 'Erro interno', detail: message }, headers)
}

interface Details {
  readonly title: string
  readonly detail: string
  readonly violacoes?: readonly { readonly razao: string; readonly propriedade: string }[]
}

function fieldProblem(
  status: number,
  type: string,
  { title, detail, ...rest }: Details,
  headers?: Readonly<Record<string, string>>,
): ServiceError {
  return new ServiceError(status, { type: `${TYPES}${type}`, title, status, detail, ...rest }, headers)
}

/** `.body.tipoRegistros.saldoDia` of the JSON pointer `/tipoRegistros/saldoDia`. */
function propertyOf(pointer: string): string {
  return `.body${pointer.replaceAll('/', '.')}`.replaceAll('~1', '/').replaceAll('~0', '~')
}
