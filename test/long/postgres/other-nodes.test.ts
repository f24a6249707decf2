import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { Address } from '../../../src/gateway/addresses.ts'
import { formTokenIn, newClient, TestBrowser } from '../../pages/browser.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { siteOn } from '../../support/postgres.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const PAYMENT = (subject: string) => ({ body: JSON.stringify({ identificador: subject }) })

describePostgres('two gateways on one PostgreSQL', (server) => {
  async function startTwo(): Promise<{ one: TestGateway; other: TestGateway }> {
    const url = await server.createDatabase()
    const start = async (name: string) =>
      startTestGateway(await siteOn(server, { url, node: { name, folder: 'data' } }))
    return { one: await start('one'), other: await start('other') }
  }

  async function post(api: Address, path: string, body: unknown, token?: string) {
    const answer = await callApi(api, path, { method: 'POST', body, ...(token !== undefined && { token }) })
    return { status: answer.status, body: answer.body === '' ? null : JSON.parse(answer.body) }
  }

  // A poll reads at the end of its wait in any case.
  it('a poll on one answers with what the other has stored', { timeout: 25_000 }, async () => {
    const { one, other } = await startTwo()
    const polling = callApi(other.api, '/v1/events?wait=30')
    // Behind the poll.
    await callApi(other.api, '/v1/events')
    expect((await callBack(one, PAYMENT('a'))).status).toBe(200)
    expect(JSON.parse((await polling).body).data).toMatchObject([{ subject: 'a' }])
  })

  it('a batch that one has leased is not leased by the other, which waits for its acknowledgment', async () => {
    const { one, other } = await startTwo()
    await callBack(one, PAYMENT('a'))
    await callBack(one, PAYMENT('b'))
    const { body: first } = await post(one.api, '/v1/consumers/ledger/batches', { limit: 1 })
    expect(first.data).toMatchObject([{ subject: 'a' }])
    expect((await post(other.api, '/v1/consumers/ledger/batches', { limit: 1 })).body).toMatchObject({
      data: [],
      leased: { until: expect.any(String) },
    })
    const waiting = post(other.api, '/v1/consumers/ledger/batches', { limit: 1, wait: 30 })
    expect((await post(one.api, '/v1/consumers/ledger/ack', { batch: first.batch })).status).toBe(200)
    expect((await waiting).body.data).toMatchObject([{ subject: 'b' }])
  })

  it('clients of one are clients of the other, until they are revoked', async () => {
    const { one, other } = await startTwo()
    const settings = { name: 'erp', environment: 'any', scopes: ['events.read'] }
    const { body: issued } = await post(one.api, '/v1/clients', settings)
    const askForToken = () => tokenFor(other.api, issued)
    const token = await until(askForToken, (one) => one !== null)
    const list = () => callApi(other.api, '/v1/events', { token })
    expect((await list()).status).toBe(200)
    expect((await post(one.api, '/v1/clients/erp/revoke', {})).status).toBe(200)
    await until(list, ({ status }) => status === 401)
    expect(await askForToken()).toBeNull()
  })

  // The documentation says a second; the rest is for a busy machine. Nothing ends the deafness, so that a node that only listens never refuses it.
  it('a node that does not hear the other refuses a revoked client nevertheless, and its token', async () => {
    const url = await server.createDatabase()
    const proxy = await startTcpProxy(server.port)
    const start = async (name: string, address: string) =>
      startTestGateway(await siteOn(server, { url: address, node: { name, folder: 'data' } }))
    const one = await start('one', url)
    const deaf = await start('deaf', url.replace(/@.*\/(\w+)\?.*/, `@127.0.0.1:${proxy.port}/$1`))
    const settings = { name: 'erp', environment: 'any', scopes: ['events.read'] }
    const { body: issued } = await post(one.api, '/v1/clients', settings)
    const askForToken = () => tokenFor(deaf.api, issued)
    const token = await until(askForToken, (one) => one !== null)
    const list = () => callApi(deaf.api, '/v1/events', { token })
    void (async () => {
      for (;;) await proxy.loseNextCommit('reset', 'listen portaria')
    })()
    proxy.cut()
    await until(() => deaf.lines.some(({ event }) => event === 'nodes.not_heard'))
    await until(list, ({ status }) => status === 200)
    const revoked = await until(
      () => post(one.api, '/v1/clients/erp/revoke', {}),
      ({ status }) => status === 200,
    )
    expect(revoked.status).toBe(200)
    await until(list, ({ status }) => status === 401, 5000)
    expect(await askForToken()).toBeNull()
    expect(deaf.lines.filter(({ event }) => event === 'nodes.heard')).toEqual([])
    expect(JSON.parse((await callApi(deaf.api, '/readyz')).body)).toMatchObject({
      warnings: [expect.stringContaining('have not been heard')],
    })
  })

  async function isPaused({ api }: TestGateway): Promise<boolean> {
    return /^portaria_destination_paused\{.*\} 1$/m.test((await callApi(api, '/metrics')).body)
  }

  it('a pause on either ends the sending, and so does the end of the pause on the other', async () => {
    const { one, other } = await startTwo()
    const receiver = await startReceiver()
    const { body: made } = await post(one.api, '/v1/destinations', { name: 'erp', url: receiver.url })
    await callBack(other, PAYMENT('a'))
    await until(() => receiver.received.length === 1)
    let sent = 1
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      expect((await post(first.api, `/v1/destinations/${made.id}/pause`, {})).status).toBe(200)
      await until(async () => (await isPaused(one)) && (await isPaused(other)))
      for (const from of [one, other]) await callBack(from, PAYMENT(`${sent} ${from.api.port}`))
      expect(receiver.received).toHaveLength(sent)
      expect((await post(second.api, `/v1/destinations/${made.id}/resume`, {})).status).toBe(200)
      sent += 2
      await until(() => receiver.received.length === sent)
    }
    const statsAt = async ({ api }: TestGateway) =>
      JSON.parse((await callApi(api, `/v1/destinations/${made.id}/stats`)).body)
    await until(async () => {
      const [atOne, atOther] = [await statsAt(one), await statsAt(other)]
      const isCountedOnce = atOne.attempts === 0 ? atOther.attempts === sent : atOne.attempts === sent
      return isCountedOnce && (atOne.attempts === 0 ? atOne.node === 'other' : atOther.node === 'one')
    })
    const listed = JSON.parse((await callApi(one.api, '/v1/deliveries?limit=10')).body).data
    for (const [index, { api }] of [one, other].entries()) {
      expect((await post(api, `/v1/deliveries/${listed[index].id}/retry`, {})).status).toBe(200)
      await until(() => receiver.received.length === sent + index + 1)
    }
  })

  it('a delivery that is claimed by one and skipped on the other is not sent', async () => {
    const { one, other } = await startTwo()
    const held: ServerResponse[] = []
    const receiver = createServer((_, response) => void held.push(response))
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      receiver.closeAllConnections()
      receiver.close()
    })
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const settings = { name: 'erp', url, concurrency: 1, timeoutMs: 30_000 }
    expect((await post(one.api, '/v1/destinations', settings)).status).toBe(201)
    for (const subject of ['a', 'b', 'c']) await callBack(one, PAYMENT(subject))
    await until(() => held.length === 1)
    const claimed = async () => JSON.parse((await callApi(one.api, '/v1/deliveries?limit=10')).body).data
    const waiting = await claimed()
    for (const { api } of [one, other]) {
      const next = waiting.splice(1, 1)[0]
      expect((await post(api, `/v1/deliveries/${next.id}/skip`, {})).status).toBe(200)
    }
    await callBack(other, PAYMENT('d'))
    held[0]?.end()
    await until(() => held.length === 2)
    held[1]?.end()
    const states = async () => (await claimed()).map(({ state }: { state: string }) => state)
    expect(await until(states, (all) => !all.includes('pending'))).toEqual([
      'delivered',
      'canceled',
      'canceled',
      'delivered',
    ])
    expect(held).toHaveLength(2)
  })

  /** The same person at the other one, as behind a balancer. */
  function behind(browser: TestBrowser, gateway: TestGateway): TestBrowser {
    const at = new TestBrowser(gateway)
    for (const [name, value] of browser.cookies) at.cookies.set(name, value)
    return at
  }

  it('a replay that either of them gets is run', async () => {
    const { one, other } = await startTwo()
    const receiver = await startReceiver()
    await post(one.api, '/v1/destinations', { name: 'erp', url: receiver.url })
    await callBack(one, PAYMENT('a'))
    await until(() => receiver.received.length === 1)
    const replay = { destination: 'erp', mode: 'all', filter: {} }
    for (const [index, { api }] of [one, other].entries()) {
      // An attempt that is not recorded yet is left out.
      await until(async () => (await post(api, '/v1/replays', { ...replay, dryRun: true })).body.leftOut === 0)
      expect(await post(api, '/v1/replays', replay)).toMatchObject({ status: 202, body: { matched: 1, leftOut: 0 } })
      await until(() => receiver.received.length === 2 + index)
    }
  })

  it('a session of the pages counts on both: the sign-in, its forms, and the sign-out', async () => {
    const { one, other } = await startTwo()
    for (const person of [undefined, await newClient(one, ['events.read'])]) {
      const atOne = new TestBrowser(one)
      expect((await atOne.signIn(person)).status).toBe(303)
      const atOther = behind(atOne, other)
      // It may not have heard of the new client.
      const page = await until(
        () => atOther.get('/ui/'),
        ({ status }) => status === 200,
      )
      expect(formTokenIn((await atOne.get('/ui/')).body)).toBe(formTokenIn(page.body))
      const cookie = [...atOne.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const stream = await openEventStream(one.api, '/ui/api/v1/events/stream', { headers: { cookie } })
      expect((await atOther.submit('/ui/', '/ui/sign-out')).headers.location).toBe('/ui/sign-in?reason=out')
      expect((await atOne.get('/ui/')).headers.location).toMatch(/^\/ui\/sign-in/)
      await until(stream.isEnded)
    }
  })

  it('a session ends on both with its client', async () => {
    const { one, other } = await startTwo()
    const person = await newClient(one, ['events.read'])
    const atOne = new TestBrowser(one)
    await atOne.signIn(person)
    const atOther = behind(atOne, other)
    await until(async () => (await atOther.get('/ui/')).status === 200)
    expect((await post(other.api, `/v1/clients/${person.id}/revoke`, {})).status).toBe(200)
    for (const browser of [atOne, atOther]) await until(async () => (await browser.get('/ui/')).status === 303)
  })

  async function tokenFor(
    api: Address,
    { clientId, clientSecret }: { clientId: string; clientSecret: string },
  ): Promise<string | null> {
    const answer = await fetch(`http://127.0.0.1:${api.port}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }),
    })
    return answer.status === 200 ? ((await answer.json()) as { access_token: string }).access_token : null
  }
})
