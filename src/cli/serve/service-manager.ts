/**
 * Node has no datagram sockets of this kind, so `systemd-notify` runs once for each message, one after the other. It
 * gets NOTIFY_SOCKET alone. WATCHDOG=1 is sent three times within WATCHDOG_USEC, only while event loop and writer work.
 * `KillMode=mixed`, because the message STOPPING would otherwise be killed with its process.
 */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { messageOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'

/** The supervisor that expects notifications of this process: systemd, or none. */
export interface ServiceManager {
  /** Sends states of sd_notify(3), such as `READY=1`, in the order of the calls. Never throws: failures are logged. */
  notify(...state: string[]): void
  /** Resolves once every notification was received or has failed. */
  settled(): Promise<void>
  /** Watchdog interval: without a notification for this long, systemd ends the process; null: no watchdog. */
  readonly watchdogMs: number | null
}

const run = promisify(execFile)
/** systemd-notify itself waits 5 s until systemd has received it. */
const LIMIT_MS = 6000

const ADVICE =
  'install the program systemd-notify and write NotifyAccess=all into the unit: without READY=1 and WATCHDOG=1 the service manager ends this process'

/** Removes the variables from the environment, so that no child notifies systemd by mistake. */
export function takeServiceManager(environment: NodeJS.ProcessEnv, pid: number, log: Log): ServiceManager {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID = String(pid) } = environment
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name]
  if (!NOTIFY_SOCKET) return { notify: () => undefined, settled: async () => undefined, watchdogMs: null }
  const watchdogUs = WATCHDOG_PID === String(pid) ? Number(WATCHDOG_USEC ?? 0) : 0
  let latest: Promise<void> = Promise.resolve()

  // Node has no Unix datagram sockets, so a program of systemd sends it.
  async function send(state: readonly string[]): Promise<void> {
    try {
      await run('systemd-notify', state, { env: { ...environment, NOTIFY_SOCKET }, timeout: LIMIT_MS })
    } catch (error) {
      log.error({ error: messageOf(error), hint: ADVICE }, 'systemd.notify_failed')
    }
  }

  return {
    notify(...state) {
      latest = latest.then(() => send(state))
    },
    settled: () => latest,
    watchdogMs: watchdogUs > 0 ? watchdogUs / 1000 : null,
  }
}
