import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { type Environment, type Realm, realmOf } from '../../domain/realm.ts'
import type { ChargeResource } from '../../domain/service/charge-route.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { lockDatabase } from '../../store/sqlite/database/lock.ts'

export const MOVE_RESULTS = ['changed', 'already', 'skipped', 'would_change', 'failed'] as const
export type MoveResult = (typeof MOVE_RESULTS)[number]

/** The outcome of one id, as `--json` and the report have it. */
export interface Moved {
  readonly resource: ChargeResource
  /** null: the unnamed one. */
  readonly institution: string | null
  readonly environment: Environment
  readonly id: string
  readonly result: MoveResult
  /** The address of the record before, without its secret; null: none, or unknown. */
  readonly before: string | null
  /** Why it failed or was left alone; null: neither. */
  readonly reason: string | null
}

/** The change that all ids of a run get. */
export interface Change {
  readonly resource: ChargeResource
  readonly realm: Realm
  /** null: the address stays. */
  readonly url: string | null
  /** null: the custom id stays. */
  readonly customId: string | null
}

export interface MoveReport {
  isDone(id: string): boolean
  add(moved: Moved): void
}

const DONE: readonly MoveResult[] = ['changed', 'already']

/**
 * The file of `--report`: a line of JSON per id, appended as soon as its outcome is certain. A line that a kill has cut off counts as missing.
 * @param file null: nothing is kept
 * @throws PortariaError `request_invalid` for a file that cannot be read or is no report
 */
export function openReport(file: string | null, change: Change): MoveReport {
  if (file === null) return { isDone: () => false, add: () => undefined }
  const key = keyOf(change)
  const text = existsSync(file) ? readReport(file) : ''
  const done = new Set(linesOf(text, file).flatMap((line) => (isDoneBy(line, change, key) ? [line.id] : [])))
  // The next line must not continue one that was cut off.
  let lead = text === '' || text.endsWith('\n') ? '' : '\n'
  return {
    isDone: (id) => done.has(id),
    add(moved) {
      const line = JSON.stringify({ ...moved, change: key, at: new Date().toISOString() })
      appendFileSync(file, `${lead}${line}\n`, { mode: 0o600 })
      lead = ''
    },
  }
}

/**
 * Keeps other runs away from the report: each would read what is done before the other has done it, and change the same ids again.
 * The lock is on a file beside it, and ends with the process. A device, such as /dev/null, has none.
 * @returns the function that unlocks
 * @throws PortariaError `conflict` while another run has it, `request_invalid` where no file can be made beside it
 */
export function lockReport(file: string): () => void {
  try {
    const target = statSync(file, { throwIfNoEntry: false })
    if (target !== undefined && !target.isFile()) return () => undefined
    if (target === undefined && lstatSync(file, { throwIfNoEntry: false }) !== undefined)
      throw new PortariaError(
        'request_invalid',
        say`--report ${{ file }} is a link to a missing file: name the file itself`,
      )
    return lockDatabase(file, 0)
  } catch (cause) {
    throw lockProblem(file, cause)
  }
}

function lockProblem(file: string, cause: unknown): PortariaError {
  const own = cause instanceof PortariaError ? cause : null
  if (own?.code === 'request_invalid') return own
  if (own?.code === 'store_locked')
    return new PortariaError(
      'conflict',
      say`another run writes the report ${{ file }}: wait until it has ended, or name another file with other ids`,
      { cause },
    )
  const reason = systemWords(own?.cause ?? cause)
  return new PortariaError(
    'request_invalid',
    say`--report ${{ file }} cannot be locked (${{ cause: reason }}): ${{ file }}.lock is made beside it, so name a file in a folder where this user may write`,
    { cause },
  )
}

interface ReportLine extends Moved {
  readonly change: string
}

/** Identifies the values that were set without showing them: the address is a secret. */
function keyOf({ url, customId }: Change): string {
  return createHash('sha256')
    .update(JSON.stringify([url, customId]))
    .digest('hex')
    .slice(0, 16)
}

function readReport(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new PortariaError(
      'request_invalid',
      say`--report ${{ file }} cannot be read: ${{ cause: systemWords(cause) }}`,
      { cause },
    )
  }
}

function linesOf(text: string, file: string): readonly ReportLine[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.flatMap((line, index) => {
    const parsed = parse(line)
    if (parsed !== null) return [parsed]
    if (line.startsWith('{"resource":') || index > 0) return []
    throw new PortariaError(
      'request_invalid',
      say`--report ${{ file }} holds something else: name a new file, or a report`,
    )
  })
}

function parse(line: string): ReportLine | null {
  try {
    const value = JSON.parse(line) as Partial<ReportLine> | null
    return typeof value?.id === 'string' && typeof value.result === 'string' ? (value as ReportLine) : null
  } catch {
    // Cut off by a kill.
    return null
  }
}

function isDoneBy(line: ReportLine, { resource, realm }: Change, key: string): boolean {
  const isSame = line.resource === resource && realmOf(line.institution, line.environment) === realm
  return isSame && line.change === key && DONE.includes(line.result)
}
