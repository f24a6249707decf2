import { createHash } from 'node:crypto'
import type { DestinationSettings } from '../../src/domain/destination.ts'
import type { Fact, NewCallback, Peer, ReceivedCallback } from '../../src/domain/event.ts'
import type { EventWithBody } from '../../src/domain/event-record.ts'
import type { InventoryCertificate } from '../../src/domain/expiry.ts'
import { compileInterpreter } from '../../src/domain/interpretation.ts'
import { kindDefaults } from '../../src/domain/kinds.ts'
import { JOBS, type NodeRecord } from '../../src/domain/nodes/node.ts'
import type { OverviewFacts } from '../../src/domain/overview/overview.ts'
import { READINESS_CHECKS } from '../../src/domain/readiness.ts'
import type { Realm } from '../../src/domain/realm.ts'
import type { NewRefusal } from '../../src/domain/refusal.ts'

export const NOON = Date.UTC(2026, 0, 15, 12)

/** The service's certificate. */
export const CALLER: Peer = {
  fingerprint: '0bd68872771c7349bacc7d6f0be3376527539f83f6c9728dee2d07a62e232ed1',
  serial: '01',
  subject: 'CN=service',
  issuer: 'CN=issuing',
  notAfter: NOON,
  pem: `-----BEGIN CERTIFICATE-----
MIIBFTCBu6ADAgECAgEBMAoGCCqGSM49BAMCMBIxEDAOBgNVBAMTB2lzc3Vpbmcw
HhcNMjUwMTE1MTIwMDAwWhcNMjYwMTE1MTIwMDAwWjASMRAwDgYDVQQDEwdzZXJ2
aWNlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6bW3Xs8A7b0NUK7VBjDs7rXI
KL3M6t+mAP6lkV+reaQI36fzxtKdPpqZmO5O9lVFPVdMoZbPnU3C4iw+RmrtEqMC
MAAwCgYIKoZIzj0EAwIDSQAwRgIhAPiI5esHzeuCAjMESydUA9RCMxE7Tl/GVA+z
wpFoCDFbAiEAumvTIN0P5+JDLnOFNix2HPTDoeiSiMcbMN7xf9Enm+I=
-----END CERTIFICATE-----
`,
}

export function aFact(changes: Partial<Fact> = {}): Fact {
  return { kind: 'payment', subject: '42', status: 'LIQUIDADO', hash: null, span: null, part: 1, parts: 1, ...changes }
}

/** A stored form of a payment notification; equal bodies are the same fact. */
export function aCallback(changes: Partial<NewCallback> & { text?: string } = {}): NewCallback {
  const { text, ...rest } = changes
  const body = rest.body ?? Buffer.from(text ?? '{"identificador":"42","status":{"atual":"LIQUIDADO"}}')
  return {
    receivedAt: NOON,
    kind: 'payment',
    environment: 'production',
    listener: 'callbacks',
    authentication: 'mutual-tls',
    peer: CALLER,
    remoteAddress: '127.0.0.1',
    tlsVersion: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    target: '/callbacks/payment',
    contentType: 'application/json',
    headers: '[["content-type","application/json"]]',
    facts: [aFact({ hash: createHash('sha256').update(body).digest() })],
    mark: null,
    ...rest,
    body,
  }
}

/** The callback as a listener passes it to the store, which reads its facts. */
export function aReceivedCallback(changes: Parameters<typeof aCallback>[0] = {}): ReceivedCallback {
  const { facts: _facts, mark: _mark, ...received } = aCallback(changes)
  return received
}

/** A callback read as a kind with these split pointers reads it. */
export function anInterpretedCallback(
  text: string | Buffer,
  split: string[] = [],
  environment: Realm = 'production',
): NewCallback {
  const body = Buffer.from(text)
  const interpret = compileInterpreter({ name: 'payment', path: '/p', ...kindDefaults('payment'), split })
  const read = interpret({ body, contentType: 'application/json', environment, listener: 'callbacks' })
  return aCallback({ body, environment, ...read })
}

