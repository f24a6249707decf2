import type { OverviewSource } from '../api/overview/endpoints.ts'
import { overviewOf } from '../domain/overview/light.ts'
import type { Overview } from '../domain/overview/overview.ts'
import type { Metrics } from './metrics.ts'

/** Made once a second at most, however many pages and streams show it. */
const FRESH_MS = 1000

export function createOverview({ overviewFacts }: Pick<Metrics, 'overviewFacts'>, now: () => number): OverviewSource {
  let latest: Promise<Overview> | null = null
  let madeAt = Number.NEGATIVE_INFINITY

  return {
    read() {
      if (latest === null || Math.abs(now() - madeAt) >= FRESH_MS) {
        madeAt = now()
        latest = overviewFacts().then(overviewOf)
      }
      return latest
    },
  }
}
