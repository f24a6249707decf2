import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDueQueue } from '../src/due-queue.ts'

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ dueAt: fc.integer({ min: 0, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ deleted: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.constant('take' as const) },
)

it('gives the earliest first, those of equal times in the order in which they were added, and none that was deleted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const queue = createDueQueue<{ id: string; dueAt: number }>()
      const model: { id: string; dueAt: number }[] = []
      const firstOf = () => model.toSorted((one, other) => one.dueAt - other.dueAt)[0]
      const remove = (id: string) => {
        const index = model.findIndex((one) => one.id === id)
        if (index >= 0) model.splice(index, 1)
        return index >= 0
      }
      for (const [index, one] of steps.entries()) {
        if (one === 'take') {
          const first = queue.first()
          expect(first).toEqual(firstOf())
          if (first !== undefined) queue.delete(first.id)
          remove(first?.id ?? '')
        } else if ('deleted' in one) {
          expect(queue.delete(String(one.deleted))).toBe(remove(String(one.deleted)))
        } else {
          const item = { id: String(index), dueAt: one.dueAt }
          queue.add(item)
          model.push(item)
        }
      }
      expect(queue.first()).toEqual(firstOf())
      expect(queue.list()).toEqual(model)
    }),
  )
})
