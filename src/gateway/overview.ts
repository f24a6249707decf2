import type { OverviewSource } from '../api/overview/endpoints.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { ConfigurationState } from '../domain/configuration-state.ts'
import { overviewOf } from '../domain/overview/light.ts'
import type { Overview } from '../domain/overview/overview.ts'
import { type HourSums, type HourSumsOptions, startHourSums } from '../jobs/hour-sums.ts'
import type { Traffic } from '../metrics/traffic.ts'
import type { Closing } from './close.ts'
import type { Metrics } from './metrics.ts'

/** Made once a second at most, however many pages and streams show it; again at once after a reload, whose result people look at. */
const FRESH_MS = 1000

export function createOverview(
  { overviewFacts }: Pick<Metrics, 'overviewFacts'>,
  configuration: () => ConfigurationState,
  hourSums: Pick<HourSums, 'flush'>,
  now: () => number,
): OverviewSource {
  let latest: Promise<Overview> | null = null
  let madeAt = Number.NEGATIVE_INFINITY
  let madeFor: ConfigurationState | null = null

  return {
    read() {
      if (latest === null || Math.abs(now() - madeAt) >= FRESH_MS || madeFor !== configuration()) {
        madeAt = now()
        madeFor = configuration()
        latest = overviewFacts().then(overviewOf)
      }
      return latest
    },
    sumUp: hourSums.flush,
  }
}

interface HourSumParts extends Omit<HourSumsOptions, 'counts'> {
  readonly traffic: Pick<Traffic, 'counts'>
  readonly dispatcher: Pick<Dispatcher, 'totals'>
  readonly closing: Closing
}

/** Until `closing` ends it. Each node adds what it counted. */
export function sumUpHours({ traffic, dispatcher, closing, ...parts }: HourSumParts): HourSums {
  const ofDestinations = () =>
    dispatcher.totals().map(({ destinationId, delivered: succeeded, failed }) => {
      return { environment: null, kind: null, destinationId, succeeded, failed }
    })
  const hourSums = startHourSums({ ...parts, counts: () => [...traffic.counts(), ...ofDestinations()] })
  closing.defer(() => hourSums.stop())
  return hourSums
}
