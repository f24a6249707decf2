import { describe, expect, it } from 'vitest'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { asClient, ask, askJson, sharedApi, startApi } from '../api.ts'

const shared = sharedApi()

interface Page {
  readonly data: { readonly subject: string; readonly deliveries?: object }[]
  readonly next: string
  readonly more: boolean
  readonly hint?: string
}

async function violations(query: string): Promise<unknown> {
  const answer = await ask(await shared(), `/v1/events?${query}`)
  return [answer.status, JSON.parse(answer.body).errors]
}

describe('GET /v1/events?search=', () => {
  it('contradicts what reads forward or waits, and says everything at once', async () => {
    expect(await violations('search=joao&order=asc&wait=3&after=latest')).toEqual([
      400,
      [
        { parameter: 'order', detail: 'not with search, which answers newest first: leave order out' },
        {
          parameter: 'wait',
          detail: 'not with search, which finds what is stored: wait for new events with the other filters',
        },
        {
          parameter: 'after',
          detail: 'not with search: leave it out to begin with the newest event, or write "next" of an earlier answer',
        },
      ],
    ])
  })

  it.each([
    ['search=', 'the search has no letter and no digit: type a value of the payload'],
    ['search=%20R%24%20-', 'the search has no letter and no digit: type a value of the payload'],
    [`search=${'x'.repeat(201)}`, 'the search has 201 characters: type at most 200'],
    [`search=${'ab+'.repeat(11)}`, 'the search has 11 words: type at most 10'],
    ['search=a&search=b', 'given 2 times'],
  ])('says what to do about %s', async (query, words) => {
    expect(await violations(query)).toEqual([400, [{ parameter: 'search', detail: expect.stringContaining(words) }]])
  })
})

describe('GET /v1/events?include=deliveries', () => {
  const none = { pending: 0, blocked: 0, delivered: 0, exhausted: 0, canceled: 0 }

  it('counts the deliveries of each event by their state', async () => {
    const api = await startApi()
    await api.store.storeCallback(aCallback({ text: '{"i":1}', facts: [aFact({ subject: '1' })] }))
    await api.store.createDestination(aDestination({ name: 'one' }), NOON)
    const second = await api.store.createDestination(aDestination({ name: 'two' }), NOON)
    await api.store.storeCallback(aCallback({ text: '{"i":2}', facts: [aFact({ subject: '2' })] }))
    await api.store.deleteDestination(second.id)
    await api.store.cancelDeliveries(second.id, 10, NOON)
    const { data } = await askJson<Page>(api, '/v1/events?include=deliveries')
    expect(data.map(({ subject, deliveries }) => [subject, deliveries])).toEqual([
      ['1', none],
      ['2', { ...none, pending: 1, canceled: 1 }],
    ])
    expect(Object.hasOwn((await askJson<Page>(api, '/v1/events')).data[0] ?? {}, 'deliveries')).toBe(false)
  })

  it('counts for a client those of its own destinations', async () => {
    const api = await startApi()
    const client = await asClient(api, ['events.read'])
    await api.store.createDestination(aDestination({ name: 'foreign' }), NOON)
    await api.store.storeCallback(aCallback({ text: '{"i":1}' }))
    await api.store.createDestination(aDestination({ name: 'own' }), NOON, client.id)
    await api.store.storeCallback(aCallback({ text: '{"i":2}', facts: [aFact({ subject: '2' })] }))
    const page = await askJson<Page>(api, '/v1/events?include=deliveries', { authorization: client.authorization })
    expect(page.data.map(({ deliveries }) => deliveries)).toEqual([none, { ...none, pending: 1 }])
  })
})
