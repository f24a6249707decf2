import { digestOf, hashBehind, hashedValues, payloadHashOf } from '../../../src/domain/event-hash.ts'

// What the hashes of one event cost, in µs of CPU, over and over in a process that does nothing else: node hash-cost.ts BODY-BYTES

const EVENTS = 200_000
const body = Buffer.alloc(Number(process.argv[2]), 'portaria')
const callback = {
  kind: 'payment',
  listener: 'callbacks',
  authentication: 'mutual-tls' as const,
  peerFingerprint: 'cd'.repeat(32),
  remoteAddress: '127.0.0.1',
  target: '/callbacks/payment',
  tlsVersion: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  contentType: 'application/json',
  headers: JSON.stringify([['content-type', 'application/json']]),
  mark: null,
}

function hashEvent(position: number, previous: Uint8Array): Buffer {
  const event = {
    position,
    nonce: 'abcdefghij',
    kind: 'payment',
    environment: 'production',
    receivedAt: Date.now(),
    subject: `subject-${position}`,
    status: 'PAID',
    part: 1,
    parts: 1,
    span: null,
    factHash: previous,
    payloadHash: payloadHashOf(body),
  }
  return hashBehind(previous, digestOf(hashedValues(event, callback)))
}

let hash: Buffer = Buffer.alloc(32)
for (let i = 0; i < EVENTS; i++) hash = hashEvent(i, hash)
const before = process.cpuUsage()
for (let i = 0; i < EVENTS; i++) hash = hashEvent(i, hash)
const { user, system } = process.cpuUsage(before)
process.stdout.write(`${JSON.stringify({ microseconds: (user + system) / EVENTS })}\n`)
