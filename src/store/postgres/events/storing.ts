import type { Destination } from '../../../domain/destination.ts'
import type { Fact, NewCallback } from '../../../domain/event.ts'
import { digestOf, hashBehind, hashedValues, hexOf } from '../../../domain/event-hash.ts'
import type { Decision } from '../../../domain/quarantine.ts'
import type { Realm } from '../../../domain/realm.ts'
import type { SubjectAnswer } from '../../../domain/reconcile/answers.ts'
import type { TokenOutcome } from '../../../domain/service/notification-token.ts'
import { routeText } from '../../rows/route-row.ts'
import type { TimeWindow } from '../../rules/certain-clock.ts'
import { createAnswerSettling, factOf, type SettleAnswer } from '../../rules/settle-answer.ts'
import { type CallbackWriter, createCallbackWriter } from '../../storing/callback-writer.ts'
import type { Deduplication, EventChain } from '../../storing/event-rows.ts'
import { createEventWriter } from '../../storing/event-writer.ts'
import type { HandOver } from '../../storing/hand-over.ts'
import { type HeldFact, type QuarantinedRows, referencesOf } from '../../storing/held-facts.ts'
import type { ReconciledFacts } from '../../storing/reconciled-facts.ts'
import { createTokenSettling, type SettleToken } from '../../storing/settle-token.ts'
import { createTokenJobs, type TokenRow, type TokenRows } from '../../storing/token-jobs.ts'
import type { Head } from '../database/head.ts'
import { columnsOf, type Value, type WriterSql } from '../database/sql.ts'
import type { Transaction } from '../writing/transaction.ts'
import { type KnownFacts, type Needs, orderText, readKnownFacts, reconciledText } from './known-facts.ts'
import { createPendingRows } from './pending-rows.ts'
import { forgetTokens, writeToken } from './token-rows.ts'

export interface StoringOptions {
  readonly window: TimeWindow
  readonly firstWaitMs: number
  readonly handOver: HandOver
}

/** The rules of storing, over what was read before; `write` writes what they decided. */
export interface Storing {
  readonly destinations: readonly Destination[]
  readonly callbacks: CallbackWriter
  readonly settleToken: SettleToken
  readonly settleAnswer: SettleAnswer
  write(): void
}

/** What these callbacks need, read together with the lock of the head: it counts if the destinations are the same then. */
export interface Ahead {
  readonly destinations: readonly Destination[]
  readonly known: Promise<KnownFacts>
}

export function readAhead(
  sql: WriterSql,
  callbacks: readonly NewCallback[],
  among: { readonly destinations: readonly Destination[]; readonly window: TimeWindow },
): Ahead {
  const known = readKnownFacts(sql, needsOf(callbacks), among)
  known.catch(() => undefined)
  return { destinations: among.destinations, known }
}

export const NO_NEEDS: Needs = { facts: [], peers: [], tokens: [], callbackIds: [] }

/**
 * Reads what the rules need in a few queries for all callbacks, because each query is a round trip. Nothing that they depend on changes until the end
 * of the transaction: it has the head locked.
 */
