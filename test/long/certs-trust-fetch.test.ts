import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createPlainServer, type RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { downloadChain } from '../../src/certificates/trust/published-chain.ts'
import { inShell, linesOf, portaria } from '../cli/program.ts'
import type { IssuedCertificate } from '../support/authority.ts'
import { BASE_CALLBACKS, startTestGateway, type TestSite } from '../support/gateway.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { callOnce, createWorld, siteOf, trustFile, type World } from '../support/reloading.ts'

describe.skipIf(!hasOpenssl)('certs trust fetch', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let world: World
  let server: IssuedCertificate
  beforeAll(() => {
    world = createWorld(folder)
    server = world.server('server')
  })

  /** What the service publishes, over https. */
  async function publish(answer: RequestListener): Promise<string> {
    const publisher = createServer({ cert: server.cert, key: readFileSync(server.keyFile) }, answer)
    await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void publisher.close().closeAllConnections())
    return `https://localhost:${(publisher.address() as AddressInfo).port}/chain.pem`
  }

  async function siteFetching(certificateUrl: string): Promise<TestSite> {
    const [first, sandbox] = BASE_CALLBACKS.trust
    return siteOf(world, server, { callbacks: { ...BASE_CALLBACKS, trust: [{ ...first, certificateUrl }, sandbox] } })
  }

  const fetchChain = (site: TestSite, ...args: string[]) =>
    inShell(
      site,
      `export NODE_EXTRA_CA_CERTS="${world.serverAuthority.certFile}"; portaria certs trust fetch --environment production ${args.join(' ')}`,
    )
  const joined = (site: TestSite) =>
    existsSync(trustFile(site, 'production')) ? readdirSync(trustFile(site, 'production'), { recursive: true }) : []

  it('shows what is published and trusts it only when its SHA-256 is accepted', async () => {
    const { chain } = world.second.issuing
    const sha256 = createHash('sha256').update(chain).digest('hex')
    const url = await publish((_request, response) => response.end(chain))
    const site = await siteFetching(url)
    const gateway = await startTestGateway(site)
    const { port } = gateway.callbacks

    const shown = await fetchChain(site)
    expect([shown.code, shown.stderr]).toEqual([1, ''])
    expect(shown.stdout).toContain(`Published at ${url}\nSHA-256 of the file: ${sha256}\n`)
    expect(shown.stdout).toMatch(/\+ added {2,}issues callers, may not call itself {2,}"CN=second"/)
    // It joins the active chain, so no certificate is removed.
    expect(shown.stdout).toContain('\n\nBeside the active chain of production, which stays active:\n\n')
    expect(shown.stdout).toMatch(/= kept {2,}issues callers, may not call itself {2,}"CN=first"/)
    expect(shown.stdout).not.toMatch(/Instead|- removed/)
    expect(shown.stdout).toContain(`portaria certs trust fetch --environment production --accept ${sha256}`)
    const json = await fetchChain(site, '--json')
    expect([json.code, linesOf(json)]).toMatchObject([
      1,
      [{ url, sha256, isActive: false, isAccepted: false, callersSeen: 0 }],
    ])
    const wrong = await fetchChain(
      site,
      '--accept',
      sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
    )
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('differs from --accept')])
    const short = await fetchChain(site, '--accept', 'abc')
    expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('64 hexadecimal digits')])
    expect([joined(site), await callOnce(port, world.second.caller)]).toEqual([[], 0])

    const accepted = await fetchChain(site, '--accept', (sha256.toUpperCase().match(/../g) ?? []).join(':'))
    expect([accepted.code, accepted.stderr]).toEqual([0, ''])
    expect(accepted.stdout).toMatch(/fetched-\S+ is active\. The running gateway has applied it/)
    expect(joined(site)).toEqual(expect.arrayContaining([expect.stringMatching(/^fetched-.*\.pem$/)]))
    expect(await callOnce(port, world.second.caller)).toBe(200)
    expect(await callOnce(port, world.first.caller)).toBe(200)

    const again = await fetchChain(site, '--json')
    expect([again.code, linesOf(again)]).toMatchObject([0, [{ isActive: true, callersRefused: [] }]])
    // Each certificate once, although two files hold it.
    const { changes } = linesOf(again)[0] as { changes: { change: string; subject: string }[] }
    expect(changes.map(({ change, subject }) => `${change} ${subject}`).sort()).toEqual([
      'kept CN=first',
      'kept CN=first-root',
      'kept CN=second',
      'kept CN=second-root',
    ])
    const text = await fetchChain(site)
    expect([text.code, text.stdout]).toEqual([0, expect.stringContaining('is trusted already')])
  })

  it('without an address, or without trust in the server that answers there, says so', async () => {
    const site = await siteOf(world, server)
    const none = await fetchChain(site)
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringMatching(/portaria\.yaml does not say where .*: add certificateUrl/),
    ])
    const url = await publish((_request, response) => response.end(world.second.issuing.chain))
    const untrusted = await portaria(await siteFetching(url), 'certs', 'trust', 'fetch', '--environment', 'production')
    expect([untrusted.code, untrusted.stderr]).toEqual([
      1,
      expect.stringMatching(/cannot be fetched from https:.*: .*certificate/),
    ])
  })

  it('what is not a chain is reported with its address, and nothing is kept', async () => {
    const answers: [RequestListener, RegExp][] = [
      [(_, response) => response.writeHead(302, { location: '/other' }).end(), /: it answered 302/],
      [(_, response) => response.writeHead(404).end('none'), /: it answered 404/],
      [(_, response) => response.end('<html>'), /https:\/\/localhost:\d+\/chain\.pem is a web page and no certificate/],
      [(_, response) => response.end(Buffer.alloc(2 ** 21, 'A')), /: it is larger than 1048576 bytes/],
      [(_, response) => response.end(world.second.issuing.chain.slice(0, -50)), /chain\.pem: block 2/],
      [(_, response) => response.socket?.destroy(), /cannot be fetched from/],
    ]
    let current: RequestListener = () => undefined
    const site = await siteFetching(await publish((request, response) => current(request, response)))
    for (const [answer, what] of answers) {
      current = answer
      const ended = await fetchChain(site, '--accept', '0'.repeat(64))
      expect([ended.code, ended.stdout]).toEqual([1, ''])
      expect(ended.stderr).toMatch(what)
      expect(ended.stderr).not.toContain('fetched.pem')
    }
    expect(joined(site)).toEqual([])
  })

  it('who does not answer, or never ends, is not waited for', async () => {
    const publisher = createPlainServer((_request, response) => void response.write('-----BEGIN'))
    await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void publisher.close().closeAllConnections())
    const url = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/`
    await expect(downloadChain(url, 100)).rejects.toThrow(
      `the chain cannot be fetched from ${url}: no answer within 0.1 s`,
    )
  })
})
