import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type EntryIds, hasEntry, withEntries } from '../../src/domain/service/entry-ids.ts'

const NONE: EntryIds = { through: 0, beyond: [] }

it('ids in any order and grouping are each known once, and the list holds only what lies behind a gap', () => {
  const answers = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 12 }), { maxLength: 12 })
  fc.assert(
    fc.property(answers, (groups) => {
      let ids = NONE
      const expected = new Set<number>()
      for (const group of groups) {
        const added = group.filter((id) => !hasEntry(ids, id))
        expect(added).toEqual(group.filter((id) => !expected.has(id)))
        for (const id of added) expected.add(id)
        ids = withEntries(ids, added)
      }
      const through = Array.from({ length: 31 }, (_, index) => index + 1).findIndex((id) => !expected.has(id))
      expect(ids).toEqual({ through, beyond: [...expected].filter((id) => id > through).sort((a, b) => a - b) })
    }),
  )
})

it('a gap that is filled joins the list to the rest', () => {
  const gap = withEntries(NONE, [1, 4, 2, 6])
  expect(gap).toEqual({ through: 2, beyond: [4, 6] })
  expect(withEntries(gap, [3])).toEqual({ through: 4, beyond: [6] })
  expect(withEntries(gap, [5, 3])).toEqual({ through: 6, beyond: [] })
})
