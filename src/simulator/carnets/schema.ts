import { z } from 'zod'
import { billet, chargeBody, conditionalDiscount } from '../charges/schema.ts'

const FEWEST_PARCELS = 2
const MOST_PARCELS = 24

const { items, metadata } = chargeBody.shape

/** The body of `POST /v1/carnet` (DECISIONS.md, carnet; Document 2, Conditional discount). */
export const carnetBody = billet.pick({ customer: true, expire_at: true, configurations: true, message: true }).extend({
  items,
  repeats: z.int().min(FEWEST_PARCELS).max(MOST_PARCELS).describe('Number of parcels, one a month'),
  split_items: z
    .boolean()
    .default(false)
    .describe('true: the parcels share the total of the items; false: each parcel has that total'),
  conditional_discount: conditionalDiscount
    .nullable()
    .optional()
    .describe('Of the first parcel; later parcels have its last day as many months later'),
  metadata,
})

export type CarnetBody = z.output<typeof carnetBody>
