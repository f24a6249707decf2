import type { Collection } from '../records.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import { endOfDay } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { isCredit, KIND_RULES, type MovementKind } from './movement-kinds.ts'

export { isCredit, MOVEMENT_KINDS, type MovementKind } from './movement-kinds.ts'

/** One line of an account's ledger. Movements are never changed or removed. */
export interface Movement {
  /** Rises from 1 with the movements of the environment. */
  readonly id: number
  readonly account: string
  readonly kind: MovementKind
  /** Greater than 0, also of a debit. */
  readonly cents: number
  /** Simulated time, in ms since 1970. It can be earlier than that of the movement before: the clock can be set back. */
  readonly at: number
  /** Balance of the account after it. */
  readonly balanceCents: number
  readonly description: string
  /** The payment of a bill or the charge that it belongs to; null: the control API made it. */
  readonly origin: { readonly kind: 'bill_payment' | 'charge'; readonly id: number } | null
  /** Id of the movement that it gives back, wholly or in part. */
  readonly reverses: number | null
}

export type NewMovement = Pick<Movement, 'account' | 'kind' | 'cents' | 'origin'> & {
  /** Default: the words of its kind. */
  readonly description?: string | undefined
  readonly reverses?: number | null | undefined
}

/** Amounts that a court or the dispute mechanism blocks, in cents. */
export interface Blocks {
  readonly judicial: number
  readonly med: number
}

/** A movement that the rules of the ledger do not allow. `status` is that of the control API's answer. */
export class LedgerError extends Error {
  readonly status: 400 | 404 | 409

  constructor(status: 400 | 404 | 409, message: string) {
    super(message)
    this.name = 'LedgerError'
    this.status = status
  }
}

/** Balance of an account before its first movement, in cents. */
const OPENING_BALANCE = 100_000_000

/** Balance of an account, in cents. It is kept, so a large ledger does not make it slow. */
export function balanceOf(site: Site, account: string): number {
  return balances(site).get(account) ?? OPENING_BALANCE
}

/** The balance of a new account, which has no movement yet. */
export function openLedger(site: Site, account: string, cents: number): void {
  balances(site).put(account, cents)
}

export function blocksOf(site: Site, account: string): Blocks {
  return site.collection<Blocks>('blocks').get(account) ?? { judicial: 0, med: 0 }
}

/** Blocked amounts can be greater than the balance. They are no movements. */
export function setBlocks(site: Site, account: string, blocks: Blocks): void {
  site.collection<Blocks>('blocks').put(account, blocks)
}

/** What debits can take: the balance without its blocked part, in cents, at least 0. */
export function availableOf(site: Site, account: string): number {
  const { judicial, med } = blocksOf(site, account)
  return Math.max(0, balanceOf(site, account) - judicial - med)
}

/** The movements of an account in the order in which they were made, oldest first. Reads all of them. */
export function movementsOf(site: Site, account: string): Movement[] {
  return movements(site, account).list()
}

/**
 * Balance at the end of a local day: the opening balance and all movements up to and on it. Reads all movements.
 * It can be below 0 only when the clock was set back between movements.
 */
export function balanceAtEndOf(site: Site, account: string, date: CalendarDate): number {
  const all = movementsOf(site, account)
  const [first] = all
  if (first === undefined) return balanceOf(site, account)
  const end = endOfDay(date, site.settings.timeZone)
  const opening = first.balanceCents - signedCents(first)
  return all.filter(({ at }) => at < end).reduce((sum, movement) => sum + signedCents(movement), opening)
}

/** Cents that a movement adds to the balance: below 0 for a debit. */
export function signedCents({ kind, cents }: Pick<Movement, 'kind' | 'cents'>): number {
  return isCredit(kind) ? cents : -cents
}

/**
 * Writes a movement at the simulated time, and the new balance, in one transaction.
 * @throws LedgerError for a debit beyond what is available, and a reversal or refund that its movement does not allow
 */
