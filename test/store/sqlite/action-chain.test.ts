import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { writeBackup } from '../../../src/store/sqlite/maintenance/backup.ts'
import { verifyDatabase } from '../../../src/store/sqlite/maintenance/verify.ts'
import { databaseFrom, openTestStore, temporaryDatabase } from '../../support/store.ts'
import { anAction } from '../contract/action-contract.ts'

const problemsOf = (file: string) => verifyDatabase(file, () => undefined).problems

/** The content of a database with five entries, of which retention may have removed some. */
async function makeActions(removed: number): Promise<Buffer> {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  for (const at of [1, 2, 3, 4, 5])
    await store.recordAction(anAction({ at, reason: at === 3 ? 'a customer asks' : null, details: { name: 'books' } }))
  if (removed > 0) await store.removeActions(removed + 1, 10)
  await store.close()
  return readFileSync(file)
}

const made = new Map<number, Promise<Buffer>>()

async function databaseWithActions({ removed = 0, sql = '' } = {}): Promise<string> {
  const content = made.get(removed) ?? makeActions(removed)
  made.set(removed, content)
  return databaseFrom(await content, sql)
}

const COPY = `
  insert into actions (at, actor, channel, action, target, reason, details, refers_to, hash)
  select at, actor, channel, action, target, reason, details, refers_to, hash from actions where id = 5`

it.each([0, 2, 5])('verify accepts a log of which retention removed %i entries, and its backup', async (removed) => {
  const file = await databaseWithActions({ removed })
  const copy = temporaryDatabase()
  writeBackup({ file, target: copy, leaveBytes: 0 }, () => undefined)
  expect([problemsOf(file), problemsOf(copy)]).toEqual([[], []])
})

it.each([
  ['a changed reason', "update actions set reason = 'nothing' where id = 3", [/^act_3 .* was changed/]],
  ['a changed actor', "update actions set actor = 'cli_0000000000' where id = 1", [/^act_1 .* was changed/]],
  ['a reason that is gone', 'update actions set reason = null where id = 3', [/^act_3 .* was changed/]],
  ['changed details', `update actions set details = '{"name":"shop"}' where id = 3`, [/^act_3 .* was changed/]],
  ['a changed time', 'update actions set at = 7 where id = 5', [/^act_5 .* was changed/]],
  ['a changed hash', 'update actions set hash = zeroblob(32) where id = 2', [/^act_2 .* was changed/, /^act_3 /]],
  ['an entry removed in the middle', 'delete from actions where id = 3', [/^act_3 .* was removed by hand/]],
  ['the first entries removed', 'delete from actions where id < 3', [/^act_1 to act_2 .* were removed by hand/]],
  ['the last entry removed', 'delete from actions where id = 5', [/^act_5 .* was removed by hand/]],
  ['all entries removed', 'delete from actions', [/^act_1 to act_5 .* were removed by hand/]],
  ['an entry added at the end', COPY, [/^act_6 .* was changed/]],
])('verify reports %s', async (_, sql, expected) => {
  const file = await databaseWithActions({ sql })
  expect(problemsOf(file)).toEqual(expected.map((words) => expect.stringMatching(words)))
})

it('verify reports entries before the anchor, and an anchor that was moved', async () => {
  const added = await databaseWithActions({
    removed: 2,
    sql: 'insert into actions select 1, at, actor, channel, action, target, reason, details, refers_to, hash from actions where id = 5',
  })
  expect(problemsOf(added)).toEqual([expect.stringMatching(/^act_1 .* was added by hand/)])

  const moved = await databaseWithActions({
    removed: 2,
    sql: `delete from actions where id < 4; update meta set value = '3:' || substr(value, 3) where key = 'action_anchor'`,
  })
  expect(problemsOf(moved)).toEqual([expect.stringMatching(/^act_4 .* was changed, or an entry before it was/)])
})

it.each([['{"name":1}'], ['["books"]'], ['null'], ['{"name":']])(
  'details %s, written by hand, are shown as they are',
  async (text) => {
    const file = await databaseWithActions({ sql: `update actions set details = '${text}' where id = 3` })
    const store = await openTestStore({ file })
    const { actions } = await store.listActions({ after: 2 }, 2)
    expect(actions.map(({ details }) => details)).toEqual([{ text }, { name: 'books' }])
  },
)
