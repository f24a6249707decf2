import type { Destination } from '../../domain/destination.ts'
import type { StoreFor } from '../auth/store-scope.ts'
import type { NextProbeOf } from '../deliveries/view.ts'
import type { ConfiguredNames, DestinationDefaults } from './settings.ts'
import type { SendingStats } from './view.ts'

export interface DestinationOptions extends ConfiguredNames {
  /** Kinds of the unnamed institution, for which apps register by the contract of its service. */
  readonly unnamedKinds: readonly string[]
  readonly defaults: DestinationDefaults
  readonly newSecret: () => string
  /** Applies the address guard that deliveries pass. @throws PortariaError `address_forbidden`, `request_invalid` */
  readonly checkUrl: (url: string) => Promise<unknown>
  /** @param kind that the destination receives, or `operator` */
  readonly testDestination: (destination: Destination, kind: string) => Promise<TestAnswer>
  /** null: nothing is sent, because no gateway runs. */
  readonly statsOf: (destinationId: number) => SendingStats | null
  readonly nextProbeOf: NextProbeOf
  /** Why no delivery may be sent to the destination now, in words; null: deliveries may be sent. */
  readonly sendBlockedReason: (destination: Destination) => string | null
  /** Applies changed destinations before the request is answered. */
  readonly onChanged: () => Promise<void>
}

/** The answer to a test event. */
export interface TestAnswer {
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
  readonly answer: Uint8Array
}

export interface DestinationEndpointsOptions extends DestinationOptions {
  readonly storeFor: StoreFor
  readonly now: () => number
}
