import type { Environment } from './event.ts'
import type { StoredCallback } from './event-record.ts'

/** A callback that was let in, and answered. */
export interface Answered {
  readonly kind: string
  readonly environment: Environment
  /** null: it could not be stored, and was answered with 503. */
  readonly kept: { readonly stored: StoredCallback; readonly durationMs: number } | null
}
