/** How often a subscription generates charges (Document 2, Plan). */
export interface Plan {
  readonly id: number
  readonly account: string
  readonly name: string
  /** Months between charges. */
  readonly interval: number
  /** How many charges; null: until the plan is deleted. */
  readonly repeats: number | null
  /** Simulated time, in ms since 1970. */
  readonly createdAt: number
  /** A deleted plan is kept for the records of its subscriptions, which generate no more charges. */
  readonly isDeleted: boolean
}
