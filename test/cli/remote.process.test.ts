import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aHeldCallback } from '../support/builders.ts'
import { callApi, callBack } from '../support/calls.ts'
import { createSite, mainProgram, spawnGateway, startTestGateway, type TestSite } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { storeOptionsOf } from '../support/store.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { type Ended, inShell, linesOf, portaria } from './program.ts'

/** In quarantine: qtn_1, whose amount no number of JavaScript has, and qtn_2. */
async function siteWithQuarantine(): Promise<TestSite> {
  const site = await createSite({
    alarms: { channels: [{ name: 'team', webhook: 'http://127.0.0.1:9/hook', format: 'json' }] },
  })
  const store = await openStore(storeOptionsOf(loadConfig(site.configFile)))
  await store.storeCallback(aHeldCallback('{"txid":"A", "valor":12345678901234567.10, "account":"theirs"}'))
  await store.storeCallback(aHeldCallback('{"txid":"B"}'))
  await store.close()
  return site
}

it('with a saved profile a command changes what its client may, waits for it, and runs the check of the gateway', async () => {
  const site = await siteWithQuarantine()
  const gateway = { site, ...(await spawnGateway(site)) }
  const { api } = gateway
  const receiver = await startReceiver()
  await callApi(api, '/v1/destinations', { method: 'POST', body: { url: receiver.url, name: 'app' } })
  await callBack(gateway, { body: '{"identificador":"1","status":{"atual":"LIQUIDADO"}}' })
  const scopes = ['operations.read', 'operations.write', 'events.read', 'events.replay']
  const made = await callApi(api, '/v1/clients', { method: 'POST', body: { name: 'ops', environment: 'any', scopes } })
  const { clientId, clientSecret } = JSON.parse(made.body) as { clientId: string; clientSecret: string }
  const home = temporaryFolder()
  writeFileSync(join(home, 'secret'), clientSecret)
  const far = (line: string) => inShell(null, `export XDG_CONFIG_HOME=${home}; ${line}`)
  const login = await far(
    `portaria login http://127.0.0.1:${api.port} --client-id ${clientId} --client-secret-file ${home}/secret --profile far --json`,
  )
  const { file } = JSON.parse(login.stdout) as { file: string }
  expect([login.code, JSON.parse(login.stdout).scopes.sort()]).toEqual([0, [...scopes].sort()])
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])

  const replay = await far('portaria replays create --profile far --destination app --mode all --json --reason again')
  expect([replay.code, JSON.parse(replay.stdout)]).toMatchObject([0, { state: 'done', matched: 1, created: 1 }])
  const released = await far('PORTARIA_PROFILE=far portaria quarantine release qtn_2')
  expect([released.code, released.stdout]).toEqual([0, expect.stringMatching(/^qtn_2 is evt_\S+ now\n$/)])
  const muted = await far('portaria alarms mute all --until 1h --json --profile far')
  const { id } = JSON.parse(muted.stdout) as { id: string }
  const [unmuted, tested, reconciled, raw] = await Promise.all([
    far(`portaria alarms unmute ${id} --profile far`),
    far('portaria alarms test --profile far'),
    far('portaria service reconcile --profile far'),
    far('portaria quarantine show qtn_1 --raw --profile far'),
  ])
  expect([unmuted.code, unmuted.stdout]).toEqual([0, `${id} is ended\n`])
  expect([tested.code, tested.stdout]).toEqual([1, expect.stringMatching(/^team: not sent: /)])
  expect([reconciled.code, reconciled.stdout]).toEqual([0, expect.stringContaining('nothing is reconciled')])
  expect([raw.code, raw.stderr]).toEqual([2, expect.stringContaining("works only on the gateway's machine")])

  const check = await far('portaria check --profile far --json')
  const own = await portaria(site, 'check', '--json')
  const namesIn = (ended: Ended) => linesOf(ended).map(({ area, code, what, ok }) => [area, code, what, ok])
  expect(namesIn(check)).toEqual(namesIn(own))
  expect(check.code).toBe(own.code)
  const offline = await far('portaria check --profile far --offline')
  expect([offline.code, offline.stderr]).toEqual([2, expect.stringContaining('--offline works only on')])
})