export async function beginStoring(
  { sql, ...transaction }: Transaction,
  needs: Needs & { readonly held?: ReadonlyMap<number, HeldFact>; readonly jobs?: readonly TokenRow[] },
  options: StoringOptions,
  ahead?: Ahead,
): Promise<Storing> {
  const head = await transaction.head()
  const destinations = await transaction.destinations()
  const isRead = ahead?.destinations === destinations
  const known = await (isRead ? ahead.known : readKnownFacts(sql, needs, { destinations, window: options.window }))
  const fences = await transaction.fences()
  const rows = createPendingRows(head, known, fences)
  const chain = createChain(head)
  const deduplication = createDeduplication(known)
  const taken = known.orderKeys
  const writer = createEventWriter(
    {
      rows: {
        ...rows,
        insertDue: (position, id, at, dueAt, key) => take(id, key, rows.insertDue(position, id, at, dueAt, key)),
        insertBlocked: (position, id, at, key) => take(id, key, rows.insertBlocked(position, id, at, key)),
        insertHanded: (position, id, at, until, key) => take(id, key, rows.insertHanded(position, id, at, until, key)),
      },
      chain,
      deduplication,
      orderKeys: { isTaken: (destinationId, orderKey) => taken.has(orderText(destinationId, orderKey)) },
      routes: {
        routeOf(environment, { charge, subscription }) {
          const routeTo = (resource: 'charge' | 'subscription', resourceId: string | null) =>
            resourceId === null ? undefined : known.routes.get(routeText({ environment, resource, resourceId }))
          return routeTo('charge', charge) ?? routeTo('subscription', subscription) ?? null
        },
      },
      handOver: {
        ...options.handOver,
        // Of a destination that another node has taken over, the worker here offers slots until it knows.
        take: (destinationId, slots) =>
          fences.has(destinationId) ? options.handOver.take(destinationId, slots) : null,
      },
    },
    options.firstWaitMs,
  )
  const quarantine = createPendingQuarantine(head, known, needs.held ?? new Map())
  const tokens = createPendingTokens(head, [...known.tokens, ...(needs.jobs ?? [])])
  const jobs = createTokenJobs(tokens.rows)
  const reconciled = createPendingReconciled(known)
  const callbacks = createCallbackWriter({
    rows,
    writer,
    deduplication,
    quarantine: quarantine.rows,
    reconciled: reconciled.facts,
    tokens: jobs,
  })

  function take(destinationId: number, orderKey: number | null, id: number): number {
    if (orderKey !== null) taken.add(orderText(destinationId, orderKey))
    return id
  }

  return {
    destinations,
    callbacks,
    settleToken: createTokenSettling({
      writer,
      tokens: jobs,
      rows,
      reconciled: reconciled.facts,
      insertBody: rows.insertBody,
    }),
    settleAnswer: createAnswerSettling({ callbacks, reconciled: reconciled.facts, tokens: jobs }),
    write() {
      rows.write(sql, [quarantine.inserted, reconciled.inserted])
      quarantine.write(sql)
      tokens.write(sql)
    },
  }
}

function createChain(head: Head): EventChain {
  return {
    nextPosition: () => head.position + 1,
    append(event, callback) {
      head.hash = hashBehind(head.hash, digestOf(hashedValues(event, callback)))
      head.position = event.position
      return head.hash
    },
    rolledBack: () => undefined,
  }
}

function createDeduplication({ positions }: KnownFacts): Deduplication {
  return {
    find: (hash) => (hash === null ? null : (positions.get(hexOf(hash)) ?? null)),
    add(hash, position) {
      if (hash !== null) positions.set(hexOf(hash), position)
    },
    committed: () => undefined,
    rolledBack: () => undefined,
  }
}

const QUARANTINE = columnsOf(
  'id:bigint callback_id:bigint kind:text environment:text reason:text received_at:time subject:text status:text part:integer parts:integer array_start:bigint array_end:bigint item_start:bigint item_end:bigint fact_hash:bytea last_seen_at:time charge_reference:text subscription_reference:text',
)

function createPendingQuarantine(head: Head, known: KnownFacts, held: ReadonlyMap<number, HeldFact>) {
  const added: Value[][] = []
  const again: { readonly id: number; readonly at: number }[] = []
  const decided: (Decision & { readonly id: number; readonly position: number })[] = []

  function rowOf(id: number, callbackId: number, environment: Realm, receivedAt: number, fact: Fact): Value[] {
    const { kind, quarantine: reason, subject, status, part, parts, span, hash } = fact
    const { charge, subscription } = referencesOf(fact)
    const place = [span?.arrayStart, span?.arrayEnd, span?.itemStart, span?.itemEnd]
    const columns = [id, callbackId, kind, environment, reason, receivedAt, subject, status, part, parts, ...place]
    return [...columns, hash, receivedAt, charge, subscription]
  }

  const rows: QuarantinedRows = {
    get: (id) => held.get(id) as HeldFact,
    hold({ environment, receivedAt }, fact, storeCallback) {
      const key = fact.hash === null ? null : hexOf(fact.hash)
      const same = key === null ? undefined : known.held.get(key)
      if (same !== undefined) {
        again.push({ id: same, at: receivedAt })
        return { id: same, isNew: false }
      }
      const callbackId = storeCallback()
      head.quarantined++
      added.push(rowOf(head.quarantined, callbackId, environment, receivedAt, fact))
      if (key !== null) known.held.set(key, head.quarantined)
      return { id: head.quarantined, isNew: true }
    },
    released: (id, decision, position) => {
      decided.push({ ...decision, id, position })
    },
  }

  function write(sql: WriterSql): void {
    for (const one of again)
      sql.send('update quarantine set seen = seen + 1, last_seen_at = at_ms(:at) where id = :id', one)
    for (const one of decided)
      sql.send(
        "update quarantine set state = 'released', decided_at = at_ms(:at), decided_by = :by, event_id = :position where id = :id",
        { ...one },
      )
  }

  return { rows, inserted: { table: 'quarantine', columns: QUARANTINE, rows: added }, write }
}

