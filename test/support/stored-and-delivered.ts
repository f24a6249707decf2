import { expect } from 'vitest'
import type { Address } from '../../src/gateway/addresses.ts'
import { allEvents, callApi, callBack } from './calls.ts'
import type { TestSite } from './gateway.ts'
import { startReceiver } from './receiver.ts'

/** A gateway, however it was installed and started, stores a callback and delivers it. */
export async function expectStoredAndDelivered(gateway: {
  readonly callbacks: Address
  readonly api: Address
  readonly site: TestSite
}): Promise<void> {
  const receiver = await startReceiver()
  const created = await callApi(gateway.api, '/v1/destinations', {
    method: 'POST',
    body: { url: receiver.url, name: 'books' },
  })
  expect(created.status, created.body).toBe(201)
  const body = '{"identificador":"78"}'
  expect((await callBack(gateway, { body })).status).toBe(200)
  expect(await allEvents(gateway.api)).toMatchObject([{ kind: 'payment', subject: '78' }])
  await expect.poll(() => receiver.received.map((one) => String(one.body))).toEqual([body])
}
