import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { type Fixture, INSTITUTIONS } from '../institutions/fixtures.ts'

/** A body with the texts by which its facts are found in what a receiver stored. */
export interface Marked {
  readonly body: string
  readonly markers: readonly string[]
}

/** One kind of callback of an institution. */
export interface CallbackKind {
  readonly fixture: Fixture
  /** What the institution appends to the registered URL. */
  readonly suffix: string
  readonly mark: { readonly at: readonly (string | number)[]; readonly make: () => string }
}

const digits = () => String(randomInt(100_000_000_000_000, 280_000_000_000_000))
const letters = (count: number) => randomBytes(count).toString('hex').slice(0, count)
const instantPaymentId = () => `E00000000202603021500${letters(11)}`

const MARKS: Readonly<Record<string, Readonly<Record<string, CallbackKind['mark']>>>> = {
  service: {
    payment: { at: ['identificador'], make: digits },
    registration: { at: ['contaSimplificada', 'identificador'], make: randomUUID },
    'open-banking': { at: ['identificadorPagamento'], make: () => `urn:participant:${randomUUID()}` },
    charge: { at: ['notification', 'token'], make: randomUUID },
  },
  'instant-payment': {
    payment: { at: ['pix', 0, 'endToEndId'], make: instantPaymentId },
    refund: { at: ['pix', 0, 'endToEndId'], make: instantPaymentId },
    recurrence: { at: ['recs', 0, 'idRec'], make: () => `RR0000000020260302${letters(11)}` },
    'recurring-charge': { at: ['cobsr', 0, 'txid'], make: () => letters(32) },
  },
  'open-finance': Object.fromEntries(
    ['payment', 'consent', 'enrollment', 'recurring-consent', 'recurring-payment'].map((name) => [
      name,
      // These bodies have a time only, so the marker is a further member.
      { at: ['data', 'marker'], make: randomUUID },
    ]),
  ),
}

export const PRESETS = Object.keys(MARKS)

/** The first is the one by default. */
export function kindsOf(preset: string): readonly string[] {
  return Object.keys(MARKS[preset] ?? {})
}

export function kindOf(preset: string, kind: string): CallbackKind {
  const fixture = INSTITUTIONS[preset]?.fixtures[kind] as Fixture
  return { fixture, suffix: suffixOf(preset, fixture), mark: MARKS[preset]?.[kind] as CallbackKind['mark'] }
}

/** The service calls the registered URL itself; an institution of instant payments appends /pix, one of open finance its whole path. */
function suffixOf(preset: string, { path }: Fixture): string {
  if (preset === 'service') return ''
  return preset === 'open-finance' ? path : path.slice(path.lastIndexOf('/'))
}

/** Every suffix that a receiver of this kind has to take. */
export function suffixesOf(preset: string | null, { fixture }: CallbackKind): readonly string[] {
  if (preset !== 'open-finance') return ['/pix', '/rec', '/cobr']
  // A receiver that turns the webhook on for an API takes all addresses of this API.
  const apiOf = ({ path }: Fixture) => path.split('/')[4]
  const all = Object.values(INSTITUTIONS['open-finance']?.fixtures ?? {})
  return all.filter((one) => apiOf(one) === apiOf(fixture)).map(({ path }) => path)
}

/** A callback of this kind with new ids. */
export function oneFact({ fixture, mark }: CallbackKind): Marked {
  const { value, marker } = markedValue(fixture.body, mark)
  return { body: JSON.stringify(value), markers: [marker] }
}

/** A notification of a charge that is only a token. */
export function tokenForm(): Marked {
  const token = randomUUID()
  return { body: `notification=${token}`, markers: [token] }
}

/** A callback whose body is an array of callbacks of this kind. */
export function rootArray({ fixture, mark }: CallbackKind, count: number): Marked {
  const facts = Array.from({ length: count }, () => markedValue(fixture.body, mark))
  return { body: JSON.stringify(facts.map(({ value }) => value)), markers: facts.map(({ marker }) => marker) }
}

/** A callback of instant payments with several in its array. @param padding characters in the last one */
export function arrayMember(count: number, padding = 0): Marked {
  const items = Array.from({ length: count }, instantPayment)
  const last = items.at(-1)
  if (last !== undefined && padding > 0) last.infoPagador = 'x'.repeat(padding)
  return { body: JSON.stringify({ pix: items }), markers: items.map(({ endToEndId }) => endToEndId) }
}

function instantPayment() {
  return {
    endToEndId: instantPaymentId(),
    txid: letters(32),
    chave: randomUUID(),
    valor: '150.10',
    horario: '2026-03-02T15:00:00.358Z',
    infoPagador: 'pedido 17',
  }
}

function markedValue(body: unknown, { at, make }: CallbackKind['mark']): { value: unknown; marker: string } {
  const value = structuredClone(body)
  const marker = make()
  const parent = at.slice(0, -1).reduce((inner, step) => (inner as Record<string | number, unknown>)[step], value)
  Object.assign(parent as object, { [at.at(-1) as string]: marker })
  return { value, marker }
}
