import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { PROBE_BODY, type ProbeOptions, type ProbeReport, probeEndpoint } from '../../src/probe/two-request-probe.ts'
import { issuePair, issuePairs, type Pair } from '../support/issued-pairs.ts'
import { reservePort } from '../support/ports.ts'

let authority: Pair
let server: Pair
let client: Pair

beforeAll(async () => {
  ;({ authority, server, client } = await issuePairs())
})

const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Listens on a free port until the test ends. */
async function listen(listener: Server): Promise<number> {
  const sockets = new Set<Socket>()
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  listener.on('tlsClientError', () => {})
  listener.on('secureConnection', (socket: TLSSocket) => socket.on('error', () => {}))
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  closing.push(async () => {
    const closed = once(listener, 'close')
    listener.close()
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return (listener.address() as AddressInfo).port
}

function answer(status: number, headers: Record<string, string> = {}): RequestListener {
  return (request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(status, headers).end(String(status)))
  }
}

/** Demands a certificate in the handshake and answers 200, unless told otherwise. */
function serve(options: ServerOptions = {}, listener: RequestListener = answer(200)): Promise<number> {
  const strict = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true }
  return listen(createHttpsServer({ ...strict, ...options }, listener))
}

/** Asks for a certificate, takes none too, and leaves the verdict to the listener. */
function serveAsking(listener: (certified: boolean) => RequestListener): Promise<number> {
  return serve({ rejectUnauthorized: false }, (request, response) =>
    listener((request.socket as TLSSocket).authorized)(request, response),
  )
}

function probe(port: number, changes: Partial<ProbeOptions> = {}, signal?: AbortSignal): Promise<ProbeReport> {
  const options = {
    url: new URL(`https://127.0.0.1:${port}/callbacks/payment?x=1`),
    certificate: client.cert,
    privateKey: client.key,
    authorities: [authority.cert],
    isInsecure: false,
    body: Buffer.from(PROBE_BODY),
    timeoutMs: 10_000,
  }
  return probeEndpoint({ ...options, ...changes }, signal)
}

/** The outcomes in the order of the rows, bad ones with an exclamation mark. */
function outcomes(report: ProbeReport, rows = report.rows): string {
  return rows.map((row) => (row.ok ? row.outcome : `!${row.outcome}`)).join(' ')
}

function fourTimes(outcome: string): string {
  return Array(4).fill(outcome).join(' ')
}

function certifiedOutcomes(report: ProbeReport): string {
  return outcomes(report, report.rows.slice(2))
}

describe('A server that demands a certificate', () => {
  test('is good, and the rows tell the alert of each TLS version', async () => {
    const report = await probe(await serve())
    expect(report.ok).toBe(true)
    const failure = 'refused: handshake failure: TLS alert 40 (handshake_failure)'
    const required = 'refused: handshake failure: TLS alert 116 (certificate_required)'
    expect(report.rows.map((row) => [row.request, row.tlsVersion, row.outcome, row.detail])).toEqual([
      ['without certificate', 'TLSv1.2', 'handshake_failure', failure],
      ['without certificate', 'TLSv1.3', 'handshake_failure', required],
      ['with certificate', 'TLSv1.2', 'answered', 'answered 200'],
      ['with certificate', 'TLSv1.3', 'answered', 'answered 200'],
    ])
    const names = { subject: 'CN=server', issuer: 'CN=Test Authority' }
    expect(report.serverCertificate).toMatchObject({ ...names, namesHost: true, distrust: null })
  })

  test('gets the request of the contract, once in each TLS version', async () => {
    const seen: unknown[] = []
    const port = await serve({}, async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      const { method, url, headers, socket } = request
      seen.push([method, url, headers['content-type'], body, (socket as TLSSocket).getProtocol()])
      response.end()
    })
    await probe(port)
    const expected = ['POST', '/callbacks/payment?x=1', 'application/json', '{"evento":"teste_webhook"}']
    expect(seen).toEqual(['TLSv1.2', 'TLSv1.3'].map((version) => [...expected, version]))
  })

  test('in TLS 1.2 only is good, and the rows say what is not spoken', async () => {
    const report = await probe(await serve({ maxVersion: 'TLSv1.2' }))
    expect(outcomes(report)).toBe('handshake_failure version_not_spoken answered version_not_spoken')
    expect(report.rows[1]?.detail).toContain('does not speak this TLS version')
    expect(report.ok).toBe(true)
  })

  test('in TLS 1.3 only is good', async () => {
    const report = await probe(await serve({ minVersion: 'TLSv1.3' }))
    expect(outcomes(report)).toBe('version_not_spoken handshake_failure version_not_spoken answered')
  })

  test('but does not know the issuer of ours is bad, and the text says to install the chain', async () => {
    const other = await issuePair('Other Authority')
    const report = await probe(await serve({ ca: other.cert }))
    expect(certifiedOutcomes(report)).toBe('!closed_without_answer !closed_without_answer')
    expect(report.rows[3]?.detail).toContain('install the chain')
  })
})

