import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

interface Renewed {
  readonly what: string
  readonly until: number
}

/** Something that a private authority renews; null: it is not due. */
export type AuthorityTask = () => Promise<
  Renewed | null | { readonly renewed: readonly Renewed[]; readonly problems: readonly string[] }
>

export interface AuthorityRunnerOptions {
  /** What is configured now; empty without an authority. */
  readonly tasks: () => readonly AuthorityTask[]
  /** False: nothing is renewed, because a clock that is ahead would renew everything at once. */
  readonly isClockPlausible: () => boolean
  readonly log: Log
  /** Default: an hour. */
  readonly intervalMs?: number
}

const HOUR_MS = 3_600_000

/** Renews what is due now and every hour. A task that fails is logged once for each problem, and tried again every hour. */
export function startAuthorityRunner({ tasks, isClockPlausible, log, intervalMs = HOUR_MS }: AuthorityRunnerOptions) {
  let running: Promise<void> = Promise.resolve()
  /** The problems of the last round. */
  let known: readonly string[] = []
  let isStopped = false

  async function runAll(): Promise<void> {
    if (isStopped || !isClockPlausible()) return
    const problems: string[] = []
    for (const task of tasks()) {
      const done = await task().catch((error: unknown) => ({ renewed: [], problems: [messageOf(error)] }))
      const renewed = done === null ? [] : 'what' in done ? [done] : done.renewed
      for (const { what, until } of renewed)
        log.info({ what, until: new Date(until).toISOString() }, 'authority.renewed')
      if (done !== null && 'problems' in done) problems.push(...done.problems)
    }
    for (const problem of problems.filter((one) => !known.includes(one)))
      log.error({ problem, hint: 'correct it; the next try is in an hour' }, 'authority.not_renewed')
    known = problems
  }

  /** Runs now, after the round under way. */
  function run(): Promise<void> {
    running = running.then(runAll)
    return running
  }

  const timer = setInterval(guarded(log, 'renewing certificates of the private authority', run), intervalMs).unref()
  void run()
  return {
    run,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}
