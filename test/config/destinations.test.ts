import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { COMMAND } from '../../src/platform/installation.ts'
import { load, minimumWith, mistakes } from './files.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
const SECRET_FORM =
  '"whsec_" followed by the base64 of 24 to 64 bytes: make one with `echo whsec_$(openssl rand -base64 32)`'

const destination = (changes: object = {}) => ({ name: 'app', url: 'https://app.example/callbacks', ...changes })
const withDestination = (changes: object = {}) => minimumWith('destinations', [destination(changes)])

test('A destination that names nothing else has the defaults of forwarding, and its secret is to be made', () => {
  const config = withDestination() as { forwarding: object }
  config.forwarding = { timeout: '3s', concurrency: 2 }
  expect(load(config).destinations).toEqual([
    {
      name: 'app',
      url: 'https://app.example/callbacks',
      kinds: null,
      environments: null,
      institutions: null,
      subjects: null,
      authentication: 'any',
      format: 'original',
      secrets: [],
      timeoutMs: 3000,
      concurrency: 2,
      rateLimit: null,
      schedule: null,
      order: 'none',
      onExhausted: 'hold',
      authorities: null,
      headers: [],
    },
  ])
})

test('A destination may set everything itself', () => {
  const settings = {
    kinds: ['payment', 'probe', 'operator'],
    environments: ['sandbox'],
    subjects: { prefix: ['store-7-'] },
    authentication: 'mutual-tls',
    format: 'event',
    secret: SECRET,
    timeout: '2s',
    concurrency: 1,
    rateLimit: 50,
    schedule: ['0s', '1m'],
    order: 'subject',
    onExhausted: 'continue',
    headers: { Authorization: 'Bearer x', 'x-empty': '' },
  }
  expect(load(withDestination(settings)).destinations).toEqual([
    {
      name: 'app',
      url: 'https://app.example/callbacks',
      institutions: null,
      kinds: ['payment', 'probe', 'operator'],
      environments: ['sandbox'],
      subjects: { exact: [], prefix: ['store-7-'] },
      authentication: 'mutual-tls',
      format: 'event',
      secrets: [SECRET],
      timeoutMs: 2000,
      concurrency: 1,
      rateLimit: 50,
      schedule: [0, 60_000],
      order: 'subject',
      onExhausted: 'continue',
      authorities: null,
      headers: [
        ['Authorization', 'Bearer x'],
        ['x-empty', ''],
      ],
    },
  ])
})

test.each(['_app', '.app', 'a'.repeat(64)])('The name %s is refused', (name) => {
  expect(mistakes(withDestination({ name }))).toEqual([
    'destinations[0].name: must be a name of up to 63 letters, digits, dots and hyphens that starts with a letter or a digit',
  ])
})

test('A .p12 as the CA certificates is refused with the command that converts it', () => {
  // The beginning of every PKCS#12 file (RFC 7292 section 4): a SEQUENCE, and version 3.
  const files = { 'ca.p12': Buffer.from('308209e1020103308209a7', 'hex') }
  const [mistake] = mistakes(withDestination({ ca: 'ca.p12' }), files)
  expect(mistake).toMatch(
    /^destinations\[0\]\.ca: its file is binary, not PEM; of a \.p12 or \.pfx, .* "openssl pkcs12 /,
  )
  expect(mistake).toContain(`"${COMMAND} certs import"`)
})

