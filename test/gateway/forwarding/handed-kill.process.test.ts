import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { callApi, callBack } from '../../support/calls.ts'
import { createSite, spawnGateway, type TestSite } from '../../support/gateway.ts'
import { violationsOf } from '../../support/invariants.ts'
import { until } from '../../support/until.ts'

/** A system of an integrator that answers only once it is allowed to; it notes each body with the number of its attempt. */
async function startSilent() {
  const arrived: string[] = []
  let isAnswering = false
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    arrived.push(`${body} ${request.headers['portaria-attempt']}`)
    if (isAnswering) response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    arrived,
    answer() {
      isAnswering = true
    },
  }
}

function inDatabase(site: TestSite, sql: string): unknown[] {
  const db = new Database(join(site.folder, 'data/portaria.db'), { readonly: true })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}

it('after a SIGKILL, handed deliveries are sent again: one whose attempt was under way, and one that had none', async () => {
  const site = await createSite({ forwarding: { allowedNetworks: ['127.0.0.0/8'], catchUpRate: 'unlimited' } })
  const first = await spawnGateway(site)
  const receiver = await startSilent()
  const body = { name: 'silent', url: receiver.url, concurrency: 1 }
  expect((await callApi(first.api, '/v1/destinations', { method: 'POST', body })).status).toBe(201)
  for (const n of [1, 2]) await callBack({ callbacks: first.callbacks, site }, { body: `{"n":${n}}` })
  await until(() => receiver.arrived.length === 1)
  // Claimed with the commit of their callbacks.
  const claims = 'select state, attempts, claimed_at = created_at as isHanded from deliveries'
  expect(inDatabase(site, claims)).toEqual(Array(2).fill({ state: 'pending', attempts: 1, isHanded: 1 }))

  first.process.kill('SIGKILL')
  await first.exited
  receiver.answer()
  const second = await spawnGateway(site)

  await until(() => receiver.arrived.length === 3)
  const states = 'select state, attempts from deliveries'
  await until(
    () => inDatabase(site, states),
    (rows) => rows.every((row) => (row as { state: string }).state === 'delivered'),
  )
  expect([receiver.arrived[0], receiver.arrived.slice(1).sort()]).toEqual(['{"n":1} 1', ['{"n":1} 2', '{"n":2} 2']])
  expect(inDatabase(site, states)).toEqual(Array(2).fill({ state: 'delivered', attempts: 2 }))
  second.process.kill('SIGTERM')
  expect(await second.exited).toBe(0)
  const file = join(site.folder, 'data/portaria.db')
  expect(violationsOf(file, { now: Date.now(), stuckAfterMs: 60_000 })).toEqual([])
})
