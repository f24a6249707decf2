import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeConfiguredCertificates } from '../../src/certificates/development/development.ts'
import { problemsOf } from '../../src/certificates/files/pem.ts'
import { verdictOf } from '../../src/cli/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { loadCertificates } from '../../src/gateway/certificates.ts'
import { COMMAND } from '../../src/platform/installation.ts'
import { pkcs12Of } from '../certificates/files/bundles.ts'
import { BASE_CALLBACKS, createSite, MAIN, recordingLog } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { linesOf, portaria } from './program.ts'

const CHARGES = {
  host: '127.0.0.1',
  port: 0,
  tokens: [{ environment: 'sandbox', tokenFile: 'credential:secrets_charge-token' }],
}
const APP = { name: 'app', url: 'https://app.example/', secretFile: 'credential:secrets_app' }

afterEach(() => void vi.unstubAllEnvs())

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return null
}

it('says that a file is right, names it, and creates nothing', async () => {
  const site = await createSite()
  const before = readdirSync(site.folder, { recursive: true })
  const [text, json, verbose] = await Promise.all([
    portaria(site, 'config', 'check'),
    portaria(null, 'config', 'check', '--config', site.configFile, '--json'),
    portaria(site, 'config', 'check', '--verbose'),
  ])
  expect(verbose.stderr).toBe(`portaria: the configuration is ${site.configFile}: PORTARIA_CONFIG names it\n`)
  expect(text).toMatchObject({ code: 0, stdout: `✓ ${site.configFile} is right\n`, stderr: '' })
  expect([json.code, linesOf(json)]).toEqual([0, [{ file: site.configFile, ok: true, mistakes: [], notChecked: [] }]])
  expect(readdirSync(site.folder, { recursive: true })).toEqual(before)
})

it('lists all mistakes together and ends with 1; wrong usage ends with 2', async () => {
  const site = await createSite()
  writeFileSync(site.configFile, `${readFileSync(site.configFile, 'utf8')}mode: prod\nlog: { levle: info }\n`)
  const { code, stdout } = await portaria(site, 'config', 'check')
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /^✗ .* has 2 mistakes; .*\n {2}✗ mode \(line \d+\): must be one of .*\n {2}✗ log\.levle \(line \d+\): unknown key.*\n$/,
    ),
  ])
  expect((await portaria(site, 'config', 'check', 'one.yaml')).code).toBe(2)
  const missing = await portaria(null, 'config', 'check', '--config', join(site.folder, 'none.yaml'))
  expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining('it does not exist')])
})

it('names files that are missing or hold nothing that could be used', async () => {
  const site = await createSite({ destinations: [{ ...APP, secretFile: 'secret' }] })
  writeFileSync(join(site.folder, 'secret'), 'nothing')
  writeFileSync(join(site.folder, 'operator-token'), 'short')
  rmSync(join(site.certs, 'server.key'))
  rmSync(join(site.certs, 'trust/sandbox.pem'))
  expect(verdictOf(site.configFile).mistakes).toEqual([
    expect.stringMatching(/^destinations\[0\]\.secretFile \(line \d+\): its file must hold/),
    expect.stringMatching(/^callbacks\.privateKey: .*server\.key cannot be read: it does not exist/),
    expect.stringMatching(/^chain of sandbox: .*sandbox\.pem cannot be read: it does not exist/),
    expect.stringMatching(/^api\.operatorTokenFile .*: the token must be at least 32/),
  ])
})

it('names a certificate file that is none, and the command that converts a .p12', async () => {
  const site = await createSite()
  const [server, chain] = [join(site.certs, 'server.crt'), join(site.certs, 'trust/sandbox.pem')]
  writeFileSync(
    server,
    await pkcs12Of(readFileSync(server, 'utf8'), readFileSync(join(site.certs, 'server.key'), 'utf8')),
  )
  writeFileSync(chain, 'no certificate')
  expect(verdictOf(site.configFile).mistakes).toEqual([
    expect.stringMatching(/^chain of sandbox: .*sandbox\.pem .*certificate/),
    expect.stringContaining(
      `is a PKCS#12 file (.p12 or .pfx): name PEM files in the configuration, which "${COMMAND} certs import`,
    ),
  ])
})

describe('what the start refuses is a mistake, in the same words', () => {
  const [server, production] = ['certs/server.crt', 'certs/trust/production.pem']
  const tls = { certificate: server, privateKey: 'other.key' }
  it.each<[what: string, changes: Record<string, unknown>, problem: RegExp]>([
    [
      'one chain in two environments',
      {
        callbacks: {
          ...BASE_CALLBACKS,
          trust: ['production', 'sandbox'].map((environment) => ({ environment, chain: production })),
        },
      },
      /the environment of a caller would be ambiguous/,
    ],
    [
      'a key of another certificate',
      { callbacks: { ...BASE_CALLBACKS, privateKey: 'other.key' } },
      /is not the key of/,
    ],
    [
      'a key of another certificate of the API, and of the charge listener',
      {
        api: { host: '127.0.0.1', port: 0, ...tls },
        chargeNotifications: { ...CHARGES, ...tls, tokens: [{ environment: 'sandbox', tokenFile: 'token' }] },
      },
      /other\.key is not the key of/,
    ],
    [
      "a certificate in place of an authority of the API's clients",
      { api: { host: '127.0.0.1', port: 0, certificate: server, privateKey: 'certs/server.key', clientCa: server } },
      /server\.crt/,
    ],
  ])('%s', async (_what, changes, problem) => {
    const site = await createSite(changes)
    writeFileSync(join(site.folder, 'token'), 'ab'.repeat(16))
    cpSync(join(site.certs, 'service/sandbox-client.key'), join(site.folder, 'other.key'))
    const refusal = problemsOf(thrownBy(() => loadCertificates(loadConfig(site.configFile), recordingLog([]))))
    const { mistakes } = verdictOf(site.configFile)
    expect(mistakes).toEqual(expect.arrayContaining([...refusal]))
    expect(mistakes).toContainEqual(expect.stringMatching(problem))
  })
})

