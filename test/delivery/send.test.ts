import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { aDelivery, SECRET, startHttp } from './receiver.ts'
import { aSender, failed, NAME, NOW, send, succeeded } from './sending.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

describe('the request', () => {
  test('is a POST of the exact bytes with our headers and the destination’s', async () => {
    const receiver = await startHttp()
    const body = Buffer.from([0x7b, 0xe3, 0x00, 0xff, 0x7d])
    const result = await send(receiver.port, {
      delivery: { body, contentType: 'application/json; charset=latin1' },
      destination: { headers: [['Authorization', 'Bearer abc']] },
    })
    expect(result).toEqual(succeeded('ok'))
    expect(receiver.received).toEqual([
      {
        method: 'POST',
        url: '/in?shop=1',
        body,
        headers: {
          host: `${NAME}:${receiver.port}`,
          connection: 'keep-alive',
          'content-type': 'application/json; charset=latin1',
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(NOW / 1000),
          'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
          'portaria-kind': 'payment',
          'portaria-environment': 'production',
          'portaria-authentication': 'mutual-tls',
          'portaria-received-at': '2026-01-02T03:04:05.678Z',
          'portaria-attempt': '3',
          'cdn-loop': 'portaria-test',
          'user-agent': 'Portaria/0.1.0',
          authorization: 'Bearer abc',
          'content-length': '5',
        },
      },
    ])
  })

  test('bears a signature that an independent library accepts', async () => {
    const receiver = await startHttp()
    await send(receiver.port, { delivery: { body: Buffer.from('{"nome":"João"}') } })
    const [received] = receiver.received
    const verified = new Webhook(SECRET).verify(received?.body ?? '', received?.headers as Record<string, string>)
    expect(verified).toEqual({ nome: 'João' })
  })

  test.each([
    ['resolved', { 'portaria-source': 'resolved' }, 'portaria-unresolved'],
    ['reconciled', { 'portaria-source': 'reconciled' }, 'portaria-unresolved'],
    ['unresolved', { 'portaria-unresolved': 'true' }, 'portaria-source'],
  ] as const)('says of a charge token that it is %s', async (source, expected, absent) => {
    const receiver = await startHttp()
    await send(receiver.port, { delivery: { event: { ...aDelivery().event, source } } })
    expect(receiver.received[0]?.headers).toMatchObject(expected)
    expect(receiver.received[0]?.headers).not.toHaveProperty(absent)
  })

  test('says of a replay that it is one', async () => {
    const receiver = await startHttp()
    await send(receiver.port, { delivery: { isReplay: true } })
    expect(receiver.received[0]?.headers).toHaveProperty('portaria-replay', 'true')
  })

  test('bears two signatures until the previous secret has left', async () => {
    const receiver = await startHttp()
    const secrets = [SECRET, `whsec_${Buffer.alloc(32, 'a').toString('base64')}`]
    for (const previousSecretUntil of [null, NOW + 1, NOW])
      await send(receiver.port, { destination: { secrets, previousSecretUntil } })
    const counts = receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length)
    expect(counts).toEqual([2, 2, 1])
  })

  test('says which part it is when the callback had several, and has a generic content type when the callback had none', async () => {
    const receiver = await startHttp()
    const event = { ...aDelivery().event, part: 2, parts: 2 }
    await send(receiver.port, { delivery: { event, contentType: null, body: new Uint8Array() } })
    expect(receiver.received[0]?.headers).toMatchObject({
      'portaria-part': '2/2',
      'content-length': '0',
      'content-type': 'application/octet-stream',
    })
  })

  test.each(['text/plain\r\nx-evil: 1', 'text/\u0000plain', 'text/plain; name="é"', '', ' ', 'a\n'])(
    'has a generic content type instead of %j',
    async (contentType) => {
      const receiver = await startHttp()
      expect(await send(receiver.port, { delivery: { contentType } })).toEqual(succeeded('ok'))
      expect(receiver.received[0]?.headers).toMatchObject({ 'content-type': 'application/octet-stream' })
      expect(receiver.received[0]?.headers).not.toHaveProperty('x-evil')
    },
  )

  test('lets no extra header override ours or frame the request', async () => {
    const receiver = await startHttp()
    const headers = [
      ['Host', 'other.example.com'],
      ['CDN-Loop', 'another'],
      ['Webhook-Signature', 'v1,forged'],
      ['WEBHOOK-ID', 'evt_9'],
      ['portaria-source', 'resolved'],
      ['Content-Type', 'text/plain'],
      ['User-Agent', 'curl'],
      ['Transfer-Encoding', 'chunked'],
      ['Content-Length', '1'],
      ['Connection', 'close'],
      ['x-shop', 'yes'],
    ] as const
    await send(receiver.port, { destination: { headers } })
    expect(receiver.received[0]?.headers).toMatchObject({
      host: `${NAME}:${receiver.port}`,
      connection: 'keep-alive',
      'webhook-id': 'evt_1',
      'content-type': 'application/json',
      'user-agent': 'Portaria/0.1.0',
      'cdn-loop': 'portaria-test',
      'content-length': '10',
      'x-shop': 'yes',
    })
    expect(receiver.received[0]?.headers).not.toHaveProperty('portaria-source')
  })

  test.each([
    ['cdn.example; up="a, b", other', 'cdn.example; up="a, b", other, portaria-test'],
    ['broken \u00e9', 'portaria-test'],
  ])('names this gateway behind the others in CDN-Loop: %j', async (loop, expected) => {
    const receiver = await startHttp()
    await send(receiver.port, { delivery: { loop } })
    expect(receiver.received[0]?.headers).toMatchObject({ 'cdn-loop': expected })
  })

  test('is not made with a header that could hide another, and the text does not show its value', async () => {
    const receiver = await startHttp()
    const result = await send(receiver.port, { destination: { headers: [['x-key', 'secret\r\nx-evil: 1']] } })
    expect(result).toMatchObject(
      failed('the request cannot be made (invalid x-key header): correct the headers of destination shop'),
    )
    expect(receiver.received).toEqual([])
  })

  test('is not made with a bad secret', async () => {
    const result = await send(1, { destination: { secrets: ['whsec_short'] } })
    expect(result).toMatchObject({ status: null, error: expect.stringContaining('the secret must be "whsec_"') })
  })

  test('goes out over a connection that was kept', async () => {
    const receiver = await startHttp()
    const sender = aSender()
    await send(receiver.port, { sender, destination: { concurrency: 1 } })
    await send(receiver.port, { sender, destination: { concurrency: 1 } })
    expect([receiver.received.length, receiver.sockets.length]).toEqual([2, 1])
  })

  test('goes to the new URL, over new connections, when the settings have changed', async () => {
    const [before, after] = [await startHttp(), await startHttp()]
    const sender = aSender()
    await send(before.port, { sender })
    await send(after.port, { sender })
    expect([before.received.length, after.received.length]).toEqual([1, 1])
    await expect.poll(() => before.sockets.map((socket) => socket.closed)).toEqual([true])
  })

  test('of a forgotten destination closes its connections', async () => {
    const receiver = await startHttp()
    const sender = aSender()
    await send(receiver.port, { sender })
    sender.forget(1)
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })
})