const RECONCILED = columnsOf('kind:text environment:text subject:text status:text event_id:bigint')

function createPendingReconciled({ reconciled }: KnownFacts) {
  const added: Value[][] = []
  const facts: ReconciledFacts = {
    find: (environment, fact) => reconciled.get(reconciledText(environment, fact)) ?? null,
    add(environment, fact, position) {
      added.push([fact.kind, environment, fact.subject, fact.status, position])
      reconciled.set(reconciledText(environment, fact), position)
    },
  }
  return { facts, inserted: { table: 'reconciled_facts', columns: RECONCILED, rows: added } }
}

function createPendingTokens(head: Head, known: readonly TokenRow[]) {
  const tokens = new Map(known.map((row) => [row.id, row]))
  const changed = new Set<number>()
  const emptied: number[] = []
  const forgotten: { readonly before: number; readonly limit: number }[] = []

  function update(row: TokenRow): void {
    tokens.set(row.id, row)
    changed.add(row.id)
  }

  const rows: TokenRows = {
    find: (environment, token) =>
      [...tokens.values()].find((row) => row.environment === environment && row.token === token),
    get: (id) => tokens.get(id),
    insert({ at, ...job }) {
      head.token++
      const waiting = { waitingSince: at, attempts: 0, nextAttemptAt: at, lastError: null, isUnresolved: false }
      update({ id: head.token, ...job, ...waiting, version: 1, entries: { through: 0, beyond: [] }, lastSeenAt: at })
      return head.token
    },
    update,
    removeEmptyCallback: (callbackId) => {
      emptied.push(callbackId)
    },
    forget: (before, limit) => {
      forgotten.push({ before, limit })
    },
  }

  function write(sql: WriterSql): void {
    for (const id of changed) writeToken(sql, tokens.get(id) as TokenRow)
    if (emptied.length > 0)
      sql.send(
        'delete from callbacks c where callback_id = any(:ids::bigint[]) and not exists (select from events e where e.callback_id = c.callback_id)',
        { ids: emptied },
      )
    for (const { before, limit } of forgotten) forgetTokens(sql, before, limit)
  }

  return { rows, write }
}

/** What the database has to be asked for before these callbacks are stored. */
export function needsOf(callbacks: readonly NewCallback[]): Needs {
  return {
    facts: callbacks.flatMap(({ environment, facts, notificationToken }) =>
      notificationToken === undefined ? facts.map((fact) => ({ environment, fact })) : [],
    ),
    peers: [...new Set(callbacks.flatMap(({ peer }) => peer?.fingerprint ?? []))],
    tokens: callbacks.flatMap(({ environment, notificationToken: token }) =>
      token === undefined ? [] : [{ environment, token }],
    ),
    callbackIds: [],
  }
}

/** The same for the entries of a token's job. */
export function needsOfOutcome(job: TokenRow, outcome: TokenOutcome): Needs {
  const facts = outcome.entries.map(({ kind, subject, status, references }) => ({
    environment: job.environment,
    fact: { kind, subject, status, references, hash: null, span: null, part: 1, parts: 1 },
  }))
  const unresolved: Fact = { kind: '', subject: job.token, status: null, hash: null, span: null, part: 1, parts: 1 }
  return {
    ...NO_NEEDS,
    facts: [...facts, { environment: job.environment, fact: unresolved }],
    callbackIds: job.callbackId === null ? [] : [job.callbackId],
  }
}

/** The same for the states of an answer. */
export function needsOfAnswer({ kind, environment, told }: SubjectAnswer): Needs {
  const tokens = new Set(told.flatMap(({ token }) => token ?? []))
  return {
    ...NO_NEEDS,
    facts: told.map((state) => ({ environment, fact: factOf(kind, state) })),
    tokens: [...tokens].map((token) => ({ environment, token })),
  }
}
