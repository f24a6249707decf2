import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { portaria, portariaProcess } from '../../cli/program.ts'
import { allEvents, callApi, callBack, keepAliveAgent } from '../../support/calls.ts'
import {
  createSite,
  type SpawnedGateway,
  serviceCredentials,
  spawnGateway,
  type TestSite,
} from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

describe('one process owns the database', { timeout: 60_000 }, () => {
  it('a second gateway on the same database refuses with a text and exit code 1, and the first is unharmed', async () => {
    const site = await createSite()
    const first = await spawnGateway(site)

    const second = await portaria(site, 'serve')

    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/another portaria process owns .*portaria\.db: stop it first/),
    })
    expect(await callAs(site, first, 'after')).toBe(200)
    expect((await allEvents(first.api)).map(({ subject }) => subject)).toEqual(['after'])
    expect(await portaria(site, 'destinations', 'create', 'http://127.0.0.1:9/hook')).toMatchObject({ code: 0 })
  })

  it('after a kill the next gateway starts at once, in place of the lock and the socket that were left', async () => {
    const site = await createSite()
    const first = await spawnGateway(site)
    expect(await callAs(site, first, 'before')).toBe(200)
    first.process.kill('SIGKILL')
    await first.exited
    expect(readdirSync(join(site.folder, 'data'))).toContain('control.sock')

    const second = await spawnGateway(site)
    expect((await allEvents(second.api)).map(({ subject }) => subject)).toEqual(['before'])
    expect(await portaria(site, 'destinations', 'create', 'http://127.0.0.1:9/hook', '--name', 'books')).toMatchObject({
      code: 0,
    })
    const { body } = await callApi(second.api, '/v1/destinations/books')
    expect(JSON.parse(body)).toMatchObject({ name: 'books', state: 'active' })
  })

  it('a database that a newer Portaria wrote is refused, by the gateway and by commands', async () => {
    const site = await createSite()
    mkdirSync(join(site.folder, 'data'))
    const db = new Database(join(site.folder, 'data/portaria.db'))
    db.pragma('user_version = 999')
    db.close()

    const [served, changed, looked] = [
      await portaria(site, 'serve'),
      await portaria(site, 'destinations', 'create', 'http://127.0.0.1:9/hook'),
      await portaria(site, 'events', 'list'),
    ]

    const words = expect.stringMatching(
      /has schema 999, but this Portaria knows only up to \d+: run the newer Portaria/,
    )
    for (const refused of [served, changed, looked]) expect(refused).toMatchObject({ code: 1, stderr: words })
  })

  it('everything in the data folder is for its owner alone', async () => {
    const site = await createSite()
    const gateway = await spawnGateway(site)
    await callAs(site, gateway, 'secret')

    const data = join(site.folder, 'data')
    const modes = readdirSync(data).map((name) => [name, (statSync(join(data, name)).mode & 0o777).toString(8)])
    expect(Object.fromEntries(modes)).toEqual({
      'control.sock': '600',
      'portaria.db': '600',
      'portaria.db-shm': '600',
      'portaria.db-wal': '600',
      'portaria.db.lock': '600',
      'portaria.db.position': '600',
      ...(modes.some(([name]) => name === 'portaria.db.lock-journal') && { 'portaria.db.lock-journal': '600' }),
    })
    expect((statSync(data).mode & 0o777).toString(8)).toBe('700')
  })
})

