import type { Gateway } from '../../gateway/gateway.ts'
import { guarded } from '../../platform/background.ts'
import type { Log } from '../../platform/log.ts'
import type { ServiceManager } from './service-manager.ts'

/** So many signs of life fall into the time that the service manager waits for one. */
const SIGNS = 3

/**
 * A sign of life again and again: that it is sent shows that the event loop turns, and none is sent while the writer hangs.
 * @returns how to end it
 */
export function feedWatchdog(manager: ServiceManager, gateway: Pick<Gateway, 'isAlive'>, log: Log): () => void {
  if (manager.watchdogMs === null) return () => undefined
  const timer = setInterval(guarded(log, 'feeding the watchdog', showLife), manager.watchdogMs / SIGNS)
  function showLife(): void {
    if (gateway.isAlive()) manager.notify('WATCHDOG=1')
    else log.error({ hint: 'nothing: the service manager starts the gateway anew' }, 'watchdog.withheld')
  }
  return () => clearInterval(timer)
}

/** The reload, told of at its begin and its end, as `Type=notify` (systemd 252) and `Type=notify-reload` (from 253) want it. */
export async function tellOfReload(manager: ServiceManager, reload: () => Promise<boolean>): Promise<void> {
  // Node's high-resolution clock is CLOCK_MONOTONIC.
  manager.notify('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`)
  const isTakenUp = await reload()
  manager.notify('READY=1', `STATUS=${isTakenUp ? 'Works as it was last told to' : NOT_TAKEN_UP}`)
}

const NOT_TAKEN_UP = 'The configuration was not taken up, see the log; what worked goes on working'
