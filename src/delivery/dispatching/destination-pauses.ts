import { type Destination, isPausedForCertificate } from '../../domain/destination.ts'
import type { Store } from '../../domain/store.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'

export interface DestinationPausesOptions {
  readonly store: Pick<Store, 'pauseDestination' | 'resumeDestination'>
  readonly sendBlockedReason: (destination: Destination) => string | null
  readonly log: Log
}

/** Pauses that the gateway makes and ends by itself. */
export interface DestinationPauses {
  /** Parallel attempts may be answered 410 too: the pause is written and logged once. Never rejects. */
  pause(destination: Destination, reason: string, onPaused: () => Promise<void>): Promise<void>
  /** Paused for its client certificate, which can be used again. */
  isToBeResumed(destination: Destination): boolean
  /** The destination, active again if it is to be resumed. An operator's pause stays. */
  resumed(destination: Destination): Promise<Destination>
}

export function createDestinationPauses(options: DestinationPausesOptions): DestinationPauses {
  const { store, sendBlockedReason, log } = options
  const pausing = new Set<number>()

  function isToBeResumed(destination: Destination): boolean {
    return isPausedForCertificate(destination) && sendBlockedReason(destination) === null
  }

  return {
    isToBeResumed,
    async pause({ id, name }, reason, onPaused) {
      if (pausing.has(id)) return
      pausing.add(id)
      try {
        await store.pauseDestination(id, reason)
        log.error({ destination: name, reason }, 'destination.paused')
        await onPaused()
      } catch (error) {
        // It was removed meanwhile: nothing more is sent to it, so this is no error.
        const isRemoved = error instanceof PortariaError && (error.code === 'conflict' || error.code === 'not_found')
        if (!isRemoved) log.error({ destination: name, error: messageOf(error) }, 'destination.not_paused')
      }
      pausing.delete(id)
    },
    async resumed(destination) {
      const { id, name, pauseReason } = destination
      if (pauseReason === null || !isToBeResumed(destination)) return destination
      try {
        const next = await store.resumeDestination(id, pauseReason)
        if (next.state === 'active') log.warn({ destination: name, reason: pauseReason }, 'destination.resumed')
        return next
      } catch (error) {
        log.warn({ destination: name, error: messageOf(error) }, 'destination.not_resumed')
        return destination
      }
    },
  }
}
