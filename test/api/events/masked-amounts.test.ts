import { expect, it } from 'vitest'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { indexAll } from '../../support/search.ts'
import { asClient, ask, startApi } from '../api.ts'

const HIDDEN_AMOUNTS = ['R$ 1.500,00', '1500.00', 1500, 150_000, 'R$1.500,00', 'BRL1500.00', '1.500,00 reais']

/** Payments whose payer has a hidden amount, and one with a shown amount. */
async function startSearch(hidden: readonly unknown[] = HIDDEN_AMOUNTS) {
  const api = await startApi()
  const store = async (subject: string, text: object) => {
    const facts = [aFact({ subject })]
    await api.store.storeCallback(aCallback({ text: JSON.stringify(text), receivedAt: NOON, facts }))
  }
  await store('7033', { identificador: '7033', valor: '1500.00', pagador: { nome: 'Maria', renda: '7000,00' } })
  for (const [index, renda] of hidden.entries())
    await store(`hidden-${index}`, { identificador: `hidden-${index}`, pagador: { nome: 'Maria', renda } })
  await indexAll(api.store)
  const masked = await asClient(api, ['support.read'])
  const unmasked = await asClient(api, ['events.read'])
  const search = async (query: string, { authorization } = masked) => {
    const { status, body } = await ask(api, `/v1/events?search=${query}`, { authorization })
    const { data = [], more, hint, next } = JSON.parse(body)
    return { status, subjects: data.map((event: { subject: string }) => event.subject), more, hint, next }
  }
  return { search, unmasked }
}

it.each(['1500,00', 'R$ 1.500,00', '1.500', 'maria 1500.00', '150000', '1500-00'])(
  'a masked search for %s finds it only where it is shown, and says nothing else',
  async (text) => {
    const { search, unmasked } = await startSearch()
    const query = encodeURIComponent(text)
    const { subjects } = await search(query, unmasked)
    expect([subjects.length > 1, subjects.includes('7033')]).toEqual([true, true])
    expect(await search(`${query}&limit=1`)).toMatchObject({ status: 200, subjects: ['7033'], more: false })
  },
)

it('a masked search for the digits of an amount with its currency finds no hidden one', async () => {
  const { search, unmasked } = await startSearch()
  for (const text of ['r150000', 'brl150000']) {
    expect((await search(text, unmasked)).subjects).toHaveLength(1)
    expect((await search(text)).subjects).toEqual([])
  }
})

it('an answer without an event is the same for a hidden amount and for one that no event has', async () => {
  const { search } = await startSearch(Array.from({ length: 60 }, () => '321,45'))
  const absent = await search('987,65&limit=1')
  expect(await search('321,45&limit=1')).toEqual(absent)
  expect(absent).toMatchObject({ subjects: [], more: false, hint: expect.stringContaining('amounts where') })
})

it('a masked reader finds every shown amount, page by page, between hidden ones', async () => {
  const api = await startApi()
  for (let i = 0; i < 9; i++) {
    const text = JSON.stringify(i % 2 === 0 ? { valor: '99.90', i } : { pagador: { renda: '99,90' }, i })
    await api.store.storeCallback(aCallback({ text, facts: [aFact({ subject: `n${i}` })] }))
  }
  await indexAll(api.store)
  const { authorization } = await asClient(api, ['support.read'])
  const found: [string[], boolean][] = []
  let after = ''
  for (let more = true; more; ) {
    const page = JSON.parse((await ask(api, `/v1/events?search=99,90&limit=2${after}`, { authorization })).body)
    after = `&after=${page.next}`
    more = page.more
    found.push([page.data.map((event: { subject: string }) => event.subject), more])
  }
  expect(found).toEqual([
    [['n8', 'n6'], true],
    [['n4', 'n2'], true],
    [['n0'], false],
  ])
})

it('a masked search for a short number finds the payment with this subject', async () => {
  const { search, unmasked } = await startSearch()
  expect((await search('7033')).subjects).toEqual(['7033'])
  expect((await search('7033', unmasked)).subjects).toEqual(['7033'])
  expect(await search('703')).toMatchObject({
    subjects: [],
    more: false,
    hint: expect.stringContaining('as a subject'),
  })
  expect(await search('7033&kind=charge')).toMatchObject({ status: 200, subjects: [] })
  expect((await search('7033&subject=7034')).status).toBe(400)
  expect((await search('maria%207033')).status).toBe(400)
})
