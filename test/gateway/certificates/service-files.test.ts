import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { loadConfig } from '../../../src/config/load-config.ts'
import type { Realm } from '../../../src/domain/realm.ts'
import type { CertificateUsers } from '../../../src/gateway/certificate-renewals.ts'
import { loadCertificates } from '../../../src/gateway/certificates.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { createSite, type LogLine, recordingLog, startTestGateway } from '../../support/gateway.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { until } from '../../support/until.ts'

const withOpenssl = it.skipIf(!hasOpenssl)

const ENTRY = {
  environment: 'sandbox',
  baseAddresses: { registration: 'https://registration.service.example' },
  clientId: 'id',
  clientSecret: 'secret',
  certificate: 'account.crt',
  privateKey: 'account.key',
}

/** The certificates of a gateway with an entry for the sandbox, and their renewals. */
async function certificatesOf(changes: object = {}) {
  const { folder, configFile } = await createSite({ service: [{ ...ENTRY, ...changes }] })
  writeFileSync(join(folder, 'secret'), 'first')
  const { issue } = createAuthority(join(folder, 'authority'))
  const ca = issue({ name: 'ca', ca: true })
  const install = ({ chainFile, keyFile }: IssuedCertificate) => {
    copyFileSync(keyFile, join(folder, 'account.key'))
    copyFileSync(chainFile, join(folder, 'account.crt'))
  }
  const lines: LogLine[] = []
  const renewed: Realm[] = []
  const users: CertificateUsers = {
    callbacks: { setServerCertificate: () => undefined, renewTrust: () => 0 },
    charges: null,
    api: { setServerCertificate: () => undefined, renewClientTrust: () => undefined },
    sender: { renew: () => undefined },
    destinations: { renew: () => undefined },
    service: { renew: (environment) => renewed.push(environment) },
    onRenewed: () => undefined,
  }
  return {
    folder,
    renewed,
    lines,
    install,
    configFile,
    users,
    account: (name: string, extensions?: readonly string[]) =>
      issue({ name, issuer: ca, ...(extensions === undefined ? {} : { extensions }) }),
    load: () => loadCertificates(loadConfig(configFile), recordingLog(lines)),
    reconfigure(service: object[]) {
      const text = readFileSync(configFile, 'utf8').replace(/\nservice:[\s\S]*/, '\n')
      writeFileSync(configFile, text + stringify({ service }))
      return loadConfig(configFile)
    },
  }
}

withOpenssl(
  'a missing file is a logged problem of the client only, and its correction is taken up by itself',
  async () => {
    const site = await certificatesOf()
    const certificates = site.load()
    expect(site.lines).toEqual([
      expect.objectContaining({ event: 'certificate.warning', warning: expect.stringContaining('account.crt') }),
    ])
    expect(certificates.service('sandbox')?.files.certificate?.tls).toBeNull()
    expect(certificates.service('production')).toBeNull()
    const stop = await certificates.watch(site.users)
    onTestFinished(stop)
    site.install(site.account('account'))
    await until(() => site.renewed.length > 0)
    expect(certificates.service('sandbox')?.files.certificate?.subject).toBe('CN=account')
    expect(site.renewed).toEqual(['sandbox'])
  },
)

withOpenssl('a damaged file, or one for another use, leaves the certificate in use', async () => {
  const site = await certificatesOf()
  site.install(site.account('first'))
  const certificates = site.load()
  onTestFinished(await certificates.watch(site.users))
  writeFileSync(join(site.folder, 'account.crt'), 'damaged')
  expect(certificates.reload().problems).toEqual([
    {
      what: 'the client of the service (sandbox)',
      problem: expect.stringMatching(/^the client certificate of service\.sandbox cannot be used: .*account\.crt/),
      file: null,
      use: 'earlier',
    },
  ])
  site.install(site.account('server', ['extendedKeyUsage=serverAuth']))
  expect(certificates.reload().problems).toMatchObject([
    { problem: expect.stringContaining('is not for TLS clients'), use: 'earlier' },
  ])
  expect(certificates.service('sandbox')?.files.certificate?.subject).toBe('CN=first')
  expect(site.renewed).toEqual([])
  site.install(site.account('second'))
  expect(certificates.reload()).toMatchObject({ renewed: ['the client of the service (sandbox)'], problems: [] })
  expect(certificates.service('sandbox')?.files.certificate?.subject).toBe('CN=second')
  expect(certificates.current().inUse['service.sandbox']).toHaveLength(1)
})

