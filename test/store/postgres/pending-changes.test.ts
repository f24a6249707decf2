import { expect, it } from 'vitest'
import type { Changes } from '../../../src/domain/nodes/foreign-changes.ts'
import { NO_CHANGES } from '../../../src/store/postgres/changes/changes.ts'
import { createPendingChanges } from '../../../src/store/postgres/changes/pending-changes.ts'

/** What a node hands on after notices that name these destinations, and no events. */
async function handedOn(notices: readonly (readonly number[])[]): Promise<Changes[]> {
  const heard: Changes[] = []
  const pending = createPendingChanges({ onChanges: (changes) => heard.push(changes) })
  for (const destinationIds of notices)
    pending.take({ after: 0, position: 0, changes: { ...NO_CHANGES, destinationIds } })
  await pending.handOn(null as never)
  return heard
}

const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)

it('a few notices are handed on as one with what they name', async () => {
  expect(
    await handedOn([
      [1, 2],
      [2, 3],
    ]),
  ).toMatchObject([{ destinationIds: [1, 2, 3], consumers: [] }])
})

it('a flood of notices is handed on as a change of all, and what it names is not kept', async () => {
  const flood = ids(0, 20).map((notice) => ids(notice * 600, 600))
  expect(await handedOn(flood)).toMatchObject([{ destinationIds: 'all', consumers: [] }])
})
