import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { beat, type SendHttp } from './channels/webhook.ts'

export interface HeartbeatSettings {
  /** @throws AlarmFailure where it is in a file that cannot be used */
  readonly readUrl: () => string
  readonly everyMs: number
}

export interface HeartbeatOptions {
  readonly send: SendHttp
  /** False: the gateway takes no callbacks now, so it is silent. */
  readonly isReady: () => boolean
  readonly log: Log
}

export interface Heartbeat {
  /** null: none. The first beat is sent at once. */
  use(settings: HeartbeatSettings | null): void
  stop(): void
}

const LIMIT_MS = 10_000

/** Asks an address at intervals while callbacks are taken. Who watches the address finds out that the gateway does not run, or is not ready. */
export function createHeartbeat({ send, isReady, log }: HeartbeatOptions): Heartbeat {
  let timer: NodeJS.Timeout | undefined
  /** Since the last success. */
  let isFailing = false

  async function beatOnce({ readUrl }: HeartbeatSettings): Promise<void> {
    if (!isReady()) return
    try {
      await beat({ url: readUrl(), send }, AbortSignal.timeout(LIMIT_MS))
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ error: messageOf(error) }, 'alarm.heartbeat_failed')
      isFailing = true
    }
  }

  return {
    use(settings) {
      clearInterval(timer)
      if (settings === null) return
      const again = guarded(log, 'sending the heartbeat', () => beatOnce(settings))
      timer = setInterval(again, settings.everyMs).unref()
      again()
    },
    stop: () => clearInterval(timer),
  }
}
