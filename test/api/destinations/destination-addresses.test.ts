import { expect, it, onTestFinished } from 'vitest'
import { checkReachableAddress } from '../../../src/delivery/guarded-connect.ts'
import { createSender } from '../../../src/delivery/send.ts'
import { sendTestEvent } from '../../../src/delivery/test-event.ts'
import { compileAddressRules } from '../../../src/domain/address-rules.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { aDestination } from '../../support/builders.ts'
import { callBack } from '../../support/calls.ts'
import { FORBIDDEN_HOSTS } from '../../support/forbidden-hosts.ts'
import { createSite, startTestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { askJson, patch, post, startApi } from '../api.ts'

/** For each forbidden host, what `answer` gives. */
async function forEach(answer: (url: string, index: number) => Promise<unknown>): Promise<Record<string, unknown>> {
  const answers = FORBIDDEN_HOSTS.map(async (host, index) => [host, await answer(`https://${host}/in`, index)] as const)
  return Object.fromEntries(await Promise.all(answers))
}

it('no spelling of a forbidden address is saved, when a destination is made or changed', async () => {
  expect(FORBIDDEN_HOSTS.length).toBeGreaterThanOrEqual(50)
  const gateway = await startTestGateway(await createSite({ forwarding: {} }))
  await post(gateway.api, '/v1/destinations', { url: 'https://8.8.8.8/', name: 'books' })
  const answers = await forEach(async (url) => {
    const [made, changed] = [
      await post(gateway.api, '/v1/destinations', { url, name: 'shop' }),
      await patch(gateway.api, '/v1/destinations/books', { url }),
    ]
    return [made, changed].map(({ status, body }) => `${status} ${(JSON.parse(body) as { code: string }).code}`)
  })
  const refused = ['422 address_forbidden', '422 address_forbidden']
  expect(answers).toEqual(Object.fromEntries(FORBIDDEN_HOSTS.map((host) => [host, refused])))
  expect(await askJson(gateway.api, '/v1/destinations')).toMatchObject({ data: [{ url: 'https://8.8.8.8/' }] })
})

it('one that was saved all the same, such as when more was allowed, is neither tested nor delivered to', async () => {
  const site = await createSite({ forwarding: { schedule: ['0s'], timeout: '5s' } })
  await saveDirectly(`${site.folder}/data/portaria.db`)
  const gateway = await startTestGateway(site)
  const refused = expect.stringContaining('not an allowed address')
  const tested = await forEach(async (_url, index) =>
    JSON.parse((await post(gateway.api, `/v1/destinations/app-${index}/test`)).body),
  )
  const failed = { ok: false, status: null, error: refused }
  expect(tested).toMatchObject(Object.fromEntries(FORBIDDEN_HOSTS.map((host) => [host, failed])))

  await callBack(gateway, { body: '{"identificador":"1"}' })
  const deliveries = () => askJson<{ data: object[] }>(gateway.api, '/v1/deliveries?state=exhausted')
  await until(deliveries, ({ data }) => data.length === FORBIDDEN_HOSTS.length)
  const { data } = await deliveries()
  expect(data).toMatchObject(FORBIDDEN_HOSTS.map(() => ({ attempts: 1, lastStatus: null, lastError: refused })))
})

/** As a gateway did whose configuration allowed it. */
async function saveDirectly(file: string): Promise<void> {
  const store = await openStore({ file, deduplicationWindowMs: 86_400_000, queue: { events: 100, bytes: 1 << 20 } })
  for (const [index, host] of FORBIDDEN_HOSTS.entries())
    await store.createDestination(aDestination({ name: `app-${index}`, url: `https://${host}/in` }), Date.now())
  await store.close()
}

it('a name is judged by each of its addresses, and again every time that it is saved, tested or sent to', async () => {
  const rules = compileAddressRules([])
  let addresses: readonly string[] = ['93.184.215.14']
  const resolve = async () => addresses
  const sender = createSender({ rules, resolve, version: '0.1.0', instance: 'portaria-test', now: Date.now })
  onTestFinished(() => sender.close())
  const api = await startApi({
    checkUrl: (url) => checkReachableAddress(url, { rules, resolve, timeoutMs: 5000 }),
    testDestination: (destination) => sendTestEvent(sender, destination, { now: Date.now(), kind: 'operator' }),
  })
  const url = 'https://rebinding.example/'
  expect((await post(api, '/v1/destinations', { url, name: 'books' })).status).toBe(201)
  for (const changed of [['127.0.0.1'], ['93.184.215.14', '10.0.0.1'], ['::ffff:169.254.169.254']]) {
    addresses = changed
    const saved = [
      await post(api, '/v1/destinations', { url, name: 'shop' }),
      await patch(api, '/v1/destinations/books', { url }),
    ]
    const tested = JSON.parse((await post(api, '/v1/destinations/books/test')).body) as { error: string }
    expect([saved.map(({ status }) => status), tested.error]).toEqual([
      [422, 422],
      expect.stringMatching(/^rebinding\.example has the address .*not an allowed address/),
    ])
  }
})
