import { Agent, get } from 'node:http'
import { expect, it } from 'vitest'
import { callApi, callBack, type ListedEvent } from '../../support/calls.ts'
import { createSite, OPERATOR_TOKEN, spawnGateway, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'

interface Page {
  readonly data: ListedEvent[]
  readonly next: string
}
interface Batch {
  readonly batch: string | null
  readonly data: ListedEvent[]
}

const poll = async (gateway: Pick<TestGateway, 'api'>, query: string) =>
  JSON.parse((await callApi(gateway.api, `/v1/events?${query}`)).body) as Page
const subjects = ({ data }: { data: ListedEvent[] }) => data.map(({ subject }) => subject)

async function post<T>(gateway: Pick<TestGateway, 'api'>, path: string, body: object): Promise<T> {
  return JSON.parse((await callApi(gateway.api, `/v1/consumers/${path}`, { method: 'POST', body })).body) as T
}

it('a caller that waits for a subject is answered as soon as the service has called back about it', async () => {
  const gateway = await startTestGateway()
  const { next } = await poll(gateway, 'after=latest')
  const waiting = ['b', 'd'].map((subject) => poll(gateway, `after=${next}&subject=${subject}&wait=30`))
  await callBack(gateway, { body: '{"identificador":"a"}' })
  await callBack(gateway, { body: '{"pix":[{"identificador":"c"},{"identificador":"b"}]}' })
  expect(subjects(await (waiting[0] as Promise<Page>))).toEqual(['b'])
  // A part of it has come before; the other part is new.
  await callBack(gateway, { body: '{"pix":[{"identificador":"c"},{"identificador":"d"}]}' })
  expect(subjects(await (waiting[1] as Promise<Page>))).toEqual(['d'])
})

it('a gateway that stops answers all who wait, and is not kept by their connections', async () => {
  const gateway = await startTestGateway()
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  const at = { agent, headers, host: '127.0.0.1', port: gateway.api.port }
  const answers = Array.from({ length: 5 }, () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    get({ ...at, path: '/v1/events?wait=30&kind=charge' }, async (response) => {
      resolve(Buffer.concat(await response.toArray()).toString())
    }).on('error', reject)
    return promise
  })
  // A request that is not held any more would be refused its answer: the connections are open, the first looks done.
  await until(() => Object.values(agent.sockets).flat().length === 5)
  await poll(gateway, '')
  await gateway.stop()
  for (const answer of await Promise.all(answers)) expect(JSON.parse(answer)).toMatchObject({ data: [], more: false })
})

it('a consumer goes on where it was acknowledged last, after a kill too', async () => {
  const site = await createSite()
  const first = await spawnGateway(site)
  for (const n of [1, 2, 3]) await callBack({ ...first, site }, { body: `{"identificador":"${n}"}` })
  const one = await post<Batch>(first, 'books/batches', { limit: 1 })
  expect(await post(first, 'books/ack', { batch: one.batch })).toMatchObject({ behind: 2 })
  const lost = await post<Batch>(first, 'books/batches', { limit: 1, leaseSeconds: 1 })
  expect(subjects(lost)).toEqual(['2'])
  first.process.kill('SIGKILL')
  await first.exited

  const second = await spawnGateway(site)
  const again = await post<Batch>(second, 'books/batches', { wait: 30 })
  expect(subjects(again)).toEqual(['2', '3'])
  expect(await post(second, 'books/ack', { batch: lost.batch })).toMatchObject({ status: 409 })
  expect(await post(second, 'books/ack', { batch: again.batch })).toMatchObject({ behind: 0 })
})

it('two that work for one consumer share the work, and no event', async () => {
  const gateway = await startTestGateway()
  const done: (string | null)[] = []
  async function work(): Promise<void> {
    while (done.length < 30) {
      const batch = await post<Batch>(gateway, 'books/batches', { limit: 3, wait: 5 })
      if (batch.batch === null) continue
      await post(gateway, 'books/ack', { batch: batch.batch })
      done.push(...subjects(batch))
    }
  }
  const working = [work(), work()]
  const numbers = Array.from({ length: 30 }, (_, n) => n)
  await Promise.all(numbers.map((n) => callBack(gateway, { body: `{"identificador":"${n}"}` })))
  await Promise.all(working)
  expect(done.map(Number).sort((a, b) => a - b)).toEqual(numbers)
})