describe('commands that change something', { timeout: 60_000 }, () => {
  it('take effect in the running gateway before they end', async () => {
    const site = await createSite()
    const receiver = await startReceiver()
    const gateway = await spawnGateway(site)

    expect(await portaria(site, 'destinations', 'create', receiver.url, '--name', 'books')).toMatchObject({ code: 0 })
    expect(await callAs(site, gateway, 'created')).toBe(200)
    await until(() => receiver.received.length === 1)

    expect(await portaria(site, 'destinations', 'pause', 'books')).toMatchObject({
      code: 0,
      stdout: 'books is paused\n',
    })
    expect(await callAs(site, gateway, 'paused')).toBe(200)
    expect(await portaria(site, 'destinations', 'test', 'books')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^accepted after \d+ ms: HTTP 200\n/),
    })
    // The test event came, so the paused one had its time too.
    expect(receiver.received.map(({ headers }) => headers['portaria-kind'])).toEqual(['payment', 'operator'])

    expect(await portaria(site, 'destinations', 'resume', 'books')).toMatchObject({
      code: 0,
      stdout: 'books is active\n',
    })
    await until(() => receiver.received.length === 3)
    expect(receiver.received.at(-1)?.body.toString()).toContain('"paused"')

    expect(await portaria(site, 'destinations', 'delete', 'books')).toMatchObject({
      code: 0,
      stdout: 'deleted books\n',
    })
    expect(await callAs(site, gateway, 'deleted')).toBe(200)
    expect(await portaria(site, 'destinations', 'list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no destinations'),
    })
    expect(await pendingDeliveries(gateway)).toBe(0)
  })

  it('work without a gateway, and the next gateway finds what they did', async () => {
    const site = await createSite()
    const receiver = await startReceiver()

    expect(await portaria(site, 'destinations', 'create', receiver.url, '--name', 'kept')).toMatchObject({ code: 0 })
    expect(await portaria(site, 'destinations', 'create', receiver.url, '--name', 'paused')).toMatchObject({ code: 0 })
    expect(await portaria(site, 'destinations', 'pause', 'paused')).toMatchObject({ code: 0 })
    expect(await portaria(site, 'destinations', 'test', 'kept')).toMatchObject({ code: 0 })
    expect(readdirSync(join(site.folder, 'data')).filter((name) => name.includes('.sock'))).toEqual([])

    const gateway = await spawnGateway(site)
    expect(await callAs(site, gateway, 'first')).toBe(200)
    await until(() => receiver.received.length === 2)
    const { body } = await callApi(gateway.api, '/v1/destinations')
    const { data } = JSON.parse(body) as { data: { name: string; state: string; waiting: number }[] }
    expect(data.map(({ name, state }) => [name, state])).toEqual([
      ['kept', 'active'],
      ['paused', 'paused'],
    ])
  })

  it('succeed side by side without a gateway', async () => {
    const site = await createSite()
    const names = ['a', 'b', 'c', 'd']

    const made = await Promise.all(
      names.map((name) => portariaProcess(site, 'destinations', 'create', 'http://127.0.0.1:9/hook', '--name', name)),
    )

    expect(made.map(({ code, stderr }) => ({ code, stderr }))).toEqual(names.map(() => ({ code: 0, stderr: '' })))
    const { stdout } = await portaria(site, 'destinations', 'list', '--json')
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { name: string }).name)
        .sort(),
    ).toEqual(names)
  })

  it('succeed while the gateway starts, and do not keep it from starting', async () => {
    const site = await createSite()
    const early = portariaProcess(site, 'destinations', 'create', 'http://127.0.0.1:9/hook', '--name', 'early')
    const gateway = await spawnGateway(site)
    const alongside = ['one', 'two'].map((name) =>
      portariaProcess(site, 'destinations', 'create', 'http://127.0.0.1:9/hook', '--name', name),
    )

    for (const { code, stderr } of await Promise.all([early, ...alongside]))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { body } = await callApi(gateway.api, '/v1/destinations')
    const { data } = JSON.parse(body) as { data: { name: string }[] }
    expect(data.map(({ name }) => name).sort()).toEqual(['early', 'one', 'two'])
  })

  it('wait for a gateway that is stopping, then do it themselves', async () => {
    const site = await createSite()
    const hanging = await startHangingReceiver()
    const gateway = await spawnGateway(site)
    await portaria(site, 'destinations', 'create', hanging.url, '--name', 'hanging')
    await callAs(site, gateway, 'in-flight')
    await hanging.called
    gateway.process.kill('SIGTERM')
    await until(() => gateway.lines.some(({ event }) => event === 'gateway.stopping'))

    expect(await portaria(site, 'destinations', 'pause', 'hanging')).toMatchObject({
      code: 0,
      stdout: 'hanging is paused\n',
      stderr: '',
    })
    expect(await gateway.exited).toBe(0)
    expect(inDatabase(site, 'select state from destinations')).toEqual([{ state: 'paused' }])
  })
})

