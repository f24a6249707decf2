import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, allEvents, callApi, callBack, keepAliveAgent } from '../../support/calls.ts'
import { damageOf } from '../../support/crash-rounds.ts'
import { createSite, type SpawnedGateway, spawnGateway } from '../../support/gateway.ts'
import { startReceiver, type TestReceiver } from '../../support/receiver.ts'
import { canMount, fillerIn, mountSmall, resizeSmall } from '../../support/small-disk.ts'
import { until } from '../../support/until.ts'

describe.skipIf(!canMount)('a data folder on a disk of 8 MB (with mount, as root)', { timeout: 60_000 }, () => {
  it('while somebody else fills the disk, callbacks get 503 and Retry-After; with space again all goes on without a restart', async () => {
    const appliance = await startOnSmallDisk()
    const { api } = appliance.gateway
    const before = await appliance.send(20)
    const filler = fillerIn(appliance.data)
    filler.leave(0)

    // Until the guard looks, what is still free within the database's files may do for a few.
    const meanwhile = await appliance.send(20)
    const notReady = await until(
      () => callApi(api, '/readyz'),
      ({ body }) => body.includes('nearly full'),
    )
    const refused = [...(await appliance.send(20)), ...(await appliance.send(20))]
    const alive = await callApi(api, '/healthz')
    filler.remove()
    await readyAgain(appliance)
    const after = await appliance.send(20)

    expect([alive.status, notReady.status]).toEqual([200, 503])
    expect([statusesOf(before), statusesOf(refused), statusesOf(after)]).toEqual([[200], [503], [200]])
    expect(new Set(refused.map(({ answer }) => answer.headers['retry-after']))).toEqual(new Set(['60']))
    await expectKept(appliance, [...before, ...acknowledged(meanwhile), ...after])
  })

  it('when its own callbacks fill the disk, it refuses them before anything breaks, delivers what it has, and goes on when the disk grows', async () => {
    const appliance = await startOnSmallDisk()
    const calls: Call[] = []
    await until(
      async () => calls.push(...(await appliance.send(40, 20_000))),
      () => calls.some(({ answer }) => answer.status !== 200),
      30_000,
    )
    calls.push(...(await appliance.send(40, 20_000)))
    const kept = acknowledged(calls)
    await delivered(appliance, kept.length)
    resizeSmall(appliance.data, '64m')
    await readyAgain(appliance)
    const after = await appliance.send(20)

    expect(statusesOf(calls)).toEqual([200, 503])
    expect(statusesOf(after)).toEqual([200])
    await expectKept(appliance, [...kept, ...after])
    const { lines } = appliance.gateway
    expect(lines.filter(({ event }) => /^(callback.not_stored|delivery.not_recorded|store\.)/.test(event))).toEqual([])
  })
})

interface Call {
  readonly subject: string
  readonly answer: Answer
}

interface Appliance {
  readonly gateway: SpawnedGateway
  readonly receiver: TestReceiver
  readonly data: string
  /** That many callbacks over keep-alive connections, each with padding. */
  send(count: number, padding?: number): Promise<Call[]>
}

async function startOnSmallDisk(): Promise<Appliance> {
  // The reserve is 8 MiB at least, where it is not given as a size.
  const site = await createSite({ storage: { url: 'sqlite:data/portaria.db', minFreeSpace: '1MiB' } })
  const data = join(site.folder, 'data')
  mountSmall(data, '8m')
  const receiver = await startReceiver()
  const gateway = await spawnGateway(site)
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { url: receiver.url, name: 'books' } })
  const agent = keepAliveAgent(site)
  onTestFinished(() => agent.destroy())
  let last = 0
  async function sendOne(padding: number): Promise<Call> {
    const subject = `subject-${++last}`
    const body = JSON.stringify({ identificador: subject, padding: 'x'.repeat(padding) })
    return { subject, answer: await callBack({ callbacks: gateway.callbacks, site }, { body, agent }) }
  }
  return {
    gateway,
    receiver,
    data,
    send: (count, padding = 0) => Promise.all(Array.from({ length: count }, () => sendOne(padding))),
  }
}

/** Exactly these are in the store, each is delivered, the process never ended and the database is sound. */
async function expectKept({ gateway, receiver, data }: Appliance, kept: readonly Call[]): Promise<void> {
  const events = await allEvents(gateway.api)
  expect(events.map(({ subject }) => subject).sort()).toEqual(kept.map(({ subject }) => subject).sort())
  const ids = events.map(({ id }) => id).sort()
  await delivered({ receiver }, ids.length)
  expect(deliveredTo(receiver)).toEqual(ids)
  expect(gateway.process.exitCode).toBe(null)
  gateway.process.kill('SIGTERM')
  expect(await gateway.exited).toBe(0)
  expect(damageOf(join(data, 'portaria.db'))).toEqual([])
}

function delivered({ receiver }: Pick<Appliance, 'receiver'>, count: number): Promise<number> {
  return until(
    () => deliveredTo(receiver).length,
    (delivered) => delivered >= count,
    20_000,
  )
}

async function readyAgain({ gateway }: Appliance): Promise<void> {
  await until(
    () => callApi(gateway.api, '/readyz'),
    ({ status }) => status === 200,
  )
}

/** Without repetitions. */
function deliveredTo(receiver: TestReceiver): string[] {
  return [...new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])))].sort()
}

function acknowledged(calls: readonly Call[]): Call[] {
  return calls.filter(({ answer }) => answer.status === 200)
}

function statusesOf(calls: readonly Call[]): number[] {
  return [...new Set(calls.map(({ answer }) => answer.status))].sort()
}
