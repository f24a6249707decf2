import type { Site } from './site.ts'

/** A message that the service would send to a payer or an end client. */
export interface OutboxMessage {
  readonly id: number
  /** Simulated time, in ms since 1970. */
  readonly at: number
  readonly channel: 'sms' | 'whatsapp' | 'email'
  /** Phone number or mail address. */
  readonly to: string
  /** What the message is about: `account_opening`, `charge_paid`. */
  readonly subject: string
  readonly text: string
  readonly link: string | null
}

export function addToOutbox(site: Site, message: Omit<OutboxMessage, 'id' | 'at'>): void {
  const id = site.records.nextNumber(`${site.environment}.outbox`)
  site.collection<OutboxMessage>('outbox').put(id, { id, at: site.clock.now(), ...message })
}
