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

/** Reloads, with notifications at its begin and end as `Type=notify` (systemd 252) and `Type=notify-reload` (from 253) expect. */
export async function notifyReload(manager: ServiceManager, reload: () => Promise<boolean>): Promise<void> {
  // Node's high-resolution clock is CLOCK_MONOTONIC.
  manager.notify('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`)
  const isTakenUp = await reload()
  manager.notify('READY=1', `STATUS=${isTakenUp ? 'Uses the latest configuration' : NOT_TAKEN_UP}`)
}

const NOT_TAKEN_UP = 'The configuration was not reloaded, see the log; the earlier one stays in use'