it('scopes decide what a command may do by the API, and one that needs files of the machine says so', async () => {
  const { site, api } = await startTestGateway()
  const { body } = await callApi(api, '/v1/clients', {
    method: 'POST',
    body: { name: 'reader', environment: 'any', scopes: ['events.read'] },
  })
  const { clientId, clientSecret } = JSON.parse(body) as { clientId: string; clientSecret: string }
  const token = await fetch(`http://127.0.0.1:${api.port}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }),
  })
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'token'), ((await token.json()) as { access_token: string }).access_token)
  const remote = ['--api', `http://127.0.0.1:${api.port}`, '--token-file', join(folder, 'token')]
  const cases: [string[], number, RegExp][] = [
    [['events', 'list'], 0, /^$/],
    [['destinations', 'pause', 'app'], 1, /scope/],
    [['storage', 'stats'], 2, /works only on the gateway's machine, and --api names a gateway by its API/],
    [['certs', 'show'], 2, /works only on the gateway's machine/],
    [['serve'], 2, /works only on the gateway's machine/],
    [['trigger', 'payment'], 2, /works only on the gateway's machine/],
    [['version'], 2, /this command asks no gateway, and --api names one: leave --api out/],
    [['init', join(folder, 'new')], 2, /this command asks no gateway/],
    [
      ['events', 'list', '--config', site.configFile],
      2,
      /--api is a gateway of another machine, and --config one of this machine/,
    ],
  ]
  const ended = await Promise.all(cases.map(([args]) => portaria(null, ...args, ...remote)))
  for (const [at, [args, code, pattern]] of cases.entries()) {
    expect(ended[at]?.code, args.join(' ')).toBe(code)
    expect(ended[at]?.stderr, args.join(' ')).toMatch(pattern)
  }
})

it('what tail shows by the API goes on after a break, and misses nothing', async () => {
  const gateway = await startTestGateway()
  const { site, api } = gateway
  const proxy = await startTcpProxy(api.port)
  const remote = ['--api', `http://127.0.0.1:${proxy.port}`, '--token-file', join(site.folder, 'operator-token')]
  const pay = (id: string) => callBack(gateway, { body: `{"identificador":"${id}","status":{"atual":"LIQUIDADO"}}` })
  await pay('before')
  const events = follow(['events', 'tail', '--kind', 'payment', ...remote])
  expect(await events.next()).toMatch(/^received +id +kind/)

  await pay('first')
  expect(await events.next()).toContain(' first ')
  proxy.setMode('refused')
  proxy.cut()
  await until(() => events.stderr().includes('it goes on when the gateway answers again'))
  await pay('meanwhile')
  await callApi(api, '/v1/events', { token: 'a-wrong-token' })
  proxy.setMode('passed')
  expect(await events.next()).toContain(' meanwhile ')
  const byDelivery = follow(['events', 'tail', '--destination', 'app', ...remote])
  expect(await byDelivery.next()).toMatch(/^received +id +kind/)
  const refusals = follow(['refusals', 'tail', '--json', '--from', '1h', ...remote])
  expect(JSON.parse(await refusals.next())).toMatchObject({ code: 'invalid_token' })
  for (const one of [events, byDelivery, refusals]) {
    one.child.kill('SIGINT')
    expect(await one.ended).toEqual([0, null])
  }
  expect(events.stderr()).toContain('answers again\n')
})

function follow(args: readonly string[]) {
  const child = spawn(process.execPath, [mainProgram(), ...args], { env: { PATH: process.env.PATH, TZ: 'UTC' } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ended = once(child, 'exit')
  return { child, ended, stderr: () => stderr, next: async () => String((await lines.next()).value) }
}
