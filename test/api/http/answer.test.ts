import { Agent } from 'node:http'
import { connect } from 'node:net'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { publishedEventsOf } from '../../../src/domain/event-bus.ts'
import { kindDefaults } from '../../../src/domain/kinds.ts'
import { cursorAfter } from '../../../src/domain/public-id.ts'
import { aCallback, aFact } from '../../support/builders.ts'
import { OPERATOR_TOKEN } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { type AskOptions, asClient, ask, sharedApi } from '../api.ts'

type Api = Awaited<ReturnType<typeof api>>

const api = sharedApi({ maskedKinds: [{ name: 'payment', ...kindDefaults('payment'), personalData: ['/cpf'] }] })
/** Each connection must serve one request after the other. */
const keptAlive = new Agent({ keepAlive: true, maxSockets: 5 })
afterAll(() => keptAlive.destroy())

let count = 0
async function receive({ store, bus }: Api, text = `{"n":${++count}}`): Promise<void> {
  const callback = aCallback({ text, facts: [aFact({ subject: `subject ${++count}` })] })
  bus.publish(publishedEventsOf(callback, await store.storeCallback(callback)))
}

/** Answers to requests that wait for one event, and the answer to a request that comes behind it. */
async function pollTogether(running: Api, requests: readonly AskOptions[], text?: string) {
  const path = `/v1/events?after=${cursorAfter(await running.store.latestPosition())}`
  const reads = vi.spyOn(running.options.store, 'listEvents')
  const answers: ReturnType<typeof ask>[] = []
  for (const options of requests) {
    reads.mockClear()
    answers.push(ask(running, `${path}&wait=30`, { agent: keptAlive, ...options }))
    await until(() => reads.mock.settledResults[0]?.type === 'fulfilled')
  }
  await receive(running, text)
  return { together: await Promise.all(answers), alone: await ask(running, path, { agent: keptAlive }) }
}

/** A head without what differs from answer to answer. */
function headOf({
  headers: { 'x-request-id': _id, date: _date, ...headers },
}: Awaited<ReturnType<typeof ask>>): string {
  return JSON.stringify(headers)
}

describe('answers to pollers that one event wakes', () => {
  it.each([
    ['a text', undefined],
    ['a text that is not ASCII', '{"name":"Conceição"}'],
    ['bytes', JSON.stringify('é'.repeat(20_000))],
  ])('are, for %s, what each would get alone, in the same order of headers', async (_what, text) => {
    const { together, alone } = await pollTogether(
      await api(),
      Array.from({ length: 5 }, () => ({})),
      text,
    )
    expect(together.map(headOf)).toEqual(together.map(() => headOf(alone)))
    expect(together.map(({ body }) => body)).toEqual(together.map(() => alone.body))
    expect(alone.headers).toMatchObject({ connection: 'keep-alive', 'content-length': String(alone.bytes.length) })
  })

  it('have the length of their own text, where one sees personal data and another does not', async () => {
    const running = await api()
    const { authorization } = await asClient(running, ['support.read'])
    const { together } = await pollTogether(running, [{}, { authorization }, {}], '{"cpf":"123.456.789-09"}')
    expect(together.map(({ body }) => body.includes('123.456'))).toEqual([true, false, true])
    expect(together.map(({ headers }) => headers['content-length'])).toEqual(
      together.map(({ bytes }) => String(bytes.length)),
    )
  })

  it('have each their own request id', async () => {
    const brought = ['one', 'o', 'x-request-id', undefined, undefined]
    const { together } = await pollTogether(
      await api(),
      brought.map((id) => (id === undefined ? {} : { headers: { 'x-request-id': id } })),
    )
    const ids = together.map(({ headers }) => headers['x-request-id'])
    expect(ids).toEqual(brought.map((id) => id ?? expect.stringMatching(/^req_/)))
    expect(new Set(ids).size).toBe(brought.length)
  })

  it('close the connections of those who ask for it, and no other', async () => {
    const { together } = await pollTogether(await api(), [{}, { agent: new Agent() }, {}])
    expect(together.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'close', 'keep-alive'])
  })

  it('have the time at which they were sent, also where an equal text was sent before', async () => {
    const running = await api()
    const path = `/v1/events?after=${cursorAfter(await running.store.latestPosition())}`
    await receive(running)
    const askAgain = () => ask(running, path, { agent: keptAlive })
    const first = await askAgain()
    const later = await until(askAgain, ({ headers }) => headers.date !== first.headers.date)
    expect(later.body).toBe(first.body)
  })

  it('go out in order on one connection', async () => {
    const running = await api()
    const path = `/v1/events?wait=30&after=${cursorAfter(await running.store.latestPosition())}`
    const reads = vi.spyOn(running.options.store, 'listEvents')
    const socket = connect(running.port, '127.0.0.1')
    for (const id of ['first', 'other'])
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${OPERATOR_TOKEN}\r\nx-request-id: ${id}\r\n\r\n`,
      )
    await until(() => reads.mock.settledResults[0]?.type === 'fulfilled')
    let answers = ''
    socket.on('data', (chunk) => (answers += chunk))
    await receive(running)
    await until(() => answers.split('"more":false}').length === 3)
    socket.destroy()
    const [first, second] = answers.replaceAll(/^Date: .*$/gm, '').split('"more":false}')
    expect(first?.replace('first', 'other')).toBe(second)
  })
})
