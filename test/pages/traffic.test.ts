import { expect, it } from 'vitest'
import { aDestination, NOON } from '../support/builders.ts'
import { callApi, callBack } from '../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { MARKUP, PAGE_BYTES, startPages, textIn } from './api-pages.ts'

const HOUR = 3_600_000
const PAYMENT = { environment: 'production', kind: 'payment', destinationId: null } as const

interface Traffic {
  readonly callbacks: readonly { readonly accepted: number[]; readonly failed: number[] }[]
  readonly attempts: readonly { readonly name: string; readonly delivered: number[]; readonly failed: number[] }[]
}

it('counts what a gateway accepted and delivered, and keeps it over a restart', async () => {
  const receiver = await startReceiver()
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, kinds: { payment: BASE_CALLBACKS.kinds.payment } },
    destinations: [{ name: 'books', url: receiver.url }],
  })
  const sums = async (api: Parameters<typeof callApi>[0]) => {
    const { callbacks, attempts } = JSON.parse((await callApi(api, '/v1/traffic?span=week')).body) as Traffic
    const sum = (all: readonly number[] = []) => all.reduce((one, other) => one + other, 0)
    return [sum(callbacks[0]?.accepted), sum(attempts[0]?.delivered), attempts[0]?.name]
  }
  const call = async (gateway: Parameters<typeof callBack>[0], subject: string) =>
    (await callBack(gateway, { body: JSON.stringify({ identificador: subject }) })).status

  const first = await startTestGateway(site)
  expect([await call(first, 'a'), await call(first, 'b')]).toEqual([200, 200])
  await until(
    () => sums(first.api),
    ([, delivered]) => delivered === 2,
  )
  expect(await sums(first.api)).toEqual([2, 2, 'books'])
  await first.stop()

  const second = await startTestGateway(site)
  expect(await call(second, 'c')).toBe(200)
  await until(
    () => sums(second.api),
    ([, delivered]) => delivered === 3,
  )
  expect(await sums(second.api)).toEqual([3, 3, 'books'])
})

it('shows a chart of each subject with its numbers as a table, in both languages', async () => {
  const sums = [
    { ...PAYMENT, hour: NOON - HOUR, succeeded: 12, failed: 3 },
    { ...PAYMENT, hour: NOON, succeeded: 5, failed: 0 },
  ]
  const { browser } = await startPages({ store: { listHourSums: async () => sums } })
  const { body } = await browser.get('/ui/traffic')
  expect(textIn(body)).toContain('payment, production 17 accepted, 3 failed; highest bar: 15')
  expect(body).toContain('aria-label="payment, production: 17 accepted, 3 failed"')
  // The last but one bar: 12 of 15 in green, 3 on top of it in red.
  expect(body).toContain('M221 100v-80h8v80zM231 100v-33.3h8v33.3z')
  expect(body).toContain('M221 20v-20h8v20z')
  expect(textIn(body)).toMatch(/ 12 3 .* 5 0 /)
  const portuguese = textIn((await browser.get('/ui/traffic?span=year', { 'accept-language': 'pt' })).body)
  expect(portuguese).toContain('aceitos: 17, com falha: 3')
})

it('says that nothing came, and stays small with many kinds', async () => {
  const { browser } = await startPages()
  expect(textIn((await browser.get('/ui/traffic')).body)).toContain('No callback came in this time.')

  const kinds = Array.from({ length: 60 }, (_, index) => `kind${index}`)
  const sums = [...kinds, MARKUP].map((kind) => ({ ...PAYMENT, kind, hour: NOON, succeeded: 1, failed: 1 }))
  const { browser: busy } = await startPages({ store: { listHourSums: async () => sums } })
  const { body } = await busy.get('/ui/traffic?span=year')
  expect(body.length).toBeLessThan(PAGE_BYTES)
  expect(body).not.toMatch(/<script>alert|<img/)
  const only = await busy.get('/ui/traffic?span=year&only=%2Fproduction%2Fkind42')
  expect(textIn(only.body)).toContain('kind42, production 1 accepted, 1 failed')
})

it.each(['day', 'year'])('the page of a %s stays small with large numbers in every bar', async (span) => {
  const hours = Array.from({ length: 53 * 7 * 24 }, (_, index) => NOON - index * HOUR)
  const subjects = Array.from({ length: 20 }, (_, n) => [
    { ...PAYMENT, kind: `a-kind-with-quite-a-long-name-${n}` },
    { environment: null, kind: null, destinationId: n + 1 },
  ]).flat()
  const sums = hours
    .filter((_, index) => (span === 'day' ? index < 24 : index % 168 === 0))
    .flatMap((hour, n) =>
      subjects.map((one) => ({ ...one, hour, succeeded: 1_234_567 + n * 777, failed: 123_456 + n })),
    )
  const { api, browser } = await startPages({ store: { listHourSums: async () => sums } })
  for (let n = 0; n < 20; n++)
    await api.store.createDestination(aDestination({ name: `${'long-'.repeat(12)}${n}` }), NOON)
  const { status, body } = await browser.get(`/ui/traffic?span=${span}`)
  expect([status, textIn(body).includes('highest bar: 13')]).toEqual([200, true])
  // Styles and modules of each page have 28,000 bytes.
  expect(body.length).toBeLessThan(150_000 - 28_000)
})
