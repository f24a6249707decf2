import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { settingsOf } from '../../src/cli/destinations/settings.ts'
import { probeCommand } from '../../src/cli/probe.ts'
import { COMMAND } from '../../src/platform/installation.ts'
import { pkcs12Of } from '../certificates/files/bundles.ts'
import { issuePair, issuePairs, type Pair } from '../support/issued-pairs.ts'

let authority: Pair
let server: Pair
let client: Pair
let folder: string
let flags: { cert: string; key: string; ca: string }
const servers: Server[] = []

beforeAll(async () => {
  ;({ authority, server, client } = await issuePairs())
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'probe-'))
  flags = {
    cert: await file('client.crt', client.cert),
    key: await file('client.key', client.key),
    ca: await file('ca.crt', authority.cert),
  }
})

afterEach(async () => {
  for (const each of servers.splice(0)) {
    each.closeAllConnections()
    await new Promise((resolve) => each.close(resolve))
  }
  await rm(folder, { recursive: true })
})

async function file(name: string, content: string | Buffer): Promise<string> {
  await writeFile(join(folder, name), content)
  return join(folder, name)
}

/** Answers 200 and remembers each body; demands a certificate unless told otherwise. */
async function serve(options: ServerOptions = {}): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = []
  const strict = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true }
  const listener = createServer({ ...strict, ...options }, async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString())
    response.end('200')
  })
  servers.push(listener)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return { url: `https://127.0.0.1:${(listener.address() as AddressInfo).port}/callbacks/payment`, bodies }
}

interface Flags {
  readonly [flag: string]: string | boolean
}

/** What the command wrote, and what it reads. */
function capture(input = '', isTerminal = false) {
  return { input, isTerminal, output: '', errors: '' }
}

/** Runs the command in this process. @returns its exit code */
async function runProbe(url: string, flags: Flags, captured: ReturnType<typeof capture>): Promise<unknown> {
  const take = (name: 'output' | 'errors') => (text: string | Uint8Array) => {
    captured[name] += text
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(take('output'))
  vi.spyOn(process.stderr, 'write').mockImplementation(take('errors'))
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([captured.input]) as typeof process.stdin)
  const { isTTY } = process.stderr
  process.stderr.isTTY = captured.isTerminal
  try {
    const args = Object.entries(flags).map(([flag, value]) => (value === true ? `--${flag}` : `--${flag}=${value}`))
    await probeCommand().parseAsync([url, ...args], { from: 'user' })
    return process.exitCode
  } finally {
    process.exitCode = undefined
    process.stderr.isTTY = isTTY
    vi.restoreAllMocks()
  }
}

describe('A probe of a good server', () => {
  test('exits with 0 and prints an aligned table', async () => {
    const { url } = await serve()
    const streams = capture()
    expect(await runProbe(url, flags, streams)).toBe(0)
    const lines = streams.output.replaceAll(/ +\d+ ms +/g, '  N ms  ').split('\n')
    expect(lines.slice(0, 1)).toEqual([`The service's two requests to ${url}`])
    expect(lines.slice(3, 7)).toEqual([
      '✓ good  without certificate  1.2  N ms  refused: handshake failure: TLS alert 40 (handshake_failure)',
      '✓ good  without certificate  1.3  N ms  refused: handshake failure: TLS alert 116 (certificate_required)',
      '✓ good  with certificate     1.2  N ms  answered 200',
      '✓ good  with certificate     1.3  N ms  answered 200',
    ])
    expect(streams.output).toContain('CN=server; issued by CN=Test Authority; valid until')
    expect(streams.output).toMatch(/valid until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d); /)
    expect(lines.at(-2)).toBe('✓ All good: refused without a certificate, answered with one.')
    expect(streams.errors).toBe('')
  })

  test('says that the service appends the suffix in which the URL ends, unless a query keeps it out of the path', async () => {
    const { url } = await serve()
    const [doubled, withSlash, behindQuery] = [capture(), capture(), capture()]
    expect(await runProbe(`${url}/pix`, flags, doubled)).toBe(0)
    expect(doubled.errors).toBe('portaria: the service appends /pix itself: register the URL without /pix\n')
    expect(await runProbe(`${url}/pix/`, flags, withSlash)).toBe(0)
    expect(withSlash.errors).toBe(doubled.errors)
    expect(await runProbe(`${url}/pix?x=`, flags, behindQuery)).toBe(0)
    expect(behindQuery.errors).toBe('')
  })

  test('prints one JSON object a line and a summary with --json', async () => {
    const { url } = await serve()
    const streams = capture()
    expect(await runProbe(url, { ...flags, json: true }, streams)).toBe(0)
    const lines = streams.output.trimEnd().split('\n')
    const rows = lines.map((line) => JSON.parse(line))
    expect(rows).toHaveLength(5)
    expect(rows[1]).toEqual({
      request: 'without certificate',
      tlsVersion: 'TLSv1.3',
      outcome: 'handshake_failure',
      ok: true,
      detail: 'refused: handshake failure: TLS alert 116 (certificate_required)',
      durationMs: expect.any(Number),
    })
    expect(rows[4]).toMatchObject({ ok: true, url, insecure: false, serverCertificate: { namesHost: true } })
  })

  test('sends the test call, the body of a file, or standard input', async () => {
    const { url, bodies } = await serve()
    await runProbe(url, flags, capture())
    await runProbe(url, { ...flags, body: await file('body.json', '{"a":1}') }, capture())
    await runProbe(url, { ...flags, body: '-' }, capture('{"b":2}'))
    expect([...new Set(bodies)]).toEqual(['{"evento":"teste_webhook"}', '{"a":1}', '{"b":2}'])
  })
})

