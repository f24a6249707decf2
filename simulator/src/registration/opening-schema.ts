import { z } from 'zod'
import { problem, type ServiceError, violationsOf } from '../http/service-error.ts'
import { isCalendarDate } from '../rules/calendar-date.ts'
import { isCnpj, isCpf } from '../rules/tax-ids.ts'

export const CHANNELS = ['sms', 'whatsapp'] as const

const STATES = [
  ...['AC', 'AL', 'AM', 'AP', 'BA', 'CE', 'DF', 'ES', 'GO', 'MA', 'MG', 'MS', 'MT', 'PA', 'PB', 'PE', 'PI', 'PR'],
  ...['RJ', 'RN', 'RO', 'RR', 'RS', 'SC', 'SE', 'SP', 'TO'],
]

/** The scopes that an opening can grant (Document 1, Simplified account request), with `svc` for the configured segment. */
export const GRANTABLE_SCOPES: readonly string[] = [
  ...['cob.write', 'cob.read', 'pix.write', 'pix.read', 'pix.send', 'webhook.write', 'webhook.read'],
  ...['payloadlocation.write', 'payloadlocation.read'],
  ...['svc.pix.send.read', 'svc.pix.evp.write', 'svc.pix.evp.read', 'svc.balance.read'],
  ...['svc.settings.write', 'svc.settings.read'],
]

const personName = z
  .string()
  .max(120)
  .regex(/^[\p{L}'’.-]+( [\p{L}'’.-]+)+$/u, 'Informe nome e sobrenome, só com letras.')
const text = z.string().trim().min(1, 'Informe este campo.').max(120)

const address = z.strictObject({
  cep: z.string().regex(/^\d{8}$/, 'Informe os 8 dígitos do CEP.'),
  estado: z.enum(STATES, 'Informe a sigla de um estado.'),
  cidade: text,
  bairro: text,
  logradouro: text,
  numero: text,
  complemento: z.string().max(120).optional(),
})

const endClient = z
  .strictObject({
    cpf: z
      .string()
      .refine(isCpf, 'Informe um CPF válido, só com dígitos.')
      .meta({ description: '11 digits', pattern: '^\\d{11}$' }),
    nomeCompleto: personName,
    dataNascimento: z
      .string()
      .refine((date) => isoDate(date) !== null, 'Informe uma data no formato DD/MM/AAAA.')
      .meta({ description: 'DD/MM/YYYY', pattern: '^\\d{2}/\\d{2}/\\d{4}$' }),
    nomeMae: personName.optional(),
    celular: z.string().regex(/^[1-9]{2}9\d{8}$/, 'Informe um celular com DDD: 11 dígitos.'),
    email: z.email('Informe um e-mail válido.').max(254),
    cnpj: z
      .string()
      .refine(isCnpj, 'Informe um CNPJ válido, sem pontuação.')
      .meta({ description: '14 characters', pattern: '^[0-9A-Z]{12}\\d{2}$' })
      .optional(),
    razaoSocial: text.optional(),
    endereco: address,
  })
  .refine(({ cnpj, razaoSocial }) => cnpj !== undefined || razaoSocial === undefined, {
    path: ['cnpj'],
    error: 'Informe o CNPJ da razão social.',
  })

/** Document 1, endpoint 13. @param scopes that exist, with the configured segment */
export function openingBody(scopes: readonly string[]) {
  return z.strictObject({
    clienteFinal: endClient,
    meioDeNotificacao: z.array(z.enum(CHANNELS, 'Informe sms ou whatsapp.')).min(1, 'Informe ao menos um meio.'),
    escoposIntegrados: z.array(z.enum(scopes, 'Este escopo não existe.')).min(1, 'Informe ao menos um escopo.'),
    cupom: z.string().min(1).max(20).optional(),
  })
}

export type OpeningRequest = z.output<ReturnType<typeof openingBody>>
export type EndClient = OpeningRequest['clienteFinal']

export const openedSchema = z.object({ contaSimplificada: z.object({ identificador: z.uuid() }) })

export const credentialsSchema = z.object({
  clientId: z.uuid(),
  clientSecret: z.string(),
  conta: z.object({ numero: z.string(), digito: z.string(), payeeCode: z.string() }),
  escopos: z.array(z.string()),
  ativo: z.boolean(),
})

/** Names of wrong values in the field (service-errors.md, endpoint 13). A wrong value of another member, and a missing one, is named after the member. */
const NAMES: Readonly<Record<string, string>> = {
  cpf: 'cpf_invalido',
  nomeCompleto: 'nome_completo_invalido',
  dataNascimento: 'data_nascimento_invalida',
  nomeMae: 'nome_mae_invalido',
  celular: 'celular_invalido',
  email: 'email_invalido',
  cep: 'cep_invalido',
  cnpj: 'cnpj_invalido',
  razaoSocial: 'razao_social_invalida',
}

/** 400 with every violation, named after the first. */
export function invalidOpening(error: z.ZodError, body: unknown): ServiceError {
  const violations = violationsOf(error)
  const [first] = error.issues
  const [path] = violations.map(({ caminho }) => caminho.split('/').slice(1))
  const nome = first?.code === 'unrecognized_keys' ? 'erro_de_validacao' : nameOf(path ?? [], body)
  return problem(400, nome, violations[0]?.mensagem ?? 'A requisição não é válida.', violations)
}

function nameOf(path: readonly string[], body: unknown): string {
  const member = path.findLast((segment) => !/^\d+$/.test(segment))
  if (member === undefined) return 'erro_de_validacao'
  const isMissing = valueAt(body, path) === undefined
  return (isMissing ? undefined : NAMES[member]) ?? `${member}_invalido`
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value)
}

/** `YYYY-MM-DD` of a date `DD/MM/YYYY`; null: there is no such day. */
export function isoDate(date: string): string | null {
  const [, day, month, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(date) ?? []
  const iso = `${year}-${month}-${day}`
  return isCalendarDate(iso) ? iso : null
}
