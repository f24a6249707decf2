import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { atNight, IS_FULL } from '../support/campaign.ts'
import { serverWithOddKey } from '../support/odd-keys.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { issueAuthority, issueClient, makeEcKey } from '../../src/folder/certificates.ts'
import { type Bed, type HandMade, idsWith, makeBed, storeAndAnswer, tryHandMade } from './hand-made.ts'

const ACCEPTED_BY_ALL = ['sibling', 'foreign', 'foreign-same-name', 'expired', 'server-only']
const CERTLESS = ['certless', 'certless-without-name', 'certless-by-address', 'tls-1-2', 'tls-1-3']
const BESIDES = ['certless-without-name', 'certless-by-address']
const SESSION = ['session-without-certificate']
/** Those that only a receiver with an answer of its own choice for each callback fails. */
const ANSWERED = [
  ...['notification', 'tls-1-2', 'tls-1-3', 'duplicate', 'batch-member', 'batch-root'],
  ...['suffix', 'suffix-behind-query', 'suffix-double-slash', 'test-event', 'test-object', 'test-empty'],
]

const later = (work: () => void) => void setTimeout(work, 300)

/** One of each kind: right, without the handshake, with half of it, and with both faults of storing. */
const IN_GATE = [
  'is right',
  'asks for no certificate',
  'checks only the name of the issuer',
  'answers before it stores',
  'stores each body twice',
]

const WRONG: Record<string, { receiver: HandMade; fails: string[]; warns?: string[] }> = {
  'is right': { receiver: {}, fails: [] },
  'speaks TLS 1.2 alone': { receiver: { tls: { maxVersion: 'TLSv1.2' } }, fails: [] },
  'speaks TLS 1.3 alone': { receiver: { tls: { minVersion: 'TLSv1.3' } }, fails: [] },
  'asks for no certificate': {
    receiver: { tls: { requestCert: false }, isPinned: false },
    fails: [...CERTLESS, ...ACCEPTED_BY_ALL, 'session-without-certificate', 'stored-refused'],
  },
  'asks for a certificate and believes any': {
    receiver: { tls: { rejectUnauthorized: false }, isPinned: false },
    fails: [...CERTLESS, ...ACCEPTED_BY_ALL, 'session-without-certificate', 'stored-refused'],
  },
  'answers 403 where the certificate is not verified': {
    receiver: {
      tls: { rejectUnauthorized: false },
      isPinned: false,
      handle(received) {
        if ((received.request.socket as TLSSocket).authorized) return storeAndAnswer(received)
        received.response.writeHead(403).end()
      },
    },
    fails: ['sibling', 'stored-refused'],
  },
  'redirects where the certificate is not verified': {
    receiver: {
      tls: { rejectUnauthorized: false },
      isPinned: false,
      handle(received) {
        if ((received.request.socket as TLSSocket).authorized) return storeAndAnswer(received)
        received.response.writeHead(302, { location: '/login' }).end()
      },
    },
    fails: [...CERTLESS.filter((id) => !BESIDES.includes(id)), ...ACCEPTED_BY_ALL, ...SESSION, 'stored-refused'],
    warns: BESIDES,
  },
  // Older versions of Node do it with `authorized` (nodejs/node#35317).
  'believes a resumed session': {
    receiver: {
      tls: { rejectUnauthorized: false },
      handle(received) {
        const socket = received.request.socket as TLSSocket
        if (socket.authorized || socket.isSessionReused()) return storeAndAnswer(received)
        received.response.writeHead(403).end()
      },
      isPinned: false,
    },
    fails: ['sibling', 'session-without-certificate', 'stored-refused'],
  },
  'checks only the name of the issuer': {
    receiver: {
      tls: { rejectUnauthorized: false },
      isPinned: false,
      handle(received) {
        const { issuer } = (received.request.socket as TLSSocket).getPeerCertificate()
        if (issuer?.CN === 'Conformance test production CA') return storeAndAnswer(received)
        received.response.writeHead(403).end()
      },
    },
    fails: ['foreign-same-name', 'expired', 'server-only', 'stored-refused'],
  },
  'installs the chain and compares no issuer': {
    receiver: { isPinned: false },
    fails: ['sibling', 'stored-refused'],
  },
  'speaks TLS 1.0': {
    receiver: { tls: { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } },
    fails: ['tls-older'],
  },
  redirects: {
    receiver: { handle: ({ response }) => void response.writeHead(307, { location: '/elsewhere' }).end() },
    fails: [...ANSWERED, 'content-types', 'redirect', 'slow-body', 'cut-connection', 'large-body'],
    warns: ['session-with-certificate'],
  },
  'answers 500 for other content types': {
    receiver: {
      handle(received) {
        if (received.request.headers['content-type'] === 'application/json') return storeAndAnswer(received)
        received.response.writeHead(500).end()
      },
    },
    fails: ['content-types'],
  },
  'answers 400 for an empty body': {
    receiver: {
      handle(received) {
        if (received.body.length > 0) return storeAndAnswer(received)
        received.response.writeHead(400).end()
      },
    },
    fails: ['test-empty'],
  },
  'answers 409 for a callback that it has': {
    receiver: {
      handle(received) {
        if (!received.isRepeated) return storeAndAnswer(received)
        received.response.writeHead(409).end()
      },
    },
    // Its two-byte bodies come once.
    fails: ['duplicate'],
  },
  'knows no suffix': {
    receiver: {
      handle(received) {
        if (new URL(received.request.url ?? '', 'https://localhost').pathname === '/callback')
          return storeAndAnswer(received)
        received.response.writeHead(404).end()
      },
    },
    fails: ['suffix', 'suffix-double-slash'],
  },
  'takes objects only': {
    receiver: {
      handle(received) {
        if (!received.body.toString().startsWith('[')) return storeAndAnswer(received)
        received.response.writeHead(422).end()
      },
    },
    fails: ['batch-root'],
  },
  'takes 100 kB at most': {
    receiver: {
      handle(received) {
        if (received.body.length <= 100_000) return storeAndAnswer(received)
        received.response.writeHead(413).end()
      },
    },
    fails: ['large-body'],
  },
  'answers before it stores': {
    receiver: {
      handle({ response, body, store, isRepeated }) {
        response.end('200')
        if (!isRepeated) later(() => store(body))
      },
    },
    fails: ['stored-before-answer'],
  },
  'stores nothing': {
    receiver: { handle: ({ response }) => void response.end('200') },
    fails: ['stored-before-answer'],
  },
  'stores each body twice': {
    receiver: {
      handle(received) {
        received.store(received.body)
        storeAndAnswer(received)
      },
    },
    fails: ['stored-once'],
  },
  'stores a repeated callback again': {
    receiver: { handle: (received) => storeAndAnswer({ ...received, isRepeated: false }) },
    fails: [],
    warns: ['stored-once'],
  },
}

