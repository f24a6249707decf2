import type { AlarmFailureFacts } from '../domain/alarms/failure.ts'
import { parseRetryAfter } from '../domain/retry-schedule.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { iso } from '../platform/time.ts'
import { AlarmFailure, type Channel } from './channels/channel.ts'
import type { AlarmMessage } from './message.ts'

export interface SendingOptions {
  readonly now: () => number
  readonly log: Log
  /** Cuts off what is under way. */
  readonly stopping: AbortSignal
}

/** Sends by channels, each again after a longer wait the more often it failed in a row, or after the wait that its service asks for. */
export interface Sending {
  /** False: a channel that failed waits. */
  mayTry(channel: string): boolean
  /** @returns null: sent; otherwise why not, or `cut off` by a stop */
  send(channel: Channel, message: AlarmMessage, about: object): Promise<AlarmFailureFacts | 'cut off' | null>
  /** Since the start. */
  failures(channel: string): number
  /** Channels were changed: none waits any more. */
  forget(): void
}

/** Between a failure and the next try, by how often it failed in a row. */
const WAITS_MS = [15_000, 30_000, 60_000, 120_000, 300_000, 600_000] as const
/** Of what a service asks for: an alarm must not wait for days. */
const LONGEST_ASKED_MS = 3_600_000
const LIMIT_MS = 20_000

export function createSending({ now, log, stopping }: SendingOptions): Sending {
  const counts = new Map<string, number>()
  const waiting = new Map<string, { readonly inARow: number; readonly nextTryAt: number }>()

  function failed(channel: string, error: unknown): number {
    counts.set(channel, (counts.get(channel) ?? 0) + 1)
    const inARow = (waiting.get(channel)?.inARow ?? 0) + 1
    const asked = error instanceof AlarmFailure ? (parseRetryAfter(error.retryAfter, now()) ?? 0) : 0
    const wait = WAITS_MS[inARow - 1] ?? WAITS_MS[WAITS_MS.length - 1] ?? 0
    const nextTryAt = now() + Math.max(wait, Math.min(asked, LONGEST_ASKED_MS))
    waiting.set(channel, { inARow, nextTryAt })
    return nextTryAt
  }

  return {
    mayTry: (channel) => (waiting.get(channel)?.nextTryAt ?? 0) <= now(),
    async send(channel, message, about) {
      const { name } = channel
      try {
        await channel.send(message, AbortSignal.any([stopping, AbortSignal.timeout(LIMIT_MS)]))
        waiting.delete(name)
        log.info({ channel: name, ...about }, 'alarm.sent')
        return null
      } catch (error) {
        if (stopping.aborted) return 'cut off'
        log.warn(
          { channel: name, error: messageOf(error), ...about, nextTryAt: iso(failed(name, error)) },
          'alarm.failed',
        )
        return error instanceof AlarmFailure
          ? { code: error.code, words: error.words }
          : { code: 'failed', words: messageOf(error) }
      }
    },
    failures: (channel) => counts.get(channel) ?? 0,
    forget: () => waiting.clear(),
  }
}
