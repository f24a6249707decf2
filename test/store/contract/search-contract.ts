import { describe, expect, it } from 'vitest'
import type { EventFilter } from '../../../src/domain/event-record.ts'
import { parseSearch } from '../../../src/domain/search/search-query.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, aHeldCallback, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { indexAll, searchAll } from '../../support/search.ts'
import type { StoreUnderTest } from './store-contract.ts'

const HOUR = 3_600_000

/** What every Store promises about searches. */
export function describeSearch(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()

  const EVENTS = [
    { text: '{"nome":"Ana Lúcia","valor":150.10}' },
    { text: '{"nome":"Ana Paula","valor":99}', kind: 'charge' },
    { text: '{"nome":"Eva","valor":"150,10"}', status: 'EXPIRADO' },
    { text: '{"nome":"ANA","valor":1}', environment: 'sandbox' },
    { text: '{"nome":"Ana","txid":"abcd1234"}', kind: 'charge', status: 'EXPIRADO' },
  ] as const

  /** As a person types or pastes them. */
  const PASTED = {
    pix: [
      ...['(11) 98765-4321', '987654321', '\u202a+55 11 98765\u20114321\u202c', 'R$ 1.500,00 reais', '02/03/2026'],
      ...['"txid":"cobranca20260302pedido00077abc"', 'txid=cobranca20260302pedido00077abc', 'joana d arc'],
      ...['endToEndId: E18236120202603021530s0123456789', 'E18236120202603021530 s0123456789'],
    ],
    registration: ['+55 11 91234-5678', '912345678', 'CPF 012.345.678-90', '25/02/1985'],
  } as const

  /** Events 1 to 5, an hour apart. */
  async function openFilled(): Promise<Store> {
    const store = await openStore()
    for (const [hour, event] of EVENTS.entries()) {
      const {
        kind = 'payment',
        status = 'LIQUIDADO',
        environment = 'production',
      } = event as Partial<Record<string, string>> & object
      await store.storeCallback(
        aCallback({
          text: event.text,
          kind,
          environment: environment as 'production',
          receivedAt: NOON + hour * HOUR,
          facts: [aFact({ kind, status, subject: `subject-${hour}` })],
        }),
      )
    }
    return store
  }

  async function positions(store: Store, text: string, filter: EventFilter = {}): Promise<number[]> {
    return (await searchAll(store, text, filter)).map(({ position }) => position)
  }

  describe(`${name}: search`, () => {
    it('finds the facts of split callbacks by what people paste, each alone', async () => {
      const store = await openStore()
      const pix = [
        { txid: 'outra20260301', chave: '+5521987654322', valor: '1.50', horario: '2026-03-01T09:00:00Z' },
        {
          endToEndId: 'E18236120202603021530s0123456789',
          txid: 'cobranca20260302pedido00077abc',
          chave: '+5511987654321',
          valor: '1500.00',
          horario: '2026-03-02T15:30:00.000Z',
          gnExtras: { pagador: { nome: 'Joana d’Arc Souza', cpf: '***.456.789-**' } },
        },
      ]
      const clienteFinal = { cpf: '01234567890', celular: '11912345678', dataNascimento: '1985-02-25' }
      await store.storeCallback(anInterpretedCallback(JSON.stringify({ pix }), ['/pix']))
      await store.storeCallback(
        anInterpretedCallback(JSON.stringify({ identificador: '5577', clienteFinal, valor: '89.90' })),
      )
      await indexAll(store)
      const found = async (texts: readonly string[]) =>
        Promise.all(texts.map(async (text) => [text, await positions(store, text)]))
      expect(await found(PASTED.pix)).toEqual(PASTED.pix.map((text) => [text, [2]]))
      expect(await found(PASTED.registration)).toEqual(PASTED.registration.map((text) => [text, [3]]))
    })

    it('finds events by words of their values and of their subject, newest first; all words are needed', async () => {
      const store = await openFilled()
      await indexAll(store)
      expect(await positions(store, 'ana')).toEqual([5, 4, 2, 1])
      expect(await positions(store, 'lucia ana')).toEqual([1])
      expect(await positions(store, 'R$ 150,10')).toEqual([3, 1])
      expect(await positions(store, 'abcd')).toEqual([5])
      expect(await positions(store, 'subject-2')).toEqual([3])
      expect(await positions(store, 'nome')).toEqual([])
      expect(await positions(store, 'ana eva')).toEqual([])
    })

    const FILTERED: readonly (readonly [EventFilter, readonly number[]])[] = [
      [{ kinds: ['charge'] }, [5, 2]],
      [{ kinds: ['charge', 'payment'] }, [5, 4, 2, 1]],
      [{ kinds: ['boleto'] }, []],
      [{ environment: 'sandbox' }, [4]],
      [{ status: 'EXPIRADO' }, [5]],
      [{ receivedFrom: NOON + HOUR, receivedTo: NOON + 4 * HOUR }, [4, 2]],
      [{ receivedFrom: NOON + 9 * HOUR }, []],
      [{ receivedTo: NOON + 1 }, [1]],
      [{ receivedFrom: 0, receivedTo: Date.UTC(9999, 11, 31) }, [5, 4, 2, 1]],
      [{ after: 1, before: 5 }, [4, 2]],
      [{ subject: 'subject-1' }, [2]],
    ]

    it('applies every filter of a list', async () => {
      const store = await openFilled()
      await indexAll(store)
      for (const [filter, expected] of FILTERED)
        expect([filter, await positions(store, 'ana', filter)]).toEqual([filter, expected])
    })

    it('knows institutions apart, in filters and in what the settings of their kinds leave out', async () => {
      const store = await openStore()
      for (const environment of ['production', 'bank-a/production', 'bank-a/sandbox', 'bank-b/production'] as const)
        await store.storeCallback(aCallback({ text: `{"nome":"Ana","of":"${environment}"}`, environment }))
      await indexAll(store)
      const found = async () =>
        Promise.all([
          positions(store, 'ana', { institution: 'bank-a' }),
          positions(store, 'ana', { institution: 'bank-a', environment: 'production' }),
          positions(store, 'ana', { environment: 'production', kinds: ['payment'] }),
          positions(store, 'ana', { institution: 'bank' }),
        ])
      expect(await found()).toEqual([[3, 2], [2], [4, 2, 1], []])
      await store.configureSearch({ 'bank-a/payment': null })
      await indexAll(store)
      expect(await found()).toEqual([[], [], [4, 1], []])
      await store.configureSearch({ payment: null })
      await indexAll(store)
      expect(await found()).toEqual([[3, 2], [2], [4, 2], []])
    })

    it('gives pages: each next one is before the cursor of the last, whatever comes meanwhile', async () => {
      const store = await openFilled()
      await indexAll(store, ['index'], 2)
      const first = await store.listEvents({ search: parseSearch('ana'), newestFirst: true }, 1)
      expect(first).toMatchObject({ events: [{ position: 5 }], next: 5, more: true })
      await store.storeCallback(aCallback({ text: '{"nome":"Ana","n":6}', facts: [aFact()] }))
      await indexAll(store)
      expect(await positions(store, 'ana', { before: first.next })).toEqual([4, 2, 1])
    })

    it('finds an event by the beginning of its id without the index, and by the ids of its deliveries', async () => {
      const store = await openStore()
      await store.createDestination(aDestination(), NOON)
      const ids: string[] = []
      for (let n = 1; n <= 12; n++) {
        const { eventIds } = await store.storeCallback(aCallback({ text: `{"n":${n}}`, facts: [aFact()] }))
        ids.push(...eventIds)
      }
      expect(await positions(store, ids[10] as string)).toEqual([11])
      expect(await positions(store, (ids[1] as string).slice(0, 8))).toEqual([2])
      expect(await positions(store, `${(ids[1] as string).slice(0, 6)}!`)).toEqual([2])
      expect(await positions(store, 'evt_b')).toEqual([11])
      expect(await positions(store, 'dlv_1')).toEqual([12, 11, 10, 1])
      expect(await positions(store, 'dlv_1', { before: 11 })).toEqual([10, 1])
      expect(await positions(store, `dlv_1 ${ids[9]}`)).toEqual([10])
      await indexAll(store)
      expect(await positions(store, 'dlv_1 liquidado')).toEqual([])
      expect(await positions(store, 'dlv_1 42')).toEqual([12, 11, 10, 1])
    })

    it('finds a fact once it is released from quarantine', async () => {
      const store = await openStore()
      await store.storeCallback(aHeldCallback('{"txid":"heldback","account":"theirs"}'))
      await indexAll(store)
      expect(await positions(store, 'heldback')).toEqual([])
      await store.releaseQuarantined(1, { by: 'operator', at: NOON })
      await indexAll(store)
      expect(await positions(store, 'heldback')).toEqual([1])
    })

    it('shows events of a kind that is polled by name only if the kind is named', async () => {
      const store = await openStore()
      await store.storeCallback(aCallback({ text: '{"probe":"hello"}', facts: [aFact({ kind: 'probe' })] }))
      await indexAll(store)
      expect(await positions(store, 'hello')).toEqual([])
      expect(await positions(store, 'hello', { kinds: ['probe'] })).toEqual([1])
    })

    it('tells how far the index is, also in the eyes of a new process', async () => {
      const { open, reopen } = createStoreUnderTest()
      const store = await open()
      await store.storeCallback(aCallback({ text: '{"nome":"Ana"}', receivedAt: NOON }))
      await store.storeCallback(aCallback({ text: '{"nome":"Eva"}', receivedAt: NOON }))
      const empty = { latest: 2, isRebuilding: false, rebuiltThrough: null }
      expect(await store.readSearchState(NOON + 5000)).toEqual({
        ...empty,
        indexedThrough: 0,
        lagEvents: 2,
        lagSeconds: 5,
        indexBytes: 0,
      })
      await indexAll(store, ['index'], 1)
      await store.rebuildSearch()
      await store.close()
      const again = await reopen()
      const state = await again.readSearchState(NOON + 5000)
      expect(state).toEqual({
        latest: 2,
        indexedThrough: 2,
        lagEvents: 0,
        lagSeconds: 0,
        isRebuilding: true,
        rebuiltThrough: 0,
        indexBytes: expect.any(Number),
      })
      expect(await positions(again, 'ana')).toEqual([1])
      await indexAll(again)
      expect(await again.readSearchState(NOON)).toMatchObject({ isRebuilding: false, rebuiltThrough: null })
      expect(await positions(again, 'ana')).toEqual([1])
    })

    it('leaves out what the settings of a kind leave out, after they have changed, too', async () => {
      const store = await openFilled()
      await indexAll(store)
      expect(await store.configureSearch({ charge: null, payment: { exclude: ['/nome'] } })).toBe(true)
      await indexAll(store)
      expect(await positions(store, 'ana')).toEqual([])
      expect(await positions(store, '150.10')).toEqual([3, 1])
      expect(await store.configureSearch({ payment: { exclude: ['/nome'] }, charge: null })).toBe(false)
      expect(await store.configureSearch({})).toBe(true)
      await indexAll(store)
      expect(await positions(store, 'ana')).toEqual([5, 4, 2, 1])
    })
  })
}