/** A callback of kind charge whose facts are all held back, but for those that name the account `own`. */
export function aHeldCallback(
  text: string | Buffer,
  split: string[] = [],
  changes: Partial<NewCallback> = {},
): NewCallback {
  const body = Buffer.from(text)
  const accounts = [{ pointers: ['/account'], values: ['own'] }]
  const interpret = compileInterpreter({ name: 'charge', path: '/c', ...kindDefaults('charge'), split, accounts })
  const read = interpret({ body, contentType: 'application/json', environment: 'production', listener: 'callbacks' })
  return aCallback({ kind: 'charge', body, ...read, ...changes })
}

export function aStoredEvent(changes: Partial<EventWithBody> = {}): EventWithBody {
  return {
    position: 1,
    id: 'evt_1_0123456789',
    kind: 'payment',
    environment: 'production',
    listener: 'callbacks',
    authentication: 'mutual-tls',
    source: null,
    subject: '1',
    status: null,
    mark: null,
    receivedAt: NOON,
    part: 1,
    parts: 1,
    duplicates: 0,
    lastSeenAt: null,
    callbackId: 1,
    payloadRemovedAt: null,
    contentType: 'application/json',
    body: Buffer.from('{}'),
    ...changes,
  }
}

export function aDestination(changes: Partial<DestinationSettings> = {}): DestinationSettings {
  return {
    name: 'books',
    url: 'https://books.example/hook',
    kinds: null,
    environments: null,
    institutions: null,
    subjects: null,
    authentication: 'any',
    format: 'original',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    timeoutMs: 1000,
    concurrency: 4,
    rateLimit: null,
    schedule: null,
    order: 'none',
    onExhausted: 'hold',
    authorities: null,
    headers: [],
    ...changes,
  }
}

export function aRefusal(changes: Partial<NewRefusal> = {}): NewRefusal {
  return {
    refusedAt: NOON,
    listener: 'callbacks',
    remoteAddress: '192.0.2.1',
    code: 'no_certificate',
    reason: 'no client certificate',
    rawCode: null,
    detail: null,
    environment: null,
    tlsVersion: 'TLSv1.3',
    serverName: null,
    chain: [],
    count: 1,
    ...changes,
  }
}

/** A server certificate of ours with a month left. */
export function aWatchedCertificate(changes: Partial<InventoryCertificate> = {}): InventoryCertificate {
  return {
    set: 'server',
    where: 'certs/server.crt',
    environment: null,
    subject: 'CN=gateway',
    issuer: 'CN=authority',
    fingerprint: 'ab'.repeat(32),
    notBefore: NOON - 334 * 86_400_000,
    notAfter: NOON + 31 * 86_400_000,
    isReplaced: false,
    ...changes,
  }
}

/** An overview of these has a green light. */
export function quietFacts(): Omit<OverviewFacts, 'now'> {
  return {
    traffic: {
      callbacks: { payment: [0] },
      failed: 0,
      repeatedUntil: null,
      acknowledge: null,
      acknowledgeP99Ms: [null],
      waiting: [null],
    },
    checks: READINESS_CHECKS.map((name) => ({ name, problem: null })),
    clock: { isPlausible: true, problem: null },
    pulse: { waitingEvents: 0, waitingBytes: 0, silentMs: 0 },
    disk: { level: 'ok', freeBytes: 1e12, minFreeBytes: 1e9 },
    certificates: [],
    refused: [],
    kinds: [],
    outages: [],
    destinations: [],
    service: [],
    stored: { backlogs: [], lags: [], quarantined: 0 },
    search: null,
    unusedFiles: [],
    configuration: { file: '/etc/portaria.yaml', sha256: 'ab', generation: 1, needRestart: [], problem: null },
    failingChannels: [],
    unheard: null,
  }
}

export function aNodeRecord(changes: Partial<NodeRecord> = {}): NodeRecord {
  return {
    ...{ id: 1, name: 'node-1', version: '1.0.0', facts: { kinds: 'a' }, configured: [] },
    ...{ startedAt: 0, seenAt: 60_000, isLiving: true, leases: [JOBS, 7] },
    ...changes,
  }
}
