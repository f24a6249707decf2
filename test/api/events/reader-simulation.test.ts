import fc from 'fast-check'
import { it } from 'vitest'
import { readerTraffic, simulateReaders } from './reader-simulation.ts'

// Longer, and more of them: test/long/readers.test.ts.
it('no reader misses an event or sees one twice, or a 410 says so: pollers, consumers, quarantine, retention and crashes in turn', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(readerTraffic(60), (commands) => simulateReaders(commands)),
    { numRuns: 2, endOnFailure: true },
  )
})