describe('SIGTERM', { timeout: 40_000 }, () => {
  it('answers the requests that are in flight and keeps all that it acknowledged', async () => {
    const site = await createSite()
    const gateway = await spawnGateway(site)
    const half = await sendHalf(site, gateway, 'half')
    const acknowledged: string[] = []
    const load = loadUntilCut(site, gateway, acknowledged)
    await until(() => acknowledged.length > 100)

    const stoppedAt = performance.now()
    gateway.process.kill('SIGTERM')
    await until(() => gateway.lines.some(({ event }) => event === 'gateway.stopping'))
    expect(await half.finish()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    await load
    expect(await gateway.exited).toBe(0)

    expect(performance.now() - stoppedAt).toBeLessThan(10_000)
    const stored = inDatabase(site, 'select subject from events').map(({ subject }) => subject)
    expect([...acknowledged, 'half'].filter((subject) => !stored.includes(subject))).toEqual([])
    expect(new Set(stored).size).toBe(stored.length)
  })

  it('is obeyed within 10 s with stalled callers on every listener and a receiver that hangs; no step of the schedule is used', async () => {
    const site = await createSite({
      chargeNotifications: {
        host: '127.0.0.1',
        port: 0,
        tokens: [{ environment: 'production', tokenFile: 'operator-token' }],
      },
    })
    const hanging = await startHangingReceiver()
    const gateway = await spawnGateway(site)
    await portaria(
      site,
      'destinations',
      'create',
      hanging.url,
      '--name',
      'hanging',
      '--timeout',
      '30000',
      '--concurrency',
      '2',
    )
    for (const subject of ['one', 'two', 'three']) expect(await callAs(site, gateway, subject)).toBe(200)
    await hanging.called
    await sendHalf(site, gateway, 'never finished')
    for (const port of [gateway.callbacks.port, gateway.charges?.port, gateway.api.port]) await stall(port as number)

    const stoppedAt = performance.now()
    gateway.process.kill('SIGTERM')

    expect(await gateway.exited).toBe(0)
    expect(performance.now() - stoppedAt).toBeLessThan(10_000)
    const given = { state: 'pending', retries_used: 0, claimed_by: null }
    const states = 'select state, attempts, retries_used, claimed_by from deliveries order by attempts'
    // Two at a time: the third was never sent.
    expect(inDatabase(site, states)).toEqual([0, 1, 1].map((attempts) => ({ ...given, attempts })))
    expect(inDatabase(site, 'select status, error from attempts')).toEqual(
      Array(2).fill({ status: null, error: expect.stringMatching(/^interrupted: /) }),
    )
  })
})

function bodyOf(subject: string): string {
  return JSON.stringify({ identificador: subject, status: { atual: 'LIQUIDADO' } })
}

async function callAs(site: TestSite, gateway: SpawnedGateway, subject: string): Promise<number> {
  return (await callBack({ callbacks: gateway.callbacks, site }, { body: bodyOf(subject) })).status
}

async function loadUntilCut(site: TestSite, gateway: SpawnedGateway, acknowledged: string[]): Promise<void> {
  const agent = keepAliveAgent(site, 4)
  let last = 0
  const sendUntilCut = async () => {
    for (;;) {
      const subject = `load-${++last}`
      const answer = await callBack({ callbacks: gateway.callbacks, site }, { body: bodyOf(subject), agent }).catch(
        () => null,
      )
      if (answer === null) return
      if (answer.status === 200) acknowledged.push(subject)
    }
  }
  await Promise.all([1, 2, 3, 4].map(sendUntilCut))
  agent.destroy()
}

/** A request whose body is half there; `finish` sends the rest and resolves with all that came back. */
async function sendHalf(site: TestSite, gateway: SpawnedGateway, subject: string) {
  const body = bodyOf(subject)
  const socket = connectTls({
    host: '127.0.0.1',
    port: gateway.callbacks.port,
    servername: 'localhost',
    ...serviceCredentials(site),
  })
  onTestFinished(() => void socket.destroy())
  let answer = ''
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  const continued = until(() => answer.startsWith('HTTP/1.1 100'))
  // The 100 says that the request's head has arrived.
  socket.write(
    `POST /callbacks/payment HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  socket.write(body.slice(0, 10))
  await continued
  answer = ''
  return {
    async finish() {
      socket.write(body.slice(10))
      await until(() => answer.includes('\r\n\r\n200'))
      socket.destroy()
      await closed
      return answer
    },
  }
}

/** A connection on which nothing ever comes. */
function stall(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve())
    socket.on('error', reject)
    onTestFinished(() => void socket.destroy())
  })
}

/** Takes every request and answers none. */
async function startHangingReceiver() {
  const { promise: called, resolve: onCalled } = Promise.withResolvers<void>()
  const server = createServer(() => onCalled())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, called }
}

async function pendingDeliveries(gateway: SpawnedGateway): Promise<number> {
  const { body } = await callApi(gateway.api, '/v1/deliveries?state=pending')
  return (JSON.parse(body) as { data: unknown[] }).data.length
}

function inDatabase(site: TestSite, sql: string): Record<string, unknown>[] {
  const db = new Database(join(site.folder, 'data/portaria.db'), { readonly: true })
  try {
    return db.prepare(sql).all() as Record<string, unknown>[]
  } finally {
    db.close()
  }
}
