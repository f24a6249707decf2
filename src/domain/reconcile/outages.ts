/** A time in which callbacks may not have been accepted. Times are ms since 1970. */
export interface Outage {
  readonly id: number
  readonly beganAt: number
  /** null: it goes on. */
  readonly endedAt: number | null
  /** `down`: no gateway ran; `refusing`: callbacks were answered 503. */
  readonly cause: 'down' | 'refusing'
  /** When its operator event was stored; null: not yet. */
  readonly raisedAt: number | null
  /** When the service was asked for what it may have lost; null: not yet. */
  readonly reconciledAt: number | null
}

/** One process of the gateway, from its start to its stop. */
export interface GatewayRun {
  readonly id: number
  /** Name of its node; empty: the only one. */
  readonly node: string
  readonly startedAt: number
  /** The latest sign of life. */
  readonly seenAt: number
  /** null: it runs, or ended without a stop. */
  readonly endedAt: number | null
}
