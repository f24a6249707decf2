import fc from 'fast-check'
import { it } from 'vitest'
import { readerTraffic, simulateReaders } from '../api/events/reader-simulation.ts'

it('over long traffic no reader misses an event or sees one twice, or a 410 says so', async () => {
  await fc.assert(
    fc.asyncProperty(readerTraffic(150), (commands) => simulateReaders(commands)),
    { numRuns: 10, endOnFailure: true },
  )
})
