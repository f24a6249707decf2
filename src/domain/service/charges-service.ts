import type { Realm } from '../realm.ts'
import type { ChargeKey } from './charge-route.ts'

/** Metadata of a charge or subscription (Document 2, endpoints 3 and 12). Members that are left out stay as they are. */
export interface ServiceMetadata {
  readonly notification_url?: string
  readonly custom_id?: string
}

/**
 * `done`: changed. `refused`: the service does not make this change, for the reason that it gave. `failed`: the change was not asked for or not
 * answered, for a reason that is none of the caller's.
 */
export type MetadataOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'refused'
      readonly status: number
      /** null: the service gave none. */
      readonly code: number | null
      /** A name such as `validation_error`; null: the service gave none. */
      readonly error: string | null
      readonly description: string | { readonly property: string; readonly message: string } | null
    }
  | {
      readonly kind: 'failed'
      /** In words, without secrets, for the log: it may quote the runtime or the far side. */
      readonly reason: string
      /** The same in fixed words of the gateway, for the app. */
      readonly text: string
      /** True: the service may have made the change. */
      readonly isOutcomeUnknown: boolean
      /** How long the service wants no further request; null: it does not say. */
      readonly retryAfterMs: number | null
    }

/** The charges interface of the service, as the gateway calls it for apps. */
export interface ChargesService {
  /** Why metadata cannot be changed in this environment, or notifications cannot be routed, in words; null: they can. */
  problemOf(environment: Realm, need: 'metadata' | 'routing'): string | null
  /**
   * The gateway's own address for charge notifications. It contains a secret token: neither apps nor logs get it.
   * @throws TypeError where `problemOf` names a problem with routing
   */
  ownAddressOf(environment: Realm): string
  /** Never rejects for what the service or the connection does. */
  changeMetadata(key: ChargeKey, metadata: ServiceMetadata): Promise<MetadataOutcome>
}