it('files of the service, of destinations and of alarms that cannot be used are mistakes', async () => {
  const account = {
    certificate: 'certs/service/sandbox-client.crt',
    privateKey: 'certs/server.key',
    authorities: 'token',
  }
  const site = await createSite({
    forwarding: {
      clientCertificate: { certificate: 'certs/server.crt', privateKey: 'certs/service/sandbox-client.key' },
    },
    service: [
      {
        environment: 'sandbox',
        baseAddresses: { payment: 'https://bank.example' },
        clientId: 'id',
        clientSecret: 'token',
        ...account,
      },
    ],
    alarms: { channels: [{ name: 'team', format: 'json', webhookFile: 'none.url' }] },
  })
  writeFileSync(join(site.folder, 'token'), 'ab'.repeat(16))
  expect(verdictOf(site.configFile).mistakes).toEqual([
    expect.stringMatching(/^alarms\.team\.webhookFile: .*none\.url cannot be read: it does not exist/),
    expect.stringMatching(/sandbox-client\.key is not the key of/),
    expect.stringMatching(/server\.key is not the key of/),
    expect.stringMatching(/token contains no certificate/),
  ])
})

it('in development, missing certificates are no mistake, because the start creates them', async () => {
  const site = await createSite({ mode: 'development' })
  rmSync(site.certs, { recursive: true })
  expect(verdictOf(site.configFile)).toMatchObject({ ok: true, mistakes: [] })
})

it.each([
  ['a part of them is missing', 'server-ca.crt', /development certificates are missing in .*: server-ca\.crt/],
  ['a file is missing that it does not make', 'other.pem', /other\.pem \(callbacks\) does not exist/],
])('in development it is a mistake, as for the start, that %s', async (_what, absent, problem) => {
  const trust = [{ environment: 'sandbox', chain: `certs/${absent.endsWith('.pem') ? absent : 'trust/sandbox.pem'}` }]
  const site = await createSite({ mode: 'development', callbacks: { ...BASE_CALLBACKS, trust } })
  rmSync(join(site.certs, absent), { force: true })
  const { callbacks } = loadConfig(site.configFile)
  await expect(makeConfiguredCertificates(callbacks)).rejects.toThrow(problem)
  expect(verdictOf(site.configFile).mistakes).toEqual([expect.stringMatching(problem)])
})

describe('credentials', () => {
  it('outside a running service they are not checked, and the text says how to load them', async () => {
    vi.stubEnv('CREDENTIALS_DIRECTORY', join(temporaryFolder(), 'none'))
    const pathTokens = [{ environment: 'sandbox', kind: 'payment', tokenFile: 'credential:secrets_payment-token' }]
    const site = await createSite({ chargeNotifications: { ...CHARGES, pathTokens }, destinations: [APP] })
    const { ok, mistakes, notChecked } = verdictOf(site.configFile)
    expect([ok, mistakes]).toEqual([true, []])
    expect(notChecked).toEqual(
      [
        ['chargeNotifications.tokens', 'secrets_charge-token'],
        ['chargeNotifications.pathTokens', 'secrets_payment-token'],
        ['destinations.secretFile', 'secrets_app'],
      ].map(([key, name]) => expect.stringMatching(`^${key}: credential ${name}: .*systemctl restart portaria$`)),
    )
  })

  it('in the unit a missing one is a mistake, as for the start', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'loaded'))
    writeFileSync(join(folder, 'loaded/secrets_charge-token'), 'ab'.repeat(16))
    chmodSync(join(folder, 'loaded'), 0o500)
    vi.stubEnv('CREDENTIALS_DIRECTORY', join(folder, 'loaded'))
    const site = await createSite({ chargeNotifications: CHARGES, destinations: [APP] })
    expect(verdictOf(site.configFile)).toMatchObject({
      mistakes: [
        expect.stringMatching(/^destinations\[0\]\.secretFile .* not loaded: no secret has this name: create /),
      ],
      notChecked: [],
    })
  })
})

it('loads neither gateway nor database, so that it is as fast as the version', () => {
  const loaded = new Set<string>()
  const follow = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type ).*from '(\.[^']+)'/gm))
      follow(resolve(dirname(file), path))
  }
  follow(resolve(dirname(MAIN), 'cli/config.ts'))
  expect([...loaded].filter((file) => /src\/(gateway|store|receiving|delivery|jobs|metrics)\//.test(file))).toEqual([])
  expect(loaded.size).toBeGreaterThan(10)
})
