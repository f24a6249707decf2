import { createClock } from '../../src/clock.ts'
import { openRecords } from '../../src/records.ts'
import { readSettings } from '../../src/settings.ts'
import type { Site } from '../../src/site.ts'

/** The parts of a site that a ledger uses, with records in memory. */
export function ledgerSite(): Site {
  const records = openRecords(null)
  const parts = { environment: 'sandbox', settings: readSettings(null), clock: createClock(), records } as const
  return { ...parts, collection: (name) => records.collection(`sandbox.${name}`) } satisfies Partial<Site> as Site
}
