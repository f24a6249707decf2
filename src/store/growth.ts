/** How fast a database grows, and what bounds it. Bytes are those on disk. */
export interface Growth {
  readonly callbacksPerDay: number
  /** Of a callback: until retention removes its payload, and what stays until it removes the rest. */
  readonly payloadBytes: number
  readonly metadataBytes: number
  /** The days that both are kept, and how many days of each there are already. */
  readonly payloadDays: number
  readonly metadataDays: number
  readonly payloadAgeDays: number
  readonly metadataAgeDays: number
}

/** In bytes. What has been kept for as long as it is kept grows no more. */
export function growthPerDay(growth: Growth, afterDays = 0): number {
  const { callbacksPerDay, payloadBytes, metadataBytes } = growth
  const isPayloadGrowing = growth.payloadAgeDays + afterDays < growth.payloadDays
  const isMetadataGrowing = growth.metadataAgeDays + afterDays < growth.metadataDays
  return callbacksPerDay * ((isPayloadGrowing ? payloadBytes : 0) + (isMetadataGrowing ? metadataBytes : 0))
}

const YEARS_AHEAD = 10

/** Until so many bytes are used up, if everything goes on as now; null: never, or not in ten years. */
export function daysUntilFull(growth: Growth, freeBytes: number): number | null {
  let used = 0
  for (let day = 0; day < YEARS_AHEAD * 365; day++) {
    used += growthPerDay(growth, day)
    if (used >= freeBytes) return day
  }
  return null
}
