import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkAccounts, checkConfiguration } from '../../src/cli/check/configuration.ts'
import { checkDestinations } from '../../src/cli/check/destinations.ts'
import type { Finding } from '../../src/cli/check/finding.ts'
import { checkService } from '../../src/cli/check/service.ts'
import { checkTrust } from '../../src/cli/check/trust.ts'
import { loadWithoutSecrets } from '../../src/config/load-config.ts'
import { createAuthority } from '../support/authority.ts'
import { aCallback, aDestination, aFact } from '../support/builders.ts'
import { BASE_CALLBACKS, createSite } from '../support/gateway.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { databaseFile, openTestStore } from '../support/store.ts'

/** An institution with the callbacks' chain and kinds of the test, or others. */
function institution(name: string, changes: Record<string, unknown> = {}) {
  const trust = [{ environment: 'production', chain: 'certs/trust/production.pem' }]
  return { name, trust, kinds: { payment: { path: `/${name}/payment` } }, ...changes }
}

async function contextOf(changes: Record<string, unknown>, folder?: string) {
  const { configFile } = await createSite(changes, folder)
  const config = loadWithoutSecrets(configFile)
  return {
    config,
    now: new Date(),
    days: null,
    authorities: null,
    progress: () => undefined,
    isQuiet: true,
    isOffline: true,
  }
}

const open = (findings: readonly Finding[]) =>
  findings
    .filter(({ level, code }) => level !== 'good' || !code.endsWith('.good'))
    .map(({ what, code, level }) => [what, code, level])