describe('A server that takes a caller without a certificate', () => {
  test('is bad with 2xx and 3xx', async () => {
    for (const status of [200, 204, 302, 399]) {
      const report = await probe(await serve({ requestCert: false }, answer(status)))
      expect(outcomes(report)).toContain('!accepted_without_certificate !accepted_without_certificate ')
      expect(report.rows[0]?.detail).toContain(`accepted without certificate (HTTP ${status})`)
    }
  })

  test('is a failure of the server with 5xx', async () => {
    const report = await probe(await serveAsking((certified) => answer(certified ? 200 : 500)))
    expect(outcomes(report)).toBe('!http_error !http_error answered answered')
    expect(report.rows[0]?.detail).toMatch(/^answered 500: the server failed/)
  })

  test('is bad when it answers something that is not HTTP', async () => {
    const port = await listen(createTlsServer({ ...server }, (socket) => socket.end('220 mail ready\r\n')))
    const report = await probe(port)
    expect(outcomes(report)).toBe('!accepted_without_certificate !accepted_without_certificate !not_http !not_http')
  })

  test('in TLS 1.2 only is bad, for the version that it does not speak as well', async () => {
    const report = await probe(await serve({ requestCert: false, maxVersion: 'TLSv1.2' }))
    expect(outcomes(report)).toBe('!accepted_without_certificate !version_not_spoken answered !version_not_spoken')
  })
})

describe('A server that refuses in another way', () => {
  test.each([400, 401, 403, 404, 421, 499])('is good when it answers %i', async (status) => {
    const report = await probe(await serveAsking((certified) => answer(certified ? 204 : status)))
    expect(outcomes(report)).toBe('refused_by_status refused_by_status answered answered')
    expect(report.rows[0]?.detail).toBe(`refused: answered ${status}`)
    expect(report.ok).toBe(true)
  })

  test('is bad when it answers 4xx to the caller with a certificate too', async () => {
    const report = await probe(await serve({ requestCert: false }, answer(404)))
    expect(outcomes(report)).toBe('refused_by_status refused_by_status !http_error !http_error')
  })

  test('is good when it closes the connection', async () => {
    const close: RequestListener = (request) => request.socket.destroy()
    const report = await probe(await serveAsking((certified) => (certified ? answer(200) : close)))
    expect(outcomes(report)).toBe('closed_without_answer closed_without_answer answered answered')
  })

  test('by whichever alert ends the handshake is good to the caller without a certificate only', async () => {
    const internalError = Buffer.from([0x15, 3, 3, 0, 2, 2, 80])
    const port = await listen(createTcpServer((socket) => socket.once('data', () => socket.end(internalError))))
    const report = await probe(port)
    expect(outcomes(report)).toBe('handshake_failure handshake_failure !tls_failure !tls_failure')
    expect(report.rows[0]?.detail).toBe('refused: handshake failure: TLS alert 80 (internal_error)')
    expect(report.ok).toBe(false)
  })

  test('by closing before the handshake for everybody is bad', async () => {
    const port = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())))
    const report = await probe(port)
    expect(certifiedOutcomes(report)).toBe('!closed_without_answer !closed_without_answer')
  })
})

