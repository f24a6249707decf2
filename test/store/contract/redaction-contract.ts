import { describe, expect, it } from 'vitest'
import type { AttemptOutcome, ClaimedDelivery } from '../../../src/domain/delivery.ts'
import type { RedactionSearch } from '../../../src/domain/retention.ts'
import type { Store } from '../../../src/domain/store.ts'
import { type aCallback, aDestination, aHeldCallback, anInterpretedCallback, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

const LATER = NOON + 60_000

/** What every Store promises where somebody's data must go. */
export function describeRedaction(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()
  const claim = { limit: 10, now: LATER, leaseUntil: LATER + 1000, freshSince: 0, backlogLimit: 10 }

  /** As the gateway does, until nothing is left. */
  async function redact(store: Store, subject: string, realm: Partial<RedactionSearch> = {}) {
    const search = { subject, institution: null, environment: null, ...realm }
    const counts = { events: 0, quarantined: 0, deliveryIds: [] as number[] }
    for (;;) {
      const found = await store.findSubject(search, 2)
      if (found.positions.length + found.quarantineIds.length === 0 && !found.hasRepeats) return counts
      const redacted = await store.redact({ ...search, ...found }, LATER)
      counts.events += redacted.events
      counts.quarantined += redacted.quarantined
      counts.deliveryIds.push(...redacted.deliveryIds)
    }
  }

  function outcome({ deliveryId, attempt }: ClaimedDelivery, changes: Partial<AttemptOutcome> = {}): AttemptOutcome {
    const fields = { deliveryId, attempt, startedAt: LATER, durationMs: 1, status: 200, error: null }
    return { ...fields, answer: Buffer.from('hello Ana'), result: { state: 'delivered' }, ...changes }
  }

  function of(subject: string, text: string, changes: Parameters<typeof aCallback>[0] = {}) {
    const read = anInterpretedCallback(text)
    return { ...read, ...changes, facts: read.facts.map((fact) => ({ ...fact, subject })) }
  }

  const pix = (...subjects: string[]) =>
    anInterpretedCallback(
      `{"who":"service","pix":[${subjects.map((subject) => `{"endToEndId":"${subject}","name":"Ana"}`).join(' , ')}]}`,
      ['/pix'],
    )

  async function dataOf(store: Store) {
    return (await store.listEvents({}, 100)).events.map(({ body, payloadRemovedAt }) =>
      payloadRemovedAt === null ? Buffer.from(body).toString() : payloadRemovedAt,
    )
  }

  async function deliveries(store: Store) {
    return (await store.listDeliveries({}, 100)).map(({ subject, state, reason }) => [subject, state, reason])
  }

  async function answersOf(store: Store, deliveryId: number) {
    return (await store.listAttempts(deliveryId, 9)).map(({ answer }) => Buffer.from(answer).toString())
  }

  const CANCELED = ['canceled', 'its data was redacted']

  describe(`${name}: redaction`, () => {
    it('takes what came again in many callbacks a few at a time: nothing else is written meanwhile', async () => {
      const store = await openStore()
      for (let n = 0; n < 60; n++) await store.storeCallback(pix('A', `B${n}`))
      const search = { subject: 'A', institution: null, environment: null }
      const { positions } = await store.findSubject(search, 9)
      await store.redact({ ...search, positions, quarantineIds: [] }, LATER)
      expect(await store.findSubject(search, 9)).toEqual({ positions: [], quarantineIds: [], hasRepeats: true })
      await redact(store, 'A')
      const evidence = await Promise.all((await store.listEvents({}, 99)).events.map(({ id }) => store.getEvent(id)))
      for (const found of evidence) expect(Buffer.from(found?.evidence.body ?? []).toString()).not.toContain('"A"')
    })

    it('takes all data of a subject and nothing else, and cancels what was pending of it', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      const { eventIds } = await store.storeCallback(of('Ana', '{"n":1}'))
      const { deliveries: first } = await store.claimDeliveries({ ...claim, destinationId: id })
      await store.recordAttempts(first.map((delivery) => outcome(delivery)))
      for (const n of [2, 3, 4]) await store.storeCallback(of('Ana', `{"n":${n}}`))
      await store.storeCallback(of('Eva', '{"n":5}'))

      expect(await redact(store, 'Ana')).toEqual({ events: 4, quarantined: 0, deliveryIds: [4, 3, 2] })

      expect(await dataOf(store)).toEqual([LATER, LATER, LATER, LATER, '{"n":5}'])
      expect(await deliveries(store)).toEqual([
        ['Ana', 'delivered', null],
        ...[2, 3, 4].map(() => ['Ana', ...CANCELED]),
        ['Eva', 'pending', null],
      ])
      expect(await answersOf(store, 1)).toEqual([''])
      expect((await store.listDeliveries({}, 1))[0]?.lastAnswer ?? '').toHaveLength(0)
      const found = await store.getEvent(eventIds[0] as string)
      expect([found?.evidence.body.length, found?.evidence.bodyRemovedAt]).toEqual([0, LATER])
      const words = { code: 'conflict', message: expect.stringContaining('the data of this event was removed') }
      await expect(store.replayEvent(eventIds[0] as string, id, LATER)).rejects.toMatchObject(words)
      await expect(store.retryDelivery(2, LATER)).rejects.toMatchObject(words)
      expect((await store.claimDeliveries({ ...claim, destinationId: id })).deliveries).toMatchObject([
        { event: { subject: 'Eva' } },
      ])
      // The same fact again is known, and its data is not taken in once more.
      expect(await store.storeCallback(of('Ana', '{"n":1}'))).toMatchObject({ callbackId: null, duplicates: 1 })
    })

    it('goes by the environment and the institution that are named', async () => {
      const store = await openStore()
      const named: readonly (readonly [Partial<RedactionSearch>, readonly number[]])[] = [
        [{ environment: 'sandbox' }, [2, 4]],
        [{ institution: 'bank-a' }, [3, 4]],
        [{ institution: 'bank-a', environment: 'sandbox' }, [4]],
        [{ institution: 'bank' }, []],
      ]
      const realms = ['production', 'sandbox', 'bank-a/production', 'bank-a/sandbox'] as const
      const expected: unknown[] = []
      for (const [at, [realm, removed]] of named.entries()) {
        for (const [index, environment] of realms.entries())
          await store.storeCallback(of(`Ana ${at}`, `{"at":${at},"n":${index + 1}}`, { environment }))
        await redact(store, `Ana ${at}`, realm)
        expected.push(...[1, 2, 3, 4].map((n) => (removed.includes(n) ? LATER : `{"at":${at},"n":${n}}`)))
        expect([realm, await dataOf(store)]).toEqual([realm, expected])
      }
    })

    it('takes repeats of one institution alone', async () => {
      const store = await openStore()
      for (const environment of ['production', 'bank-a/production'] as const)
        for (const other of ['B', 'C']) {
          const text = `{"pix":[{"endToEndId":"A"},{"endToEndId":"${other}"}]}`
          await store.storeCallback(anInterpretedCallback(text, ['/pix'], environment))
        }
      await redact(store, 'A', { institution: 'bank-a' })
      const evidence = await Promise.all((await store.listEvents({}, 99)).events.map(({ id }) => store.getEvent(id)))
      const withA = evidence.map((found) =>
        Buffer.from(found?.evidence.body ?? [])
          .toString()
          .includes('"A"'),
      )
      const ofBank = evidence.map((found) => found?.event.environment === 'bank-a/production')
      expect(ofBank).toContain(true)
      expect(withA).toEqual(ofBank.map((isOfBank) => !isOfBank))
    })

    it('blanks one fact among others, whose bytes stay as they came', async () => {
      const store = await openStore()
      const { eventIds } = await store.storeCallback(pix('A', 'B', 'C'))
      const before = await dataOf(store)
      expect(await redact(store, 'B')).toMatchObject({ events: 1 })
      expect(await dataOf(store)).toEqual([before[0], LATER, before[2]])
      const found = await store.getEvent(eventIds[0] as string)
      expect(found?.evidence.bodyRemovedAt).toBe(LATER)
      const body = JSON.parse(Buffer.from(found?.evidence.body ?? []).toString())
      expect(body.pix).toEqual([{ endToEndId: 'A', name: 'Ana' }, {}, { endToEndId: 'C', name: 'Ana' }])

      await redact(store, 'A')
      await redact(store, 'C')
      expect((await store.getEvent(eventIds[0] as string))?.evidence.body).toHaveLength(0)
      expect(await dataOf(store)).toEqual([LATER, LATER, LATER])
    })

    it.each([
      ['utf-16le', (text: string) => Buffer.from(text, 'utf16le')],
      ['utf-16be', (text: string) => Buffer.from(text, 'utf16le').swap16()],
    ])('blanks a fact of a body in %s in its charset', async (label, encode) => {
      const store = await openStore()
      const read = anInterpretedCallback(encode('{"pix":[{"endToEndId":"A"},{"endToEndId":"B"}]}'), ['/pix'])
      const { eventIds } = await store.storeCallback(read)
      await redact(store, 'A')
      const { body } = (await store.getEvent(eventIds[1] as string))?.evidence ?? {}
      expect(new TextDecoder(label).decode(body)).toBe('{"pix":[{}                ,{"endToEndId":"B"}]}')
    })

    it('finds the bytes of what came again in a callback that was kept for something else', async () => {
      const store = await openStore()
      await store.storeCallback(pix('A'))
      const { eventIds } = await store.storeCallback(pix('A', 'B'))
      await redact(store, 'A')
      expect((await dataOf(store)).map((data) => data === LATER)).toEqual([true, false])
      const { evidence } = (await store.getEvent(eventIds[0] as string)) ?? {}
      expect(Buffer.from(evidence?.body ?? []).toString()).not.toContain('"A"')
      expect(Buffer.from(evidence?.body ?? []).toString()).toContain('"B"')
    })

    it('takes what is held back, for good, and what was released', async () => {
      const store = await openStore()
      const items = ['T', 'T', 'U'].map((txid, n) => `{"txid":"${txid}","n":${n},"account":"theirs"}`)
      await store.storeCallback(aHeldCallback(`{"pix":[${items.join()}]}`, ['/pix']))
      await store.storeCallback(aHeldCallback(`{"pix":[${items[0]},{"txid":"V","account":"theirs"}]}`, ['/pix']))
      await store.releaseQuarantined(2, { by: 'operator', at: NOON })
      expect(await redact(store, 'T')).toMatchObject({ events: 1, quarantined: 2 })
      expect(await dataOf(store)).toEqual([LATER])
      expect(await store.listQuarantine({}, 9)).toMatchObject([
        { state: 'discarded', decidedBy: 'redaction', payloadRemovedAt: LATER },
        { state: 'released', decidedBy: 'operator', payloadRemovedAt: LATER },
        { state: 'quarantined', payloadRemovedAt: null },
        { state: 'quarantined', payloadRemovedAt: null },
      ])
      for (const kept of [3, 4]) {
        const { fact, evidence } = (await store.getQuarantined(kept)) ?? {}
        expect(Buffer.from(evidence?.body ?? []).toString()).not.toContain('"T"')
        expect(Buffer.from(fact?.body ?? []).toString()).toContain(kept === 3 ? '"U"' : '"V"')
      }
    })

    it('takes a fact that was released while it was looked for', async () => {
      const store = await openStore()
      await store.storeCallback(aHeldCallback('{"txid":"T","account":"theirs"}'))
      const found = await store.findSubject({ subject: 'T', institution: null, environment: null }, 9)
      await store.releaseQuarantined(1, { by: 'operator', at: NOON })
      const step = {
        subject: 'T',
        institution: null,
        environment: null,
        positions: [],
        quarantineIds: found.quarantineIds,
      }
      expect(await store.redact(step, LATER)).toMatchObject({ events: 1, quarantined: 1 })
      expect(await dataOf(store)).toEqual([LATER])
    })

    it('keeps no answer of an attempt that was under way, and sends nothing again that failed', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      for (const n of [1, 2]) await store.storeCallback(of('Ana', `{"n":${n}}`))
      const { deliveries: underWay } = await store.claimDeliveries({ ...claim, destinationId: id })
      await redact(store, 'Ana')
      const [good, bad] = underWay as [ClaimedDelivery, ClaimedDelivery]
      const failed = {
        status: 500,
        error: 'HTTP 500',
        result: { state: 'pending', at: LATER, retriesUsed: 1 },
      } as const
      await store.recordAttempts([outcome(good), outcome(bad, failed)])
      expect(await deliveries(store)).toEqual([
        ['Ana', 'delivered', null],
        ['Ana', ...CANCELED],
      ])
      expect([await answersOf(store, 1), await answersOf(store, 2)]).toEqual([[''], ['']])
    })

    it('leaves nothing of a line behind, whose subject goes on with what is new', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination({ order: 'subject', onExhausted: 'hold' }), NOON)
      for (const n of [1, 2, 3]) await store.storeCallback(of('Ana', `{"n":${n}}`))
      const { deliveries: head } = await store.claimDeliveries({ ...claim, destinationId: id })
      const exhausted = { status: 500, error: 'HTTP 500', result: { state: 'exhausted', reason: 'used up' } } as const
      await store.recordAttempts(head.map((delivery) => outcome(delivery, exhausted)))
      await redact(store, 'Ana')
      await store.storeCallback(of('Ana', '{"n":4}'))
      expect((await deliveries(store)).map(([, state]) => state)).toEqual([
        'exhausted',
        'canceled',
        'canceled',
        'pending',
      ])
    })
  })
}
