import type pg from 'pg'
import { PortariaError } from '../../../platform/errors.ts'
import { endClient } from './connecting.ts'
import { beginWith } from './connection-options.ts'
import { endsConnection, unavailable } from './failures.ts'
import type { Head } from './head.ts'
import { IDENTITY_KEY, type SameDatabase } from './same-database.ts'
import { sqlOn, TYPES, type WriterSql } from './sql.ts'

/** How a transaction of the writer is committed. */
export interface WriteOptions {
  /** false: a crash of the server may undo it. */
  readonly isSynced: boolean
  /** From its begin to its commit. */
  readonly limitMs: number
  /** Sends what is read as soon as the head is locked, and does not wait for it. */
  readonly ahead?: (sql: WriterSql) => void
}

/** What a transaction does. `last`: SQL that goes to the server together with the commit, because each message is a round trip; null: nothing. */
export type Perform<T> = (sql: WriterSql, head: Head) => Promise<{ readonly value: T; readonly last: string | null }>

/** The one connection of this process that writes. Once it has failed, everything fails with the same error. */
export interface WriterConnection {
  /**
   * All in one transaction, which holds the head, and so every other writer of the database back until it ends.
   * @throws PortariaError `store_unavailable` if the connection has failed: whether the transaction was committed is unknown; `store_missing` for another
   * database than before: nothing was written
   */
  write<T>(perform: Perform<T>, options: WriteOptions): Promise<T>
  /** The transaction under way may take this time from now, and not longer. */
  hurry(limitMs: number): void
  failure(): PortariaError | null
  end(): Promise<void>
}

/** The function of PostgreSQL that warns of a commit whose wait for a synchronous standby was canceled. The text has the language of the server. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN'
/** A node that is frozen or unplugged in the middle of a transaction holds all others back for this time. */
const IDLE_MS = 3000
/** The server cancels a statement whose connection was given up. */
const CANCEL_AFTER_MS = 500
/** So does it within this time when it learns that the connection is gone. */
const CHECK_MS = 500

/** Without statistics (a new database, or one behind pg_restore) PostgreSQL would read whole tables in place of the few rows that an index leads to. */
const BY_INDEX = 'enable_seqscan = off'

const LOCK_HEAD = `select *, pg_backend_pid() as pid, (select value from meta where key = '${IDENTITY_KEY}') as identity from head for update of head`

function createSending(client: pg.Client) {
  const answered = sqlOn(client)
  let often = answered
  /** What `send` has sent in the transaction under way. */
  const sent: Promise<unknown>[] = []

  /** What is sent in this tick goes as one message. */
  function joinNext(): void {
    const { stream } = client.connection
    stream.cork()
    process.nextTick(() => stream.uncork())
  }

  function send(...statement: Parameters<WriterSql['send']>): void {
    joinNext()
    const result = often.run(...statement)
    result.catch(() => undefined)
    sent.push(result)
  }

  return {
    sql: { ...answered, send, often: (...statement) => often.all(...statement) } as WriterSql,
    sent,
    joinNext,
    /** A pooler between, which may change the server process behind a transaction, has other numbers. */
    isAt(pid: number) {
      if (often === answered && 'processID' in client && client.processID === pid) often = sqlOn(client, true)
    },
  }
}

/** @param onFailed called once, and never because of `end` */
export function createWriterConnection(
  client: pg.Client,
  same: Pick<SameDatabase, 'require' | 'committed'>,
  onFailed: (error: PortariaError) => void,
): WriterConnection {
  const { sql, joinNext, sent, isAt } = createSending(client)
  /** `fail` sets it, once. */
  let failed: PortariaError | null = null
  let isEnding = false
  /** Of the transaction under way. `write` and `hurry` set it. */
  let deadline: { readonly at: number; readonly timer: NodeJS.Timeout } | null = null

  client.on('error', fail)
  client.on('end', () => fail(new Error('the connection has ended')))

  function fail(cause: unknown): void {
    if (failed !== null || isEnding) return
    failed = unavailable(cause)
    // Its statements fail with it.
    void endClient(client)
    onFailed(failed)
  }

  function limit(limitMs: number): void {
    if (deadline !== null) clearTimeout(deadline.timer)
    const seconds = Math.round(limitMs / 1000)
    const expire = () => fail(new PortariaError('store_unavailable', `PostgreSQL gave no answer within ${seconds} s`))
    deadline = { at: performance.now() + limitMs, timer: setTimeout(expire, limitMs) }
  }

  async function begin({ isSynced, limitMs }: WriteOptions): Promise<Head> {
    const settings = [
      `idle_in_transaction_session_timeout = ${IDLE_MS}`,
      `statement_timeout = ${limitMs + CANCEL_AFTER_MS}`,
      `client_connection_check_interval = ${CHECK_MS}`,
      BY_INDEX,
      ...(isSynced ? [] : ['synchronous_commit = off']),
    ]
    const text = `${beginWith('isolation level read committed', settings)};${LOCK_HEAD}`
    const results: unknown = await client.query({ text, types: TYPES })
    const row: Head & { readonly identity: string | null; readonly pid: number } = (results as pg.QueryResult[]).at(-1)
      ?.rows[0]
    const { identity, pid, ...head } = row
    isAt(pid)
    try {
      same.require(identity, head)
    } catch (error) {
      fail(error)
    }
    return head
  }

  async function commit(last: string | null): Promise<void> {
    let isCertain = true
    const look = ({ routine }: { readonly routine?: string | undefined }) => {
      if (routine === WAIT_FOR_STANDBY) isCertain = false
    }
    client.on('notice', look)
    const text = last === null ? 'commit' : `${last};commit`
    const results: pg.QueryResult | pg.QueryResult[] = await client
      .query(text)
      .finally(() => client.off('notice', look))
    // An error in it was not noticed.
    if ([results].flat().at(-1)?.command !== 'COMMIT')
      throw new PortariaError('store_unavailable', 'the database rolled the transaction back')
    if (!isCertain) fail(new PortariaError('store_unavailable', 'a commit did not wait for the synchronous standby'))
  }

  return {
    async write(perform, options) {
      if (failed !== null) throw failed
      limit(options.limitMs)
      try {
        joinNext()
        const beginning = begin(options)
        options.ahead?.(sql)
        const head = await beginning
        if (failed !== null) throw failed
        const { value, last } = await perform(sql, head)
        await Promise.all([...sent, commit(last)])
        if (failed !== null) throw failed
        if (options.isSynced) same.committed({ ...head })
        return value
      } catch (error) {
        if (endsConnection(error)) fail(error)
        if (failed === null) await client.query('rollback').catch(fail)
        if (failed !== null) throw failed
        // What is behind the first failure says only that there was one.
        await Promise.all(sent)
        throw error
      } finally {
        sent.length = 0
        clearTimeout(deadline?.timer)
        deadline = null
      }
    },
    hurry(limitMs) {
      if (deadline !== null && deadline.at - performance.now() > limitMs) limit(limitMs)
    },
    failure: () => failed,
    end() {
      isEnding = true
      return endClient(client)
    },
  }
}