test('A probe of a server that takes everybody exits with 1 and says why', async () => {
  const { url } = await serve({ requestCert: false })
  const streams = capture()
  expect(await runProbe(url, flags, streams)).toBe(1)
  expect(streams.output).toContain('✗ bad   without certificate  1.2')
  expect(streams.output).toContain('accepted without certificate (HTTP 200)')
  expect(streams.output).toContain('✗ Not good: 2 of 4 requests')
})

test('An insecure probe says so loudly', async () => {
  const { url } = await serve()
  const streams = capture()
  expect(await runProbe(url, { cert: flags.cert, key: flags.key, insecure: true }, streams)).toBe(0)
  expect(streams.output).toContain('!! INSECURE')
  expect(streams.output).toContain('NOT trusted (its root is not a known authority), not verified')
})

describe('A person who waits', () => {
  test('is reported each request as it begins', async () => {
    const { url } = await serve()
    const streams = capture('', true)
    await runProbe(url, flags, streams)
    expect(streams.errors).toBe(
      'without certificate, TLS 1.2 ...\nwithout certificate, TLS 1.3 ...\nwith certificate, TLS 1.2 ...\nwith certificate, TLS 1.3 ...\n',
    )
  })

  test('gets nothing between lines of JSON', async () => {
    const { url } = await serve()
    const streams = capture('', true)
    await runProbe(url, { ...flags, json: true }, streams)
    expect(streams.errors).toBe('')
  })
})

