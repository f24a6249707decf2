import { execFile, spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { allEvents, callApi } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const run = promisify(execFile)
const SIMULATOR = resolve(import.meta.dirname, '../../../simulator/bin/portaria-simulator')
const hasCurl = spawnSync('curl', ['--version']).status === 0

/** The institutions of the tests, by the preset of each. */
const BANKS = { service: 'bank-a', 'instant-payment': 'bank-b', 'open-finance': 'holders' } as const
type Preset = keyof typeof BANKS

interface Played {
  readonly chain: string
  readonly certificate: string
  readonly privateKey: string
  readonly callbacks: readonly { fixture: string; status: number | null; problems: readonly string[] }[]
}

/** The simulator's command, with the certificates of its institutions in one folder. */
function simulatedIn(folder: string) {
  return async function play(preset: Preset, ...more: string[]): Promise<Played> {
    const { stdout } = await run(SIMULATOR, ['play', preset, ...more, '--folder', folder, '--json']).catch(
      (error: { stdout: string }) => error,
    )
    const played: Played = JSON.parse(stdout)
    // How long an answer takes depends on what else this machine does.
    const callbacks = played.callbacks.map(({ problems, ...call }) => {
      return { ...call, problems: problems.filter((one) => !one.startsWith('the answer took')) }
    })
    return { ...played, callbacks }
  }
}

/** A gateway with an institution of each preset beside the unnamed one of every test. */
async function startWithBanks(changes: Partial<Record<Preset, object>> = {}) {
  const play = simulatedIn(temporaryFolder())
  const presets = Object.keys(BANKS) as Preset[]
  const certificates = Object.fromEntries(
    await Promise.all(presets.map(async (one) => [one, await play(one)] as const)),
  )
  const institutions = presets.map((preset) => ({
    name: BANKS[preset],
    preset,
    trust: [{ environment: 'production', chain: certificates[preset]?.chain }],
    ...changes[preset],
  }))
  const gateway = await startTestGateway(await createSite({ institutions }))
  const base = `https://localhost:${gateway.callbacks.port}`
  const serverCa = join(gateway.site.certs, 'server-ca.crt')
  /** An answer with its headers, as curl prints it. */
  async function curl(preset: Preset, path: string, ...more: string[]): Promise<string> {
    const { certificate = '', privateKey = '' } = certificates[preset] ?? {}
    const credentials = ['--cacert', serverCa, '--cert', certificate, '--key', privateKey]
    const { stdout } = await run('curl', ['-sSi', ...credentials, ...more, `${base}${path}`])
    return stdout
  }
  const playAt = (preset: Preset, path: string) => play(preset, `${base}${path}`, '--receiver-ca', serverCa)
  return { gateway, curl, playAt }
}

const traitsOf = async ({ api }: TestGateway, query = '') =>
  (await allEvents(api, query)).map(({ kind, institution, subject, status }) => [institution, kind, subject, status])

describe('a gateway with an institution of each preset', () => {
  it('takes what the simulator sends in their names, and answers as each wants it', async () => {
    const { gateway, playAt } = await startWithBanks()
    for (const [preset, name] of Object.entries(BANKS) as [Preset, string][]) {
      const { callbacks } = await playAt(preset, `/${name}`)
      expect(callbacks.flatMap(({ fixture, problems }) => problems.map((one) => `${fixture}: ${one}`))).toEqual([])
    }
    expect(await traitsOf(gateway, '&institution=bank-a')).toEqual([
      ['bank-a', 'payment', '1000001', 'LIQUIDADO'],
      ['bank-a', 'registration', '6b1e8f0e-6ad7-4c05-8b1c-1f6a3e0f9d11', 'conta_aberta'],
      ['bank-a', 'openBanking', 'urn:participant:fd2be7c4-6073-4d3c-8b5e-4b6f7ba0c5a1', 'aceito'],
      ['bank-a', 'charge', '1000001', 'paid'],
    ])
    // A refund has the id of its payment, and is another fact.
    expect(await traitsOf(gateway, '&institution=bank-b')).toEqual([
      ['bank-b', 'pix', 'E00000000202603021500aaaaaaaaaa1', null],
      ['bank-b', 'pix', 'E00000000202603021500aaaaaaaaaa2', null],
      ['bank-b', 'pix', 'E00000000202603021500aaaaaaaaaa3', null],
      ['bank-b', 'pix', 'E00000000202603021500aaaaaaaaaa1', 'DEVOLVIDO'],
      ['bank-b', 'rec', 'RR0000000020260302aaaaaaaaaaa', 'APROVADA'],
      ['bank-b', 'cobr', '3136957d93134f2184b369e8f1c0729d', 'ATIVA'],
    ])
    expect(await traitsOf(gateway, '&institution=bank-b&kind=probe')).toHaveLength(1)
    // The bodies are equal: only the path tells these facts apart.
    expect(await traitsOf(gateway, '&institution=holders')).toEqual([
      ['holders', 'paymentConsent', 'urn:bancoex:C1DD33123', null],
      ['holders', 'pixPayment', 'TXpRMU9UQTROMWhZV2xSU1FUazJSMDl', null],
      ['holders', 'enrollment', 'urn:bancoex:E1DD33124', null],
      ['holders', 'recurringConsent', 'urn:bancoex:R1DD33125', null],
      ['holders', 'recurringPayment', '8f2c1d5e-4b7a-4b1c-9a54-6d0e3f1b2c3d', null],
    ])
  })

  it('recognizes what an institution sends again', async () => {
    const { gateway, playAt } = await startWithBanks()
    const names = Object.entries(BANKS) as [Preset, string][]
    for (const [preset, name] of [...names, ...names]) await playAt(preset, `/${name}`)
    expect(await traitsOf(gateway)).toHaveLength(15)
  })

  it('refuses an institution at the paths of another one, by name', async () => {
    const { gateway, playAt } = await startWithBanks()
    const { callbacks } = await playAt('open-finance', '/bank-b')
    expect(callbacks.map(({ status }) => status)).toEqual(callbacks.map(() => 404))
    expect(callbacks[0]?.problems).toEqual([
      'the status is 404, not 202',
      'the answer does not repeat x-webhook-interaction-id',
    ])
    expect(await traitsOf(gateway)).toEqual([])
    const refusals = async () => JSON.parse((await callApi(gateway.api, '/v1/refusals?reason=unknown_path')).body).data
    const refused = await until(refusals, (all) => all.length === callbacks.length)
    for (const { institution, environment, detail } of refused) {
      expect([institution, environment]).toEqual(['holders', 'production'])
      expect(detail).toMatch(/^\/bank-b\/open-banking/)
    }
  })
})

const ENROLLMENT = '/holders/open-banking/webhook/v1/enrollments/v2/enrollments/E1'
const HEADER = 'x-webhook-interaction-id'
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
const echoIn = (answer: string) => /^x-webhook-interaction-id: (.*)\r$/m.exec(answer)?.[1]
const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4)

