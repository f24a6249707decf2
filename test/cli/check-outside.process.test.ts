import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { reservePort } from '../support/ports.ts'
import {
  type Certificates,
  callerFlags,
  findingsAt,
  makeCertificates,
  type ProductionSite,
  productionSite,
  SERVER_EXTENSIONS,
  startServer,
  troubleIn,
} from './checking.ts'
import { portaria } from './program.ts'

describe.skipIf(!hasOpenssl)('check --url (with openssl)', () => {
  let certificates: Certificates
  let site: ProductionSite

  beforeAll(() => {
    certificates = makeCertificates(mkdtempSync(join(tmpdir(), 'portaria-check-')))
  })
  afterAll(() => rmSync(certificates.folder, { recursive: true }))
  beforeEach(async () => {
    site = await productionSite(certificates)
  })

  /** A server as it should be, but for these. */
  const server = (changes: ServerOptions = {}, status = 200, headers: Record<string, string> = {}) => {
    const own = {
      cert: readFileSync(join(site.certs, 'server.pem')),
      key: readFileSync(join(site.certs, 'server.key')),
    }
    const strict = { ca: [certificates.production.chain], requestCert: true, rejectUnauthorized: true }
    return startServer({ ...own, ...strict, ...changes }, status, headers)
  }
  const outside = async (url: string, flags = {}) =>
    troubleIn(await findingsAt(site, { ...callerFlags(certificates), url, ...flags }), 'outside')
  const until400 = (message: string) =>
    `until then the service answers the registration with 400 webhook_invalido: ${message}`

  it('finds nothing wrong at a gateway', async () => {
    await startTestGateway(site)
    const findings = await findingsAt(site, { ...callerFlags(certificates), url: site.url })
    expect(
      findings.filter(({ area }) => area === 'outside').map(({ what, level, found }) => [what, level, found]),
    ).toEqual([
      ['without certificate, TLS 1.2', 'good', 'refused: handshake failure: TLS alert 40 (handshake_failure)'],
      ['without certificate, TLS 1.3', 'good', 'refused: handshake failure: TLS alert 116 (certificate_required)'],
      ['with certificate, TLS 1.2', 'good', 'answered 200'],
      ['with certificate, TLS 1.3', 'good', 'answered 200'],
      ['untrusted certificate', 'good', 'refused: closed without an answer'],
      ['TLS 1.1 and older', 'good', 'refused'],
      ['redirects', 'good', 'none'],
      ['certificate', 'good', `ours: the one in ${site.certs}/server.pem`],
      ['served authority', 'good', 'complete, up to "CN=root", which callers trust'],
      ['served name', 'good', 'names localhost'],
      ['served dates', 'good', expect.stringContaining('the first to expire is "CN=server"')],
      ['without SNI', 'good', 'the same certificate and chain'],
      ...['/pix', '/rec', '/cobr'].map((suffix) => [`suffix ${suffix}`, 'good', 'answered 200, as without it']),
    ])
    const clocks = findings.filter(({ area, what }) => area === 'clock' && what.startsWith('beside '))
    expect(clocks.map(({ found }) => found)).toEqual(['the two agree'])
  })

  it('does without a client certificate what can be done, and says what was not', async () => {
    await startTestGateway(site)
    expect(await outside(site.url, { cert: undefined, key: undefined })).toEqual([
      [
        'with certificate',
        'warning',
        'not tried: no client certificate was given',
        'with a certificate that the service issued to you, add --cert FILE --key FILE',
      ],
    ])
  })

  it('uses the test CA’s certificate in development by itself', async () => {
    const laboratory = await createSite({ mode: 'development' })
    const gateway = await startTestGateway(laboratory)
    const url = `https://localhost:${gateway.callbacks.port}/callbacks/payment`
    expect(troubleIn(await findingsAt(laboratory, { url }), 'outside')).toEqual([])
  })

  it('finds no one', async () => {
    const port = await reservePort()
    expect(await outside(`https://localhost:${port}/`)).toEqual([
      [
        'reachable',
        'problem',
        `https://localhost:${port}/: unreachable: connection refused: nothing listens there, or a firewall says no: check host and port`,
        until400('unreachable'),
      ],
    ])
  })

  it('a server that answers 403', async () => {
    const { url } = await server({}, 403)
    const rows = ['TLS 1.2', 'TLS 1.3'].map((version) => [
      `with certificate, ${version}`,
      'problem',
      expect.stringMatching(/^answered 403: the server turned the certificate away/),
      until400('answered HTTP 403'),
    ])
    expect(await outside(url)).toEqual(rows)
  })

  it('a server that sends its certificate without the intermediate', async () => {
    const { url } = await server({ cert: certificates.server.cert })
    const distrusted = ['TLS 1.2', 'TLS 1.3'].map((version) => [
      `with certificate, ${version}`,
      'problem',
      expect.stringContaining('is not trusted (its issuer is unknown, or the server does not send its full chain)'),
      until400('handshake failed'),
    ])
    const gap = '"CN=intermediate", which issued "CN=server", is missing, and callers do not know it'
    expect(await outside(url)).toEqual([
      ...distrusted,
      ['served chain', 'problem', gap, expect.stringContaining('add the intermediate certificate')],
    ])
  })

  it('a server that asks for no certificate', async () => {
    const { url } = await server({ requestCert: false })
    const accepted = ['TLS 1.2', 'TLS 1.3'].map((version) => [
      `without certificate, ${version}`,
      'problem',
      expect.stringMatching(/^accepted without certificate \(HTTP 200\)/),
      until400('accepted without certificate'),
    ])
    expect(await outside(url)).toEqual([
      ...accepted,
      [
        'untrusted certificate',
        'problem',
        'a certificate that no server may trust was accepted: answered 200',
        "let the server verify client certificates against the service's chains",
      ],
    ])
  })

  it('a server that takes any certificate, one that redirects, and one that speaks old TLS', async () => {
    const any = await server({ rejectUnauthorized: false, requestCert: true })
    expect((await outside(any.url)).map(([what]) => what)).toEqual([
      'without certificate, TLS 1.2',
      'without certificate, TLS 1.3',
      'untrusted certificate',
    ])
    const redirecting = await server({}, 301, { location: 'https://elsewhere.example/' })
    expect((await outside(redirecting.url)).map(([what, , , next]) => [what, next])).toEqual([
      ['with certificate, TLS 1.2', until400('answered HTTP 301')],
      ['with certificate, TLS 1.3', until400('answered HTTP 301')],
      ['redirects', expect.stringContaining('the service follows no redirect')],
    ])
    const old = await server({ minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' })
    expect(await outside(old.url)).toEqual([
      ['TLS 1.1 and older', 'problem', 'the server speaks it', 'let the server speak TLS 1.2 and 1.3 only'],
    ])
  })

  it('another certificate to callers that send no name, and one for another host', async () => {
    const extensions = SERVER_EXTENSIONS.map((line) => line.replace(/DNS:.*/, 'DNS:other.example'))
    const issuer = certificates.intermediate
    const other = certificates.authority.issue({ name: 'other', issuer, extensions, days: 200 })
    const context = { cert: other.cert + issuer.cert, key: readFileSync(other.keyFile) }
    const byName = createSecureContext({
      cert: readFileSync(join(site.certs, 'server.pem')),
      key: readFileSync(join(site.certs, 'server.key')),
      ca: certificates.production.chain,
    })
    const fickle = await server({ ...context, SNICallback: (_name, done) => done(null, byName) })
    expect(await outside(fickle.url)).toEqual([
      [
        'without SNI',
        'problem',
        'another certificate or chain is sent: "CN=other"',
        'make it the default of that address: some callers send no name',
      ],
    ])
    const wrong = await server(context)
    expect((await outside(wrong.url)).map(([what]) => what)).toEqual([
      'with certificate, TLS 1.2',
      'with certificate, TLS 1.3',
      'certificate',
      'served name',
    ])
  })

  it('a URL that ends in a suffix, which the service appends again, and asks for no path that would be refused', async () => {
    const gateway = await startTestGateway(site)
    const url = `${site.url}/pix`
    const [path, asked] = [new URL(url).pathname, new URL(site.url)]
    expect(await outside(url)).toEqual([
      [
        'suffix /pix',
        'problem',
        `the URL ends in /pix, and the service appends it again: its calls go to ${path}/pix, which is answered 404`,
        `register the URL without /pix: ${asked.origin}${asked.pathname}`,
      ],
    ])
    expect(await outside(`${url}?x=`)).toEqual([])
    expect(gateway.lines.filter(({ code }) => code === 'unknown_path')).toEqual([])
  })

  it('the URL of an institution is known by its path, or by --institution, and gets the suffixes of that one', async () => {
    const { issue } = certificates.authority
    const bank = issue({ name: 'bank', ca: true })
    const caller = issue({ name: 'bank-caller', issuer: bank })
    const institution = (name: string, chain: string) => ({
      name,
      trust: [{ environment: name === 'bank-a' ? 'production' : 'sandbox', chain }],
      suffixes: [`/of-${name}`],
      kinds: { transfer: { path: '/transfer' }, own: { path: `/${name}/own` } },
    })
    const other = issue({ name: 'other-bank', ca: true })
    site.write({ institutions: [institution('bank-a', bank.certFile), institution('bank-b', other.certFile)] })
    await startTestGateway(site)
    const found = async (path: string, flags = {}) => {
      const url = new URL(path, site.url).href
      const own = { ca: certificates.root.certFile, cert: caller.chainFile, key: caller.keyFile }
      const findings = await findingsAt(site, { ...own, url, ...flags })
      return findings
        .filter(({ area, what }) => area === 'outside' && /^(institution|with cert|suffix)/.test(what))
        .map(({ what, level, found }) => [what, level, found])
    }
    const of = (name: string, level: string, words: string) => ['institution', level, `${name}; ${words}`]
    const answered = ['TLS 1.2', 'TLS 1.3'].map((tls) => [`with certificate, ${tls}`, 'good', 'answered 200'])
    const suffix = ['suffix /of-bank-a', 'good', 'answered 200, as without it']
    expect(await found('/bank-a/own')).toEqual([
      of('bank-a', 'good', 'the path is that of its kind own'),
      ...answered,
      suffix,
    ])
    await expect(found('/transfer')).rejects.toThrow(
      '/transfer is a path of bank-a and bank-b: choose one with --institution',
    )
    expect((await found('/transfer', { institution: 'bank-a' })).at(-1)).toEqual(suffix)
    const [ofOther] = await found('/bank-b/own', { institution: 'bank-a' })
    expect(ofOther).toEqual(of('bank-a', 'warning', 'none of its kinds has the path /bank-b/own'))
    const [ofUnnamed] = await found('/callbacks/payment', callerFlags(certificates))
    expect(ofUnnamed).toEqual(of('the unnamed one', 'good', 'the path is that of its kind payment'))
    await expect(found('/transfer', { institution: 'bank-c' })).rejects.toThrow('there is no institution "bank-c"')
  })

  it('suffixes that are not answered as the bare path is', async () => {
    const own = {
      cert: readFileSync(join(site.certs, 'server.pem')),
      key: readFileSync(join(site.certs, 'server.key')),
    }
    const strict = { ...own, ca: certificates.production.chain, requestCert: true, rejectUnauthorized: true }
    const picky = createServer(strict, (request, response) => {
      request.resume().on('end', () => response.writeHead(request.url?.endsWith('/rec') ? 404 : 200).end())
    })
    const port = await reservePort()
    onTestFinished(() => void picky.close())
    await new Promise<void>((done) => picky.listen(port, '127.0.0.1', done))
    expect(await outside(`https://localhost:${port}/callbacks/payment`)).toEqual([
      [
        'suffix /rec',
        'problem',
        'answered 404, but answered 200 without it',
        'let the proxy in front pass on every path below the registered one',
      ],
    ])
  })

  it('the command tells it all, and ends with 1', async () => {
    const { url } = await server({}, 403)
    const { ca, cert, key } = callerFlags(certificates)
    const { code, stdout } = await portaria(site, 'check', '--url', url, '--ca', ca, '--cert', cert, '--key', key)
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ with certificate, TLS 1\.3 +answered 403/)
    expect(stdout).toContain(`→ ${until400('answered HTTP 403')}`)
  })

  describe.skipIf(!hasNginx)('something in front (with nginx)', () => {
    async function startFront(server: string): Promise<string> {
      const folder = join(site.folder, 'nginx')
      mkdirSync(folder)
      const { intermediate, authority } = certificates
      const front = authority.issue({ name: 'front', issuer: intermediate, extensions: SERVER_EXTENSIONS, days: 200 })
      const certificate = join(folder, 'front.pem')
      writeFileSync(certificate, front.cert + intermediate.cert)
      const port = await reservePort()
      await startNginx({ folder, port, certificate, privateKey: front.keyFile, server })
      return `https://localhost:${port}/callbacks/payment`
    }

    it('it ends TLS, and the gateway never sees who calls', async () => {
      await startTestGateway(site)
      const upstream = `https://127.0.0.1:${site.port}`
      const url = await startFront(`location / { proxy_pass ${upstream}; proxy_ssl_protocols TLSv1.2 TLSv1.3; }`)
      const rows = await outside(url)
      // The gateway refuses nginx, which has no certificate to show; nginx makes 502 of it, for everybody.
      expect(rows.map((row) => row.slice(0, 3))).toEqual([
        ['without certificate, TLS 1.2', 'problem', expect.stringMatching(/^answered 502: the server failed/)],
        ['without certificate, TLS 1.3', 'problem', expect.stringMatching(/^answered 502: the server failed/)],
        ['with certificate, TLS 1.2', 'problem', expect.stringMatching(/^answered 502/)],
        ['with certificate, TLS 1.3', 'problem', expect.stringMatching(/^answered 502/)],
        ['untrusted certificate', 'problem', 'a certificate that no server may trust was accepted: answered 502'],
        [
          'certificate',
          'problem',
          expect.stringMatching(/^not ours: "CN=front", \S+… is served, \S+ holds "CN=server", /),
        ],
      ])
      expect(rows.at(-1)?.[3]).toMatch(/^something in front ends TLS: let it pass TCP through/)
      expect(rows[0]?.[3]).toBe(until400('answered HTTP 502'))
    })

    it('it asks for certificates, and answers 400 to callers without one', async () => {
      const chain = join(site.certs, 'production.chain.pem')
      const url = await startFront(
        `ssl_client_certificate ${chain}; ssl_verify_client on; ssl_verify_depth 3; location / { return 200; }`,
      )
      expect((await outside(url)).map((row) => row.slice(0, 3))).toEqual([
        ['certificate', 'problem', expect.stringContaining('not ours: "CN=front"')],
      ])
    })
  })
})
