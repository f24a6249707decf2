import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { ForeignListener } from '../../../domain/nodes/foreign-changes.ts'
import { messageOf } from '../../../platform/errors.ts'
import { endClient } from '../database/connecting.ts'
import { CHANNEL, readHead } from '../database/head.ts'
import { type Sql, sqlOn } from '../database/sql.ts'
import { ALL_CHANGES } from './changes.ts'
import { noticeOf } from './notice.ts'
import type { OwnCommits } from './own-commits.ts'
import { createPendingChanges } from './pending-changes.ts'

export interface ChangeWatchOptions {
  /** A connection for this watch alone. */
  readonly connect: () => Promise<pg.Client>
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
 * Hears by LISTEN what other nodes commit. PostgreSQL may lose notices with the connection, so the number of the last commit is compared, too. Events
 * of this node are published twice at most where something was lost.
 */
export function watchChanges({ connect, own }: ChangeWatchOptions, listener: ForeignListener): ChangeWatch {
  const stopping = new AbortController()
  const { signal } = stopping
  /** The last commit of any node that is known, and the position of the last event then; null: this node has just started. */
  let known: { readonly number: number; readonly position: number } | null = null
  /** Number of the last commit at the last look; a look later, it was heard or its notice is lost. */
  let looked = 0
  const pending = createPendingChanges(listener)
  /** The reason that the listener knows. */
  let trouble: string | null = null
  /** Ends the pause between two looks: a notice, a failure of the connection, or `stop`. */
  let wake: () => void = () => undefined

  function told(reason: string | null): void {
    if (trouble !== reason) listener.onTrouble(reason)
    trouble = reason
  }

  function heard(text: string | undefined): void {
    const notice = noticeOf(text)
    if (notice === null) return
    const { number, position } = notice
    // Notices come in the order of commits. Behind a gap, the next look finds all.
    if (known !== null && number === known.number + 1) known = { number, position }
    if (notice.origin === own.origin) return own.heard(notice)
    pending.take(notice)
    wake()
  }

  /** Finds what no notice told. @param isFirst of this connection, which has missed all of before */
  async function look(sql: Sql, isFirst: boolean): Promise<void> {
    const head = await readHead(sql)
    for (const notice of own.takeUnconfirmed()) pending.take(notice)
    const due = looked
    looked = head.changes
    // A crash of the server may have undone a commit, whose number another one has got since.
    if (known !== null && !isFirst && known.number >= due) return
    // No poll is older than the first look.
    const after = known?.position ?? head.position
    pending.take({ after, position: head.position, changes: ALL_CHANGES })
    known = { number: head.changes, position: head.position }
  }

  async function listen(client: pg.Client): Promise<void> {
    let failure: Error | undefined
    function fail(error: Error): void {
      failure ??= error
      wake()
    }
    client.on('error', fail)
    client.on('end', () => fail(new Error('the connection has ended')))
    client.on('notification', ({ payload }) => heard(payload))
    const sql = sqlOn(client)
    await client.query(`listen ${CHANNEL}`)
    for (let lookedAt: number | null = null; !signal.aborted; ) {
      const { promise: woken, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const giveUp = setTimeout(() => void endClient(client), SILENCE_MS)
      try {
        const isDue = lookedAt === null || performance.now() - lookedAt >= LOOK_MS
        if (isDue) await look(sql, lookedAt === null)
        if (isDue) lookedAt = performance.now()
        await pending.handOn(sql)
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
      await Promise.race([running, sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}
