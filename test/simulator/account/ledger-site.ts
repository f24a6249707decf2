import { createClock } from '../../../src/simulator/clock.ts'
import { openRecords } from '../../../src/simulator/records.ts'
import { readSettings } from '../../../src/simulator/settings.ts'
import type { Site } from '../../../src/simulator/site.ts'

/** The parts of a site that a ledger uses, with records in memory. */
export function ledgerSite(): Site {
  const records = openRecords(null)
  const parts = { environment: 'sandbox', settings: readSettings(null), clock: createClock(), records } as const
  return { ...parts, collection: (name) => records.collection(`sandbox.${name}`) } satisfies Partial<Site> as Site
}
