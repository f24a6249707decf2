import { chargeProblem, inFormOf, problem, Refusal } from '../http/service-error.ts'
import type { Interface } from '../interfaces.ts'
import { ERROR_EXAMPLES } from './error-examples.ts'
import { KNOWN_BY_OPERATION, KNOWN_VALUES } from './example-values.ts'
import { exampleOf, fits, type KnownValues } from './schema-example.ts'

type Json = Readonly<Record<string, unknown>>
type Content = Readonly<Record<string, { readonly schema: Json; readonly example?: unknown }>>
interface Parameter {
  readonly name: string
  readonly required: boolean
  readonly schema: Json
}
export interface DescribedOperation extends Json {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Json & { readonly content: Content }
  readonly responses: Readonly<Record<string, Json & { readonly content?: Content }>>
}

/** The operation with an example of each required parameter, body and answer. */
export function withExamples(on: Interface, operation: DescribedOperation): DescribedOperation {
  const known = { ...KNOWN_VALUES, ...KNOWN_BY_OPERATION[operation.operationId] }
  const { parameters, requestBody, responses } = operation
  return {
    ...operation,
    ...(parameters !== undefined && {
      parameters: parameters.map((one) =>
        one.required ? { ...one, example: exampleOf(one.schema, known, [one.name]) } : one,
      ),
    }),
    ...(requestBody !== undefined && {
      requestBody: { ...requestBody, content: exemplified(requestBody.content, known) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { content, ...response }]) => {
        if (content === undefined) return [status, response]
        const refusal = Number(status) < 400 ? undefined : refusalOf(on, operation, status)
        return [status, { ...response, content: exemplified(content, known, refusal) }]
      }),
    ),
  }
}

/** @param given in place of a derived example, where the schema takes it */
function exemplified(content: Content, known: KnownValues, given?: unknown): Content {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const isGiven = given !== undefined && fits(media.schema, given)
      return [type, { ...media, example: isGiven ? given : exampleOf(media.schema, known) }]
    }),
  )
}

/** What every endpoint refuses, by status. */
const REFUSALS: Readonly<Record<string, readonly [nome: string, mensagem: string]>> = {
  400: ['requisicao_invalida', 'A requisição não pôde ser lida.'],
  401: ['nao_autorizado', 'O token de acesso não é válido.'],
  404: ['nao_encontrado', 'Este endereço não existe.'],
  413: ['corpo_grande_demais', 'O corpo da requisição é grande demais.'],
  415: ['tipo_de_conteudo_invalido', 'Envie o corpo como application/json.'],
  429: ['limite_de_requisicoes', 'Muitas requisições: tente mais tarde.'],
  500: ['erro_aplicacao', 'Ocorreu um erro interno.'],
}

function refusalOf(on: Interface, { operationId, requestBody }: DescribedOperation, status: string): unknown {
  const own = ERROR_EXAMPLES[`${operationId} ${status}`]
  if (own !== undefined) return 'body' in own ? own.body : problem(Number(status), own.nome, own.mensagem).body
  if (on === 'charges' && status === '412')
    return /^cancel/.test(operationId)
      ? chargeProblem(412, 'invalid_status', 'Uma cobrança com o status paid não pode ser cancelada.').body
      : chargeProblem(412, 'validation_error', { property: '/status', message: 'O status é outro.' }).body
  const isValidated = status === '400' && requestBody !== undefined
  const [nome = '', mensagem = ''] = isValidated ? [VALIDATION, MISSING] : (REFUSALS[status] ?? [])
  const violations = isValidated ? [{ caminho: '/member', mensagem: 'Este campo é obrigatório.' }] : []
  return inFormOf(on, new Refusal(Number(status), nome, mensagem, { violations })).body
}

const VALIDATION = 'erro_de_validacao'
const MISSING = 'A requisição não é válida: veja os erros.'
