import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

/** Something that a private authority renews; null: it is not due. */
export type AuthorityTask = () => Promise<{ readonly what: string; readonly until: number } | null>

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
      try {
        const renewed = await task()
        if (renewed === null) continue
        log.info({ what: renewed.what, until: new Date(renewed.until).toISOString() }, 'authority.renewed')
      } catch (error) {
        const problem = messageOf(error)
        problems.push(problem)
        if (!known.includes(problem))
          log.error({ problem, hint: 'correct it; the next try is in an hour' }, 'authority.not_renewed')
      }
    }
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