let bed: Bed
beforeAll(async () => {
  bed = await makeBed()
})
afterAll(() => bed.remove())

describe.concurrent('a receiver that', () => {
  it.each(Object.entries(WRONG).filter(([name]) => IS_FULL || IN_GATE.includes(name)))(
    '%s',
    async (_name, { receiver, fails, warns = [] }) => {
      const report = await tryHandMade(bed, receiver)
      expect({ fails: idsWith('fail', report).sort(), warns: idsWith('warn', report) }).toEqual({
        fails: [...new Set(fails)].sort(),
        warns,
      })
      expect(report.ok).toBe(fails.length === 0)
    },
  )

  // A run may take a minute where each answer takes a second.
  it.each(atNight([900]))('takes %i ms for each answer', { timeout: 60_000 }, async (ms) => {
    let most = 0
    let open = 0
    const report = await tryHandMade(bed, {
      handle(received) {
        most = Math.max(most, ++open)
        received.response.on('close', () => open--)
        setTimeout(() => storeAndAnswer(received), ms)
      },
    })
    expect([idsWith('fail', report), idsWith('warn', report)]).toEqual([[], []])
    expect(most).toBe(8)
  })

  it('shows its list no longer', async () => {
    const view = { records: () => Promise.reject(new Error('it answers HTTP 500')), close: async () => undefined }
    const report = await tryHandMade(bed, {}, { view })
    expect(idsWith('fail', report)).toEqual(['stored-before-answer', 'stored-once', 'stored-refused'])
  })

  it.skipIf(!hasOpenssl)('shows a certificate with a key on an odd curve', async () => {
    const { cert, key, ca } = serverWithOddKey('localhost')
    const report = await tryHandMade(bed, { tls: { cert, key } }, { authorities: ca })
    expect([idsWith('fail', report), idsWith('warn', report)]).toEqual([[], []])
  })

  it('is not named in its certificate, which is not trusted and ends soon', async () => {
    const { issuer, authority } = await strangeAuthority()
    const report = await tryHandMade(bed, { tls: issuer }, { authorities: authority })
    expect([idsWith('fail', report), idsWith('warn', report)]).toEqual([
      ['certificate-chain', 'certificate-name'],
      ['certificate-dates'],
    ])
  })

  it('has less time for each answer than a slow body takes', async () => {
    const report = await tryHandMade(bed, {}, { timeoutMs: 2000 })
    expect(report.results.find(({ scenario }) => scenario.id === 'slow-body')?.verdict).toBe('pass')
  })

  it('answers open finance too late, with another status and no echo', async () => {
    const report = await tryHandMade(
      bed,
      { handle: (received) => void setTimeout(() => storeAndAnswer(received), 1700) },
      { preset: 'open-finance', path: '/' },
    )
    expect(idsWith('fail', report)).toEqual(['answer-status', 'answer-echo', 'answer-time'])
  })

  it('answers open finance as it wants', async () => {
    const report = await tryHandMade(
      bed,
      {
        handle(received) {
          const id = received.request.headers['x-webhook-interaction-id']
          received.response.writeHead(202, id === undefined ? {} : { 'x-webhook-interaction-id': id })
          storeAndAnswer(received)
        },
      },
      { preset: 'open-finance', path: '/' },
    )
    expect([idsWith('fail', report), idsWith('warn', report)]).toEqual([[], []])
  })

  it('takes the payments of open finance at one address only, and not their consents', async () => {
    const report = await tryHandMade(
      bed,
      {
        handle(received) {
          const id = received.request.headers['x-webhook-interaction-id']
          const isTaken = received.request.url?.includes('/pix/payments/') === true
          received.response.writeHead(isTaken ? 202 : 404, id === undefined ? {} : { 'x-webhook-interaction-id': id })
          storeAndAnswer(received)
        },
      },
      { preset: 'open-finance', path: '/' },
    )
    const { reason } = report.results.find(({ scenario }) => scenario.id === 'suffix') ?? {}
    expect(idsWith('fail', report)).toEqual(['suffix'])
    expect(reason?.en).toMatch(/^\/open-banking\/webhook\/v1\/payments\/v4\/consents\/urn:[^ ]+: HTTP 404$/)
  })

  it('answers instant payments with 202 and knows neither bare lists nor empty test calls', async () => {
    const report = await tryHandMade(
      bed,
      {
        handle(received) {
          const isEmpty = received.body.length === 0
          received.response.writeHead(isEmpty || received.body.toString().startsWith('[') ? 400 : 202)
          storeAndAnswer(received)
        },
      },
      { preset: 'instant-payment' },
    )
    expect(idsWith('fail', report)).toEqual(['batch-root', 'test-empty', 'answer-status'])
  })

  it('accepts the other environment, which only --environment tells', async () => {
    const unpinned = await tryHandMade(bed, { isPinned: false }, { environment: 'production' })
    expect(idsWith('fail', unpinned)).toEqual(['sibling', 'other-environment', 'stored-refused'])
  })

  it('shows another certificate without a name', async () => {
    const read = (file: string) => readFileSync(join(inject('testCa'), file))
    const { chain: ca } = bed.laboratory.environments.production
    const named = createSecureContext({ cert: read('server.crt'), key: read('server.key'), ca })
    const report = await tryHandMade(bed, {
      tls: {
        cert: read('service/production-client.crt'),
        key: read('service/production-client.key'),
        SNICallback: (_name, done) => done(null, named),
      },
    })
    expect(idsWith('fail', report)).toEqual(['certificate-without-name'])
  })
})

/** A certificate without a name, for three days, that comes without its intermediate. */
async function strangeAuthority() {
  const now = new Date()
  const root = await issueAuthority({ name: 'Root', now })
  const issuer = await issueAuthority({ name: 'Issuer', issuer: root, now })
  const key = await makeEcKey()
  const validity = { notBefore: now, notAfter: new Date(now.getTime() + 3 * 86_400_000) }
  return {
    issuer: { cert: await issueClient({ name: 'Nameless', key, issuer, now, validity }), key },
    authority: root.cert,
  }
}
