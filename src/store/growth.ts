/** How fast a database grows, and its bounds. Bytes are bytes on disk. */
export interface Growth {
  readonly callbacksPerDay: number
  /** Per callback: the part that retention removes first, and the rest. */
  readonly payloadBytes: number
  readonly metadataBytes: number
  /** For how many days each part is stored, and how many days of each exist already. */
  readonly payloadDays: number
  readonly metadataDays: number
  readonly payloadAgeDays: number
  readonly metadataAgeDays: number
}

/** In bytes. A part that has reached its retention window grows no more. */
export function growthPerDay(growth: Growth, afterDays = 0): number {
  const { callbacksPerDay, payloadBytes, metadataBytes } = growth
  const isPayloadGrowing = growth.payloadAgeDays + afterDays < growth.payloadDays
  const isMetadataGrowing = growth.metadataAgeDays + afterDays < growth.metadataDays
  return callbacksPerDay * ((isPayloadGrowing ? payloadBytes : 0) + (isMetadataGrowing ? metadataBytes : 0))
}

const YEARS_AHEAD = 10

/** Time until so many bytes are used up at the current rate; null: never, or not within ten years. */
export function daysUntilFull(growth: Growth, freeBytes: number): number | null {
  let used = 0
  for (let day = 0; day < YEARS_AHEAD * 365; day++) {
    used += growthPerDay(growth, day)
    if (used >= freeBytes) return day
  }
  return null
}
