import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { DISK_LEVELS, type DiskLevel, minFreeBytesOf, nextLevel, roomIn } from '../../src/domain/disk-pressure.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

test.each([
  ['2 % of 20 GiB', { share: 0.02 }, 20 * GIB, Math.round(0.02 * 20 * GIB)],
  ['never less than 8 MiB of a small file system', { share: 0.02 }, 100 * MIB, 8 * MIB],
  ['never more than 1 GiB of a large one', { share: 0.02 }, 1024 * GIB, GIB],
  ['a size as it is, on any file system', { bytes: 2 * MIB }, 8 * MIB, 2 * MIB],
])('the reserve is %s', (_words, reserve, totalBytes, expected) => {
  expect(minFreeBytesOf(reserve, totalBytes)).toBe(expected)
})

describe('the level', () => {
  /** Levels on a way from one amount of room to the next, of a reserve of 1000. */
  function levelsAt(...rooms: number[]): DiskLevel[] {
    let level: DiskLevel = 'ok'
    return rooms.map((room) => (level = nextLevel(level, room, 1000)))
  }

  it('goes from refusals to answers to callbacks as the reserve is used up, and straight to where it must', () => {
    expect(levelsAt(1000, 999, 750, 749, 500, 499, 0)).toEqual([
      ...['ok', 'no_refusals', 'no_refusals', 'no_answers', 'no_answers', 'no_callbacks', 'no_callbacks'],
    ])
    expect(levelsAt(5000, 0, 5000)).toEqual(['ok', 'no_callbacks', 'ok'])
  })

  it('ends only with a quarter more room than it began with', () => {
    expect(levelsAt(499, 500, 624, 625, 937, 938, 1249, 1250)).toEqual([
      ...[
        'no_callbacks',
        'no_callbacks',
        'no_callbacks',
        'no_answers',
        'no_answers',
        'no_refusals',
        'no_refusals',
        'ok',
      ],
    ])
  })

  it('is, wherever it comes from, at least what the room asks for, and no further than that with a quarter less', () => {
    const room = fc.integer({ min: 0, max: 2000 })
    fc.assert(
      fc.property(fc.constantFrom(...DISK_LEVELS), room, (before, bytes) => {
        const indexOf = (level: DiskLevel) => DISK_LEVELS.indexOf(level)
        const after = indexOf(nextLevel(before, bytes, 1000))
        expect(after).toBeGreaterThanOrEqual(indexOf(nextLevel('ok', bytes, 1000)))
        expect(after).toBeLessThanOrEqual(indexOf(nextLevel('ok', bytes / 1.25, 1000)))
        expect(indexOf(nextLevel(nextLevel(before, bytes, 1000), bytes, 1000))).toBe(after)
      }),
    )
  })
})

describe('the room', () => {
  it('is what is free and what the database can write again, less what was accepted and is not written yet', () => {
    expect(roomIn({ freeBytes: 1000, reusableBytes: 0, pendingBytes: 0 })).toBe(1000)
    expect(roomIn({ freeBytes: 1000, reusableBytes: 500, pendingBytes: 0 })).toBe(1500)
    expect(roomIn({ freeBytes: 1000, reusableBytes: 500, pendingBytes: 800 })).toBe(700)
    expect(roomIn({ freeBytes: 1000, reusableBytes: 0, pendingBytes: 5000 })).toBe(0)
  })

  it('ends where nothing is free, however much of the database is: its log could not grow', () => {
    expect(roomIn({ freeBytes: 10, reusableBytes: 1_000_000, pendingBytes: 0 })).toBe(40)
    expect(roomIn({ freeBytes: 0, reusableBytes: 1_000_000, pendingBytes: 0 })).toBe(0)
  })
})
