import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { inFormat } from '../../src/delivery/format.ts'
import { sign } from '../../src/delivery/signature.ts'
import { newSecret, parseSecret } from '../../src/domain/secrets/webhook-secret.ts'
import { aDelivery } from './receiver.ts'

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)
const timestampSeconds = NOW / 1000
const id = 'evt_1'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

function verify(secret: string, body: Buffer, signature: string): void {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signature,
  }
  new Webhook(secret).verify(body, headers, { jsonParse: false })
}

test.each(['{"pix":[]}', '', '{"nome":"João 💸"}', '\ufeff{}', 'not json'])(
  'an independent library accepts the signature of %j',
  (text) => {
    const secret = newSecret()
    const body = Buffer.from(text)
    verify(secret, body, sign({ id, timestampSeconds, body, secrets: [secret] }))
  },
)

test('the library cannot verify bytes that are not UTF-8, the key over the bytes can, and format event is UTF-8', () => {
  const secret = newSecret()
  const body = Buffer.from('{"nome":"João"}', 'latin1')
  const signature = sign({ id, timestampSeconds, body, secrets: [secret] })
  expect(() => verify(secret, body, signature)).toThrow('No matching signature')
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const overBytes = createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')
  expect(signature).toBe(`v1,${overBytes}`)

  const sent = inFormat(aDelivery({ body, contentType: 'application/json; charset=ISO-8859-1' }), 'event')
  const envelope = Buffer.from(sent.body)
  verify(secret, envelope, sign({ id, timestampSeconds, body: envelope, secrets: [secret] }))
  expect(JSON.parse(envelope.toString())).toMatchObject({ data: { nome: 'João' } })
})

test('with two secrets a receiver that knows either of them accepts', () => {
  const secrets = [newSecret(), newSecret()]
  const body = Buffer.from('{}')
  const signature = sign({ id, timestampSeconds, body, secrets })
  expect(signature).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
  for (const secret of secrets) verify(secret, body, signature)
  expect(() => verify(newSecret(), body, signature)).toThrow('No matching signature')
})

test('the signature covers id, time and every byte of the body', () => {
  const secret = newSecret()
  const signed = { id, timestampSeconds, body: Buffer.from('{"a":1}'), secrets: [secret] }
  const variants = [
    signed,
    { ...signed, id: 'evt_2' },
    { ...signed, timestampSeconds: timestampSeconds + 1 },
    { ...signed, body: Buffer.from('{"a":2}') },
  ]
  expect(new Set(variants.map(sign)).size).toBe(4)
})

// The library turns a body into text first, so it cannot judge these bytes; the specification signs the raw ones.
test('bytes that are not UTF-8 are signed as they are', () => {
  const secrets = [`whsec_${Buffer.alloc(24, 1).toString('base64')}`]
  const latin1 = sign({ id, timestampSeconds, body: Buffer.from([0xe3]), secrets })
  const replaced = sign({ id, timestampSeconds, body: Buffer.from('\ufffd'), secrets })
  expect(latin1).not.toBe(replaced)
})

test('a new secret is whsec_ and 32 random bytes', () => {
  const secret = newSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(parseSecret(secret)).toHaveLength(32)
  expect(newSecret()).not.toBe(secret)
  expect(newSecret(Buffer.alloc(24))).toBe(`whsec_${'A'.repeat(32)}`)
})

test.each([
  '',
  'whsec_',
  Buffer.alloc(32).toString('base64'),
  `whsec_${Buffer.alloc(23).toString('base64')}`,
  `whsec_${Buffer.alloc(65).toString('base64')}`,
  `whsec_${Buffer.alloc(32).toString('base64url').replaceAll('A', '_')}`,
  `whsec_${Buffer.alloc(32).toString('base64').replace('=', '')}`,
  `whsec_${Buffer.alloc(32).toString('base64')}\n`,
  `whsec_!${Buffer.alloc(32).toString('base64')}`,
])('the secret %j is refused with what to do, and not repeated', (text) => {
  expect(() => parseSecret(text)).toThrow(
    expect.objectContaining({ code: 'configuration_invalid', message: expect.stringContaining('openssl rand') }),
  )
  expect(() => parseSecret(text)).toThrow(/^(?!.*AAAA)/)
})
