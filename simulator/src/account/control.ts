import { z } from 'zod'
import {
  accountOf,
  type ControlEndpoint,
  ControlError,
  controlEndpoint,
  newestLimit,
} from '../control-api/control-endpoint.ts'
import { endOfDay, instantOf } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import {
  addMovement,
  availableOf,
  balanceOf,
  blocksOf,
  isCredit,
  MOVEMENT_KINDS,
  type Movement,
  movementsOf,
  setBalance,
  setBlocks,
} from './ledger.ts'

/** The control API takes a balance no further than this, which leaves room below the safe integers for payments of charges. */
const HIGHEST_CENTS = 999_999_999_999_999

const cents = z.int().min(0).max(HIGHEST_CENTS)
const balanceSchema = z.strictObject({ balance: cents.describe('In cents') })
const balanceView = z.object({
  balance: z.int().describe('In cents'),
  available: z.int().describe('The balance without its blocked part, in cents: what payments can take'),
})

const blocksSchema = z.strictObject({
  judicial: cents.default(0).describe('Blocked by a court, in cents'),
  med: cents.default(0).describe('Blocked by the dispute mechanism, in cents'),
})
const blocksView = z.object({ judicial: z.int(), med: z.int(), total: z.int(), available: z.int() })

const movementSchema = z.strictObject({
  kind: z.enum(MOVEMENT_KINDS),
  amount: cents.min(1).describe('In cents, also of a debit greater than 0'),
  description: z
    .string()
    .min(1)
    .max(255)
    .regex(/^\P{Cc}*$/u, 'must have no control characters')
    .optional()
    .describe('Default: the words of the kind'),
  reverses: z.int().min(1).optional().describe('Id of the movement that a reversal or a refund gives back'),
})
const movementView = z.object({
  id: z.int(),
  account: z.string(),
  kind: z.enum(MOVEMENT_KINDS),
  amount: z.int(),
  at: z.iso.datetime().describe('Simulated time'),
  balance: z.int().describe('Balance after it, in cents'),
  description: z.string(),
  origin: z
    .object({ kind: z.enum(['bill_payment', 'charge']), id: z.int() })
    .nullable()
    .describe('null: the control API made it'),
  reverses: z.int().nullable(),
})

const periodSchema = z
  .strictObject({
    from: z.iso.date().optional().describe('First local day'),
    to: z.iso.date().optional().describe('Last local day'),
    limit: newestLimit,
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['to'],
    error: 'is before from',
  })

const noAccount = { 404: { description: 'No account has this number' } }

/** Ledgers of accounts: balances, blocked amounts and movements. */
export function ledgerControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'showBalance',
      method: 'get',
      path: '/accounts/:number/balance',
      summary: 'Show the balance of an account, and how much of it payments can take',
      answers: { 200: { description: 'The balance', schema: balanceView }, ...noAccount },
      run: ({ site, params }) => balanceAnswer(site, accountOf(site, params).number),
    }),
    controlEndpoint({
      id: 'setBalance',
      method: 'put',
      path: '/accounts/:number/balance',
      summary: 'Set the balance of an account, by one movement of the difference',
      body: balanceSchema,
      answers: { 200: { description: 'The balance', schema: balanceView }, ...noAccount },
      run({ site, params, body: { balance } }) {
        const account = accountOf(site, params).number
        setBalance(site, account, balance)
        return balanceAnswer(site, account)
      },
    }),
    controlEndpoint({
      id: 'showBlocks',
      method: 'get',
      path: '/accounts/:number/blocks',
      summary: 'Show the blocked amounts of an account',
      answers: { 200: { description: 'The blocked amounts', schema: blocksView }, ...noAccount },
      run: ({ site, params }) => blocksAnswer(site, accountOf(site, params).number),
    }),
    controlEndpoint({
      id: 'setBlocks',
      method: 'put',
      path: '/accounts/:number/blocks',
      summary: 'Block amounts of an account in place of those that were blocked; {} blocks nothing',
      body: blocksSchema,
      answers: { 200: { description: 'The blocked amounts', schema: blocksView }, ...noAccount },
      run({ site, params, body }) {
        const account = accountOf(site, params).number
        setBlocks(site, account, body)
        return blocksAnswer(site, account)
      },
    }),
    controlEndpoint({
      id: 'createMovement',
      method: 'post',
      path: '/accounts/:number/movements',
      summary: 'Write a movement into the ledger of an account: received, sent, refund, fee, transfer or a reversal',
      body: movementSchema,
      answers: {
        201: { description: 'The movement', schema: movementView },
        404: { description: 'No account has this number, or no movement has the id `reverses`' },
        409: { description: 'The account or the movement does not allow it: `error` says why' },
      },
      run({ site, body, params }) {
        const { amount, ...rest } = body
        const account = accountOf(site, params).number
        requireRoom(site, account, body)
        const movement = addMovement(site, { ...rest, account, cents: amount, origin: null })
        return { status: 201, json: viewOf(movement) }
      },
    }),
    controlEndpoint({
      id: 'listMovements',
      method: 'get',
      path: '/accounts/:number/movements',
      summary: 'List the movements of an account; the newest `limit` of them, oldest first',
      query: periodSchema,
      answers: {
        200: { description: 'The movements', schema: z.object({ movements: z.array(movementView) }) },
        ...noAccount,
      },
      run({ site, query, params }) {
        const isWanted = periodOf(site, query)
        const found = movementsOf(site, accountOf(site, params).number).filter(({ at }) => isWanted(at))
        return { status: 200, json: { movements: found.slice(-Number(query.limit)).map(viewOf) } }
      },
    }),
  ]
}

/** @throws ControlError 409 */
function requireRoom(site: Site, account: string, { kind, amount }: z.output<typeof movementSchema>): void {
  const room = HIGHEST_CENTS - balanceOf(site, account)
  if (isCredit(kind) && amount > room)
    throw new ControlError(409, `amount: the balance would be more than ${HIGHEST_CENTS} cents; use ${room} at most`)
}

/** Whether an instant, in ms since 1970, is within local days. */
function periodOf({ settings: { timeZone } }: Site, { from, to }: z.output<typeof periodSchema>) {
  const begin = from === undefined ? Number.NEGATIVE_INFINITY : instantOf(from, '00:00:00', timeZone)
  const end = to === undefined ? Number.POSITIVE_INFINITY : endOfDay(to, timeZone)
  return (at: number) => at >= begin && at < end
}

function balanceAnswer(site: Site, account: string) {
  return { status: 200, json: { balance: balanceOf(site, account), available: availableOf(site, account) } }
}

function blocksAnswer(site: Site, account: string) {
  const { judicial, med } = blocksOf(site, account)
  return { status: 200, json: { judicial, med, total: judicial + med, available: availableOf(site, account) } }
}

function viewOf({ id, account, kind, cents, at, balanceCents, description, origin, reverses }: Movement) {
  const about = { description, origin, reverses }
  return { id, account, kind, amount: cents, at: new Date(at).toISOString(), balance: balanceCents, ...about }
}
