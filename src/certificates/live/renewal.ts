/**
 * Files are watched by their folders and read every 5 s. After 300 ms without a change everything is read and checked
 * again, and each certificate or chain is replaced by itself if its content differs. Between the rename of a key and
 * that of its certificate the pair does not match, so a problem is reported only if it lasts for 2 s, and the files are
 * tried again every minute. TLS always gets its complete set of options.
 */

import { isDeepStrictEqual } from 'node:util'
import type { FileProblem } from '../../domain/unused-files.ts'
import { guarded } from '../../platform/background.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'

/** A value from files, with warnings about it. */
export interface Loaded<T> {
  readonly value: T
  readonly warnings: readonly string[]
  /** Files that cannot be used; the value does without their content, or has their earlier one. */
  readonly problems?: readonly FileProblem[]
}

/** A value from certificate files that can be renewed while the gateway runs. */
export interface Renewable<T> {
  /** Its name in texts. */
  readonly name: string
  /** Reads and checks the files. @throws PortariaError; then the value in use stays */
  load(inUse: T): Loaded<T>
  /** Equal for equal content, so that nothing is renewed without a change. */
  identityOf(value: T): string
  /** @throws when the value cannot be taken up; then the value in use stays */
  apply(value: T): void
}

export interface Renewal {
  readonly renewed: readonly string[]
  readonly problems: readonly FileProblem[]
}

export interface Renewals {
  /** Adds a renewable with its value in use. @param problems of the files that it was read from; they are logged */
  add<T>(renewable: Renewable<T>, inUse: T, problems?: readonly FileProblem[]): void
  /** Reads everything again. Each value is renewed separately, so a failure does not affect the others. Problems are logged. */
  renew(): Renewal
  /** The same after a change of files. A problem is logged only if it persists, because certificate and key are written one after the other. */
  renewSoon(): void
  /** Those that were logged and last. */
  problems(): readonly FileProblem[]
  close(): void
}

/** Time for a pair to be complete again. After it the problem is logged. */
const HEALING_MS = 2000
/** An unusable value may become usable without a change of its file: when its validity begins, or the clock is corrected. */
const RETRY_MS = 60_000

/** A renewable of any type. */
interface Tried {
  readonly name: string
  readonly isRenewed: boolean
  readonly problems: readonly FileProblem[]
}

export function createRenewals(log: Log, { healingMs = HEALING_MS, retryMs = RETRY_MS } = {}): Renewals {
  const all: (() => Tried)[] = []
  /** The logged problems of each renewable, so that another reading does not repeat them. */
  const reported = new Map<string, readonly FileProblem[]>()
  /** Of `tryAgainAfter`, for the next try. */
  let timer: NodeJS.Timeout | undefined
  /** When that timer ends. */
  let due = 0

  function tryAll(mustReport: (tried: Tried) => boolean): Tried[] {
    return all.map((tryOne) => {
      const tried = tryOne()
      if (tried.problems.length === 0) recovered(tried)
      else if (mustReport(tried)) report(tried)
      return tried
    })
  }

  function report({ name, problems }: Tried): void {
    reported.set(name, problems)
    for (const { what, problem, use } of problems)
      log.error({ what, problem, hint: HINTS[use] }, 'certificate.not_renewed')
  }

  /** Logs that a problem is over although the value did not change. */
  function recovered({ name, isRenewed }: Tried): void {
    if (reported.delete(name) && !isRenewed) log.info({ what: name }, 'certificate.recovered')
  }

  const isNew = ({ name, problems }: Tried) => !isDeepStrictEqual(reported.get(name), problems)

  const tryAgain = guarded(log, 'renewing certificates', () => {
    timer = undefined
    tryAgainAfter(retryMs, tryAll(isNew))
  })

  /** The earliest time counts, so that a file which is written repeatedly is reported too. */
  function tryAgainAfter(waitMs: number, tried: readonly Tried[]): void {
    if (tried.every(({ problems }) => problems.length === 0)) return
    const at = performance.now() + waitMs
    if (timer !== undefined && due <= at) return
    clearTimeout(timer)
    due = at
    timer = setTimeout(tryAgain, waitMs).unref()
  }

  return {
    add(renewable, inUse, problems = []) {
      all.push(createTry(renewable, inUse, log))
      if (problems.length > 0) report({ name: renewable.name, isRenewed: false, problems })
    },
    renew() {
      const tried = tryAll(() => true)
      tryAgainAfter(retryMs, tried)
      return {
        renewed: tried.filter(({ isRenewed }) => isRenewed).map(({ name }) => name),
        problems: tried.flatMap(({ problems }) => problems),
      }
    },
    renewSoon() {
      tryAgainAfter(
        healingMs,
        tryAll(() => false),
      )
    },
    problems: () => [...reported.values()].flat(),
    close() {
      clearTimeout(timer)
    },
  }
}

function createTry<T>(renewable: Renewable<T>, initial: T, log: Log): () => Tried {
  const { name } = renewable
  let inUse = initial
  return function tryOne() {
    try {
      const { value, warnings, problems = [] } = renewable.load(inUse)
      if (renewable.identityOf(value) === renewable.identityOf(inUse)) return { name, isRenewed: false, problems }
      renewable.apply(value)
      inUse = value
      for (const warning of warnings) log.error({ warning }, 'certificate.warning')
      log.info({ what: name }, 'certificate.renewed')
      return { name, isRenewed: true, problems }
    } catch (error) {
      const texts = error instanceof PortariaError && error.details.length > 0 ? error.details : [messageOf(error)]
      const problems = texts.map((problem) => ({ what: name, problem, file: null, use: 'earlier' as const }))
      return { name, isRenewed: false, problems }
    }
  }
}

const HINTS = {
  earlier: 'correct the files; the value in use stays in use',
  none: 'correct the file: until then its callers are refused',
}
