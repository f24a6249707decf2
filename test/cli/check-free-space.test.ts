import { expect, test } from 'vitest'
import { spaceFinding } from '../../src/cli/check/free-space.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

test.each([
  ['good', 2 * GIB, 0, '2.0 GiB free at /data, storage.minFreeSpace is 1.0 GiB'],
  ['warning', 1500 * MIB, 0, '1.5 GiB free at /data, storage.minFreeSpace is 1.0 GiB'],
  ['warning', 1000 * MIB, 0, 'storage.minFreeSpace is 1.0 GiB: refusals are no longer recorded'],
  [
    'warning',
    600 * MIB,
    0,
    'storage.minFreeSpace is 1.0 GiB: refusals and answers of destinations are no longer recorded',
  ],
  ['problem', 500 * MIB, 0, 'storage.minFreeSpace is 1.0 GiB: new callbacks are refused (503)'],
  ['good', 600 * MIB, 2 * GIB, '600.0 MiB free at /data, storage.minFreeSpace is 1.0 GiB'],
] as const)(
  'free space is %s with %d bytes of 1 TiB free, and %d within the database',
  (level, freeBytes, reusableBytes, found) => {
    const finding = spaceFinding(
      { freeBytes, totalBytes: 1024 * GIB },
      { minFreeSpace: { share: 0.02 }, reusableBytes, place: '/data' },
    )
    expect(finding).toMatchObject({ what: 'free space', level, found: expect.stringContaining(found) })
    expect(finding.found.endsWith(found)).toBe(true)
  },
)
