import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { callApi } from '../support/calls.ts'
import { type SpawnedGateway, spawnGateway } from '../support/gateway.ts'
import { reservePort } from '../support/ports.ts'
import { until } from '../support/until.ts'
import { type App, idsOf, isReady, listen, payment, SECRET, setUp, start, startApp, store } from './listener.ts'

it('forwards what a destination would get, with the same headers and signature, and ends with 0 at its count', async () => {
  const { site, gateway, home, login } = await setUp()
  const loggedIn = await start(home, ...login, '--profile', 'work').ended
  expect([loggedIn.code, loggedIn.stderr]).toEqual([0, ''])
  const file = join(home, '.config/portaria/profiles/work.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(home, '.config/portaria/profiles')).mode & 0o777).toBe(0o700)
  const app = await startApp()
  const destination = await startApp()
  await callApi(gateway.api, '/v1/destinations', {
    method: 'POST',
    body: { url: `${destination.url}/hook`, secret: SECRET, order: 'subject' },
  })
  const listener = listen(home, app, '--count', '5')
  await isReady(listener)
  const bodies = [
    '{ "identificador" : "1", "valor": 150.10, "big": 12345678901234567890 }\n',
    '{"pix":[{"endToEndId":"E1","valor":"1.00"},{"endToEndId":"E2","valor":"2.00"}]}',
    'no JSON, but words',
    '{"identificador":"2","texto":"ação \\u00e7 \\"x\\""}',
  ]

  await store(gateway, site, ...bodies)
  const { code, attempts, stderr } = await listener.ended

  expect([code, attempts.map(({ answer }) => answer)]).toEqual([0, [200, 200, 200, 200, 200]])
  expect(stderr).not.toContain('whsec_')
  await until(() => destination.seen.length === 5)
  const comparable = ({ seen }: App) =>
    seen
      .map(({ url, headers, body }) => {
        const { host, 'webhook-timestamp': at, 'webhook-signature': signature, 'cdn-loop': loop, ...same } = headers
        const signed = createHmac('sha256', Buffer.alloc(32, 7)).update(`${same['webhook-id']}.${at}.`).update(body)
        expect([signature, typeof loop, typeof host]).toEqual([`v1,${signed.digest('base64')}`, 'string', 'string'])
        return { url, headers: same, body: body.toString() }
      })
      .sort((a, b) => (String(a.headers['webhook-id']) < String(b.headers['webhook-id']) ? -1 : 1))
  expect(comparable(app)).toEqual(comparable(destination))
  const loggedOut = await start(home, 'logout', '--profile', 'work').ended
  expect(loggedOut.code).toBe(0)
  const without = await start(home, 'listen', '--forward-to', app.url, '--profile', 'work').ended
  expect([without.code, without.stderr]).toEqual([2, expect.stringMatching(/there is no profile work: make it with/)])
})

it('an app that is down, and a gateway that restarts: it says so, holds the event, and loses nothing', async () => {
  let gateway: SpawnedGateway | undefined
  const { site, home, login } = await setUp(async (at) => (gateway = await spawnGateway(at)))
  if (gateway === undefined) throw new Error('no gateway was started')
  await start(home, ...login, '--profile', 'work').ended
  const port = await reservePort()
  const listener = listen(home, { url: `http://127.0.0.1:${port}` }, '--count', '3')
  await isReady(listener)
  await store(gateway, site, payment(1))
  gateway.process.kill('SIGKILL')
  await gateway.exited
  await until(() => listener.stderr().includes('not connected: no gateway answers'))

  const second = await spawnGateway(site)
  await store(second, site, payment(2), payment(3))
  await until(() => listener.stderr().includes('connected again'))
  const app = await startApp(200, port)
  const { code, attempts } = await listener.ended

  expect(code).toBe(0)
  const taken = attempts.filter(({ answer }) => answer === 200).map(({ event }) => event)
  expect([taken.length, new Set(taken).size]).toEqual([3, 3])
  expect(new Set(idsOf(app))).toEqual(new Set(taken))
  expect(app.seen.map(({ body }) => JSON.parse(body.toString()).identificador)).toEqual(
    expect.arrayContaining(['1', '2', '3']),
  )
})

it('a listener that is stopped before its first connection just ends', async () => {
  let gateway: SpawnedGateway | undefined
  const { home, login } = await setUp(async (at) => (gateway = await spawnGateway(at)))
  if (gateway === undefined) throw new Error('no gateway was started')
  await start(home, ...login, '--profile', 'work').ended
  gateway.process.kill('SIGKILL')
  await gateway.exited
  const listener = listen(home, { url: 'http://127.0.0.1:9' })
  await until(() => listener.stderr().includes('not connected: no gateway answers'))
  listener.child.kill('SIGTERM')
  const { code, stderr } = await listener.ended
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('internal error')])
})

