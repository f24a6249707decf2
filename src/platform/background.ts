import { messageOf, PortariaError } from './errors.ts'
import type { Log } from './log.ts'

/** Limit of different reasons that are logged until the task succeeds again. */
const REASONS = 10

const ADVICE = 'nothing for now: the last good state stays in use, and the task is repeated'

/**
 * Wraps a function for timers, watchers and events, so that an error or a rejected promise never ends the process. Each reason is logged once until
 * the task succeeds again, which is logged too.
 */
export function guarded<A extends unknown[]>(
  log: Pick<Log, 'error' | 'info'>,
  task: string,
  run: (...args: A) => unknown,
): (...args: A) => void {
  const logged = new Set<string>()

  function failed(error: unknown): void {
    const reason = [messageOf(error), ...(error instanceof PortariaError ? error.details : [])].join('; ')
    if (logged.has(reason) || logged.size >= REASONS) return
    logged.add(reason)
    const stack = error instanceof Error && !(error instanceof PortariaError) ? error.stack : undefined
    log.error({ task, error: reason, ...(stack && { stack }), hint: ADVICE }, 'background.failed')
  }

  function succeeded(): void {
    if (logged.size === 0) return
    logged.clear()
    log.info({ task }, 'background.recovered')
  }

  return function runGuarded(...args) {
    try {
      const result = run(...args)
      if (result instanceof Promise) result.then(succeeded, failed)
      else succeeded()
    } catch (error) {
      failed(error)
    }
  }
}
