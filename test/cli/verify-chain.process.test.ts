import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { anInterpretedCallback } from '../support/builders.ts'
import { createSite } from '../support/gateway.ts'
import { linesOf, portaria } from './program.ts'

/** A site with three events, and a copy of its database in which somebody changed the second and removed the third. */
async function withThreeEvents() {
  const site = await createSite()
  const file = join(site.folder, 'data/portaria.db')
  const store = await openStore({ file, deduplicationWindowMs: 1000, queue: { events: 100, bytes: 1 << 20 } })
  const callbacks = ['1', '2', '3'].map((n) => anInterpretedCallback(`{"identificador":"${n}"}`))
  const stored = await Promise.all(callbacks.map((callback) => store.storeCallback(callback)))
  await store.close()
  const changed = join(site.folder, 'changed.db')
  copyFileSync(file, changed)
  const db = new Database(changed)
  db.exec(`update events set subject = 'X' where id = 2; delete from events where id = 3`)
  db.close()
  return { site, file, changed, ids: stored.map(({ eventIds }) => eventIds[0] as string) }
}

it('storage verify --chain prints the end to write down, names what was changed, and compares with what was written down', async () => {
  const { site, file, changed } = await withThreeEvents()
  const [sound, broken, wrong] = await Promise.all([
    portaria(site, 'storage', 'verify', '--chain'),
    portaria(site, 'storage', 'verify', changed, '--chain', '--json'),
    portaria(site, 'storage', 'verify', '--expect', '3'),
  ])

  const [point = ''] = /--expect (3:[0-9a-f]{64})\n$/.exec(sound.stdout)?.slice(1) ?? []
  expect(sound).toMatchObject({ code: 0, stdout: expect.stringContaining('3 follow from one another') })
  expect(broken.code).toBe(1)
  expect(linesOf(broken)).toMatchObject([
    {
      file: changed,
      isSound: false,
      chain: {
        problems: [expect.stringMatching(/^event 2 was altered/), expect.stringMatching(/^event 3 was cut off/)],
        events: 2,
      },
    },
  ])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('a position and its hash') })

  const [kept, missed] = await Promise.all([
    portaria(site, 'storage', 'verify', file, '--expect', point, '--json'),
    portaria(site, 'storage', 'verify', changed, '--expect', point),
  ])
  expect(kept.code).toBe(0)
  expect(linesOf(kept)).toMatchObject([{ isSound: true, chain: { head: { position: 3, hash: point.slice(2) } } }])
  expect(missed).toMatchObject({ code: 1, stdout: expect.stringContaining('event 3 is expected, and is not there') })
})

it('storage verify compares the end of the database with the note beside it, which knows events that only a crash left unmarked', async () => {
  const { site, file } = await withThreeEvents()
  const db = new Database(file)
  db.exec(`delete from events where id = 3; update sqlite_sequence set seq = 2 where name = 'events'`)
  db.close()
  const copy = join(site.folder, 'copy.db')
  copyFileSync(file, copy)
  const [cut, other] = await Promise.all([
    portaria(site, 'storage', 'verify', '--chain', '--json'),
    portaria(site, 'storage', 'verify', copy, '--chain', '--json'),
  ])
  const words = /ends at position 2, but the database that was here held events up to position 3/
  expect(cut.code).toBe(1)
  expect(linesOf(cut)).toMatchObject([{ isSound: false, chain: { problems: [] } }])
  expect(linesOf(cut)[0]?.problems).toContainEqual(expect.stringMatching(words))
  // Without a note no one knows.
  expect(other.stdout).not.toMatch(words)
})

it('events show --evidence says with words and exit code whether the event is what was stored', async () => {
  const { site, changed, ids } = await withThreeEvents()
  const show = () => portaria(site, 'events', 'show', ids[1] as string, '--evidence')
  const sound = await show()
  copyFileSync(changed, join(site.folder, 'data/portaria.db'))
  const broken = await show()

  expect(sound).toMatchObject({ code: 0, stdout: expect.stringContaining('It is sound') })
  expect(sound.stdout).toContain('-----BEGIN CERTIFICATE-----\nMIIB')
  expect(sound.stdout).toContain('payload\n  {"identificador":"2"}\n')
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining('It is NOT what was stored') })
})
