import type { Charge } from '../charges/charge.ts'

/** service-decisions.md, carnet. */
export type CarnetStatus = 'up_to_date' | 'unpaid' | 'finished'

/** A booklet of billets, one for each month (service-decisions.md, carnet). */
export interface Carnet
  extends Pick<Charge, 'account' | 'clientId' | 'items' | 'customId' | 'notificationUrl' | 'notificationToken'> {
  readonly id: number
  /** Names its page, its cover and its PDF. */
  readonly pageId: string
  readonly status: CarnetStatus
  /** Whether the parcels share the total of the items. Otherwise each of them has that total. */
  readonly isSplit: boolean
  /** Simulated time, in ms since 1970. */
  readonly createdAt: number
  /** Its parcels, in the order of their due dates. */
  readonly chargeIds: readonly number[]
  readonly history: readonly { readonly message: string; readonly at: number }[]
}
