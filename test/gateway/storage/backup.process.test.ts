import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { verifyDatabase } from '../../../src/store/sqlite/maintenance/verify.ts'
import { portaria } from '../../cli/program.ts'
import { callApi, callBack, keepAliveAgent } from '../../support/calls.ts'
import { createSite, spawnGateway } from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

it('a backup beside the running gateway, under load, holds every notification that was acknowledged before it began', async () => {
  const site = await createSite()
  const receiver = await startReceiver()
  const gateway = await spawnGateway(site)
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { url: receiver.url, name: 'books' } })
  const agent = keepAliveAgent(site)
  onTestFinished(() => agent.destroy())
  const acknowledged: string[] = []
  const refused: number[] = []
  let last = 0
  let isEnded = false
  async function load(): Promise<void> {
    while (!isEnded) {
      const subject = `s${++last}`
      const { status } = await callBack({ ...gateway, site }, { body: `{"identificador":"${subject}"}`, agent })
      if (status === 200) acknowledged.push(subject)
      else refused.push(status)
    }
  }
  const loads = Array.from({ length: 8 }, load)
  await until(
    () => acknowledged.length,
    (count) => count >= 300,
    30_000,
  )
  const before = [...acknowledged]
  const target = join(site.folder, 'backup.db')
  const { code } = await portaria(site, 'storage', 'backup', target)
  const during = acknowledged.length - before.length
  isEnded = true
  await Promise.all(loads)

  expect([code, refused]).toEqual([0, []])
  expect(during).toBeGreaterThan(0)
  expect(verifyDatabase(target, () => undefined).problems).toEqual([])
  const db = new Database(target, { readonly: true })
  const held = new Set(db.prepare<[], string>('select subject from events').pluck().all())
  db.close()
  expect(before.filter((subject) => !held.has(subject))).toEqual([])
})
