import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkRuntime } from '../../src/cli/check/runtime.ts'
import { hasAllFixes, SAFE_NODE } from '../../src/platform/version.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { callByOpenssl, hasOpenssl } from '../support/openssl.ts'
import { makeRevocationList } from '../support/revocation-lists.ts'
import {
  type Certificates,
  findingsAt,
  makeCertificates,
  type ProductionSite,
  productionSite,
  SERVER_EXTENSIONS,
  trouble,
  troubleIn,
} from './checking.ts'
import { linesOf, portaria } from './program.ts'

describe.skipIf(!hasOpenssl)('check (with openssl)', () => {
  let certificates: Certificates
  let site: ProductionSite
  let ca: string

  beforeAll(() => {
    certificates = makeCertificates(mkdtempSync(join(tmpdir(), 'portaria-check-')))
    ca = certificates.root.certFile
  })
  afterAll(() => rmSync(certificates.folder, { recursive: true }))
  beforeEach(async () => {
    site = await productionSite(certificates)
  })

  const useCertificate = (pem: string, key: string) => {
    writeFileSync(join(site.certs, 'server.pem'), pem)
    writeFileSync(join(site.certs, 'server.key'), readFileSync(key))
  }

  it('finds nothing wrong where all is right, with a gateway or without, and says so with its exit code', async () => {
    expect(trouble(await findingsAt(site, { ca }))).toEqual([])
    await startTestGateway(site)
    const findings = await findingsAt(site, { ca })
    expect(trouble(findings)).toEqual([])
    expect(findings.filter(({ area }) => area === 'listeners').map(({ what, found }) => [what, found])).toEqual([
      ['gateway', 'runs'],
      ['callbacks', `127.0.0.1:${site.port} shows the configured certificate, and refuses a caller without one`],
      ['api', expect.stringMatching(/^127\.0\.0\.1:\d+ answers: ready$/)],
      ['open files', expect.stringMatching(/^the gateway's limit of \d+ is enough for all connections$/)],
    ])
    const [table, json] = await Promise.all([
      portaria(site, 'check', '--ca', ca),
      portaria(site, 'check', '--ca', ca, '--json'),
    ])
    // After two seconds, which pass on a busy machine, a table is preceded by its progress.
    const stderr = table.stderr.replaceAll(/^checking \S+ MiB of database.*\n/gm, '')
    expect([table.code, json.code, stderr, json.stderr]).toEqual([0, 0, '', ''])
    expect(table.stdout).toContain('  ✓ gateway')
    expect(table.stdout).toMatch(/^ {2}~ all .*\n.*→ accepted \(forwarding\.none\): most tests forward nothing$/m)
    const lines = linesOf(json)
    expect(lines[0]).toEqual({
      area: 'configuration',
      code: 'configuration.good',
      what: 'file',
      level: 'good',
      found: `${site.configFile} is right`,
      nextStep: null,
      accepted: null,
    })
    expect(lines.at(-1)).toEqual({
      ok: true,
      good: lines.length - 2,
      warnings: 0,
      problems: 0,
      accepted: 1,
    })
  })

  it('--quiet prints warnings and problems only, and one line where all is well', async () => {
    const accepted = ['forwarding.none', 'node.unneeded_fixes'].map((code) => ({ code, reason: 'known' }))
    site.write({ check: { accepted } })
    const count = hasAllFixes(process.versions.node) ? '1 finding' : '2 findings'
    expect(await portaria(site, 'check', '--quiet', '--ca', ca)).toMatchObject({
      code: 0,
      stdout: `✓ All good; ${count} accepted.\n`,
      stderr: '',
    })
    chmodSync(join(site.certs, 'server.key'), 0o644)
    const { code, stdout } = await portaria(site, 'check', '--quiet', '--ca', ca)
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /^files\n {2}✗ callbacks\.privateKey .*0644.*\n.*\(file\.mode\)\n\n✗ Not good: 1 problem, .*\n$/,
      ),
    ])
  })

  it('tells all mistakes of the configuration, and ends with 1', async () => {
    writeFileSync(site.configFile, 'mode: prod\nlog: { levle: info }\n')
    const { code, stdout } = await portaria(site, 'check')
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ file +mode \(line 1\): must be one of production, development/)
    expect(stdout).toMatch(/✗ file +log\.levle \(line 2\): unknown key/)
    expect(stdout).toContain(`→ correct ${site.configFile}: config/portaria.yaml explains every key`)
  })

  it('ends with 2 when it is asked wrongly', async () => {
    const { code, stdout, stderr } = await portaria(site, 'check', '--cert', ca)
    const text = 'portaria: --cert and --key are for --url URL: add it, or leave them out\n'
    expect([code, stdout, stderr]).toEqual([2, '', text])
    const asked = [{ url: 'http://localhost/' }, { url: site.url, cert: ca }, { ca: site.configFile }]
    const answers = await Promise.allSettled(asked.map((flags) => findingsAt(site, flags)))
    expect(answers.map((answer) => answer.status === 'rejected' && answer.reason.message)).toEqual([
      'the URL begins with http: and the service calls https: only: give https://HOST:PORT/PATH',
      '--cert and --key belong together: give both',
      `--ca ${site.configFile} contains no certificate: it must hold PEM blocks that start with "-----BEGIN CERTIFICATE-----"`,
    ])
  })

  it('says what revocation lists say and until when, and who is let in without being for clients', async () => {
    const { authority, serviceRoot, production } = certificates
    const revoked = authority.issue({ name: `revoked-${Date.now()}`, issuer: production })
    const [day, past] = [86_400_000, { thisUpdate: new Date('2026-01-01'), nextUpdate: new Date('2026-01-08') }]
    const nextUpdate = new Date(Math.ceil(Date.now() / day) * day + 5 * day)
    const folder = certificates.folder
    const lists = [
      { issuer: production, revoked: [revoked], nextUpdate },
      { issuer: serviceRoot, ...past },
    ]
    const own = await productionSite(certificates)
    writeFileSync(join(own.folder, 'all.crl'), lists.map((list) => makeRevocationList(folder, list)).join(''))
    const text = readFileSync(own.configFile, 'utf8')
    const settings =
      'chain: certs/production.chain.pem\n      crl: [all.crl]\n      usage: any\n      allow: { subjectCommonNames: [calls] }'
    writeFileSync(own.configFile, text.replace('chain: certs/production.chain.pem', settings))

    const findings = (await findingsAt(own, { ca })).filter(({ what }) =>
      /^(revocation list|usage of callers)/.test(what),
    )
    expect(findings.map(({ area, what, level, found }) => [area, what, level, found])).toEqual([
      ['files', 'revocation list of production', 'good', expect.stringContaining('all.crl has mode')],
      ['trust', 'usage of callers', 'good', expect.stringMatching(/^any for "CN=production" .*under allow/)],
      [
        'trust',
        'revocation list',
        'good',
        expect.stringContaining(`1 revoked, next update ${nextUpdate.toISOString()}`),
      ],
      [
        'trust',
        'revocation list',
        'warning',
        expect.stringMatching(/of "service-root" .* 0 revoked, .*it expired on 2026-01-08/),
      ],
    ])
  })

  it('says where usage: any is to be written when a caller was refused for the use of its certificate', async () => {
    const { authority, production } = certificates
    const extensions = ['keyUsage=digitalSignature', 'extendedKeyUsage=serverAuth']
    const caller = authority.issue({ name: `for-servers-${Date.now()}`, issuer: production, extensions })
    const gateway = await startTestGateway(site)
    const args = ['-cert', caller.certFile, '-key', caller.keyFile]
    expect(await callByOpenssl(site.port, args, 'POST /callbacks/payment HTTP/1.1\r\n\r\n')).toBe('')
    await gateway.stop()

    const warnings = (await findingsAt(site, { ca })).filter(({ what }) => what === 'usage of callers')
    expect(warnings).toEqual([
      expect.objectContaining({
        area: 'trust',
        level: 'warning',
        found: expect.stringMatching(
          /^CN=for-servers-\d+ \(SHA-256 [0-9a-f]{64}\) of an installed chain of production was refused as wrong_usage/,
        ),
        nextStep: expect.stringMatching(/write usage: any and, under allow, who the service is .*callbacks\.trust$/),
      }),
    ])
  })

  it('takes a development configuration with its test CA for good, and warns of a kind charge that no one can call', async () => {
    const findings = await findingsAt(await createSite({ mode: 'development' }))
    expect(troubleIn(findings, 'configuration').map(([what, level]) => [what, level])).toEqual([
      ['charge listener', 'warning'],
    ])
    expect(troubleIn(findings, 'certificates')).toEqual([])
    const notes = findings.filter(({ code }) => ['mode.development', 'certificate.authority'].includes(code))
    expect(notes.map(({ level, nextStep }) => [level, nextStep])).toEqual([
      ['good', expect.stringContaining('never use it on a server')],
      ['good', expect.stringContaining('get one from a public authority')],
    ])
  })

  it('accepts that the charge token of a clone, which is no secret, can be read by others', async () => {
    const folder = mkdtempSync(join(certificates.folder, 'clone-'))
    cpSync(join(import.meta.dirname, '../../config'), join(folder, 'config'), { recursive: true })
    chmodSync(join(folder, 'config/development-charge-token'), 0o644)
    const clone = { ...site, configFile: join(folder, 'config/development.yaml') }
    const modes = (await findingsAt(clone)).filter(({ code }) => code === 'file.mode')
    expect(modes).toMatchObject([
      { what: 'chargeNotifications.tokens', accepted: expect.stringContaining('no secret') },
    ])
  })

  it('takes a Node with known holes for a problem in production, for a warning in development', () => {
    const levels = (version: string) => [checkRuntime('production', version), checkRuntime('development', version)]
    expect(levels('24.20.0').map(([finding]) => finding?.level)).toEqual(['problem', 'warning'])
    expect(checkRuntime('production', '24.20.0')[0]?.nextStep).toMatch(
      /^install Node\.js 24\.22\.1 or newer .*PATH.*bin\/portaria prefers it/,
    )
    expect(levels(SAFE_NODE).map(([finding]) => finding?.level)).toEqual(['good', 'good'])
  })

  describe('files', () => {
    const modes: [string, number, string, string, string][] = [
      ['certs/server.key', 0o644, 'callbacks.privateKey', 'problem', 'has mode 0644: others may read or change it'],
      ['operator-token', 0o660, 'api.operatorTokenFile', 'problem', 'has mode 0660: others may read or change it'],
      ['portaria.yaml', 0o666, 'configuration file', 'problem', 'has mode 0666: every user may change it'],
      ['certs/server.pem', 0o646, 'callbacks.certificate', 'problem', 'has mode 0646: every user may change it'],
      ['certs/sandbox.chain.pem', 0o666, 'chain of sandbox', 'problem', 'has mode 0666: every user may change it'],
      ['certs', 0o777, 'folder', 'problem', 'has mode 0777: every user may replace the files in it'],
      ['data', 0o755, 'database folder', 'problem', 'has mode 0755: every user may read it'],
      ['data', 0o750, 'database folder', 'warning', 'has mode 0750: its group may read it'],
      ['data/portaria.db', 0o640, 'database', 'problem', 'has mode 0640: others may read what was received'],
    ]
    it.each(modes)('%s with mode %o is a finding', async (file, mode, what, level, found) => {
      mkdirSync(join(site.folder, 'data'), { mode: 0o700 })
      if (file.endsWith('.db')) writeFileSync(join(site.folder, file), '')
      chmodSync(join(site.folder, file), mode)
      expect(troubleIn(await findingsAt(site, { ca }), 'files').map((row) => row.slice(0, 3))).toEqual([
        [what, level, `${join(site.folder, file)} ${found}`],
      ])
    })

    it('a group may read keys and tokens', async () => {
      for (const file of ['certs/server.key', 'operator-token']) chmodSync(join(site.folder, file), 0o640)
      expect(troubleIn(await findingsAt(site, { ca }), 'files')).toEqual([])
    })

    it.skipIf(process.getuid?.() !== 0)('what the gateway’s user may not read (as root)', async () => {
      mkdirSync(join(site.folder, 'data'), { mode: 0o700 })
      chownSync(join(site.folder, 'data'), 12_345, 12_345)
      chownSync(join(site.folder, 'operator-token'), 12_345, 12_345)
      const key = join(site.certs, 'server.key')
      expect(troubleIn(await findingsAt(site, { ca }), 'files')).toEqual([
        [
          'callbacks.privateKey',
          'problem',
          `${key} has mode 0600 and belongs to another user: the gateway may not read it`,
          `chown 12345 ${key}, or chgrp it to that user's group with chmod 0640`,
        ],
      ])
    })

    it('secrets in the configuration itself make it a secret', async () => {
      site.write({ destinations: [{ name: 'app', url: 'http://127.0.0.1:1/', secret: `whsec_${'A'.repeat(43)}=` }] })
      chmodSync(site.configFile, 0o644)
      expect(troubleIn(await findingsAt(site, { ca }), 'files')).toEqual([
        [
          'configuration file',
          'problem',
          `${site.configFile} has mode 0644 and holds secrets`,
          `chmod 0640 ${site.configFile}, or move them to files (secretFile, webhookFile, heartbeatFile)`,
        ],
      ])
    })

    it('secrets that the configuration names are looked at as well, and a token that is none', async () => {
      writeFileSync(join(site.folder, 'secret'), `whsec_${'A'.repeat(43)}=\n`)
      chmodSync(join(site.folder, 'secret'), 0o604)
      writeFileSync(join(site.folder, 'operator-token'), 'short')
      site.write({ destinations: [{ name: 'app', url: 'http://127.0.0.1:1/', secretFile: 'secret' }] })
      expect(troubleIn(await findingsAt(site, { ca }), 'files').map(([what]) => what)).toEqual([
        'destinations.secretFile',
        'api.operatorTokenFile',
      ])
    })
  })

  describe('certificates', () => {
    const found = async (flags = {}) =>
      troubleIn(await findingsAt(site, { ca, ...flags }), 'certificates').map((row) => row.slice(0, 3))

    it('a key of another certificate', async () => {
      useCertificate(certificates.server.cert + certificates.intermediate.cert, certificates.caller.keyFile)
      const text = `${site.certs}/server.key is not the key of ${site.certs}/server.pem: install the key that the certificate request was made with, or get a new certificate for this key`
      expect(await found()).toEqual([['callbacks: key and chain', 'problem', text]])
    })

    it('a chain in the wrong order', async () => {
      useCertificate(certificates.intermediate.cert + certificates.server.cert, certificates.server.keyFile)
      expect(await found()).toContainEqual([
        'callbacks: key and chain',
        'problem',
        expect.stringContaining('the server certificate must come first'),
      ])
    })

    it('a missing intermediate', async () => {
      useCertificate(certificates.server.cert, certificates.server.keyFile)
      const text = '"CN=intermediate", which issued "CN=server", is missing, and callers do not know it'
      expect(await found()).toEqual([['callbacks: chain', 'problem', text]])
    })

    it('a private root, which a server does not send', async () => {
      useCertificate(certificates.server.cert + certificates.intermediate.cert, certificates.server.keyFile)
      const text = 'callers do not know "CN=root", which issued "CN=intermediate"'
      expect(await found({ ca: undefined })).toEqual([['callbacks: authority', 'problem', text]])
    })

    it('a self-signed one, a private authority, the test CA', async () => {
      const self = certificates.authority.issue({ name: 'self', extensions: SERVER_EXTENSIONS })
      useCertificate(self.cert, self.keyFile)
      expect(await found()).toContainEqual([
        'callbacks: authority',
        'problem',
        '"CN=self" is self-signed: no caller trusts it',
      ])
      useCertificate(certificates.server.chain, certificates.server.keyFile)
      expect(await found({ ca: undefined })).toEqual([
        ['callbacks: authority', 'problem', 'callers do not know its root "CN=root"'],
      ])
      const laboratory = await createSite()
      expect(troubleIn(await findingsAt(laboratory), 'certificates').map(([what, level]) => [what, level])).toEqual([
        ['callbacks: authority', 'problem'],
      ])
    })

    it('one that is for clients only, and names no one', async () => {
      const { caller, production } = certificates
      useCertificate(caller.cert + production.cert, caller.keyFile)
      expect(await found({ ca: certificates.serviceRoot.certFile })).toEqual([
        ['callbacks: usage', 'problem', '"CN=caller" may not be used as a server certificate'],
        ['callbacks: names', 'problem', '"CN=caller" names no host: callers refuse it'],
      ])
    })

    it('one that ends soon, very soon, or has ended', async () => {
      const rows = []
      for (const days of [20, 3, -1]) {
        const leaf = certificates.authority.issue({
          name: `days${days}`,
          issuer: certificates.intermediate,
          extensions: SERVER_EXTENSIONS,
          notBefore: new Date(Date.now() - 100 * 86_400_000),
          notAfter: new Date(Date.now() + (days + 0.5) * 86_400_000),
        })
        useCertificate(leaf.cert + certificates.intermediate.cert, leaf.keyFile)
        rows.push(...(await found({ days: 30 })))
      }
      expect(rows).toEqual([
        ['callbacks: dates', 'warning', expect.stringMatching(/^"CN=days20" expires in 20 days, on \d{4}-\d\d-\d\d$/)],
        ['callbacks: dates', 'problem', expect.stringContaining('"CN=days3" expires in 3 days')],
        ['callbacks: dates', 'problem', expect.stringContaining('"CN=days-1" expired on')],
      ])
    })

    it('the client certificate towards destinations belongs to them', async () => {
      const files = { certificate: 'certs/caller.crt', privateKey: 'certs/server.key' }
      site.write({ forwarding: { clientCertificate: files } })
      expect((await found()).map(([what]) => what)).toEqual(['forwarding.clientCertificate: key and chain'])
    })
  })

  describe('trust', () => {
    const withTrust = (...entries: [string, string][]) =>
      site.write({
        callbacks: {
          ...site.configuration.callbacks,
          trust: entries.map(([environment, chain]) => ({ environment, chain })),
        },
      })
    const found = async (flags = {}) =>
      troubleIn(await findingsAt(site, { ca, ...flags }), 'trust').map((row) => row.slice(0, 3))

    it('one environment alone', async () => {
      withTrust(['production', 'certs/production.chain.pem'])
      expect(await found()).toEqual([])
      withTrust(['sandbox', 'certs/sandbox.chain.pem'])
      expect(await found()).toEqual([])
      const text = 'not in callbacks.trust: its callers are refused'
      expect(await findingsAt(site, { ca })).toContainEqual(
        expect.objectContaining({ what: 'production', level: 'good', found: text }),
      )
    })

    it('a chain without its root, and an issuing certificate in two environments', async () => {
      withTrust(['production', 'certs/production.crt'], ['sandbox', 'certs/sandbox.chain.pem'])
      expect(await found()).toEqual([
        ['chains', 'problem', expect.stringContaining('does not lead to a self-signed root')],
      ])
      withTrust(['production', 'certs/sandbox.chain.pem'], ['sandbox', 'certs/sandbox.chain.pem'])
      expect(await found()).toEqual([
        ['chains', 'problem', expect.stringContaining('the environment of a caller would be ambiguous')],
      ])
    })

    it('the test CA in production; chains that end soon', async () => {
      const laboratory = await createSite()
      expect(troubleIn(await findingsAt(laboratory), 'trust').map(([what, level]) => [what, level])).toEqual([
        ['production', 'problem'],
        ['sandbox', 'problem'],
      ])
      expect(await found({ days: 3500 })).toEqual([
        ['dates', 'warning', expect.stringContaining('"CN=production" expires in')],
        ['dates', 'warning', expect.stringContaining('"CN=sandbox" expires in')],
      ])
    })

    it('a root that both environments share is reported, and is good', async () => {
      expect((await findingsAt(site, { ca })).filter(({ what }) => what === 'shared root')).toEqual([
        {
          area: 'trust',
          code: 'trust.good',
          what: 'shared root',
          level: 'good',
          found: 'both environments lead to "CN=service-root"; their issuing certificates tell them apart',
          nextStep: null,
          accepted: null,
        },
      ])
    })
  })
})
