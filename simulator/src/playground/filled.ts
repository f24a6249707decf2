import { KNOWN_BY_OPERATION, KNOWN_VALUES } from '../documents/example-values.ts'
import type { Schema } from '../documents/json-schema.ts'
import { exampleOf } from '../documents/schema-example.ts'
import { openingsOf } from '../registration/openings.ts'
import { addDays, dayNumberOf } from '../rules/calendar-date.ts'
import { firstPaymentDay } from '../rules/cut-offs.ts'
import { localDate } from '../rules/local-time.ts'
import { withCpfDigits } from '../rules/tax-ids.ts'
import type { Site } from '../site.ts'
import type { Filled } from './caller-calls.ts'
import { SUBJECTS } from './candidates.ts'
import type { LocalGateway } from './local-gateway.ts'
import type { Operation } from './operations.ts'
import type { Caller, Surroundings } from './surroundings.ts'

/** The day on which the examples of the documents play. */
const DAY_OF_EXAMPLES = '2026-03-02'
const IN_EXAMPLES = /^2026-0[2-4]-\d{2}(?=$|[T ])/

/** A form as it is opened: the examples of its schema, with what they name in this simulator. */
export interface Opened {
  readonly filled: Filled
  /** Examples of what is left out, too. */
  readonly exampleOf: (schema: Schema, path: readonly string[]) => unknown
  /** Records that can be named, newest first. */
  readonly candidates: readonly string[]
  /** It names a record, or needs one, and there is none. */
  readonly isMissing: boolean
}

/** Fills a form. @param kept values that the user gave before, of the path and the query */
export async function openForm(
  { sites, askControl }: Surroundings,
  gateway: LocalGateway,
  { operation, caller }: { operation: Operation; caller: Caller },
): Promise<Opened> {
  const site = sites[caller.environment]
  const { account } = caller.application
  const subject = SUBJECTS[operation.id]
  const candidates = [...(subject?.candidates(site, account) ?? [])].reverse()
  const current = valuesNow(site, gateway, operation)
  const inPath = operation.parameters.filter((one) => one.in === 'path')
  const params = Object.fromEntries(
    inPath.map(({ name, example }) => [
      name,
      name === subject?.segment ? (candidates[0] ?? String(example)) : String(current(example, name)),
    ]),
  )
  const query = Object.fromEntries(
    operation.parameters
      .filter((one) => one.in === 'query')
      .map(({ name, example, schema }) => [name, current(example, name) ?? schema.default])
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
  const body = operation.body === null ? undefined : current(operation.body.example, '')
  const known = { ...KNOWN_VALUES, ...KNOWN_BY_OPERATION[operation.id], ...INVENTED }
  return {
    filled: { params, query, body: await withFacts(body) },
    exampleOf: (schema, path) => current(exampleOf(schema as never, known, path), path.at(-1) ?? ''),
    candidates,
    isMissing: subject !== undefined && candidates.length === 0,
  }

  /** What only the record says that the path names. */
  async function withFacts(given: unknown): Promise<unknown> {
    if (subject?.segment === 'url' && candidates[0] !== undefined) return { ...(given as object), url: candidates[0] }
    if (operation.id !== 'payBill' || candidates[0] === undefined) return given
    const request = { params: { codBarras: candidates[0] }, query: { environment: caller.environment } }
    const { json } = await askControl('showBill', request)
    const { kind, offer } = json as { kind: string; offer: { due: number | null } }
    const amountCents = offer.due ?? (given as { valor: number }).valor
    const dataPagamento = firstPaymentDay({
      kind: kind === 'billet' ? kind : 'tax',
      amountCents,
      now: site.clock.now(),
      zone: site.settings.timeZone,
    })
    return { ...(given as object), valor: amountCents, dataPagamento }
  }
}

/** Values that the documents leave out of their examples. */
const INVENTED = {
  cnpj: '11222333000181',
  razaoSocial: 'Padaria Central Ltda',
  cupom: 'CUPOM',
  webhookSecurity: undefined,
  chave: '7c1e0f5e-6a0d-4b0e-9b52-1f6f0f3f6f10',
  hash: 'a-secret-of-yours',
}

/** Values of examples as they are now: dates as far from today as from the day of the examples, addresses of the local gateway, end clients that are new. */
function valuesNow(site: Site, gateway: LocalGateway, { on }: Operation) {
  const today = localDate(site.clock.now(), site.settings.timeZone)
  const passed = dayNumberOf(today) - dayNumberOf(DAY_OF_EXAMPLES)
  const { payment, registration, charges } = gateway.addresses()
  const openings = openingsOf(site).length
  const replaced: Readonly<Record<string, string | null>> = {
    url: on === 'registration' ? registration : payment,
    webhookUrl: registration,
    webhookURL: payment,
    notification_url: charges,
  }

  function valueNow(value: unknown, name: string): unknown {
    if (Array.isArray(value)) return value.map((one) => valueNow(one, name))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, valueNow(one, key)]))
    if (typeof value !== 'string') return value
    if (IN_EXAMPLES.test(value)) return addDays(value.slice(0, 10), passed) + value.slice(10)
    if (value.startsWith('https://shop.example/')) return replaced[name] ?? value
    return openings === 0 || on !== 'registration' ? value : anotherPerson(value, name, openings)
  }
  return valueNow
}

/** A person has one opening at a time, and a phone and a mail address of their own. @param count of the openings before this one */
function anotherPerson(value: string, name: string, count: number): string {
  if (name === 'cpf') return withCpfDigits(String(529_982_247 + count))
  if (name === 'celular') return String(Number(value) + count)
  return name === 'email' ? value.replace('@', `.${count}@`) : value
}
