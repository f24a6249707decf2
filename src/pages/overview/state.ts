/** As `GET /v1/overview` answers: what its page shows. */
export interface OverviewState {
  readonly at: string
  readonly light: 'green' | 'yellow' | 'red'
  readonly reasons: readonly ReasonState[]
  readonly callbacksPerMinute: Readonly<Record<string, readonly number[]>>
  readonly acknowledgeLatency: {
    readonly p50: number | null
    readonly p99: number | null
    readonly p99PerMinute: readonly (number | null)[]
  }
  readonly destinations: readonly DestinationState[]
  readonly silentKinds: readonly { readonly kind: string; readonly lastReceivedAt: string | null }[]
  readonly certificates: readonly CertificateState[]
  readonly freeSpace: { readonly level: string; readonly freeBytes: number | null; readonly minFreeBytes: number }
  readonly search: SearchLag | null
}

export interface ReasonState {
  readonly severity: 'problem' | 'warning'
  readonly code: string
  readonly subject: string | null
  readonly value: number | null
  readonly detail: string | null
  readonly text: string
  readonly nextStep: string
  readonly others: number
}

export interface DestinationState {
  readonly name: string
  readonly owner: string | null
  readonly state: 'active' | 'paused'
  readonly circuit: 'closed' | 'open'
  readonly pending: number
  readonly blocked: number
  readonly oldestSeconds: number | null
}

export interface CertificateState {
  readonly set: string
  readonly name: string
  readonly environment: string | null
  readonly daysLeft: number | null
}

export interface SearchLag {
  readonly lagEvents: number
  readonly lagSeconds: number
  readonly isRebuilding: boolean
}
