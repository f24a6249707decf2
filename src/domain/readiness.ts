import { PortariaError } from '../platform/errors.ts'

/** What keeps the gateway from its work. */
export interface Readiness {
  setListening(isListening: boolean): void
  /** The store is being opened again after the disk failed. */
  setBroken(isBroken: boolean): void
  /** The database has the schema of this program. */
  setMigrated(isMigrated: boolean): void
  /** Callbacks are refused for want of space, in words; null: they are not, and what could not be stored before counts no more. */
  setShort(reason: string | null): void
  /** The same way to store, watched: while the last callback could not be stored, the gateway is not ready. */
  watch<A extends unknown[], R>(store: (...args: A) => Promise<R>): (...args: A) => Promise<R>
  /** All of them, always in the same order. */
  checks(): ReadinessCheck[]
  /** What is wrong, in words; empty when it is ready. */
  reasons(): string[]
}

export const READINESS_CHECKS = ['listener', 'writer', 'disk', 'migrations'] as const

export interface ReadinessCheck {
  readonly name: (typeof READINESS_CHECKS)[number]
  /** In words; null: it is as it should be. */
  readonly problem: string | null
}

export function createReadiness(): Readiness {
  let isListening = false
  let isBroken = false
  let isMigrated = false
  let whyShort: string | null = null
  let whyNotStored: string | null = null

  function whyNotWritten(): string | null {
    if (isBroken) return 'the disk fails'
    return whyNotStored === null ? null : `the last callback could not be stored: ${whyNotStored}`
  }

  return {
    setListening(now) {
      isListening = now
    },
    setBroken(now) {
      isBroken = now
    },
    setMigrated(now) {
      isMigrated = now
    },
    setShort(reason) {
      whyShort = reason
      if (reason === null) whyNotStored = null
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
    checks,
    reasons: () => checks().flatMap(({ problem }) => problem ?? []),
  }

  function checks(): ReadinessCheck[] {
    return [
      { name: 'listener', problem: isListening ? null : 'the listeners are not open' },
      { name: 'writer', problem: whyNotWritten() },
      { name: 'disk', problem: whyShort },
      { name: 'migrations', problem: isMigrated ? null : 'the database does not have the schema of this program yet' },
    ]
  }
}
