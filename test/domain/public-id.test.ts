import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cursorAfter,
  eventId,
  newNonce,
  numberedId,
  parseCursor,
  parseEventId,
  parseNumberedId,
} from '../../src/domain/public-id.ts'

const position = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

describe("an event's public id", () => {
  it('is read back as its position and nonce', () => {
    fc.assert(
      fc.property(position, (at) => {
        const nonce = newNonce()
        expect(parseEventId(eventId(at, nonce))).toEqual({ position: at, nonce })
      }),
    )
  })

  it('has a nonce of ten unmistakable characters that hardly comes twice', () => {
    const nonces = Array.from({ length: 1000 }, newNonce)
    expect(new Set(nonces).size).toBe(1000)
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-hjkmnp-z]{10}$/)
  })

  it.each([
    '',
    'evt_',
    'evt_1_',
    'evt_1_abc',
    'evt_0_0123456789',
    'evt_01_0123456789',
    'EVT_1_0123456789',
    'evt_1_0123456789 ',
    ' evt_1_0123456789',
    'evt_1_0123456789\n',
    'evt_1_01234567890',
    'evt_zzzzzzzzzzz_0123456789',
    'evt_-1_0123456789',
    'dlv_1',
  ])('is not %j', (id) => {
    expect(parseEventId(id)).toBeNull()
  })

  it('never makes an error of any text', () => {
    fc.assert(fc.property(fc.string(), (id) => (parseEventId(id)?.position ?? 1) > 0))
  })
})

describe('a numbered id', () => {
  it('is read back, with its own prefix only', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), (number) => {
        expect(parseNumberedId('dlv', numberedId('dlv', number))).toBe(number)
        expect(parseNumberedId('dst', numberedId('dlv', number))).toBeNull()
      }),
    )
  })

  it.each(['dlv_0', 'dlv_01', 'dlv_-1', 'dlv_1.5', 'dlv_', 'dlv_1e3', 'dlv_1000000000000000', 'dlv_1\n', '1'])(
    'is not %j',
    (id) => {
      expect(parseNumberedId('dlv', id)).toBeNull()
    },
  )
})

describe('a cursor', () => {
  it('is read back as the position after which to go on', () => {
    const at = fc.record({
      position: fc.oneof(fc.constant(0), position),
      gapsReportedAt: fc.oneof(fc.constant(0), position),
    })
    fc.assert(
      fc.property(at, (cursor) =>
        isDeepStrictEqual(parseCursor(cursorAfter(cursor.position, cursor.gapsReportedAt)), { ...cursor }),
      ),
    )
  })

  it.each([
    '',
    '0',
    'latest',
    'MTow=',
    'MTowMQ',
    'MTotMQ',
    'Mjox',
    'MToxIA',
    'MTox\n',
    ' MTox',
    'MToxMDAwMDAwMDAwMDAwMDAwMA',
  ])('is not %j', (cursor) => {
    expect(parseCursor(cursor)).toBeNull()
  })

  it('is only what cursorAfter made', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (cursor) => {
        const at = parseCursor(cursor)
        expect(at === null || cursorAfter(at.position, at.gapsReportedAt) === cursor).toBe(true)
      }),
    )
  })
})
