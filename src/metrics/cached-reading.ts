const FRESH_MS = 5000
/** It never takes more than this share of the time. */
const SHARE = 1 / 20

/**
 * What is looked up for an answer, kept for 5 s, or longer where looking takes long: however often somebody asks, whoever is looked at has
 * other work. `onFailed` is told why there is nothing; then the answer goes out without it.
 */
export function createCachedReading<T>(
  read: () => Promise<T>,
  { now, onFailed }: { now: () => number; onFailed: (error: unknown) => void },
): { refresh(): Promise<void>; latest(): T | null } {
  let latest: T | null = null
  let freshUntil = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  async function readNow(): Promise<void> {
    const startedAt = now()
    try {
      latest = await read()
    } catch (error) {
      latest = null
      onFailed(error)
    }
    freshUntil = now() + Math.max(FRESH_MS, (now() - startedAt) / SHARE)
    reading = null
  }

  return {
    async refresh() {
      if (now() < freshUntil) return
      reading ??= readNow()
      await reading
    },
    latest: () => latest,
  }
}
