import { z } from 'zod'
import { keysOf } from '../account/keys.ts'
import { availableOf, balanceOf, blocksOf, type Movement, movementsOf, signedCents } from '../account/ledger.ts'
import { accountSettingsOf } from '../account/settings-endpoints.ts'
import { listStatements, STATEMENT_STATUSES, statusOf } from '../account/statements/statement.ts'
import type { Account } from '../applications.ts'
import { paymentSteps } from '../bills/payment-outlook.ts'
import { hasInstantPayment } from '../charges/instant-payments.ts'
import { ctlCall, type Moment, type NextStep, outlookMembers, outlookView } from '../control-api/outlook.ts'
import { isFinal, paymentsOf } from '../money/payment.ts'
import { decimalOf } from '../rules/money.ts'
import type { Site } from '../site.ts'
import type { Callback } from '../webhooks/callback.ts'
import { callbackCounts, callbackOutlook, countsOf } from '../webhooks/callback-outlook.ts'
import { isCertificateRefused } from './certificates-control.ts'

/** How many movements, payments and callbacks are listed. */
const MOST_LISTED = 20
const WAITING = 'list-callbacks --state pending'
const UNREGISTERED = 'no callback of bills and openings comes: the account registered no URL (PUT or POST /v1/webhook)'

export const accountRecord = z.object({
  account: z.string(),
  digit: z.string(),
  owner: z.object({ name: z.string(), document: z.string() }),
  payee_code: z.string(),
  balance: z.int().describe('In cents'),
  blocks: z.object({ judicial: z.int(), med: z.int() }),
  available: z.int().describe('What debits can take'),
  certificates: z.array(z.object({ sha256: z.string(), refused: z.boolean() })),
  applications: z.array(
    z.object({ client_id: z.string(), interfaces: z.array(z.string()), scopes: z.array(z.string()) }),
  ),
  webhooks: z.array(z.object({ interface: z.string(), url: z.string(), ...callbackCounts.shape })),
  keys: z.array(z.string()),
  settings: z.looseObject({}).describe('All that endpoint 5 set'),
  statements: z.array(z.object({ id: z.string(), date: z.string(), status: z.enum(STATEMENT_STATUSES) })),
  instant_payment: z.boolean().describe('Billets carry an instant-payment code'),
  ...outlookMembers,
})

/** All that is known of an account, its latest movements, and what comes next. */
export function accountRecordOf(site: Site, account: Account): z.input<typeof accountRecord> {
  const { number, digit, name, document, payeeCode, fingerprints } = account
  const { applications } = site
  const callbacks = site.webhooks.callbacks.list().filter((one) => one.account === number)
  const statements = listStatements(site, number)
  const webhooks = site.webhooks.registered.list().filter((one) => one.account === number)
  return {
    account: number,
    digit,
    owner: { name, document },
    payee_code: payeeCode,
    balance: balanceOf(site, number),
    blocks: blocksOf(site, number),
    available: availableOf(site, number),
    certificates: fingerprints.map((sha256) => ({ sha256, refused: isCertificateRefused(site, sha256) })),
    applications: applications
      .list()
      .filter((application) => application.account === number)
      .map((application) => ({
        client_id: application.clientId,
        interfaces: [...application.interfaces],
        scopes: [...applications.scopesOf(application)],
      })),
    webhooks: webhooks.map(({ interface: on, url }) => ({
      interface: on,
      url,
      ...countsOf(callbacks.filter((one) => one.interface === on && one.url === url)),
    })),
    keys: [...keysOf(site, number)],
    settings: accountSettingsOf(site, number),
    statements: statements.map((statement) => ({
      id: statement.id,
      date: statement.date,
      status: statusOf(site, statement),
    })),
    instant_payment: hasInstantPayment(site, number),
    ...outlookView(site, {
      history: movementsOf(site, number).slice(-MOST_LISTED).map(movementLine),
      next: [
        ...paymentsToCome(site, number),
        ...statementsToCome(site, statements),
        ...callbacksToCome(site, callbacks),
        ...(webhooks.length === 0 ? [{ at: null, what: UNREGISTERED }] : []),
      ],
    }),
  }
}

function movementLine({ id, at, kind, cents, balanceCents, description }: Movement): Moment {
  const sign = signedCents({ kind, cents }) < 0 ? '-' : '+'
  const what = `movement ${id}: ${kind} ${sign}${decimalOf(cents)}, balance ${decimalOf(balanceCents)}: ${description}`
  return { at, what }
}

function paymentsToCome(site: Site, account: string): NextStep[] {
  const open = paymentsOf(site)
    .list()
    .filter((payment) => payment.account === account && !isFinal(payment.status))
  return open.slice(0, MOST_LISTED).flatMap((payment) => paymentSteps(site, payment))
}

function statementsToCome(site: Site, statements: ReturnType<typeof listStatements>): NextStep[] {
  return statements
    .filter((statement) => statusOf(site, statement) !== 'CONCLUIDO')
    .map(({ id, readyAt }) => ({ at: readyAt, what: `statement ${id} is ready` }))
}

function callbacksToCome(site: Site, callbacks: readonly Callback[]): NextStep[] {
  const waiting = callbacks.filter(({ state }) => state === 'pending' || state === 'waiting')
  const { next } = callbackOutlook(site, waiting.slice(0, MOST_LISTED), (callback) => callback.interface)
  const more = waiting.length - MOST_LISTED
  return more > 0 ? [...next, { at: null, what: `${more} more callbacks wait: ${ctlCall(site, WAITING)}` }] : [...next]
}
