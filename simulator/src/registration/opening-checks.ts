import type { Application } from '../applications.ts'
import { problem, type ServiceError } from '../http/service-error.ts'
import { addDays, type CalendarDate } from '../rules/calendar-date.ts'
import { localDate } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { type EndClient, isoDate, type OpeningRequest } from './opening-schema.ts'
import { type Opening, openingsOf } from './openings.ts'
import { isSameName, registryOf } from './registry.ts'

const ADULT_YEARS = 18
const OLDEST_YEARS = 130
/** After a refusal on day D a new request is accepted from day D + 2 on (service-decisions.md). */
const DAYS_AFTER_REFUSAL = 2

/**
 * Every rule of an opening beyond the form of its request.
 * @throws ServiceError 400, 403, 409 or 412 (service-errors.md, endpoint 13)
 */
export function requireOpening(site: Site, application: Application, request: OpeningRequest): void {
  const today = localDate(site.clock.now(), site.settings.timeZone)
  requireAdult(request.clienteFinal, today)
  requireRegistry(site, request.clienteFinal)
  requireWebhook(site, application.account)
  requireOwnScopes(site, application, request.escoposIntegrados)
  requireNoOther(site, request.clienteFinal, today)
}

function requireAdult({ dataNascimento }: EndClient, today: CalendarDate): void {
  const birth = isoDate(dataNascimento) ?? ''
  if (birth > today || birth < yearsBefore(today, OLDEST_YEARS))
    throw wrong('data_nascimento_invalida', 'dataNascimento', 'Esta data de nascimento não é possível.')
  if (birth > yearsBefore(today, ADULT_YEARS))
    throw wrong('menoridade', 'dataNascimento', 'O cliente final é menor de idade.')
}

/** Not always a day of the calendar: such texts are only compared. */
function yearsBefore(date: CalendarDate, years: number): string {
  return `${Number(date.slice(0, 4)) - years}${date.slice(4)}`
}

function requireRegistry(site: Site, endClient: EndClient): void {
  const { cpf, cnpj, nomeCompleto, dataNascimento, nomeMae, razaoSocial } = endClient
  const person = registryOf(site).get(cpf)
  const company = cnpj === undefined ? undefined : registryOf(site).get(cnpj)
  if (person?.active === false) throw wrong('cpf_inativo', 'cpf', 'Este CPF está inativo.')
  if (!isSameName(person?.name, nomeCompleto))
    throw wrong('nome_completo_invalido', 'nomeCompleto', 'Este nome não pertence ao CPF.')
  if (person?.birthDate !== undefined && person.birthDate !== isoDate(dataNascimento))
    throw wrong('data_nascimento_invalida', 'dataNascimento', 'Esta data de nascimento não pertence ao CPF.')
  if (!isSameName(person?.motherName, nomeMae))
    throw wrong('nome_mae_invalido', 'nomeMae', 'Este nome da mãe não pertence ao CPF.')
  if (company?.active === false) throw wrong('cnpj_inativo', 'cnpj', 'Este CNPJ está inativo.')
  if (!isSameName(company?.name, razaoSocial))
    throw wrong('razao_social_invalida', 'razaoSocial', 'Esta razão social não pertence ao CNPJ.')
}

function requireWebhook(site: Site, account: string): void {
  const isRegistered = site.webhooks.registered
    .list()
    .some((webhook) => webhook.interface === 'registration' && webhook.account === account)
  if (!isRegistered) throw problem(412, 'webhook_nao_cadastrado', 'Cadastre antes um webhook de abertura de contas.')
}

function requireOwnScopes(site: Site, application: Application, scopes: readonly string[]): void {
  const own = site.applications.scopesOf(application)
  const foreign = scopes.filter((scope) => !own.includes(scope))
  if (foreign.length > 0)
    throw problem(403, 'escopo_nao_permitido', `A sua aplicação não pode conceder: ${foreign.join(', ')}.`)
}

function requireNoOther(site: Site, { cpf, celular, email }: EndClient, today: CalendarDate): void {
  const openings = openingsOf(site)
  const own = openings.filter(({ endClient }) => endClient.cpf === cpf)
  if (own.some(({ state }) => state === 'requested' || state === 'processing'))
    throw problem(409, 'solicitacao_duplicada', 'Já há uma solicitação em andamento para este cliente final.')
  const waitsUntil = own.map((opening) => firstDayAfterRefusal(site, opening)).find((day) => today < day)
  if (waitsUntil !== undefined)
    throw problem(409, 'recusa_recente', `O cliente final recusou: uma nova solicitação é possível em ${waitsUntil}.`)
  const others = openings.filter(
    ({ state, endClient }) => endClient.cpf !== cpf && ['processing', 'open'].includes(state),
  )
  if (others.some(({ endClient }) => endClient.celular === celular))
    throw problem(409, 'celular_cadastrado', 'Este celular pertence a outra pessoa.')
  if (others.some(({ endClient }) => endClient.email.toLowerCase() === email.toLowerCase()))
    throw problem(409, 'email_cadastrado', 'Este e-mail pertence a outra pessoa.')
}

/** The empty text, which is before every day, where the end client did not refuse. */
function firstDayAfterRefusal({ settings }: Site, { state, answeredAt }: Opening): CalendarDate {
  if (state !== 'refused' || answeredAt === null) return ''
  return addDays(localDate(answeredAt, settings.timeZone), DAYS_AFTER_REFUSAL)
}

function wrong(nome: string, member: keyof EndClient, mensagem: string): ServiceError {
  return problem(400, nome, mensagem, [{ caminho: `/clienteFinal/${member}`, mensagem }])
}
