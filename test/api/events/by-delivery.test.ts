import { expect, it } from 'vitest'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { asClient, ask, askJson, sharedApi } from '../api.ts'

interface Page {
  readonly data: { readonly subject: string }[]
  readonly more: boolean
  readonly hint?: string
}

const shared = sharedApi()
const subjects = ({ data }: Page) => data.map(({ subject }) => subject)

it('events are listed by the state and the destination of a delivery: those that the caller sees', async () => {
  const api = await shared()
  const [owner, other, support] = [
    await asClient(api, ['events.read'], { name: 'owner' }),
    await asClient(api, ['events.read'], { name: 'other' }),
    await asClient(api, ['support.read']),
  ]
  await api.store.createDestination(aDestination({ name: 'shop', kinds: ['charge'] }), NOON, owner.id)
  await api.store.createDestination(aDestination({ kinds: ['payment'] }), NOON)
  for (const [kind, subject] of [
    ['charge', 'of-shop'],
    ['payment', 'of-books'],
    ['payment', 'skipped'],
  ] as const)
    await api.store.storeCallback(aCallback({ text: `{"s":"${subject}"}`, kind, facts: [aFact({ kind, subject })] }))
  const skipped = (await api.store.listDeliveries({ newestFirst: true }, 1))[0]?.deliveryId as number
  await api.store.skipDelivery(skipped, NOON)

  const found = async (query: string, caller: { authorization?: string } = {}) =>
    subjects(await askJson<Page>(api, `/v1/events?order=desc&${query}`, caller))
  expect(await found('deliveryState=pending')).toEqual(['of-books', 'of-shop'])
  expect(await found('deliveryState=canceled,exhausted')).toEqual(['skipped'])
  expect(await found('deliveryState=waiting')).toEqual(['of-books', 'of-shop'])
  expect(await found('deliveryState=failing')).toEqual([])
  expect(await found('deliveryState=canceled&deliveryState=pending&destination=books')).toEqual(['skipped', 'of-books'])
  expect(await found('destination=dst_1')).toEqual(['of-shop'])
  for (const query of ['deliveryState=pending', 'destination=shop', 'destination=books', 'deliveryState=canceled']) {
    expect([query, await found(query, support)]).toEqual([query, await found(query)])
    expect([query, await found(query, other)]).toEqual([query, []])
  }
  expect(await found('deliveryState=pending', owner)).toEqual(['of-shop'])
  expect(await found('destination=books', owner)).toEqual([])
})

it('a list by deliveries does not wait, and names what it does not know', async () => {
  const api = await shared()
  const answer = await ask(api, '/v1/events?deliveryState=failed&destination=a&destination=b')
  expect([answer.status, JSON.parse(answer.body).errors]).toEqual([
    400,
    [
      {
        parameter: 'deliveryState',
        detail: 'one of pending, blocked, delivered, exhausted, canceled, failing, waiting',
      },
      { parameter: 'destination', detail: 'given 2 times' },
    ],
  ])
  const waiting = await ask(api, '/v1/events?destination=books&wait=3')
  expect([waiting.status, JSON.parse(waiting.body).errors]).toMatchObject([400, [{ parameter: 'wait' }]])
  for (const order of ['asc', 'desc'])
    expect(await askJson<Page>(api, `/v1/events?destination=nowhere&order=${order}`)).toMatchObject({
      data: [],
      hint: "no destination has name 'nowhere'",
    })
})
