import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, runSimulator } from '../../simulator/test/running.ts'
import type { Finding } from '../../src/cli/check/finding.ts'
import { checkService } from '../../src/cli/check/service.ts'
import { loadWithoutSecrets } from '../../src/config/load-config.ts'
import { SERVICE_INTERFACES } from '../../src/domain/service/service-interfaces.ts'
import { baseAddressesOf } from '../service/service.ts'
import { createAuthority } from '../support/authority.ts'
import { BASE_CALLBACKS, createSite } from '../support/gateway.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { findingsAt } from './checking.ts'

const CHARGES = {
  host: '127.0.0.1',
  port: 0,
  publicUrl: 'https://hooks.example.com:8444',
  tokens: [{ environment: 'sandbox', tokenFile: 'charge-token' }],
}

type Environment = 'production' | 'sandbox'

describe('check of the section service', () => {
  let running: RunningSimulator

  beforeAll(async () => {
    running = await runSimulator()
  })
  afterAll(() => running.stop())

  /** An entry that is right for the simulator, with its files in the folder. */
  function entryOf(folder: string, environment: Environment = 'sandbox') {
    const [application] = running.simulator.sites[environment].applications.list()
    const { cert, key } = running.tlsOf(environment)
    writeFileSync(join(folder, `${environment}.crt`), cert)
    writeFileSync(join(folder, `${environment}.key`), key)
    writeFileSync(join(folder, `${environment}-secret`), application?.clientSecret ?? '')
    writeFileSync(join(folder, 'service.pem'), running.simulator.folder.root)
    writeFileSync(join(folder, 'charge-token'), 'ab'.repeat(16))
    return {
      environment,
      baseAddresses: baseAddressesOf(running, environment),
      clientId: application?.clientId ?? '',
      clientSecret: `${environment}-secret`,
      certificate: `${environment}.crt`,
      privateKey: `${environment}.key`,
      authorities: 'service.pem',
    }
  }

  type Entry = ReturnType<typeof entryOf>

  /** What `check` finds out about the section. @param change of the entry for the sandbox */
  async function findingsOf(
    change: (entry: Entry, folder: string) => object = (entry) => entry,
    changes: Record<string, unknown> = {},
    isOffline = false,
  ): Promise<Finding[]> {
    const { folder } = await createSite()
    const entry = change(entryOf(folder), folder)
    const callbacks = { ...BASE_CALLBACKS, publicUrl: 'https://hooks.example.com' }
    const service = Array.isArray(entry) ? entry : [entry]
    const site = await createSite({ callbacks, chargeNotifications: CHARGES, service, ...changes }, folder)
    const config = loadWithoutSecrets(site.configFile)
    return checkService({
      config,
      now: new Date(),
      days: null,
      authorities: null,
      progress: () => undefined,
      isQuiet: true,
      isOffline,
    })
  }

  /** What is not good: what, code, level. */
  const open = (findings: readonly Finding[]) =>
    findings.filter(({ level }) => level !== 'good').map(({ what, code, level }) => [what, code, level])

  it('finds nothing without the section', async () => {
    const { configFile } = await createSite()
    const config = loadWithoutSecrets(configFile)
    const context = { config, now: new Date(), days: null, authorities: null, progress: () => undefined, isQuiet: true }
    expect(await checkService(context)).toEqual([])
  })

  it('finds every interface good that gives a token', async () => {
    const findings = await findingsOf()
    expect(open(findings)).toEqual([])
    expect(findings.map(({ what }) => what)).toEqual([
      ...['sandbox: certificate', 'sandbox: dates', 'sandbox: tokens'],
      ...SERVICE_INTERFACES.map((name) => `sandbox: ${name}`),
    ])
  })

  it('offline asks for no token, and looks at the files nevertheless', async () => {
    const unreachable = (entry: Entry) => ({ ...entry, baseAddresses: { charges: 'https://127.0.0.1:1' } })
    expect(open(await findingsOf(unreachable, {}, true))).toEqual([])
    const findings = await findingsOf((entry) => ({ ...unreachable(entry), certificate: 'nothing.crt' }), {}, true)
    expect(open(findings)).toMatchObject([['sandbox: certificate', 'service.certificate_unusable', 'problem']])
  })

  it('takes the .p12 file that the service gives an account', async () => {
    const findings = await findingsOf(({ privateKey: _privateKey, ...entry }, folder) => {
      const p12 = join(running.simulator.folder.path, 'accounts/sandbox-integrator.p12')
      copyFileSync(p12, join(folder, 'account.p12'))
      const { registration } = entry.baseAddresses
      return { ...entry, certificate: 'account.p12', baseAddresses: { registration } }
    })
    expect(findings.map(({ what, level }) => [what, level])).toEqual([
      ['sandbox: certificate', 'good'],
      ['sandbox: dates', 'good'],
      ['sandbox: registration', 'good'],
    ])
  })

  it('says which credentials the service refuses, and what to do', async () => {
    const findings = await findingsOf((entry, folder) => {
      writeFileSync(join(folder, 'sandbox-secret'), 'wrong')
      return { ...entry, baseAddresses: { charges: entry.baseAddresses.charges } }
    })
    expect(open(findings)).toEqual([['sandbox: charges', 'service.credentials_refused', 'problem']])
    expect(findings.at(-1)).toMatchObject({
      found: expect.stringContaining('refused the credentials (HTTP 401'),
      nextStep: expect.stringContaining('those of the other environment are refused'),
    })
    expect(JSON.stringify(findings)).not.toContain('wrong"')
  })

  it('says that the service refuses a certificate of the other environment', async () => {
    const findings = await findingsOf((entry, folder) => {
      const { certificate, privateKey } = entryOf(folder, 'production')
      return { ...entry, certificate, privateKey, baseAddresses: { payment: entry.baseAddresses.payment } }
    })
    expect(open(findings)).toEqual([['sandbox: payment', 'service.certificate_refused', 'problem']])
    expect(findings.at(-1)?.nextStep).toContain('of the other environment')
  })

  it('says that credentials belong to the other environment, or are the same in both', async () => {
    const findings = await findingsOf((entry, folder) => {
      const { clientId, clientSecret } = entryOf(folder, 'production')
      const sandbox = { ...entry, clientId, clientSecret, baseAddresses: { charges: entry.baseAddresses.charges } }
      return [sandbox, { ...sandbox, environment: 'production', resolveTokens: false }]
    })
    expect(open(findings)).toEqual([
      ['baseAddresses.charges', 'service.environment', 'warning'],
      ['clientId', 'service.environment', 'warning'],
      ['sandbox: charges', 'service.credentials_refused', 'problem'],
      ['production: charges', 'service.credentials_refused', 'problem'],
    ])
  })

  it('says that an interface cannot be reached, or shows a server certificate that no one vouches for', async () => {
    const unreachable = await findingsOf((entry) => ({ ...entry, baseAddresses: { charges: 'https://127.0.0.1:1' } }))
    expect(open(unreachable)).toEqual([['sandbox: charges', 'service.unreachable', 'problem']])
    const untrusted = await findingsOf(({ authorities: _authorities, ...entry }) => entry)
    expect(open(untrusted)).toEqual(
      SERVICE_INTERFACES.map((name) => [`sandbox: ${name}`, 'service.unreachable', 'problem']),
    )
    expect(untrusted.at(-1)?.found).toContain('check that service.authorities has the root')
  })

  it('says that an address of this machine is not allowed', async () => {
    const literal = (entry: Entry) => ({ ...entry, baseAddresses: { charges: 'https://127.0.0.1:9443/charges' } })
    const findings = await findingsOf(literal, { forwarding: { allowedNetworks: [] } })
    expect(open(findings)).toEqual([
      ['sandbox: charges', 'service.address', 'problem'],
      ['sandbox: charges', 'service.unreachable', 'problem'],
    ])
    expect(findings[2]?.nextStep).toContain('forwarding.allowedNetworks')
  })

  it('says what the other sections lack', async () => {
    const none = { ...BASE_CALLBACKS, trust: [{ environment: 'production', chain: 'certs/trust/production.pem' }] }
    expect(open(await findingsOf((entry) => entry, { callbacks: none, chargeNotifications: undefined }))).toEqual([
      ['callbacks.publicUrl', 'service.public_url', 'warning'],
      ['sandbox: chain', 'service.chain', 'warning'],
      ['sandbox: tokens', 'service.tokens', 'warning'],
    ])
    const { charge: _charge, ...kinds } = BASE_CALLBACKS.kinds
    const callbacks = { ...BASE_CALLBACKS, kinds, publicUrl: 'https://hooks.example.com' }
    const other = {
      ...CHARGES,
      publicUrl: undefined,
      tokens: [{ environment: 'production', tokenFile: 'charge-token' }],
    }
    expect(open(await findingsOf((entry) => entry, { chargeNotifications: other }))).toEqual([
      ['chargeNotifications.publicUrl', 'service.public_url', 'warning'],
      ['sandbox: tokens', 'service.tokens', 'warning'],
    ])
    expect(open(await findingsOf((entry) => entry, { callbacks, chargeNotifications: undefined }))).toEqual([
      ['sandbox: tokens', 'service.tokens', 'warning'],
    ])
  })

  it.skipIf(!hasOpenssl)('says what is wrong with files, and asks only what does not need them', async () => {
    const authority = (folder: string) => createAuthority(join(folder, 'authority'))
    const asked = ['sandbox: charges', 'gave an access token']
    const mismatch = await findingsOf((entry, folder) => {
      copyFileSync(authority(folder).issue({ name: 'other' }).keyFile, join(folder, 'sandbox.key'))
      return entry
    })
    expect(open(mismatch)).toEqual([['sandbox: certificate', 'service.certificate_unusable', 'problem']])
    expect(mismatch.map(({ what, found }) => [what, found])).toContainEqual(asked)
    expect(mismatch[0]?.found).toContain('sandbox.key is not the key of')

    const missing = await findingsOf((entry) => ({ ...entry, certificate: 'nothing.crt', authorities: 'nothing.pem' }))
    expect(open(missing)).toEqual([
      ['sandbox: authorities', 'service.authorities_unusable', 'problem'],
      ['sandbox: certificate', 'service.certificate_unusable', 'problem'],
    ])

    const wrong = await findingsOf((entry, folder) => {
      const extensions = ['extendedKeyUsage=serverAuth']
      const notBefore = new Date(Date.now() - 90 * 86_400_000)
      const issued = authority(folder).issue({ name: 'server', notBefore, days: 20, extensions })
      const files = { certificate: issued.certFile, privateKey: issued.keyFile }
      return { ...entry, ...files, baseAddresses: { registration: 'https://127.0.0.1:1' } }
    })
    expect(open(wrong)).toEqual([
      ['sandbox: certificate', 'service.certificate_usage', 'problem'],
      ['sandbox: dates', 'certificate.expiring', 'warning'],
      ['sandbox: registration', 'service.unreachable', 'problem'],
    ])

    const expired = await findingsOf((entry, folder) => {
      const [notBefore, notAfter] = [new Date(Date.now() - 9e7), new Date(Date.now() - 6e7)]
      const issued = authority(folder).issue({ name: 'old', notBefore, notAfter })
      return { ...entry, certificate: issued.certFile, privateKey: issued.keyFile }
    })
    expect(open(expired)).toEqual([['sandbox: dates', 'certificate.expired', 'problem']])
    expect(expired.map(({ what, found }) => [what, found])).toContainEqual(asked)
  })

  it('is part of portaria check, which also looks at the modes of its files', async () => {
    const { folder } = await createSite()
    const service = [{ ...entryOf(folder), baseAddresses: { charges: baseAddressesOf(running).charges } }]
    const callbacks = { ...BASE_CALLBACKS, publicUrl: 'https://hooks.example.com' }
    const site = await createSite({ callbacks, chargeNotifications: CHARGES, service }, folder)
    for (const file of ['sandbox-secret', 'sandbox.key', 'sandbox.crt', 'service.pem'])
      chmodSync(join(folder, file), 0o666)
    const findings = await findingsAt(site)
    expect(findings.filter(({ area }) => area === 'service').map(({ what }) => what)).toContain('sandbox: charges')
    const ofFiles = findings.filter(({ what, level }) => what.startsWith('service.') && level === 'problem')
    expect(ofFiles.map(({ code, what }) => [code, what])).toEqual([
      ['file.mode', 'service.sandbox.clientSecret'],
      ['file.mode', 'service.sandbox.privateKey'],
      ['file.writable', 'service.sandbox.authorities'],
      ['file.writable', 'service.sandbox.certificate'],
    ])
  })

  it('asks nothing where a client secret is missing, which other findings say', async () => {
    const findings = await findingsOf((entry) => ({ ...entry, clientSecret: 'missing' }))
    expect(findings.map(({ what }) => what)).toEqual(['sandbox: certificate', 'sandbox: dates', 'sandbox: tokens'])
  })
})
