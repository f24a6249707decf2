import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { messageOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'

/** What started this process and wants to hear how it is: systemd, or nobody. */
export interface ServiceManager {
  /** Sends what sd_notify(3) calls a state, such as `READY=1`, after all that was told before. It never fails: what could not be told is logged. */
  notify(...state: string[]): void
  /** Resolves once all that was told has been heard, or could not be. */
  settled(): Promise<void>
  /** Without a sign of life for so long it ends this process; null: it does not watch. */
  readonly watchdogMs: number | null
}

const run = promisify(execFile)
/** systemd-notify itself waits 5 s for the manager to have heard it. */
const LIMIT_MS = 6000

const ADVICE =
  'see that the program systemd-notify is installed and that the unit has NotifyAccess=all: without READY=1 and WATCHDOG=1 the service manager ends this process'

/** Takes what tells of it out of the environment: children that are not sent to it have nothing to say to it. */
export function takeServiceManager(environment: NodeJS.ProcessEnv, pid: number, log: Log): ServiceManager {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID = String(pid) } = environment
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name]
  if (!NOTIFY_SOCKET) return { notify: () => undefined, settled: async () => undefined, watchdogMs: null }
  const watchdogUs = WATCHDOG_PID === String(pid) ? Number(WATCHDOG_USEC ?? 0) : 0
  let latest: Promise<void> = Promise.resolve()

  // Node has no datagram sockets of this kind, so a program of systemd's own sends it.
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
