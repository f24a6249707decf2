import { describe, expect, it } from 'vitest'
import { allEvents } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { scrape } from '../../support/metrics.ts'
import { openRawCaller, originalOf, type RawCaller } from '../../support/raw-calls.ts'
import { until } from '../../support/until.ts'

const KIB = 1024
const HEAD = 'POST /callbacks/payment HTTP/1.1\r\nHost: localhost\r\n'
/** A body of 64 KiB, and all of it but its last byte. */
const whole = (letter: string) => `"${letter.repeat(64 * KIB - 2)}"`
const framed = (body: string) => `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`
const half = (letter: string) => framed(whole(letter)).slice(0, -1)

/** Room for two of the largest bodies. */
async function start(): Promise<TestGateway> {
  return startTestGateway(
    await createSite({
      callbacks: { ...BASE_CALLBACKS, limits: { body: '64KiB' } },
      api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', metrics: 'open' },
      storage: { url: 'sqlite:data/portaria.db', minFreeSpace: '256MiB', queue: { bytes: '128KiB' } },
    }),
  )
}

const bodyBytes = async (gateway: TestGateway) => (await scrape(gateway)).portaria_request_body_bytes
const statuses = (caller: RawCaller) => caller.answers().map(({ status }) => status)

async function send(gateway: TestGateway, bytes: string): Promise<RawCaller> {
  const caller = await openRawCaller(gateway)
  caller.send(bytes)
  return caller
}

async function post(gateway: TestGateway, body: string): Promise<number | undefined> {
  const caller = await send(gateway, framed(body))
  await caller.settled(1)
  caller.destroy()
  return statuses(caller)[0]
}

describe('bodies under way count with what waits to be written', () => {
  it('beyond storage.queue.bytes with 503; what stalls gives way, and its connection goes on', async () => {
    const gateway = await start()
    const stalled = [await send(gateway, half('a')), await send(gateway, half('b'))]
    await until(async () => (await bodyBytes(gateway)) === 2 * (64 * KIB - 1))

    const answers: (number | undefined)[] = []
    await until(async () => answers.push(await post(gateway, whole('c'))) && answers.at(-1) === 200)
    expect(answers.filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(stalled.map(statuses)).toEqual([[503], []])
    expect(stalled[0]?.answers()[0]?.headers).toMatchObject({ 'retry-after': '5' })
    expect(stalled[0]?.answers()[0]?.headers.connection).not.toBe('close')

    stalled[0]?.send(`"${framed('{"again":1}')}`)
    stalled[1]?.send('"')
    await until(() => stalled.flatMap(statuses).length === 3)
    expect(stalled.map(statuses)).toEqual([[503, 200], [200]])
    expect(await allEvents(gateway.api)).toHaveLength(3)
    expect(gateway.lines.find(({ event }) => event === 'callback.not_stored')?.error).toContain('storage.queue.bytes')
    expect(await bodyBytes(gateway)).toBe(0)
  })

  it('no longer when they end, however they end', async () => {
    const gateway = await start()
    const chunked = `${HEAD}Transfer-Encoding: chunked\r\n\r\n10000\r\n${'x'.repeat(60 * KIB)}`
    const ways: [string, (caller: RawCaller) => void][] = [
      [half('a'), (caller) => caller.destroy()],
      [half('a'), (caller) => caller.finish()],
      // Too large, and in chunks that cannot be read.
      [chunked, (caller) => caller.send(`${'x'.repeat(4 * KIB)}\r\n1\r\nx\r\n`)],
      [chunked, (caller) => caller.send(`${'x'.repeat(4 * KIB)}zz\r\n`)],
    ]
    for (const [bytes, end] of [...ways, ...ways]) {
      const callers = [await send(gateway, bytes), await send(gateway, bytes)]
      await until(async () => ((await bodyBytes(gateway)) ?? 0) >= 120 * KIB)
      for (const caller of callers) end(caller)
      await until(async () => (await bodyBytes(gateway)) === 0)
    }
    expect(await post(gateway, whole('z'))).toBe(200)
  })

  it('never when they are refused before they are read', async () => {
    const gateway = await start()
    const refused: [string, number][] = [
      [half('a').replace('/callbacks/payment', '/nope'), 404],
      [half('a').replace('POST', 'PUT'), 405],
      [half('a').replace(HEAD, `${HEAD}Content-Encoding: br\r\n`), 415],
      [`${HEAD}Content-Length: 100000\r\n\r\n${'x'.repeat(90_000)}`, 413],
    ]
    for (const [bytes, status] of refused) {
      const callers = [await send(gateway, bytes), await send(gateway, bytes), await send(gateway, bytes)]
      for (const caller of callers) await caller.settled(1)
      expect(callers.map(statuses)).toEqual([[status], [status], [status]])
      expect(await bodyBytes(gateway)).toBe(0)
    }
    expect(await post(gateway, whole('z'))).toBe(200)
  })
})

it('a body in chunks of every size is kept as it came', async () => {
  const gateway = await start()
  const sizes = [1, 1, 4095, 2, 4096, 4097, 1, 8192, 3, 5000, 4094, 4, 10_000]
  const chunks = sizes.map((size, index) => String.fromCharCode(97 + index).repeat(size))
  const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
  const caller = await send(gateway, `${HEAD}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`)
  await caller.settled(1)
  expect(statuses(caller)).toEqual([200])
  const [event] = await allEvents(gateway.api)
  expect((await originalOf(gateway.api, event?.id ?? '')).toString('latin1')).toBe(chunks.join(''))
})
