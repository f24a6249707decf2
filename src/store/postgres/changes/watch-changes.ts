import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { ForeignListener } from '../../../domain/nodes/foreign-changes.ts'
import { messageOf } from '../../../platform/errors.ts'
import { endClient } from '../database/connecting.ts'
import { CHANNEL, type Head, readHead } from '../database/head.ts'
import type { Readers } from '../database/readers.ts'
import { type Sql, sqlOn } from '../database/sql.ts'
import { ALL_CHANGES } from './changes.ts'
import { type Notice, noticeOf } from './notice.ts'
import type { OwnCommits } from './own-commits.ts'
import { createPendingChanges, type PendingChanges } from './pending-changes.ts'

export interface ChangeWatchOptions {
  /** A connection for this watch alone. */
  readonly connect: () => Promise<pg.Client>
  /** On other connections. */
  readonly read: Readers['read']
  /** Of the process that watches. */
  readonly own: OwnCommits
}

export interface ChangeWatch {
  stop(): Promise<void>
}

/** Twice, and a commit that was not heard is found. */
const LOOK_MS = 500
/** A server that is silent for longer is away. */
const SILENCE_MS = 4000
const RECONNECT_MS = 500
const STOP_MS = 1000

/**
 * Hears by LISTEN what other nodes commit. PostgreSQL may lose notices with the connection, so the number of the last commit is compared, too. While
 * no connection listens, other ones look. Events are published twice at most where something was lost.
 */
export function watchChanges({ connect, read, own }: ChangeWatchOptions, listener: ForeignListener): ChangeWatch {
  const stopping = new AbortController()
  const { signal } = stopping
  /** The listener has all events up to this position; null: none was looked for yet. `began` and `handedOn` set it. */
  let reached: number | null = null
  /** The reason that the listener knows. */
  let trouble: string | null = null
  let looking: Promise<void> | null = null
  /** Ends the pause between two looks: a notice, a failure of the connection, or `stop`. */
  let wake: () => void = () => undefined

  function told(reason: string | null): void {
    if (trouble !== reason) listener.onTrouble(reason)
    trouble = reason
    if (reason !== null) looking ??= lookWhileDeaf().finally(() => (looking = null))
  }

  /** Of a connection, which has missed all of before. No poll is older than the first look. */
  function missed(head: Head): Pick<Notice, 'after' | 'position' | 'changes'> {
    reached ??= head.position
    return { after: reached, position: head.position, changes: ALL_CHANGES }
  }

  function handedOn(position: number): void {
    reached = Math.max(reached ?? 0, position)
  }

  async function lookWhileDeaf(): Promise<void> {
    while (!signal.aborted && trouble !== null) {
      const look = async (sql: Sql) => {
        const head = await readHead(sql)
        const pending = createPendingChanges(listener)
        pending.take(missed(head))
        await pending.handOn(sql)
        handedOn(head.position)
      }
      // Mostly the reason that the listener knows, and the next look follows.
      await read(look).catch(() => undefined)
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async function listen(client: pg.Client): Promise<void> {
    let failure: Error | undefined
    function fail(error: Error): void {
      failure ??= error
      wake()
    }
    const pending = createPendingChanges(listener)
    const hearing = createHearing(own, pending)
    client.on('error', fail)
    client.on('end', () => fail(new Error('the connection has ended')))
    client.on('notification', ({ payload }) => {
      hearing.heard(payload, reached)
      wake()
    })
    const sql = sqlOn(client)
    await client.query(`listen ${CHANNEL}`)
    for (let lookedAt = Number.NEGATIVE_INFINITY; !signal.aborted; ) {
      const { promise: woken, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const giveUp = setTimeout(() => void endClient(client), SILENCE_MS)
      try {
        const isDue = performance.now() - lookedAt >= LOOK_MS
        const position = isDue ? await hearing.look(sql, missed) : null
        if (isDue) lookedAt = performance.now()
        await pending.handOn(sql)
        if (position !== null) handedOn(position)
      } finally {
        clearTimeout(giveUp)
      }
      told(null)
      const timer = setTimeout(wake, LOOK_MS)
      await woken
      clearTimeout(timer)
      if (failure !== undefined) throw failure
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let client: pg.Client | undefined
      try {
        client = await connect()
        await listen(client)
      } catch (error) {
        if (!signal.aborted) told(messageOf(error))
      }
      if (client !== undefined) await endClient(client)
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      wake()
      // A server that does not answer is not waited for.
      await Promise.race([Promise.all([running, looking]), sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** What one connection has heard, compared with the numbers of the commits in the database. */
function createHearing(own: OwnCommits, pending: PendingChanges) {
  /** The number of the last commit without a gap before it; null: no look yet. */
  let known: number | null = null
  /** A notice was not one of this version: the next look finds what it may have told. */
  let isAmiss = false
  /** At the last look. A look later, every commit of then was heard, or its notice is lost. */
  let before: Head | null = null

  return {
    /** @param reached no notice of a commit makes events up to here be read again */
    heard(text: string | undefined, reached: number | null): void {
      const notice = noticeOf(text)
      if (notice === null) isAmiss = true
      // Before the first look it tells nothing that this look does not find.
      if (notice === null || known === null) return
      // Notices come in the order of commits. Behind a gap, the next look finds all.
      if (notice.number === known + 1) known = notice.number
      const clipped = { ...notice, after: Math.max(notice.after, reached ?? 0) }
      if (notice.origin === own.origin) own.heard(clipped)
      else pending.take(clipped)
    },
    /** Takes what no notice told. @returns the position up to which the listener has all events, once what is pending was handed on */
    async look(sql: Sql, missed: (head: Head) => Pick<Notice, 'after' | 'position' | 'changes'>): Promise<number> {
      // A commit is visible before its notice comes.
      const [most, wasAmiss] = [known, isAmiss]
      isAmiss = false
      const head = await readHead(sql)
      for (const notice of own.takeUnconfirmed()) pending.take(notice)
      const [due, isFirst] = [before, known === null]
      before = head
      const isLost = due !== null && known !== null && known < due.changes
      // Somebody else's notice, or a crash of the server has undone a commit, whose number another one gets.
      const isFalse = most !== null && most > head.changes
      const isUnknown = wasAmiss && known !== null && known < head.changes
      if (due !== null && !isFirst && !isLost && !isFalse && !isUnknown) return due.position
      known = head.changes
      pending.take(missed(head))
      return head.position
    },
  }
}