describe('The request with a certificate', () => {
  test('fails when it is answered 500', async () => {
    const report = await probe(await serve({}, answer(500)))
    expect(certifiedOutcomes(report)).toBe('!http_error !http_error')
    expect(report.rows[2]?.detail).toMatch(/^answered 500: .*look at the server's log/)
  })

  test('fails on a redirect, and does not follow it', async () => {
    let calls = 0
    const port = await serve({}, (request, response) => {
      calls += 1
      answer(302, { location: '/elsewhere' })(request, response)
    })
    const report = await probe(port)
    expect(certifiedOutcomes(report)).toBe('!redirected !redirected')
    expect(report.rows[2]?.detail).toContain('answered 302 to /elsewhere: redirects are failures')
    expect(calls).toBe(2)
  })

  test('fails when no answer comes within the time limit', async () => {
    const report = await probe(await serve({}, () => {}), { timeoutMs: 300 })
    expect(outcomes(report)).toBe('handshake_failure handshake_failure !timeout !timeout')
  })

  test('fails when the answer breaks off', async () => {
    const breakOff: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half', () => response.destroy())
    }
    expect(certifiedOutcomes(await probe(await serve({}, breakOff)))).toBe('!answer_cut_off !answer_cut_off')
  })

  test('is not sent to a server that is not trusted, nor is the body of the other one', async () => {
    const bodies: string[] = []
    const port = await serveAsking(() => async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString())
      response.writeHead(403).end()
    })
    const report = await probe(port, { authorities: null })
    expect(outcomes(report)).toBe('refused_by_status refused_by_status !server_not_trusted !server_not_trusted')
    expect(report.rows[2]?.detail).toContain('--ca FILE')
    expect(bodies).toEqual(['', ''])
  })

  test('is sent to a server that is not trusted when the probe is insecure', async () => {
    const report = await probe(await serve(), { authorities: null, isInsecure: true })
    expect(report.ok).toBe(true)
    expect(report.serverCertificate?.distrust).toBe('its root is not a known authority')
  })

  test('fails when the server certificate does not name the host', async () => {
    const port = await serve()
    const report = await probe(port, { url: new URL(`https://localhost:${port}/`) })
    expect(certifiedOutcomes(report)).toBe('!server_not_trusted !server_not_trusted')
    expect(report.rows[2]?.detail).toContain('does not name this host')
    expect(report.serverCertificate?.namesHost).toBe(false)
  })
})

describe('A server that cannot be spoken to', () => {
  test('on a closed port is unreachable, never refused', async () => {
    const port = await reservePort()
    const report = await probe(port)
    expect(outcomes(report)).toBe(fourTimes('!unreachable'))
    expect(report.rows[0]?.detail).toContain('connection refused')
    expect(report.serverCertificate).toBe(null)
  })

  test('with a host name that does not exist is unreachable', async () => {
    const report = await probe(443, { url: new URL('https://nowhere.invalid/') })
    expect(outcomes(report)).toBe(fourTimes('!unreachable'))
  })

  test('with plain http gets that reason', async () => {
    const report = await probe(await listen(createHttpServer(answer(200))))
    expect(outcomes(report)).toBe(fourTimes('!not_tls'))
  })

  test('that never answers the handshake is a timeout, never refused', async () => {
    const report = await probe(await listen(createTcpServer()), { timeoutMs: 100 })
    expect(outcomes(report)).toBe(fourTimes('!timeout'))
  })

  test('in neither TLS version is bad', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    const report = await probe(await serve(old))
    expect(outcomes(report)).toBe(fourTimes('!version_not_spoken'))
    expect(report.ok).toBe(false)
  })
})

test('An aborted probe throws the reason', async () => {
  const controller = new AbortController()
  const port = await serve({}, () => controller.abort(new Error('enough')))
  await expect(probe(port, {}, controller.signal)).rejects.toThrow('enough')
})

test('An empty list of authorities is an error, not all public authorities', async () => {
  await expect(probe(1, { authorities: [] })).rejects.toMatchObject({ code: 'trust_missing' })
})

const opensslIsMissing = spawnSync('openssl', ['version']).status !== 0

test.skipIf(opensslIsMissing)(
  'An openssl s_server that demands a certificate and gives no session tickets is good',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'probe-'))
    closing.push(() => rm(folder, { recursive: true }))
    const file = async (name: string, content: string) => {
      await writeFile(join(folder, name), content)
      return join(folder, name)
    }
    const files = ['-cert', await file('c', server.cert), '-key', await file('k', server.key)]
    const trust = ['-CAfile', await file('ca', authority.cert), '-Verify', '2', '-verify_return_error']
    const child = spawn('openssl', ['s_server', '-accept', '127.0.0.1:0', '-num_tickets', '0', ...files, ...trust])
    const ended = once(child, 'exit')
    closing.push(async () => {
      child.kill()
      await ended
    })
    const report = await probe(await portOf(child))
    expect(outcomes(report)).toBe('handshake_failure handshake_failure answered answered')
  },
)

/** The port of an s_server; from then on it answers 200 to each request, which it prints as it comes. */
function portOf(child: ChildProcess): Promise<number> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`openssl ended: ${text}`)))
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const port = /^ACCEPT .*:(\d+)\s/m.exec(text)?.[1]
      if (port !== undefined) resolve(Number(port))
      if (!text.includes(PROBE_BODY)) return
      text = ''
      child.stdin?.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
  })
}
