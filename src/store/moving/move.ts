import { createHash } from 'node:crypto'
import { PortariaError } from '../../platform/errors.ts'
import type { AuditVerification } from '../verification/audit-verification.ts'
import type { VerifyStep } from '../verification/verification.ts'
import type { Progress, Readable, Source, Target } from './sides.ts'
import { keyOf, type MovedRow, type MovedTable, TABLES } from './tables.ts'

export interface Move {
  readonly from: string
  readonly to: string
  /** Rows per table. */
  readonly counts: Readonly<Record<string, number>>
  /** Of the target. */
  readonly chain: AuditVerification
}

/** Rows and bytes of a transaction. */
const ROWS = 1000
const BYTES = 4 * 1024 * 1024

/**
 * Copies a database whole, or goes on where an earlier move was broken off. At the end every row of both is compared, and the chain of events verified.
 * @throws PortariaError `conflict` when the target holds something else, or differs from the source at the end
 */
export async function moveDatabase(source: Source, target: Target, show: (step: VerifyStep) => void): Promise<Move> {
  const counts: Record<string, number> = {}
  for (const table of TABLES) counts[table.name] = await source.count(table)
  const steps = countSteps(counts, show)
  const state = await stateOf(source, counts)
  const from = await beginAt(target, state)
  for (const [index, table] of TABLES.entries()) {
    if (index < from.table) steps.did(table, counts[table.name] as number)
    else
      await copyTable(source, target, { ...from, table: index, after: index === from.table ? from.after : null }, steps)
  }
  await target.finish(await source.meta(), await source.numbers())
  steps.verify()
  for (const table of TABLES) await compare(source, target, table, steps)
  const chain = await target.verifyChain(({ words }) => steps.chain(words))
  await target.complete()
  return { from: source.name, to: target.name, counts, chain }
}

/** Equal for the same source as long as nothing has changed it. */
async function stateOf(source: Source, counts: Readonly<Record<string, number>>): Promise<string> {
  const found = JSON.stringify([await source.meta(), await source.numbers(), counts])
  return createHash('sha256').update(found).digest('hex')
}

async function beginAt(target: Target, state: string): Promise<Progress> {
  const progress = await target.progress()
  if (progress === null) {
    const first = { source: state, table: 0, after: null }
    await target.begin(first)
    return first
  }
  if (progress.source === state) return progress
  throw new PortariaError(
    'conflict',
    `${target.name} holds a part of another database, or of this one as it was before something changed it: begin again with an empty one`,
  )
}

async function copyTable(source: Source, target: Target, from: Progress, steps: Steps): Promise<void> {
  const table = TABLES[from.table] as MovedTable
  let rows: MovedRow[] = []
  let bytes = 0
  async function write(): Promise<void> {
    const last = rows.at(-1)
    if (last === undefined) return
    await target.write(table, rows, { ...from, after: keyOf(table, last) })
    steps.did(table, rows.length)
    rows = []
    bytes = 0
  }
  for await (const chunk of source.rows(table, from.after)) {
    for (const row of chunk) {
      rows.push(row)
      bytes += bytesOf(row)
      if (rows.length === ROWS || bytes >= BYTES) await write()
    }
  }
  await write()
}

function bytesOf(row: MovedRow): number {
  return row.reduce<number>((sum, value) => sum + (value !== null && typeof value !== 'number' ? value.length : 8), 0)
}

async function compare(source: Source, target: Target, table: MovedTable, steps: Steps): Promise<void> {
  const digests = [digestOf(source, table, (rows) => steps.did(table, rows)), digestOf(target, table)]
  const [here, there] = await Promise.all(digests)
  if (here === there) return
  throw new PortariaError(
    'conflict',
    `the rows of ${table.name} in ${target.name} differ from those of ${source.name}: begin again with an empty one`,
  )
}

/** Over all rows, in whatever order: the databases order texts in different ways. */
async function digestOf(side: Readable, table: MovedTable, did: (rows: number) => void = () => undefined) {
  const sum = new BigUint64Array(4)
  let count = 0
  for await (const rows of side.rows(table, null)) {
    for (const row of rows) {
      const words = new BigUint64Array(new Uint8Array(digestOfRow(row)).buffer)
      for (const [at, word] of words.entries()) sum[at] = (sum[at] as bigint) + word
    }
    count += rows.length
    did(rows.length)
  }
  return `${count} ${sum.join(' ')}`
}

function digestOfRow(row: MovedRow): Buffer {
  const hash = createHash('sha256')
  for (const value of row) {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value))
    hash.update(`${value === null ? 'null' : typeof value}:${bytes.length}:`).update(bytes)
  }
  return hash.digest()
}

type Steps = ReturnType<typeof countSteps>

/** Each row is copied and compared. */
function countSteps(counts: Readonly<Record<string, number>>, show: (step: VerifyStep) => void) {
  const of = 2 * Object.values(counts).reduce((sum, count) => sum + count, 0) + 1
  let verb = 'copying'
  let done = 0
  let current = ''
  let ofTable = 0
  return {
    verify() {
      verb = 'comparing'
      current = ''
    },
    chain(words: string) {
      show({ done: of, of, words })
    },
    did({ name }: MovedTable, rows: number) {
      if (name !== current) ofTable = 0
      current = name
      ofTable += rows
      done = Math.min(done + rows, of)
      show({ done, of, words: `${verb} ${name}: ${ofTable} of ${counts[name]}` })
    },
  }
}
