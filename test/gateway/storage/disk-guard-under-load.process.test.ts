import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { allEvents, callApi, callBack, keepAliveAgent } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { canMount, fillerIn, mountSmall } from '../../support/small-disk.ts'
import { until } from '../../support/until.ts'

const TOKEN = 'charge-token-for-tests-0123456789abcdef'
const RESERVE = 4 * 1024 * 1024

describe.skipIf(!canMount)('a disk that somebody fills and frees under load (with mount, as root)', () => {
  it('callbacks are refused in time and taken again, what is stored is delivered meanwhile, and nothing acknowledged is lost', async () => {
    const { gateway, data } = await startOnSmallDisk()
    const receiver = await startReceiver()
    const { id } = await post(gateway, '/v1/destinations', { url: receiver.url, name: 'books' })
    await post(gateway, `/v1/destinations/${id}/pause`)
    const filler = fillerIn(data)
    const load = startLoad(gateway)
    const levels = () => gateway.lines.filter(({ event }) => event === 'disk.changed').map(({ to }) => to)
    const levelIs = (level: string) => until(() => levels().includes(level))

    await until(() => load.acknowledged.length > 50)
    filler.leave(0.9 * RESERVE)
    await levelIs('no_refusals')
    filler.leave(0.65 * RESERVE)
    await levelIs('no_answers')
    filler.leave(0.4 * RESERVE)
    await levelIs('no_callbacks')
    const [full, charge] = [load.refused.length, await notifyCharge(gateway)]
    await until(() => load.refused.length > full + 20)
    const acknowledged = load.acknowledged.length
    await post(gateway, `/v1/destinations/${id}/resume`)
    await until(() => receiver.received.length >= acknowledged)
    const ready = await callApi(gateway.api, '/readyz')
    const during = { acknowledged: load.acknowledged.length, level: levels().at(-1) }

    filler.remove()
    await levelIs('ok')
    const readyAgain = await callApi(gateway.api, '/readyz')
    await until(() => load.acknowledged.length > acknowledged + 50)
    await load.stop()

    expect(during).toEqual({ acknowledged, level: 'no_callbacks' })
    expect([charge, ready.status, readyAgain.status]).toEqual([503, 503, 200])
    expect(ready.body).toContain('the disk is nearly full')
    expect(levels()).toEqual(['no_refusals', 'no_answers', 'no_callbacks', 'ok'])
    expect(new Set(load.refused)).toEqual(new Set(['503, retry after 60']))
    const events = await allEvents(gateway.api)
    expect(events.map(({ subject }) => subject).sort()).toEqual([...load.acknowledged].sort())
    await until(() => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size === events.length)
    expect(gateway.lines.filter(isBreakage)).toEqual([])
  })

  it.each([
    { when: 'deliveries wait for it', isOwed: true },
    { when: 'nothing else is written', isOwed: false },
  ])('is not filled by the log that a long read keeps, and all goes on when that ends: $when', async ({ isOwed }) => {
    const { gateway, data } = await startOnSmallDisk('28m')
    const receiver = await startReceiver()
    const { id } = await post(gateway, '/v1/destinations', { url: receiver.url, name: 'books' })
    await post(gateway, `/v1/destinations/${id}/pause`)
    const load = startLoad(gateway)
    await until(() => load.acknowledged.length > 0)
    const reading = new Database(join(data, 'portaria.db'), { readonly: true })
    onTestFinished(() => void reading.close())
    reading.exec('begin')
    reading.prepare('select count(*) from events').get()

    const lineOf = (name: string) => gateway.lines.find(({ event }) => event === name)
    await until(() => load.refused.length > 20)
    if (isOwed) {
      await post(gateway, `/v1/destinations/${id}/resume`)
      await until(() => lineOf('delivery.not_claimed') !== undefined)
    }
    const acknowledged = load.acknowledged.length
    reading.exec('rollback')
    await until(() => load.acknowledged.length > acknowledged)
    await load.stop()

    expect(lineOf('delivery.not_claimed')?.error).toEqual(
      isOwed ? expect.stringContaining('a long read of the database') : undefined,
    )
    const events = await allEvents(gateway.api)
    expect(events.map(({ subject }) => subject).sort()).toEqual([...load.acknowledged].sort())
    expect(gateway.lines.filter(isBreakage)).toEqual([])
  })
})

function isBreakage({ event }: { readonly event: string }): boolean {
  return /not_(stored|recorded|dropped)|^store\./.test(event)
}

async function startOnSmallDisk(size = '64m') {
  const site = await createSite({
    storage: { url: 'sqlite:data/portaria.db', minFreeSpace: `${RESERVE}B` },
    chargeNotifications: { host: '127.0.0.1', port: 0, tokens: [{ environment: 'production', tokenFile: 'token' }] },
  })
  writeFileSync(join(site.folder, 'token'), TOKEN, { mode: 0o600 })
  const data = join(site.folder, 'data')
  mountSmall(data, size)
  return { gateway: await startTestGateway(site), data }
}

async function post(gateway: TestGateway, path: string, body?: object): Promise<{ id: string }> {
  const answer = await callApi(gateway.api, path, { method: 'POST', body })
  expect(answer.status).toBeLessThan(300)
  return JSON.parse(answer.body)
}

/** Eight callers, each with its next callback as soon as the last one is answered. */
function startLoad(gateway: TestGateway) {
  const agent = keepAliveAgent(gateway.site)
  onTestFinished(() => agent.destroy())
  const acknowledged: string[] = []
  const refused: string[] = []
  let last = 0
  let isStopped = false

  async function call(): Promise<void> {
    while (!isStopped) {
      const subject = `subject-${++last}`
      const body = JSON.stringify({ identificador: subject, padding: 'x'.repeat(1000) })
      const { status, headers } = await callBack(gateway, { body, agent })
      if (status === 200) acknowledged.push(subject)
      else refused.push(`${status}, retry after ${headers['retry-after']}`)
    }
  }

  const callers = Array.from({ length: 8 }, call)
  return {
    acknowledged,
    refused,
    async stop() {
      isStopped = true
      await Promise.all(callers)
    },
  }
}

function notifyCharge(gateway: TestGateway): Promise<number> {
  const at = { host: '127.0.0.1', port: gateway.charges?.port, path: `/charges/${TOKEN}`, method: 'POST', agent: false }
  return new Promise((resolve, reject) => {
    request(at, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end('notification=1')
  })
}