export function addMovement(site: Site, movement: NewMovement): Movement {
  const { account, kind, cents } = movement
  const available = availableOf(site, account)
  if (!isCredit(kind) && cents > available)
    throw new LedgerError(409, `the account has ${available} cents available: ${kind} of ${cents} cents is more`)
  return site.records.transaction(() => {
    giveBack(site, movement)
    return write(site, movement)
  })
}

/** Writes one movement of the difference, whatever is blocked. @returns null when the balance is this already */
export function setBalance(site: Site, account: string, cents: number): Movement | null {
  const difference = cents - balanceOf(site, account)
  if (difference === 0) return null
  const kind = difference > 0 ? 'transferenciaRecebida' : 'transferenciaEnviada'
  const description = 'Saldo definido pela API de controle'
  return write(site, { account, kind, cents: Math.abs(difference), description, origin: null })
}

/** Counts what is given back of a movement: a reversal is whole and the only one, refunds are never more than the movement in sum. */
function giveBack(site: Site, { account, kind, cents, origin, reverses = null }: NewMovement): void {
  const { gives } = KIND_RULES[kind]
  if (gives === undefined) {
    if (reverses === null) return
    throw new LedgerError(400, `reverses: ${kind} gives no other movement back; leave it out`)
  }
  const kinds = gives.back.join(' or ')
  if (reverses === null) throw new LedgerError(400, `reverses: name the ${kinds} that ${kind} gives back, by its id`)
  const given = movements(site, account).get(reverses)
  if (given === undefined) throw new LedgerError(404, `reverses: account ${account} has no movement ${reverses}`)
  if (!gives.back.includes(given.kind))
    throw new LedgerError(400, `reverses: movement ${reverses} is ${given.kind}; ${kind} gives back ${kinds}`)
  if (given.origin?.kind === 'bill_payment' && origin?.kind !== 'bill_payment')
    throw new LedgerError(
      409,
      `movement ${reverses} is payment ${given.origin.id} of a bill: it comes back only when that payment fails`,
    )
  if (gives.part === 'whole' && cents !== given.cents)
    throw new LedgerError(400, `amount: ${kind} gives movement ${reverses} back whole: ${given.cents} cents`)
  const back = returned(site).get(reverses) ?? 0
  if (back + cents > given.cents)
    throw new LedgerError(
      409,
      `${given.cents - back} of ${given.cents} cents of movement ${reverses} are left to give back`,
    )
  returned(site).put(reverses, back + cents)
}

function write(site: Site, { account, kind, cents, description, origin, reverses = null }: NewMovement): Movement {
  if (!Number.isSafeInteger(cents) || cents <= 0) throw new RangeError(`${cents} is no number of cents from 1.`)
  const balanceCents = balanceOf(site, account) + signedCents({ kind, cents })
  if (balanceCents < 0) throw new RangeError(`the balance of account ${account} would be ${balanceCents} cents`)
  if (!Number.isSafeInteger(balanceCents))
    throw new LedgerError(409, `account ${account} can have no more than ${Number.MAX_SAFE_INTEGER} cents`)
  return site.records.transaction(() => {
    const movement: Movement = {
      id: site.records.nextNumber(`${site.environment}.movements`),
      account,
      kind,
      cents,
      at: site.clock.now(),
      balanceCents,
      description: description ?? KIND_RULES[kind].text,
      origin,
      reverses,
    }
    movements(site, account).put(movement.id, movement)
    balances(site).put(account, balanceCents)
    return movement
  })
}

function balances(site: Site): Collection<number> {
  return site.collection<number>('balances')
}

/** A collection for each account, so that its list reads no other account's. */
function movements(site: Site, account: string): Collection<Movement> {
  return site.collection<Movement>(`movements.${account}`)
}

/** Cents that were given back of a movement, by its id. */
function returned(site: Site): Collection<number> {
  return site.collection<number>('movements-returned')
}
