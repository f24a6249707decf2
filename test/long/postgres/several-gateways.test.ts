import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { linesOf, portaria } from '../../cli/program.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { BASE_CALLBACKS, spawnGateway, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { siteOn } from '../../support/postgres.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const ROLES = [{ value: 'support', scopes: ['events.read'] }]

describePostgres('several gateways on one PostgreSQL database', (server) => {
  const siteOf = (url: string, name: string) => siteOn(server, { url, node: { name, folder: 'data' } })

  async function startTwo() {
    const url = await server.createDatabase()
    const [one, other] = [await siteOf(url, 'one'), await siteOf(url, 'other')]
    return { url, one: await startTestGateway(one), other: await startTestGateway(other) }
  }

  async function addDestination(gateway: Pick<TestGateway, 'api'>, name: string, url: string) {
    const answer = await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name, url } })
    expect(answer.status).toBe(201)
  }

  const call = (gateway: TestGateway, subject: string) =>
    callBack(gateway, { body: `{"identificador":"${subject}","subject":"${subject}"}` })

  it('each destination gets each event once, whichever node stores it and whichever sends', async () => {
    const { one, other } = await startTwo()
    const receivers = await Promise.all(['a', 'b', 'c', 'd'].map(() => startReceiver()))
    for (const [n, receiver] of receivers.entries())
      await addDestination(n % 2 === 0 ? one : other, `d${n}`, receiver.url)
    for (let n = 0; n < 20; n++) expect((await call(n % 2 === 0 ? one : other, `${n}`)).status).toBe(200)
    await until(() => receivers.every(({ received }) => received.length >= 20))
    const ids = receivers.map(({ received }) => new Set(received.map(({ headers }) => headers['webhook-id'])).size)
    expect(ids).toEqual([20, 20, 20, 20])
    expect(receivers.map(({ received }) => received.length)).toEqual([20, 20, 20, 20])
  })

  it('one that stops while PostgreSQL takes 0.1 s for each answer gives its leases back', async () => {
    const url = await server.createDatabase()
    const name = /\/(test_\d+)\?/.exec(url)?.[1] ?? ''
    const proxy = await startTcpProxy(server.port)
    const one = await startTestGateway(await siteOf(`postgres://portaria@127.0.0.1:${proxy.port}/${name}`, 'one'))
    const receiver = await startReceiver()
    await addDestination(one, 'books', receiver.url)
    const held = 'select from leases where node is not null'
    await until(
      () => server.query(held, name),
      (rows) => rows.length === 2,
    )
    proxy.setDelay(50)
    await Promise.all(Array.from({ length: 10 }, (_, n) => call(one, `${n}`)))
    await one.stop()
    expect(await server.query(held, name)).toEqual([])
    expect(await server.query('select from nodes', name)).toEqual([])
  })

  it('are listed and checked, with what each of them does and how it differs', async () => {
    const { url, one, other } = await startTwo()
    await addDestination(one, 'books', 'http://127.0.0.1:9/')
    const kinds = { payment: { path: '/callbacks/payment' } }
    const oidc = { issuer: 'https://idp.example', clientId: 'pages', clientSecretFile: 'oidc-secret', roles: ROLES }
    const api = { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', oidc }
    const changes = { api, callbacks: { ...BASE_CALLBACKS, kinds }, node: { name: 'strange', folder: 'data' } }
    const site = await siteOn(server, { url, ...changes })
    writeFileSync(join(site.folder, 'oidc-secret'), 'secret', { mode: 0o600 })
    const strange = await startTestGateway(site)
    interface Shown {
      readonly name: string
      readonly jobs: boolean
      readonly destinations: string[]
    }
    const listed = linesOf<Shown>(await portaria(one.site, 'nodes', 'list', '--json'))
    expect(listed).toMatchObject([
      { name: 'one', living: true, differs: [] },
      { name: 'other', living: true, differs: [] },
      { name: 'strange', living: true, differs: ['api.oidc', 'kinds'] },
    ])
    expect(listed.filter(({ jobs }) => jobs)).toHaveLength(1)
    expect(listed.flatMap(({ destinations }) => destinations)).toEqual(['dst_1'])
    expect((await portaria(one.site, 'nodes', 'list')).stdout).toContain('books')
    const { body } = await callApi(other.api, '/v1/nodes')
    expect(JSON.parse(body)).toMatchObject({ data: listed.map(({ name }) => ({ name })) })
    const { stdout } = await portaria(one.site, 'check', '--offline')
    expect(stdout).toMatch(/not as on most nodes: api.oidc, kinds.*\(nodes\.differ\)/s)
    const metrics = (await callApi(one.api, '/metrics')).body
    expect(metrics).toContain('portaria_node_info{node="one",version=')
    expect(metrics).toMatch(/^portaria_nodes_living [23]$/m)
    expect(metrics).toMatch(/^portaria_node_leases \d$/m)
    await strange.stop()
    expect(linesOf(await portaria(one.site, 'nodes', 'list', '--json'))).toHaveLength(2)
  })

  it('what one that stops had is sent by the other', async () => {
    const { one, other } = await startTwo()
    const receiver = await startReceiver()
    await addDestination(one, 'books', receiver.url)
    await call(one, '1')
    await until(() => receiver.received.length === 1)
    await one.stop()
    await call(other, '2')
    await until(() => receiver.received.length === 2)
    expect(receiver.received.length).toBe(2)
  })

  it('what a killed one had is sent by the other', async () => {
    const url = await server.createDatabase()
    const killed = await spawnGateway(await siteOf(url, 'killed'))
    const receivers = await Promise.all(['a', 'b', 'c'].map(() => startReceiver()))
    for (const [n, receiver] of receivers.entries()) await addDestination(killed, `d${n}`, receiver.url)
    const other = await startTestGateway(await siteOf(url, 'other'))
    killed.process.kill('SIGKILL')
    await killed.exited
    await call(other, '1')
    await until(() => receivers.every(({ received }) => received.length === 1), Boolean, 40_000)
  })
})