it('a listener that is killed or stopped with an event leaves it to the next one, and two share a consumer', async () => {
  const { site, gateway, home, login } = await setUp()
  await start(home, ...login, '--profile', 'work').ended
  const app = await startApp('nothing')
  const short = ['--app-timeout', '5', '--consumer', 'shared']
  const killed = listen(home, app, ...short)
  await isReady(killed)
  await store(gateway, site, payment(1))
  await until(() => app.seen.length > 0)
  killed.child.kill('SIGKILL')
  await killed.ended

  const stopped = listen(home, app, '--app-timeout', '30', '--consumer', 'shared')
  const before = app.seen.length
  await until(() => app.seen.length > before)
  stopped.child.kill('SIGINT')
  expect((await stopped.ended).code).toBe(0)
  // Made at its first use, and not moved when an event is given back: that is no action of a person.
  const { body } = await callApi(gateway.api, '/v1/audit')
  const { data } = JSON.parse(body) as { data: { action: string }[] }
  expect(data.filter(({ action }) => action === 'seekConsumer')).toHaveLength(1)

  app.answer = 200
  const pair = [1, 2].map(() => listen(home, app, '--app-timeout', '60', '--consumer', 'shared'))
  await Promise.all(pair.map(isReady))
  await store(gateway, site, ...[2, 3, 4, 5, 6, 7].map(payment))
  const one = await until(
    () => new Set(app.seen.slice(before + 1).map(({ headers }) => headers['webhook-id'])).size === 7,
  )
  expect(one).toBe(true)
  for (const { child } of pair) child.kill('SIGTERM')
  const ended = await Promise.all(pair.map((listener) => listener.ended))
  expect(ended.map(({ code }) => code)).toEqual([0, 0])
  const taken = ended.flatMap(({ attempts }) => attempts).filter(({ answer }) => answer === 200)
  expect(taken.map(({ event }) => event).sort()).toEqual([...new Set(taken.map(({ event }) => event))].sort())
})

it('without enough events in time it ends with 1, and wrong usage with 2', async () => {
  const { gateway, site, home, login } = await setUp()
  await start(home, ...login).ended
  const app = await startApp(500)
  const first = listen(home, app, '--profile', 'default', '--count', '1', '--timeout', '5')
  await isReady(first)
  await store(gateway, site, payment(1))
  const { code, attempts, stderr } = await first.ended
  expect(code).toBe(1)
  expect(attempts[0]).toMatchObject({ answer: 500, attempt: 1, retryMs: 1000 })
  expect(stderr).toContain('ended with 0 of 1 events')

  const wrong: [string[], RegExp][] = [
    [[], /required option '--forward-to <url>'/],
    [['--forward-to', 'nowhere'], /--forward-to "nowhere" is no address/],
    [['--forward-to', app.url, '--forward-to', app.url], /gives all kinds twice/],
    [['--forward-to', `payment=${app.url}`, '--kind', 'charge'], /--kind charge has no address/],
    [['--forward-to', app.url, '--profile', 'other'], /there is no profile other \(there is default\)/],
    [
      ['--forward-to', app.url, '--api', 'http://portaria.example', '--token-file', join(home, 'secret')],
      /has no TLS, and the token would cross/,
    ],
    [['--forward-to', app.url, '--api', 'https://portaria.example'], /--api needs --token-file/],
  ]
  const ended = await Promise.all(wrong.map(([args]) => start(home, 'listen', ...args).ended))
  for (const [at, [args, pattern]] of wrong.entries()) {
    expect(ended[at]?.code, args.join(' ')).toBe(2)
    expect(ended[at]?.stderr, args.join(' ')).toMatch(pattern)
  }
  expect(readFileSync(join(home, '.config/portaria/profiles/default.json'), 'utf8')).toContain('"clientId"')
})