test('Control characters from the other side do not reach the terminal', async () => {
  const { url } = await serve(await issuePair('evil\u009b31m', authority))
  const streams = capture()
  await runProbe(url, flags, streams)
  expect(streams.output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

test('Files without line breaks, in UTF-16 and in base64 are read as everywhere', async () => {
  const { url } = await serve()
  const changes = {
    cert: await file('one-line.crt', client.cert.replaceAll('\n', '\\n')),
    key: await file('utf16.key', Buffer.from(`\uFEFF${client.key}`, 'utf16le')),
    ca: await file('base64.crt', Buffer.from(authority.cert).toString('base64')),
  }
  const streams = capture()
  expect([await runProbe(url, { ...flags, ...changes }, streams), streams.errors]).toEqual([0, ''])
})

test('The authorities of a destination are read from the same forms', async () => {
  const ca = await file('ca-one-line.pem', authority.cert.replaceAll('\n', '\\n'))
  expect((await settingsOf({ ca })).authorities?.trim()).toBe(authority.cert.trim())
})

describe('Wrong usage exits with 2 and says what to do', () => {
  const good = 'https://127.0.0.1:1/'

  async function complaint(url: string, changes: Flags = {}): Promise<string> {
    const streams = capture()
    expect(await runProbe(url, { ...flags, ...changes }, streams)).toBe(2)
    expect(streams.output).toBe('')
    return streams.errors
  }

  test('for a URL that is none, not https, or holds a password', async () => {
    expect(await complaint('callbacks')).toBe('portaria: "callbacks" is not a URL: give https://HOST:PORT/PATH\n')
    expect(await complaint('http://127.0.0.1/')).toContain('calls https: only')
    expect(await complaint('https://user:secret@127.0.0.1/')).toContain('leave it out')
  })

  test.each(['--cert', '--key'])('without %s', async (missing) => {
    const given = ['--cert', 'a', '--key', 'b']
    given.splice(given.indexOf(missing), 2)
    const command = probeCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
    await expect(command.parseAsync([good, ...given], { from: 'user' })).rejects.toThrow(
      `required option '${missing} <file>' not specified`,
    )
  })

  test('for files that are missing, unreadable or empty of what is asked', async () => {
    const nothing = await file('nothing.pem', 'nothing')
    expect(await complaint(good, { cert: join(folder, 'absent') })).toContain(
      'cannot be read (it does not exist): check the path',
    )
    expect(await complaint(good, { cert: nothing })).toContain(`--cert ${nothing} contains no certificate`)
    expect(await complaint(good, { key: nothing })).toContain(`--key ${nothing} contains no private key`)
    expect(await complaint(good, { ca: nothing })).toContain(`--ca ${nothing} contains no certificate`)
    expect(await complaint(good, { body: join(folder, 'absent') })).toContain('--body')
  })

  test('for a .p12 in the place of PEM files', async () => {
    const p12 = await file('client.p12', await pkcs12Of(client.cert, client.key))
    const remedy = `is a PKCS#12 file (.p12 or .pfx): make PEM files with: ${COMMAND} certs import ${p12} --out-cert`
    expect(await complaint(good, { cert: p12 })).toContain(`--cert ${p12} ${remedy}`)
    expect(await complaint(good, { key: p12 })).toContain(`--key ${p12} ${remedy}`)
    expect(await complaint(good, { ca: p12 })).toContain(`openssl pkcs12 -in ${p12} -cacerts -nokeys -out ca.pem`)
  })

  test('for a damaged or cut-off certificate in a chain', async () => {
    const cut = client.cert + authority.cert.slice(0, 200)
    const damaged = client.cert + authority.cert.replace(/\n\w{20}/, '\nAAAAAAAAAAAAAAAAAAAA')
    expect(await complaint(good, { cert: await file('cut.crt', cut) })).toContain('block 2 has no END line')
    expect(await complaint(good, { cert: await file('damaged.crt', damaged) })).toContain(
      'block 2 is not a certificate',
    )
  })

  test('for PKCS#7 and a certificate request, with what mends it', async () => {
    const p7b = await file('a.p7b', '-----BEGIN PKCS7-----\nMAA=\n-----END PKCS7-----\n')
    for (const option of ['cert', 'ca'] as const)
      expect(await complaint(good, { [option]: p7b })).toContain('convert it with "openssl pkcs7 -print_certs')
  })

  test('for a key of another certificate, or an encrypted one', async () => {
    const other = await file('other.key', server.key)
    const pem = createPrivateKey(server.key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    })
    const encrypted = await file('encrypted.key', pem.toString())
    expect(await complaint(good, { key: other })).toContain('is not the key of the first certificate')
    expect(await complaint(good, { key: encrypted })).toContain('decrypt it with "openssl pkey')
  })

  test('for a certificate whose public key cannot be read', async () => {
    const der = Buffer.from(client.cert.replace(/-----.*-----|\s/g, ''), 'base64')
    // X9.62 uncompressed point: the point moves off the curve.
    const point = der.indexOf(Buffer.from([0x03, 0x42, 0x00, 0x04]))
    der[point + 10] = (der[point + 10] ?? 0) ^ 0xff
    const broken = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`
    expect(await complaint(good, { cert: await file('broken.crt', broken) })).toContain('is not the key of the first')
  })

  test('for a time limit that is none, and for --ca with --insecure', async () => {
    for (const timeout of ['soon', '0', '-1', '3601', '1e3']) {
      expect(await complaint(good, { timeout })).toContain('give seconds')
    }
    expect(await complaint(good, { insecure: true })).toContain('exclude each other')
  })
})
