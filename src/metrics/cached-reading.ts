const FRESH_MS = 5000
/** The reading takes at most this share of the time. */
const SHARE = 1 / 20

/**
 * A reading for scrapes, kept for 5 s, or longer where it takes long, so that frequent scrapes cost the source little. A reading that fails is
 * reported to `onFailed`, and `latest` is null until the next one.
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
