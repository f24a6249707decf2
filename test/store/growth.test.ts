import { expect, it } from 'vitest'
import { daysUntilFull, type Growth, growthPerDay } from '../../src/store/growth.ts'

const YOUNG: Growth = {
  callbacksPerDay: 10,
  payloadBytes: 100,
  metadataBytes: 20,
  payloadDays: 90,
  metadataDays: 400,
  payloadAgeDays: 0,
  metadataAgeDays: 0,
}

it('a young database grows by all that comes, an older one by what retention does not remove yet, an old one no more', () => {
  expect(growthPerDay(YOUNG)).toBe(1200)
  expect(growthPerDay({ ...YOUNG, payloadAgeDays: 90, metadataAgeDays: 200 })).toBe(200)
  expect(growthPerDay({ ...YOUNG, payloadAgeDays: 90, metadataAgeDays: 400 })).toBe(0)
})

it('how long the space lasts counts what retention will remove by then', () => {
  expect(daysUntilFull(YOUNG, 12_000)).toBe(9)
  // 90 days of everything, then metadata alone.
  expect(daysUntilFull(YOUNG, 90 * 1200 + 10 * 200)).toBe(99)
  expect(daysUntilFull(YOUNG, 90 * 1200 + 310 * 200)).toBe(399)
  expect(daysUntilFull(YOUNG, 90 * 1200 + 310 * 200 + 1)).toBe(null)
})

it('no space is none at once, and without callbacks it lasts', () => {
  expect(daysUntilFull(YOUNG, 0)).toBe(0)
  expect(daysUntilFull({ ...YOUNG, callbacksPerDay: 0 }, 1)).toBe(null)
})
