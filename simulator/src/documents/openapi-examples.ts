import { chargeProblem, inFormOf, problem, Refusal } from '../http/service-error.ts'
import type { Interface } from '../interfaces.ts'
import { ERROR_EXAMPLES } from './error-examples.ts'
import { KNOWN_BY_OPERATION, KNOWN_VALUES } from './example-values.ts'
import { exampleOf, fits } from './schema-example.ts'

type Json = Readonly<Record<string, unknown>>
interface Exemplified {
  readonly schema: Json
  example?: unknown
}
interface WithContent {
  readonly content?: Readonly<Record<string, Exemplified>>
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly (Exemplified & { readonly name: string; readonly required?: boolean })[]
  readonly requestBody?: WithContent
  readonly responses: Readonly<Record<string, WithContent>>
}

/** Adds an example to each required parameter, body and answer of a new document. */
export function addExamples(on: Interface, document: object): void {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> }
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    const { operationId, parameters = [], requestBody, responses } = operation
    const known = { ...KNOWN_VALUES, ...KNOWN_BY_OPERATION[operationId] }
    for (const one of parameters) if (one.required) one.example = exampleOf(one.schema, known, [one.name])
    for (const media of mediaOf(requestBody)) media.example = exampleOf(media.schema, known)
    for (const [status, response] of Object.entries(responses)) {
      const refusal = Number(status) < 400 ? undefined : refusalOf(on, operation, status)
      for (const media of mediaOf(response)) {
        const isGiven = refusal !== undefined && fits(media.schema, refusal)
        media.example = isGiven ? refusal : exampleOf(media.schema, known)
      }
    }
  }
}

function mediaOf({ content = {} }: WithContent = {}): Exemplified[] {
  return Object.values(content)
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

function refusalOf(on: Interface, { operationId, requestBody }: Operation, status: string): unknown {
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