withOpenssl(
  'a reload takes up secrets, addresses, new entries and removed ones, each environment by itself',
  async () => {
    const site = await certificatesOf()
    site.install(site.account('account'))
    const certificates = site.load()
    onTestFinished(await certificates.watch(site.users))
    writeFileSync(join(site.folder, 'secret'), 'second')
    certificates.reload(loadConfig(site.configFile))
    expect(certificates.service('sandbox')?.settings.clientSecret).toBe('second')
    expect(site.renewed).toEqual(['sandbox'])
    const production = { ...ENTRY, environment: 'production', baseAddresses: { payment: 'https://p.example' } }
    certificates.reload(site.reconfigure([ENTRY, production]))
    expect(certificates.service('production')?.settings.baseAddresses.payment).toBe('https://p.example')
    expect(site.renewed).toEqual(['sandbox', 'production'])
    certificates.reload(site.reconfigure([production]))
    expect(certificates.service('sandbox')).toBeNull()
    expect(site.renewed).toEqual(['sandbox', 'production', 'sandbox'])
    certificates.reload()
    expect(site.renewed).toHaveLength(3)
  },
)

it('a gateway without a usable client secret starts, and takes up the corrected one', async () => {
  const charges = { ...ENTRY, baseAddresses: { charges: 'https://127.0.0.1:1' }, certificate: undefined }
  const site = await certificatesOf({ ...charges, privateKey: undefined })
  writeFileSync(join(site.folder, 'secret'), '')
  const certificates = site.load()
  expect(site.lines.map(({ warning }) => warning)).toEqual([
    expect.stringMatching(/^service\.sandbox\.clientSecret, .*, its file must hold the client secret/),
  ])
  onTestFinished(await certificates.watch(site.users))
  writeFileSync(join(site.folder, 'secret'), 'right')
  expect(certificates.reload().problems).toEqual([])
  expect(certificates.service('sandbox')?.settings.clientSecret).toBe('right')
})

it('a gateway whose service files are damaged receives callbacks, and lists the file that cannot be used', async () => {
  const site = await createSite({ service: [{ ...ENTRY, authorities: 'authorities.pem' }] })
  for (const name of ['account.crt', 'account.key', 'authorities.pem'])
    writeFileSync(join(site.folder, name), 'damaged')
  const gateway = await startTestGateway(site)
  expect((await callBack(gateway)).status).toBe(200)
  const { body } = await callApi(gateway.api, '/v1/certificates')
  const { data } = JSON.parse(body) as { data: { set: string; state: string; problem: string | null }[] }
  expect(data.filter(({ set }) => set.startsWith('service.'))).toEqual([
    expect.objectContaining({
      set: 'service.sandbox',
      environment: 'sandbox',
      state: 'unreadable',
      problem: expect.stringContaining('account.crt'),
    }),
  ])
  const warnings = gateway.lines.filter(({ event }) => event === 'certificate.warning')
  expect(warnings.map(({ warning }) => warning)).toEqual([
    expect.stringMatching(/^the client certificate of service\.sandbox cannot be used: .*account\.key/),
    expect.stringMatching(/^the authorities of service\.sandbox cannot be used/),
    expect.stringMatching(/^service\.sandbox\.clientSecret, .*, names a file that cannot be read: it does not exist/),
  ])
})
