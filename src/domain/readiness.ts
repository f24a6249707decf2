import { PortariaError } from './errors.ts'

/** What keeps the gateway from its work. */
export interface Readiness {
  setListening(isListening: boolean): void
  /** The store is being opened again after the disk failed. */
  setBroken(isBroken: boolean): void
  /** The same way to store, watched: while the last callback could not be stored, the gateway is not ready. */
  watch<A extends unknown[], R>(store: (...args: A) => Promise<R>): (...args: A) => Promise<R>
  /** In words; empty when it is ready. */
  reasons(): string[]
}

export function createReadiness(): Readiness {
  let isListening = false
  let isBroken = false
  let whyNotStored: string | null = null
  return {
    setListening(now) {
      isListening = now
    },
    setBroken(now) {
      isBroken = now
    },
    watch(store) {
      return async function storeWatched(...args) {
        try {
          const stored = await store(...args)
          whyNotStored = null
          return stored
        } catch (error) {
          // A full queue is not in it: that one passes by itself, and says nothing of the disk.
          if (error instanceof PortariaError && error.code === 'store_unavailable') whyNotStored = error.message
          throw error
        }
      }
    },
    reasons: () => [
      ...(isListening ? [] : ['the listeners are not open']),
      ...(isBroken ? ['the disk fails'] : []),
      ...(whyNotStored === null ? [] : [`the last callback could not be stored: ${whyNotStored}`]),
    ],
  }
}
