import { describe, expect, it } from 'vitest'
import type { NewCallback, ReceivedCallback } from '../../../src/domain/event.ts'
import type { StoredCallback } from '../../../src/domain/event-record.ts'
import { compileInterpreter } from '../../../src/domain/interpretation.ts'
import { type KindRule, kindDefaults } from '../../../src/domain/kinds.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aDestination, aReceivedCallback, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

function aKind(name: string, changes: Partial<KindRule> = {}): KindRule {
  return { name, path: `/callbacks/${name}`, ...kindDefaults(name), ...changes }
}

/** The rules that stores under test are opened with. */
export const KINDS: readonly KindRule[] = [
  aKind('payment'),
  aKind('charge'),
  aKind('pix', { split: ['/pix'], accounts: [{ pointers: ['/account'], values: ['own'] }] }),
]

const TOKEN = 'notification=12345678-aaaa-bbbb-cccc-1234567890ab'

/** One of every form: facts, several facts, an unknown account, repeats, probes, tokens, and bodies that cannot be read. */
const RECEIVED: readonly ReceivedCallback[] = [
  aReceivedCallback({ text: '{"identificador":"1","status":{"atual":"LIQUIDADO"}}' }),
  aReceivedCallback({ text: '{"identificador":"1","status":{"atual":"LIQUIDADO"}}', receivedAt: NOON + 1 }),
  aReceivedCallback({ text: '{"identificador":150.10}', environment: 'sandbox' }),
  aReceivedCallback({
    kind: 'pix',
    text: '{"pix":[{"txid":"a","account":"own"},{"txid":"b","account":"other"},{"txid":"c"}]}',
  }),
  aReceivedCallback({ kind: 'pix', text: '{"account":"own","pix":[{"txid":"d"},{"txid":"e"},{"txid":"d"}]}' }),
  aReceivedCallback({ text: '{}' }),
  aReceivedCallback({ text: '{"evento":"teste_webhook"}' }),
  aReceivedCallback({ text: ' ' }),
  aReceivedCallback({ text: '{"identificador":' }),
  aReceivedCallback({ kind: 'pix', text: 'no JSON' }),
  aReceivedCallback({ text: '['.repeat(100) + ']'.repeat(100) }),
  aReceivedCallback({ kind: 'charge', listener: 'charges', text: TOKEN, resolvesTokens: true }),
  aReceivedCallback({ kind: 'charge', listener: 'charges', text: TOKEN, resolvesTokens: false }),
]

const interpreters = new Map(KINDS.map((rule) => [rule.name, compileInterpreter(rule)]))

function withFacts(received: ReceivedCallback): NewCallback {
  return { ...received, ...(interpreters.get(received.kind) as ReturnType<typeof compileInterpreter>)(received) }
}

/** Ids have a random part. */
function withoutIds({ eventIds, ...stored }: StoredCallback) {
  return { ...stored, events: eventIds.length }
}

async function everythingIn(store: Store) {
  const { events } = await store.listEvents({}, 100)
  const held = await store.listQuarantine({}, 100)
  return { events: events.map(({ id: _id, ...event }) => event), held, jobs: await store.countWaitingTokens() }
}

export function describeReading(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  async function openStore(): Promise<Store> {
    const store = await createStoreUnderTest().open()
    await store.createDestination(aDestination(), NOON)
    return store
  }

  describe(`${name}: reading callbacks`, () => {
    it('a received callback is stored with exactly the facts that the rule of its kind reads, alone and in a batch', async () => {
      const [given, alone, batch] = [await openStore(), await openStore(), await openStore()]
      const expected: StoredCallback[] = []
      const one: StoredCallback[] = []
      for (const received of RECEIVED) {
        expected.push(await given.storeCallback(withFacts(received)))
        one.push(await alone.storeCallback(received))
      }
      const together = await Promise.all(RECEIVED.map(batch.storeCallback))

      expect(one.map(withoutIds)).toEqual(expected.map(withoutIds))
      expect(together.map(withoutIds)).toEqual(expected.map(withoutIds))
      expect(await everythingIn(alone)).toEqual(await everythingIn(given))
      expect(await everythingIn(batch)).toEqual(await everythingIn(given))
    })

    it('the result names what was read: new events, mark, and why facts are in quarantine', async () => {
      const store = await openStore()
      const stored = await Promise.all(RECEIVED.map(store.storeCallback))
      const payment = { kind: 'payment', subject: '1', status: 'LIQUIDADO' }
      expect(stored[0]).toMatchObject({ newFacts: [payment], duplicates: 0, destinationIds: [1] })
      expect(stored[1]).toEqual({ callbackId: null, eventIds: [], duplicates: 1, destinationIds: [] })
      const held = { quarantineIds: ['qtn_1', 'qtn_2'], quarantineReasons: ['account_foreign', 'account_missing'] }
      expect(stored[3]).toMatchObject({ newFacts: [{ kind: 'pix', subject: 'a' }], ...held })
      expect(stored[5]).toMatchObject({
        newFacts: [{ kind: 'probe', subject: null, status: null }],
        destinationIds: [],
      })
      expect(stored[8]).toMatchObject({ newFacts: [{ kind: 'payment', subject: null }], mark: 'unparsed' })
      expect(stored[10]).toMatchObject({ newFacts: [{ kind: 'payment', subject: null }], mark: 'unsplit' })
      expect(stored[11]).toMatchObject({ eventIds: [], tokenId: 1 })
      expect(stored[12]).toMatchObject({ newFacts: [{ kind: 'charge' }] })
    })

    it('a kind without a rule goes to quarantine unparsed, and the other callbacks of its batch are stored as usual', async () => {
      const store = await openStore()
      const [before, unknown, after] = await Promise.all([
        store.storeCallback(aReceivedCallback({ text: '{"identificador":"1"}' })),
        store.storeCallback(aReceivedCallback({ kind: 'forgotten', text: '{"identificador":"2"}' })),
        store.storeCallback(aReceivedCallback({ text: '{"identificador":"3"}' })),
      ])
      expect([before.newFacts?.[0]?.subject, after.newFacts?.[0]?.subject]).toEqual(['1', '3'])
      expect(unknown).toMatchObject({ eventIds: [], quarantineIds: ['qtn_1'], mark: 'unparsed' })
    })
  })
}