describe('check of several institutions', () => {
  it.skipIf(!hasOpenssl)(
    'says of the environments of each who its callers are, and explains a shared root',
    async () => {
      const { folder } = await createSite()
      const { issue } = createAuthority(join(folder, 'authority'))
      const root = issue({ name: 'root', ca: true })
      const ofServers = ['basicConstraints=critical,CA:TRUE', 'extendedKeyUsage=serverAuth']
      const test = issue({ name: 'test', ca: true, subject: '/O=Portaria development/CN=test' })
      const one = issue({ name: 'one', ca: true, issuer: root })
      const other = issue({ name: 'other', ca: true, issuer: root, extensions: ofServers })
      const trustOf = (environment: string, { chainFile }: { chainFile: string }) => ({ environment, chain: chainFile })
      const institutions = [
        institution('bank-a', { trust: [trustOf('production', one)] }),
        institution('bank-b', { trust: [trustOf('production', other), trustOf('sandbox', test)] }),
      ]
      const { trust: _trust, kinds: _kinds, ...callbacks } = BASE_CALLBACKS
      const findings = checkTrust(await contextOf({ callbacks, institutions }, folder))
      expect(findings.map(({ what, code, found }) => [what, code, found.split(' (')[0]?.split(folder)[0]])).toEqual([
        ['bank-a/production', 'trust.good', 'callers come from "CN=one"'],
        ['bank-a/sandbox', 'trust.good', 'not in institutions.bank-a.trust: its callers are refused'],
        [
          'bank-b/production',
          'trust.good',
          'callers come from "CN=other", which may also be used as a peer certificate',
        ],
        ['bank-b/sandbox', 'trust.test_ca', ''],
        ['usage of callers', 'trust.caller_usage', '"CN=other"'],
        [
          'shared root',
          'trust.good',
          'bank-a/production, bank-b/production lead to "CN=root"; their issuing certificates tell them apart',
        ],
        ['dates', 'trust.good', expect.stringContaining('the first to expire is')],
      ])
      const [, , , testCa] = findings
      expect(testCa?.nextStep).toContain('certs trust stage FILE --institution bank-b --environment sandbox, then')
    },
  )

  it('says of the calls of each what its other keys lack, and compares environments of one institution only', async () => {
    const { folder } = await createSite()
    writeFileSync(join(folder, 'secret'), 'secret')
    const entry = (environment: string, changes: object = {}) => ({
      environment,
      baseAddresses: { charges: 'https://charges.example' },
      clientId: 'one',
      clientSecret: 'secret',
      ...changes,
    })
    const payment = { baseAddresses: { payment: 'https://pay.example' }, certificate: 'a.crt', privateKey: 'a.key' }
    const institutions = [
      institution('bank-a', { service: [entry('production'), entry('sandbox', { clientId: 'one', ...payment })] }),
      institution('bank-b', { kinds: { charge: { path: '/bank-b/charge' } }, service: [entry('sandbox')] }),
    ]
    const service = [entry('production', { resolveTokens: false })]
    const publicUrl = 'https://hooks.example.com'
    const chargeNotifications = {
      host: '127.0.0.1',
      port: 0,
      publicUrl,
      tokens: [{ environment: 'sandbox', institution: 'bank-b', tokenFile: 'token' }],
    }
    const callbacks = { ...BASE_CALLBACKS, publicUrl }
    const context = await contextOf({ callbacks, chargeNotifications, institutions, service }, folder)
    const findings = await checkService(context)
    expect(open(findings)).toEqual([
      ['bank-a: clientId', 'service.environment', 'warning'],
      ['bank-a/production: tokens', 'service.tokens', 'warning'],
      ['bank-a/sandbox: certificate', 'service.certificate_unusable', 'problem'],
      ['bank-a/sandbox: chain', 'service.chain', 'warning'],
    ])
    const of = (code: string) => findings.find((one) => one.code === code)
    expect(of('service.tokens')).toMatchObject({
      found: expect.stringContaining('institutions.bank-a.kinds has no kind charge'),
      nextStep: expect.stringContaining('charge: { path: /bank-a/charge }'),
    })
    expect(of('service.chain')?.nextStep).toContain('stage FILE --institution bank-a --environment sandbox')
    expect(findings.map(({ what }) => what)).toContain('bank-b/sandbox: tokens')
  })

  it('says whose charges come over mutual TLS only, and whose client secret cannot be used', async () => {
    const service = [
      {
        environment: 'production',
        baseAddresses: { charges: 'https://charges.example' },
        clientId: 'one',
        clientSecret: 'missing',
      },
    ]
    const kinds = { charge: { path: '/bank-a/charge' } }
    const { folder, configFile } = await createSite({
      institutions: [institution('bank-a', { kinds, service }), institution('bank-b')],
      chargeNotifications: {
        host: '127.0.0.1',
        port: 0,
        tokens: [{ environment: 'production', tokenFile: 'token' }],
        pathTokens: [{ environment: 'production', institution: 'bank-b', kind: 'payment', tokenFile: 'other-token' }],
      },
    })
    writeFileSync(join(folder, 'token'), 'ab'.repeat(16))
    writeFileSync(join(folder, 'other-token'), 'cd'.repeat(16))
    expect(open(checkConfiguration(configFile).findings)).toEqual([
      ['service', 'service.secret_unusable', 'problem'],
      ['charge listener of bank-a', 'charges.off', 'warning'],
      ['charge listener', 'charges.without_tls', 'warning'],
      ['path tokens of payment of bank-b', 'charges.path_tokens', 'warning'],
    ])
  })

  it('says whose payments are taken for every account, once they come', async () => {
    const pix = { pix: { path: '/bank-b/pix' } }
    const { config } = await contextOf({ institutions: [institution('bank-a'), institution('bank-b', { kinds: pix })] })
    const store = await openTestStore({ file: databaseFile(config) })
    const found = async () => (await checkAccounts(config)).map(({ what, code, nextStep }) => [what, code, nextStep])
    await store.storeCallback(aCallback({ environment: 'bank-a/production' }))
    const step = (kind: string) =>
      expect.stringContaining(`name your accounts or keys in institutions.${kind}.accounts.allow`)
    const ofA = ['accounts of bank-a', 'accounts.any', step('bank-a.kinds.payment')]
    expect(await found()).toEqual([ofA])
    await store.storeCallback(aCallback({ environment: 'bank-b/sandbox', facts: [aFact({ kind: 'pix' })] }))
    expect(await found()).toEqual([ofA, ['accounts of bank-b', 'accounts.any', step('bank-b.kinds.pix')]])
  })

  it('says whose events no destination gets, and which destination gets none', async () => {
    const destination = (name: string, filter: object) => ({
      name,
      url: 'https://app.example/',
      secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      ...filter,
    })
    const destinations = [
      destination('books', { institutions: ['bank-a'] }),
      destination('shop', { institutions: ['bank-a', 'bank-b'], kinds: ['charge'] }),
    ]
    const context = await contextOf({ destinations, institutions: [institution('bank-a'), institution('bank-b')] })
    const found = async () => open((await checkDestinations(context)).findings)
    const none = (what: string, level: string) => [what, 'forwarding.none', level]
    const shop = ['shop', 'destination.institution', 'warning']
    expect(await found()).toEqual([shop, none('the unnamed institution', 'good'), none('bank-b', 'good')])
    const store = await openTestStore({ file: databaseFile(context.config) })
    await store.storeCallback(aCallback({ environment: 'bank-b/production' }))
    expect(await found()).toEqual([shop, none('the unnamed institution', 'good'), none('bank-b', 'warning')])
    const settings = aDestination({ name: 'app', url: 'https://app.example/', kinds: ['payment'] })
    await store.registerDestination(settings, { id: 'uuid-1', owner: null }, Date.now())
    expect(await found()).toEqual([shop, none('bank-b', 'warning')])
    await store.leaseBatch({ name: 'reports', owner: null }, { after: 0, end: 1, gapsReportedAt: 0 }, null, Date.now())
    expect(await found()).toEqual([shop])
  })
})
