import { setImmediate } from 'node:timers/promises'
import type { Application } from '../applications.ts'
import type { Site } from '../site.ts'
import { addCard } from './cards.ts'
import { createCharge } from './charges.ts'
import { setCard } from './payments.ts'

export interface ManyCharges {
  readonly count: number
  readonly notificationUrl: string | null
  /** Cents of each charge. */
  readonly value: number
  /** `credit_card`: each charge is waiting at once, and paid when the card's bank has answered. */
  readonly payment: 'none' | 'credit_card'
}

const BATCH = 500

/** Creates charges of an application, as its requests would. Between batches, callbacks are sent. @returns their ids, in order */
export async function createManyCharges(site: Site, application: Application, many: ManyCharges): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < many.count) {
    const size = Math.min(BATCH, many.count - ids.length)
    const batch = Array.from({ length: size }, (_, index) => `${ids.length + index + 1}`)
    ids.push(...site.records.transaction(() => batch.map((customId) => createOne(site, application, many, customId))))
    await setImmediate()
  }
  return ids
}

const PAYER = { name: 'Ana Souza', cpf: '52998224725', email: 'ana@example.com', phone_number: '11987654321' }

function createOne(
  site: Site,
  { account, clientId }: Application,
  { notificationUrl, value, payment }: ManyCharges,
  customId: string,
): number {
  const items = [{ name: 'Item', value, amount: 1 }]
  const parts = { account, clientId, belongsTo: null, items, shippings: [], customId, notificationUrl }
  const charge = createCharge(site, parts)
  if (payment === 'credit_card')
    setCard(site, charge, {
      customer: PAYER,
      message: null,
      conditionalDiscount: null,
      installments: 1,
      address: null,
      card: addCard(site, { brand: 'visa', outcome: 'paid' }),
    })
  return charge.id
}
