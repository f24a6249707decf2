import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inFormat } from '../../src/delivery/format.ts'
import { aDelivery } from './receiver.ts'

const envelopeOf = (body: string | Uint8Array, contentType: string | null = 'text/plain') =>
  Buffer.from(inFormat(aDelivery({ body: Buffer.from(body), contentType }), 'event').body).toString()

it('original is the delivery as it is', () => {
  const delivery = aDelivery()
  expect(inFormat(delivery, 'original')).toBe(delivery)
})

it('event is our own JSON around it, whatever content type it came with', () => {
  const sent = inFormat(aDelivery({ contentType: 'text/plain' }), 'event')
  expect([sent.contentType, JSON.parse(Buffer.from(sent.body).toString())]).toEqual([
    'application/json',
    {
      id: 'evt_1',
      kind: 'payment',
      institution: null,
      environment: 'production',
      subject: '42',
      status: 'LIQUIDADO',
      receivedAt: '2026-01-02T03:04:05.678Z',
      authentication: 'mutual-tls',
      source: 'callback',
      unresolved: false,
      part: 1,
      parts: 1,
      contentType: 'text/plain',
      data: { pix: [] },
    },
  ])
})

it.each([
  ['resolved', 'service', 'resolved', false],
  ['reconciled', 'service', 'reconciled', false],
  ['unresolved', 'path-token', 'callback', true],
  [null, 'none', 'gateway', false],
] as const)('it says whether a charge token was resolved: %s', (source, authentication, shown, unresolved) => {
  const delivery = aDelivery()
  const event = { ...delivery.event, source, authentication }
  const sent = inFormat({ ...delivery, event }, 'event')
  expect(JSON.parse(Buffer.from(sent.body).toString())).toMatchObject({ authentication, source: shown, unresolved })
})

it.each(['{"valor": 150.10,"id":12345678901234567890,"e":1e400}', ' [1, 2]\n', '{"a":1,"a":2}', '"é\\u00e9"', 'null'])(
  'JSON is in it as it was written: %s',
  (body) => {
    expect(envelopeOf(body)).toMatch(/"contentType":"text\/plain","data":/)
    expect(envelopeOf(body).endsWith(`"data":${body}}`)).toBe(true)
  },
)

it('JSON in another charset is in it as UTF-8', () => {
  const text = '{"nome":"João","valor":150.10}'
  const ofLatin1 = envelopeOf(Buffer.from(text, 'latin1'), 'application/json; charset=ISO-8859-1')
  for (const envelope of [ofLatin1, envelopeOf(`\ufeff${text}`), envelopeOf(Buffer.from(`\ufeff${text}`, 'utf16le'))])
    expect(envelope.endsWith(`"data":${text}}`)).toBe(true)
})

it.each(['', 'notification=abc', '{"a":', '{} {}', '},"kind":"charge"'])(
  'what is no JSON is in it as base64: %j',
  (body) => {
    const { data, dataBase64, kind } = JSON.parse(envelopeOf(body)) as Record<string, string>
    expect([data, kind, Buffer.from(dataBase64 ?? '', 'base64').toString()]).toEqual([null, 'payment', body])
  },
)

it('the envelope is JSON for any bytes, and they can be had from it again; it is the same at every attempt', () => {
  const anyBody = fc.oneof(
    fc.uint8Array(),
    fc.json().map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(anyBody, fc.option(fc.string()), (body, contentType) => {
      const text = envelopeOf(body, contentType)
      const { dataBase64 } = JSON.parse(text) as { dataBase64?: string }
      const again = dataBase64 === undefined ? text.slice(text.indexOf('"data":') + 7, -1) : dataBase64
      const bytes = Buffer.from(again, dataBase64 === undefined ? 'utf8' : 'base64')
      expect(bytes.equals(Buffer.from(body)) && envelopeOf(body, contentType) === text).toBe(true)
    }),
  )
})
