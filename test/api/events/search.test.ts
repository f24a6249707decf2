import { describe, expect, it } from 'vitest'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { indexAll } from '../../support/search.ts'
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

describe('GET /v1/events?search=, with an index', () => {
  async function withPeople(count: number) {
    const api = await startApi()
    for (let i = 0; i < count; i++)
      await api.store.storeCallback(
        aCallback({
          text: `{"identificador":"n${i}","nome":"João ${i}"}`,
          environment: i % 3 === 0 ? 'sandbox' : 'production',
          receivedAt: NOON + i * 1000,
          facts: [aFact({ subject: `n${i}`, status: i % 2 === 0 ? 'even' : 'odd' })],
        }),
      )
    await indexAll(api.store)
    return api
  }

  const subjects = ({ data }: Page) => data.map(({ subject }) => subject)

  it('gives newest first, page by page, with the other filters', async () => {
    const api = await withPeople(7)
    const first = await askJson<Page>(api, '/v1/events?search=JOAO&limit=3&order=desc')
    const second = await askJson<Page>(api, `/v1/events?search=joao&limit=3&after=${first.next}`)
    const third = await askJson<Page>(api, `/v1/events?search=joao&limit=3&after=${second.next}`)
    expect([first, second, third].map((page) => [subjects(page), page.more])).toEqual([
      [['n6', 'n5', 'n4'], true],
      [['n3', 'n2', 'n1'], true],
      [['n0'], false],
    ])
    const filters = `environment=production&status=even&kind=payment&from=${new Date(NOON + 1000).toISOString()}`
    expect(subjects(await askJson<Page>(api, `/v1/events?search=joao&${filters}&include=deliveries`))).toEqual([
      'n4',
      'n2',
    ])
    expect(subjects(await askJson<Page>(api, '/v1/events?search=joao%203'))).toEqual(['n3'])
  })

  it('fills a page from several short ones, and ends one that takes too long with more', async () => {
    const api = await withPeople(30)
    const { listEvents } = api.options.store
    let calls = 0
    let most = 2
    Object.assign(api.options.store, {
      listEvents: (...[filter, limit]: Parameters<typeof listEvents>) => {
        calls++
        return listEvents(filter, Math.min(limit, most))
      },
    })
    const first = await askJson<Page>(api, '/v1/events?search=joao&limit=3')
    expect([subjects(first), first.more, calls]).toEqual([['n29', 'n28', 'n27'], true, 2])
    most = 1
    const long = await askJson<Page>(api, '/v1/events?search=joao')
    const rest = await askJson<Page>(api, `/v1/events?search=joao&after=${long.next}`)
    expect([subjects(long).length, long.more, subjects(rest).length, rest.more]).toEqual([20, true, 10, false])
    expect(subjects(rest)[0]).toBe('n9')
  })

  it('says in an empty answer that a word is short, or that the index is behind', async () => {
    const api = await withPeople(1)
    const hintOf = async (query: string) => (await askJson<Page>(api, `/v1/events?${query}`)).hint
    expect(await hintOf('search=jo')).toBe(
      'a word of fewer than 4 characters matches whole words only: type more of it',
    )
    expect(await hintOf('search=maria')).toBeUndefined()
    expect(await hintOf('search=maria&status=gone')).toBe("no event has status 'gone'; statuses: even")
    await api.store.storeCallback(aCallback({ receivedAt: NOON - 5000, text: '{"nome":"Maria"}', facts: [aFact()] }))
    expect(await hintOf('search=maria')).toBe('the search index is 5 s behind: search again for the newest events')
    await indexAll(api.store)
    expect(await hintOf('search=maria')).toBeUndefined()
    await api.store.rebuildSearch()
    expect(await hintOf('search=nothing')).toBe('the search index is being made again: older events may be missing')
  })

  it('gives a cursor that a reader who turns round can use', async () => {
    const api = await withPeople(5)
    const { next } = await askJson<Page>(api, '/v1/events?search=joao&limit=2')
    expect(subjects(await askJson<Page>(api, `/v1/events?after=${next}`))).toEqual(['n3', 'n4'])
  })
})

describe('GET /v1/events?include=deliveries', () => {
  const none = { pending: 0, failing: 0, blocked: 0, delivered: 0, exhausted: 0, canceled: 0 }

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
