import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { receiverCaFile } from '../../simulator/test/receiver.ts'
import { type RunningSimulator, runSimulator } from '../../simulator/test/running.ts'
import { PROBE_BODY, probeEndpoint } from '../../src/probe/two-request-probe.ts'
import { atNight } from '../support/campaign.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { reservePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Certificates, findingsAt, makeCertificates, productionSite } from './checking.ts'

const REFUSED = { probe: true, check: [], simulator: [200, undefined] }
const ACCEPTED = { probe: false, check: ['problem', 'problem'], simulator: [400, 'mtls_nao_configurado'] }
const FAILED = { ...ACCEPTED, simulator: [400, 'erro_de_codigo'] }

/** What nginx does with callers whose certificate it could not verify, or who have none. */
const otherwise = (reply: string) =>
  `ssl_verify_client optional; if ($ssl_client_verify != SUCCESS) { return ${reply}; }`

type SetUp = readonly [name: string, expected: object, nginx: { server: string; protocols?: string; listen?: string }]

describe.skipIf(!hasNginx || !hasOpenssl)('probe, check --url and the simulator judge alike (with nginx)', () => {
  let certificates: Certificates
  let simulator: RunningSimulator
  beforeAll(async () => {
    certificates = makeCertificates(mkdtempSync(join(tmpdir(), 'portaria-nginx-')))
    simulator = await runSimulator({}, { receiverCaFile: receiverCaFile() })
  })
  afterAll(async () => {
    await simulator.stop()
    rmSync(certificates.folder, { recursive: true })
  })

  it.each<SetUp>([
    ['ssl_verify_client on', REFUSED, { server: 'ssl_verify_client on;' }],
    ['ssl_verify_client optional and 403', REFUSED, { server: otherwise('403') }],
    ['ssl_verify_client optional and 503', FAILED, { server: otherwise('503') }],
    ['no check of certificates', ACCEPTED, { server: '' }],
    ...atNight<SetUp>([
      ['ssl_verify_client on in TLS 1.2 alone', REFUSED, { server: 'ssl_verify_client on;', protocols: 'TLSv1.2' }],
      ['ssl_verify_client on in TLS 1.3 alone', REFUSED, { server: 'ssl_verify_client on;', protocols: 'TLSv1.3' }],
      ['ssl_verify_client on with HTTP/2', REFUSED, { server: 'ssl_verify_client on;', listen: 'http2' }],
      ['ssl_verify_client optional and 404', REFUSED, { server: otherwise('404') }],
      ['ssl_verify_client optional and 444, which closes', REFUSED, { server: otherwise('444') }],
      ['ssl_verify_client optional and 204', ACCEPTED, { server: otherwise('204') }],
      ['ssl_verify_client optional and 302', ACCEPTED, { server: otherwise('302 /login') }],
    ]),
  ])('%s', async (_name, expected, options) => {
    const folder = temporaryFolder()
    const { chain, client } = simulator.simulator.folder.environments.sandbox
    writeFileSync(join(folder, 'chain.pem'), chain)
    const certs = inject('testCa')
    const port = await reservePort()
    await startNginx({
      folder,
      port,
      certificate: join(certs, 'server.crt'),
      privateKey: join(certs, 'server.key'),
      ...options,
      server: `ssl_client_certificate ${folder}/chain.pem; ssl_verify_depth 3; location / { return 200 ok; } ${options.server}`,
    })
    const webhookUrl = `https://localhost:${port}/callbacks/payment`

    const authority = readFileSync(receiverCaFile(), 'utf8')
    const report = await probeEndpoint({
      url: new URL(webhookUrl),
      certificate: client.cert,
      privateKey: client.key,
      authorities: [authority],
      isInsecure: false,
      body: Buffer.from(PROBE_BODY),
      timeoutMs: 10_000,
    })
    const files = { cert: join(folder, 'client.pem'), key: join(folder, 'client.key') }
    writeFileSync(files.cert, client.cert)
    writeFileSync(files.key, client.key, { mode: 0o600 })
    const flags = { url: webhookUrl, ca: receiverCaFile(), ...files }
    const findings = await findingsAt(await productionSite(certificates), flags)
    const requests = findings.filter(({ area, what }) => area === 'outside' && /^with(out)? certificate/.test(what))
    const asked = { method: 'POST', path: '/v1/webhook', body: { webhookUrl } }
    const { status, json } = await simulator.ask('registration', asked)
    expect({
      probe: report.ok,
      check: requests.map(({ level }) => level).filter((level) => level !== 'good'),
      simulator: [status, json.nome],
    }).toEqual(expected)
    if (expected === REFUSED)
      expect(findings.find(({ what }) => what === 'untrusted certificate')).toMatchObject({ level: 'good' })
  })
})
