/**
 * Not ready: while the store is reopened, and from a callback that could not be stored until the store has written something, or is open again.
 * The clock is stored each minute: a gateway that is not ready may get no callback. A full queue does not count: it passes by itself.
 */

import { PortariaError } from '../platform/errors.ts'

/** Whether the gateway can accept and store callbacks. */
export interface Readiness {
  setListening(isListening: boolean): void
  /** Why the store is being opened again; null: it is open, and earlier failures to store no longer count. */
  setBroken(reason: string | null): void
  /** The database has the schema of this program. */
  setMigrated(isMigrated: boolean): void
  /** Why callbacks are refused for lack of space; null: they are accepted, and earlier failures to store no longer count. */
  setShort(reason: string | null): void
  /** A callback could not be stored: the gateway is not ready until the store has written something. A full queue does not count. */
  notStored(error: unknown): void
  /** The store has written: a callback, or the clock. */
  written(): void
  /** Every check, always in the same order. */
  checks(): ReadinessCheck[]
  /** The problems in words; empty when ready. */
  reasons(): string[]
}

export const READINESS_CHECKS = ['listener', 'writer', 'disk', 'migrations'] as const

export interface ReadinessCheck {
  readonly name: (typeof READINESS_CHECKS)[number]
  /** The problem in words; null: the check passes. */
  readonly problem: string | null
}

export function createReadiness(): Readiness {
  let isListening = false
  let whyBroken: string | null = null
  let isMigrated = false
  let whyShort: string | null = null
  let whyNotStored: string | null = null

  function whyNotWritten(): string | null {
    if (whyBroken !== null) return whyBroken
    return whyNotStored === null ? null : `the last callback could not be stored: ${whyNotStored}`
  }

  return {
    setListening(now) {
      isListening = now
    },
    setBroken(reason) {
      whyBroken = reason
      if (reason === null) whyNotStored = null
    },
    setMigrated(now) {
      isMigrated = now
    },
    setShort(reason) {
      whyShort = reason
      if (reason === null) whyNotStored = null
    },
    notStored(error) {
      // A full queue is temporary and unrelated to the disk.
      if (error instanceof PortariaError && error.code === 'store_unavailable') whyNotStored = error.message
    },
    written() {
      whyNotStored = null
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
