import fc from 'fast-check'
import { it } from 'vitest'
import { readerTraffic, simulateReaders } from '../api/events/reader-simulation.ts'
import { IS_FULL } from '../support/campaign.ts'

it('over long traffic no reader misses an event or sees one twice, or a 410 says so', async () => {
  await fc.assert(
    fc.asyncProperty(readerTraffic(150), (commands) => simulateReaders(commands)),
    { numRuns: IS_FULL ? 10 : 3, endOnFailure: true },
  )
})