test('CA certificates whose line breaks are two characters are read; other forms are named with what mends them', () => {
  const pem = rootCertificates[0] ?? ''
  const files = { 'ca.pem': Buffer.from(pem.replaceAll('\n', '\\n')) }
  expect(load(withDestination({ ca: 'ca.pem' }), files).destinations[0]?.authorities).toBe(pem)
  const said = (text: string) => mistakes(withDestination({ ca: 'ca.pem' }), { 'ca.pem': Buffer.from(text) })
  expect(said(pem.replaceAll('\n', ' '))).toEqual([
    expect.stringMatching(/certificate 1 has no line breaks: put its first/),
  ])
  expect(said(pem.replaceAll('CERTIFICATE', 'PKCS7'))).toEqual([expect.stringMatching(/PKCS#7 with "openssl pkcs7/)])
})

test('Names are unique', () => {
  expect(mistakes(minimumWith('destinations', [destination(), destination()]))).toEqual([
    'destinations[1].name: is the name of a destination above: choose another name',
  ])
})

test('There are at most 500', () => {
  const list = (length: number) => Array.from({ length }, (_, index) => destination({ name: `app-${index}` }))
  expect(load(minimumWith('destinations', list(500))).destinations.length).toBe(500)
  expect(mistakes(minimumWith('destinations', list(501)))).toEqual([
    `destinations: must be at most 500: create the others with \`${COMMAND} destinations create\``,
  ])
})

describe('kinds and environments', () => {
  test.each([
    [{ kinds: ['payment', 'chrage'] }, 'kinds[1]: is not a kind of callbacks.kinds; did you mean "charge"?'],
    [
      { kinds: ['x'] },
      'kinds[0]: is not a kind of callbacks.kinds; known here: registration, payment, charge, probe, operator',
    ],
    [{ kinds: [] }, 'kinds: is empty: remove the key for every kind'],
    [{ environments: [] }, 'environments: is empty: remove the key for every environment'],
    [{ environments: ['prod'] }, 'environments[0]: must be one of production, sandbox; did you mean "production"?'],
  ])('%j is refused', (changes, expected) => {
    expect(mistakes(withDestination(changes))).toEqual([`destinations[0].${expected}`])
  })

  test('a kind may be of any institution', () => {
    const bank = { name: 'bank', preset: 'open-finance', trust: [{ environment: 'production', chain: 'bank.pem' }] }
    const written = { ...Object(withDestination({ kinds: ['enrollment', 'enrolment'] })), institutions: [bank] }
    expect(mistakes(written)).toEqual([
      'destinations[0].kinds[1]: is not a kind of callbacks.kinds or institutions; did you mean "enrollment"?',
    ])
  })
})

describe('URLs', () => {
  test.each([
    [
      'ftp://app.example/',
      'the URL must begin with https://, or with http:// for an address of forwarding.allowedNetworks',
    ],
    ['app.example', 'the URL must begin with https://, or with http:// for an address of forwarding.allowedNetworks'],
    ['https://', 'the URL cannot be read: write it like https://example.com/path'],
    ['https://user:hunter2@app.example/', "the URL has credentials: use the destination's headers for them"],
    [
      'http://app.example/',
      'plain http to app.example is not allowed: use https, or add its network to forwarding.allowedNetworks',
    ],
    [
      'https://127.0.0.1/',
      `127.0.0.1 is not an allowed address (loopback): for a receiver on this machine add "loopback" to forwarding.allowedNetworks and reload the gateway (${COMMAND} reload)`,
    ],
  ])('%s is refused', (url, expected) => {
    expect(mistakes(withDestination({ url }))).toEqual([`destinations[0].url: ${expected}`])
  })

  test('Plain http is allowed in an allowed network', () => {
    const config = withDestination({ url: 'http://127.0.0.1:3000/x' }) as { forwarding: object }
    config.forwarding = { allowedNetworks: ['127.0.0.0/8'] }
    expect(load(config).destinations[0]?.url).toBe('http://127.0.0.1:3000/x')
  })

  test('A network that cannot be read makes no further mistakes', () => {
    const config = withDestination({ url: 'http://127.0.0.1:3000/x' }) as { forwarding: object }
    config.forwarding = { allowedNetworks: ['127.0.0/8'] }
    expect(mistakes(config).length).toBe(1)
  })
})

test.each([
  [{ subjects: {} }, 'subjects: is empty, so that no event would match: remove the key for every event'],
  [
    { subjects: { exact: [], prefix: [] } },
    'subjects: is empty, so that no event would match: remove the key for every event',
  ],
  [
    { subjects: { exact: [42] } },
    'subjects.exact[0]: must be text (in quotes where YAML reads it otherwise): a subject, in quotes',
  ],
  [{ subjects: { exact: ['x'.repeat(513)] } }, 'subjects.exact[0]: must be at most 512 characters'],
  [{ subjects: { prefix: Array(51).fill('a') } }, 'subjects.prefix: must be at most 50'],
  [{ format: 'xml' }, 'format: must be one of original, event'],
])('Which subjects, and in which format, is checked (%#)', (changes, problem) => {
  expect(mistakes(withDestination(changes))).toEqual([`destinations[0].${problem}`])
})

describe('secrets', () => {
  test('A secret file holds one secret, or several while they rotate', () => {
    const secretsOf = (app: string) => load(withDestination({ secretFile: 'app' }), { app }).destinations[0]?.secrets
    expect([secretsOf(`${SECRET}\n`), secretsOf(`${OTHER}\n${SECRET}\n`)]).toEqual([[SECRET], [OTHER, SECRET]])
  })

  test.each([
    ['secret', { secret: 'hunter2' }, `must be ${SECRET_FORM}`],
    ['secret', { secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, `must be ${SECRET_FORM}`],
    ['secret', { secret: `whsec_${Buffer.alloc(65).toString('base64')}` }, `must be ${SECRET_FORM}`],
    ['secret', { secret: `${SECRET}=` }, `must be ${SECRET_FORM}`],
    ['secretFile', { secretFile: 'bad' }, `its file must hold ${SECRET_FORM}`],
    ['secretFile', { secretFile: 'empty' }, `its file must hold ${SECRET_FORM}`],
    [
      'secretFile',
      { secretFile: 'long' },
      'names a file that is too long: it must hold nothing but what this key needs',
    ],
    ['secretFile', { secretFile: '.' }, 'does not name a file: it is a directory: name a file'],
    ['secretFile', { secretFile: 'good', secret: SECRET }, 'contradicts secret: keep one of them'],
  ])('%s is refused (%#)', (key, changes, problem) => {
    const files = { bad: `${SECRET}!`, empty: '', long: 'x'.repeat(20_000), good: SECRET }
    expect(mistakes(withDestination(changes), files)).toEqual([`destinations[0].${key}: ${problem}`])
  })

  test.each([
    { secretFile: SECRET },
    { secret: `${SECRET}!` },
    { secret: [SECRET] },
    { [`secret ${SECRET}`]: null },
    { url: SECRET },
    { kinds: [SECRET] },
    { headers: { 'x-a': `${SECRET}\n` } },
    { headers: { [SECRET]: 'x' } },
  ])('No text repeats a secret that is in the wrong place (%#)', (changes) => {
    const problems = mistakes(withDestination(changes))
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.join('\n')).not.toContain(SECRET.slice(6))
  })
})

describe('headers', () => {
  test.each([
    'webhook-id',
    'Portaria-Kind',
    'content-type',
    'Content-Length',
    'host',
    'user-agent',
    'connection',
    'transfer-encoding',
  ])('%s is the gateway’s own', (name) => {
    expect(mistakes(withDestination({ headers: { [name]: 'x' } }))).toEqual([
      `destinations[0].headers.${name}: is set by the gateway itself: remove it`,
    ])
  })

  test.each([
    [{ 'x y': 'a' }, '[…]: is not the name of an HTTP header: use letters, digits and hyphens, at most 128'],
    [{ 'x-a': 1 }, '.x-a: must be text: put it in quotes'],
    [{ 'x-a': 'a\r\nb: c' }, '.x-a: must be ASCII text without line breaks, and without spaces at its ends'],
    [{ 'x-a': 'é' }, '.x-a: must be ASCII text without line breaks, and without spaces at its ends'],
    [{ 'x-a': '1', 'X-A': '2' }, '.X-A: is there twice: header names are not case-sensitive'],
  ])('%j is refused', (headers, expected) => {
    expect(mistakes(withDestination({ headers }))).toEqual([`destinations[0].headers${expected}`])
  })
})
