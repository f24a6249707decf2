import type { Gateway } from '../../gateway/gateway.ts'
import { guarded } from '../../platform/background.ts'
import type { Log } from '../../platform/log.ts'
import type { ServiceManager } from './service-manager.ts'

/** Watchdog notifications per watchdog interval. */
const SIGNS = 3

/**
 * Notifies the watchdog regularly. The timer shows that the event loop runs; nothing is sent while the writer does not answer.
 * @returns a function that ends it
 */
export function feedWatchdog(manager: ServiceManager, gateway: Pick<Gateway, 'isAlive'>, log: Log): () => void {
  if (manager.watchdogMs === null) return () => undefined
  const timer = setInterval(guarded(log, 'feeding the watchdog', showLife), manager.watchdogMs / SIGNS)
  function showLife(): void {
    if (gateway.isAlive()) manager.notify('WATCHDOG=1')
    else log.error({ hint: 'none needed: the service manager restarts the gateway' }, 'watchdog.withheld')
  }
  return () => clearInterval(timer)
}

/**
 * Reloads, with notifications at its begin and end as `Type=notify` (systemd 252) and `Type=notify-reload` (from 253) expect. They have arrived when
 * the promise settles, so that `ExecReload=` does not end before them.
 * @throws what `reload` throws
 */
export async function notifyReload<T extends { readonly problems: readonly unknown[] }>(
  manager: ServiceManager,
  reload: () => Promise<T>,
): Promise<T> {
  // Node's high-resolution clock is CLOCK_MONOTONIC.
  manager.notify('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`)
  let status = NOT_TAKEN_UP
  try {
    const reloaded = await reload()
    status = reloaded.problems.length === 0 ? TAKEN_UP : PARTLY_TAKEN_UP
    return reloaded
  } finally {
    manager.notify('READY=1', `STATUS=${status}`)
    await manager.settled()
  }
}

const TAKEN_UP = 'Uses the latest configuration'
const PARTLY_TAKEN_UP = 'Uses the latest configuration except what the log names (configuration.partly_reloaded)'
const NOT_TAKEN_UP = 'The configuration was not reloaded, see the log; the earlier one stays in use'