describe.skipIf(!hasCurl)('the answer to a stored callback, seen by curl', () => {
  it('is the one of the preset, and 200 where nothing else is said', async () => {
    const { gateway, curl } = await startWithBanks({ service: { answer: { status: 202, body: '{"ok":true}' } } })
    const pix = await curl('instant-payment', '/bank-b/pix/pix', '--json', '{"pix":[{"endToEndId":"E1"}]}')
    expect([statusOf(pix), bodyOf(pix)]).toEqual([200, '200'])
    const holder = await curl('open-finance', ENROLLMENT, '--json', '{"data":{}}', '-H', `${HEADER}: 7d9f-1`)
    expect([statusOf(holder), bodyOf(holder), echoIn(holder)]).toEqual([202, '', '7d9f-1'])
    const changed = await curl(
      'service',
      '/bank-a/payment',
      '--json',
      '{"identificador":"1"}',
      '-H',
      `${HEADER}: 7d9f-1`,
    )
    expect([statusOf(changed), bodyOf(changed), echoIn(changed)]).toEqual([202, '{"ok":true}', undefined])
    expect(await traitsOf(gateway)).toHaveLength(3)
  })

  it('repeats a header only if it is short and printable', async () => {
    const { curl } = await startWithBanks()
    const echoOf = async (...headers: string[]) => {
      const answer = await curl(
        'open-finance',
        ENROLLMENT,
        '--json',
        '{"data":{}}',
        ...headers.flatMap((one) => ['-H', one]),
      )
      expect(statusOf(answer)).toBe(202)
      return echoIn(answer)
    }
    expect(await echoOf()).toBeUndefined()
    expect(await echoOf(`${HEADER}: ${'a'.repeat(256)}`)).toBe('a'.repeat(256))
    expect(await echoOf(`${HEADER}: ${'a'.repeat(257)}`)).toBeUndefined()
    expect(await echoOf(`${HEADER}: caf\u00e9`)).toBeUndefined()
    expect(await echoOf(`${HEADER}: a\tb`)).toBeUndefined()
  })
})

it('two institutions that send the same bytes report two facts', async () => {
  const { gateway, curl } = await startWithBanks()
  const same = ['--json', '{"identificador":"1","status":"PAGO"}']
  for (let again = 0; again < 2; again++) {
    await curl('service', '/bank-a/payment', ...same)
    await curl('instant-payment', '/bank-b/pix', ...same)
  }
  expect((await traitsOf(gateway)).map(([institution, kind]) => [institution, kind])).toEqual([
    ['bank-a', 'payment'],
    ['bank-b', 'pix'],
  ])
})
