import type { ViteUserConfig } from 'vitest/config'

/** PORTARIA_TEST_REPORT: a file for the counts, beside what is printed. */
export function reporting(): NonNullable<ViteUserConfig['test']> {
  const outputFile = process.env.PORTARIA_TEST_REPORT
  return outputFile === undefined ? {} : { reporters: ['default', ['json', { outputFile }]] }
}

/** Whole processes one after the other, tens of seconds each: they run with the campaigns, so that `npm test` stays below four minutes. */
export const SLOW = [
  'test/appliance/backup.test.ts',
  'test/appliance/bad-certificates.test.ts',
  'test/appliance/client-chain.test.ts',
  'test/appliance/denied-callers.test.ts',
  'test/appliance/examples.test.ts',
  'test/appliance/fsync.test.ts',
  'test/appliance/half-closed-callers.test.ts',
  'test/appliance/headroom-under-load.test.ts',
  'test/appliance/loops.test.ts',
  'test/appliance/malformed-requests.test.ts',
  'test/appliance/mutual-tls-forwarding.test.ts',
  'test/appliance/one-owner.test.ts',
  'test/appliance/polling.test.ts',
  'test/appliance/quarantine.test.ts',
  'test/appliance/refusals.test.ts',
  'test/appliance/reload-own.test.ts',
  'test/appliance/reload-trust.test.ts',
  'test/appliance/replays.test.ts',
  'test/appliance/service.test.ts',
  'test/appliance/slow-callers.test.ts',
  'test/appliance/two-databases.test.ts',
  'test/appliance/two-requests.test.ts',
  'test/cli/certs-trust.test.ts',
  'test/cli/certs.test.ts',
  'test/cli/check-outside.test.ts',
  'test/cli/check-running.test.ts',
  'test/cli/check.test.ts',
  'test/cli/clients.test.ts',
  'test/cli/consumers.test.ts',
  'test/cli/deliveries.test.ts',
  'test/cli/demo.test.ts',
  'test/cli/destinations.test.ts',
  'test/cli/events.test.ts',
  'test/cli/quarantine.test.ts',
  'test/cli/refusals.test.ts',
  'test/cli/replays.test.ts',
  'test/cli/storage-retention.test.ts',
  'test/cli/storage.test.ts',
  'test/cli/verify-chain.test.ts',
  'test/delivery/forwarding-lanes.test.ts',
  'test/delivery/replays.test.ts',
  'test/store/database-files.test.ts',
  'test/store/database-start.test.ts',
  'test/store/retention-runner.test.ts',
  'test/systemd/install.test.ts',
]
