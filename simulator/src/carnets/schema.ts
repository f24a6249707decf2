import { z } from 'zod'
import { billet, chargeBody, conditionalDiscount } from '../charges/schema.ts'

const FEWEST_PARCELS = 2
const MOST_PARCELS = 24

const { items, metadata } = chargeBody.shape
const { customer, expire_at, configurations, message } = billet.shape

/** The body of `POST /v1/carnet` (service-decisions.md, carnet; Document 2, Conditional discount). */
export const carnetBody = z.strictObject({
  items,
  customer,
  expire_at: expire_at.describe('Due date of the first parcel; the others follow month by month'),
  repeats: z.int().min(FEWEST_PARCELS).max(MOST_PARCELS).describe('Number of parcels, one a month'),
  split_items: z
    .boolean()
    .default(false)
    .describe('true: the parcels share the total of the items; false: each parcel has that total'),
  configurations,
  message,
  metadata,
  conditional_discount: conditionalDiscount
    .nullable()
    .optional()
    .describe('Of the first parcel; later parcels have its last day as many months later'),
})
