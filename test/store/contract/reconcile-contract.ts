import { describe, expect, it } from 'vitest'
import type { SubjectAnswer, ToldState } from '../../../src/domain/reconcile/answers.ts'
import type { SeenSubject } from '../../../src/domain/reconcile/reconcile-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { anEntry, anOutcome, aTokenCallback } from './token-contract.ts'

const LATER = NOON + 60_000
const PAYMENTS = { kind: 'payment', environment: 'production' } as const
const CHARGES = { kind: 'charge', environment: 'production' } as const
const DAY = '2026-01-15'

function seen(subject: string, status: string | null, changes: Partial<SeenSubject> = {}): SeenSubject {
  return { ...PAYMENTS, subject, type: 'payment', status, token: null, day: DAY, receivedAt: NOON, ...changes }
}

function told(subject: string, status: string, changes: Partial<ToldState> = {}): ToldState {
  const content = { sort: 'payment', cents: 15_010 } as const
  return { type: 'payment', subject, status, day: DAY, token: null, references: null, content, ...changes }
}

/** The service tells this state of a payment. */
export function aPaymentAnswer(subject: string, status: string): SubjectAnswer {
  return answer([told(subject, status)])
}

/** Of an entry of a token. */
function toldEntry(entryId: number, status: string): ToldState {
  const content = { sort: 'entry', entryId, body: anEntry(entryId).body } as const
  const references = { charge: '77', subscription: null }
  return { type: 'charge', subject: '77', status, day: null, token: 't', references, content }
}

function answer(states: readonly ToldState[], changes: Partial<SubjectAnswer> = {}): SubjectAnswer {
  const schedule = { everyMs: 3_600_000, giveUpAfterMs: 86_400_000 }
  const asked = states.map(({ type, subject }) => ({ type, subject }))
  return { ...PAYMENTS, asked, at: LATER, told: states, lack: null, schedule, ...changes }
}

function payment(subject: string, status: string, changes: Parameters<typeof aCallback>[0] = {}) {
  const callback = aCallback({ text: `{"identificador":"${subject}","status":{"atual":"${status}"}}`, ...changes })
  return { ...callback, facts: callback.facts.map((fact) => ({ ...fact, subject, status })) }
}

/** What every Store promises about subjects that the service is asked about. */
export function describeReconciliation(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()
  const known = (store: Store, subject: string) => store.getKnownSubject({ ...PAYMENTS, subject })

  function note(store: Store, subjects: readonly SeenSubject[], from = 0, through = 1) {
    return store.noteSubjects({ from, through, subjects, events: [] })
  }

  async function events(store: Store) {
    const page = await store.listEvents({}, 100)
    return page.events.map(({ subject, status, source, duplicates }) => [subject, status, source, duplicates])
  }

  describe(`${name}: known subjects`, () => {
    it('take up what events have told, once, and go on from there after a restart', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      expect(await store.subjectsThrough()).toBe(0)
      const states = [seen('a', 'CRIADO', { receivedAt: NOON + 5 }), seen('a', 'AGENDADO'), seen('b', 'LIQUIDADO')]
      expect(await note(store, states, 0, 3)).toBe(true)
      expect(await note(store, [seen('c', 'CRIADO')], 0, 4)).toBe(false)
      await store.close()
      const again = await underTest.reopen()
      expect(await again.subjectsThrough()).toBe(3)
      expect(await known(again, 'a')).toEqual({
        ...PAYMENTS,
        subject: 'a',
        type: 'payment',
        statuses: ['CRIADO', 'AGENDADO'],
        token: null,
        day: DAY,
        firstAt: NOON,
        eventAt: NOON,
        expectedAt: null,
        askedAt: null,
        asks: 0,
        nextAskAt: 0,
        gap: null,
        silenceRaisedAt: null,
      })
      expect(await known(again, 'b')).toMatchObject({ statuses: ['LIQUIDADO'], nextAskAt: null })
      expect(await known(again, 'c')).toBeNull()
      expect(await note(again, [seen('a', 'LIQUIDADO')], 3, 4)).toBe(true)
      expect(await known(again, 'a')).toMatchObject({ nextAskAt: null })
    })

    it('are listed while they are asked for, the newest first, page by page', async () => {
      const store = await openStore()
      const states = ['a', 'b', 'c', 'd'].map((subject, n) => seen(subject, 'CRIADO', { receivedAt: NOON + (n >> 1) }))
      await note(store, [...states, seen('e', 'CANCELADO'), seen('f', 'CRIADO', { environment: 'sandbox' })])
      const first = await store.listOpenSubjects(PAYMENTS, 3)
      const second = await store.listOpenSubjects({ ...PAYMENTS, after: first.at(-1) as (typeof first)[0] }, 3)
      expect([...first, ...second].map(({ subject }) => subject).toSorted()).toEqual(['a', 'b', 'c', 'd'])
      expect(first.map(({ firstAt }) => firstAt - NOON)).toEqual([1, 1, 0])
      expect(await store.listOpenSubjects({ ...PAYMENTS, since: NOON + 1 }, 9)).toHaveLength(2)
      await store.settleAnswer(answer([told('a', 'CRIADO')]))
      expect(await store.listOpenSubjects({ ...PAYMENTS, dueBy: LATER }, 9)).toHaveLength(3)
      expect(await store.listOpenSubjects({ ...PAYMENTS, dueBy: LATER + 3_600_000 }, 9)).toHaveLength(4)
    })

    it('are counted by the local day of their request', async () => {
      const store = await openStore()
      const days = [DAY, DAY, '2026-01-16', '2026-01-18', null]
      await note(
        store,
        days.map((day, n) => seen(`p${n}`, 'CRIADO', { day })),
      )
      expect(await store.countPayments('payment', 'production', DAY, '2026-01-17')).toEqual([
        { day: DAY, count: 2 },
        { day: '2026-01-16', count: 1 },
      ])
    })

    it('of an app are expected once, and silent until their first event', async () => {
      const store = await openStore()
      await note(store, [seen('old', 'CRIADO')])
      const expected = ['a', 'b', 'a', 'old'].map((subject) => ({ ...PAYMENTS, subject, type: 'payment' as const }))
      expect(await store.expectSubjects(expected, NOON + 1000)).toBe(3)
      expect(await store.expectSubjects(expected, NOON + 2000)).toBe(0)
      const silent = (before: number) => store.listSilentSubjects('payment', 'production', before, 9)
      expect((await silent(NOON + 1001)).map(({ subject }) => subject)).toEqual(['a', 'b'])
      expect(await silent(NOON + 1000)).toEqual([])
      await note(store, [seen('b', 'CRIADO', { receivedAt: NOON + 5000 })], 1, 2)
      expect((await store.listDelays('payment', 'production', 9)).toSorted()).toEqual([0, 4000])
      const own = { environment: 'production', madeAt: LATER, subject: 'a', status: 'silent', body: '{}' } as const
      const raise = (subject: string) => store.raiseSilence({ key: { ...PAYMENTS, subject }, event: own })
      expect(await raise('a')).toMatchObject({ eventId: expect.any(String) })
      expect([await raise('a'), await raise('b'), await raise('none')]).toEqual([null, null, null])
      expect(await known(store, 'a')).toMatchObject({ silenceRaisedAt: LATER })
      expect(await silent(LATER)).toEqual([])
    })

    it('that are not asked for are forgotten after 400 days', async () => {
      const store = await openStore()
      await note(store, [seen('open', 'CRIADO'), seen('closed', 'LIQUIDADO')])
      const now = NOON + 401 * 86_400_000
      await note(store, [seen('new', 'LIQUIDADO', { receivedAt: now })], 1, 2)
      expect(await known(store, 'closed')).toBeNull()
      expect(await known(store, 'open')).not.toBeNull()
      expect(await known(store, 'new')).not.toBeNull()
    })

    it('keep their texts as they came, but half of a surrogate pair, which is no character', async () => {
      const store = await openStore()
      const texts = ['a\0b', 'a\u0001b', 'a\ud800b', '"\\', '1']
      await store.expectSubjects(
        texts.map((subject) => ({ ...PAYMENTS, subject, type: 'payment' as const })),
        NOON,
      )
      for (const subject of texts.map((text) => text.toWellFormed()))
        expect(await known(store, subject)).toMatchObject({ subject, expectedAt: NOON })
    })

    it('go with the data of a redaction, also one that was only expected', async () => {
      const store = await openStore()
      await store.expectSubjects([{ ...PAYMENTS, subject: 'a', type: 'payment' }], NOON)
      await store.settleAnswer(answer([told('b', 'CRIADO')]))
      const search = (subject: string) => ({ subject, institution: null, environment: null })
      for (const subject of ['a', 'b']) {
        const found = await store.findSubject(search(subject), 9)
        expect(found).toMatchObject({ hasRepeats: true })
        await store.redact({ ...search(subject), ...found }, LATER)
        expect(await store.findSubject(search(subject), 9)).toMatchObject({ positions: [], hasRepeats: false })
        expect(await known(store, subject)).toBeNull()
      }
      // Nothing is left that it would be a repeat of.
      expect(await store.storeCallback(payment('b', 'CRIADO'))).toMatchObject({ duplicates: 0 })
    })
  })

  describe(`${name}: answers of the service`, () => {
    it('become events with deliveries where their states are news, and say what was the last before', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      await store.storeCallback(payment('a', 'CRIADO'))
      const settled = await store.settleAnswer(answer([told('a', 'LIQUIDADO')]))
      expect(settled).toEqual({
        eventIds: [expect.any(String)],
        facts: [{ kind: 'payment', subject: 'a', status: 'LIQUIDADO' }],
        destinationIds: [id],
      })
      const found = await store.getEvent(settled?.eventIds[0] ?? '')
      expect(found).toMatchObject({
        event: { ...PAYMENTS, source: 'reconciled', authentication: 'service', listener: null, receivedAt: LATER },
        evidence: { authentication: 'service', remoteAddress: null, peer: null },
      })
      expect(JSON.parse(Buffer.from(found?.event.body ?? []).toString())).toEqual({
        identificador: 'a',
        status: { anterior: 'CRIADO', atual: 'LIQUIDADO' },
        valor: '150.10',
      })
      const claim = {
        limit: 9,
        now: LATER,
        leaseUntil: LATER + 1000,
        freshSince: 0,
        backlogLimit: 9,
        destinationId: id,
      }
      const claimed = await store.claimDeliveries(claim)
      expect(JSON.stringify(claimed)).toContain('"source":"reconciled"')
      expect(await store.getProof(settled?.eventIds[0] ?? '')).toMatchObject({ isSound: true })
      expect(await known(store, 'a')).toMatchObject({ statuses: ['CRIADO', 'LIQUIDADO'], nextAskAt: null, asks: 0 })
    })

    it('are no news where a callback came since, and none that is behind it', async () => {
      const store = await openStore()
      await note(store, [seen('a', 'CRIADO')])
      await store.storeCallback(payment('a', 'EXECUTADO'))
      await store.storeCallback(payment('a', 'LIQUIDADO'))
      for (const status of ['CRIADO', 'AGENDADO', 'LIQUIDADO'])
        expect(await store.settleAnswer(answer([told('a', status)]))).toMatchObject({ eventIds: [] })
      expect(await known(store, 'a')).toMatchObject({ nextAskAt: null })
    })

    it('wait until what came since is taken up, if that is much', async () => {
      const store = await openStore()
      const facts = Array.from({ length: 1000 }, (_, n) => aFact({ hash: null, subject: `s${n}` }))
      for (let n = 0; n < 6; n++) await store.storeCallback(aCallback({ text: `${n}`, facts }))
      expect(await store.settleAnswer(answer([told('a', 'CRIADO')]))).toBeNull()
      await note(store, [], 0, 5000)
      expect(await store.settleAnswer(answer([told('a', 'CRIADO')]))).toMatchObject({ eventIds: [expect.any(String)] })
    })

    it('without a state make the waits longer, and are given up where the service knows nothing', async () => {
      const store = await openStore()
      await store.expectSubjects([{ ...PAYMENTS, subject: 'a', type: 'payment' }], NOON)
      const asked = [{ type: 'payment', subject: 'a' }] as const
      const unknown = (at: number) => store.settleAnswer(answer([], { asked, at, lack: 'unknown' }))
      expect(await unknown(LATER)).toEqual({ eventIds: [], facts: [], destinationIds: [] })
      expect(await known(store, 'a')).toMatchObject({
        asks: 1,
        askedAt: LATER,
        nextAskAt: LATER + 3_600_000,
        gap: null,
      })
      await unknown(NOON + 86_400_000)
      expect(await known(store, 'a')).toMatchObject({ nextAskAt: null, gap: 'unknown' })
      expect(await store.listOpenSubjects(PAYMENTS, 9)).toEqual([])
    })

    it('suppress the late callback of the same values, and no other', async () => {
      const underTest = createStoreUnderTest()
      const first = await underTest.open()
      await first.settleAnswer(answer([told('a', 'CRIADO')]))
      expect(await first.storeCallback(payment('a', 'CRIADO'))).toMatchObject({ duplicates: 1, eventIds: [] })
      await first.close()
      const store = await underTest.reopen()
      const late = { receivedAt: LATER + 1 }
      expect(await store.storeCallback(payment('a', 'CRIADO', late))).toMatchObject({ duplicates: 1, callbackId: null })
      expect(await store.storeCallback(payment('a', 'AGENDADO'))).toMatchObject({ duplicates: 0 })
      expect(await store.storeCallback(payment('b', 'CRIADO'))).toMatchObject({ duplicates: 0 })
      expect(await store.storeCallback(payment('a', 'CRIADO', { environment: 'sandbox' }))).toMatchObject({
        duplicates: 0,
      })
      expect((await events(store))[0]).toEqual(['a', 'CRIADO', 'reconciled', 2])
    })

    it('suppress it until retention removes the event, not only its data', async () => {
      const store = await openStore()
      await store.settleAnswer(answer([told('a', 'CRIADO')]))
      const remove = async (part: 'payload' | 'metadata') => {
        const before = LATER + 1
        const { callbacks } = await store.findRemovable({ part, kind: 'payment', before, after: null }, 9)
        return store.removeAged({ part, before, callbackIds: callbacks.map(({ callbackId }) => callbackId) }, before)
      }
      expect(await remove('payload')).toMatchObject({ events: 1 })
      expect(await store.storeCallback(payment('a', 'CRIADO'))).toMatchObject({ duplicates: 1 })
      expect(await remove('metadata')).toMatchObject({ events: 1 })
      expect(await store.storeCallback(payment('a', 'CRIADO'))).toMatchObject({ duplicates: 0 })
    })

    it('are no callback that was heard of the kind, but their late callbacks are', async () => {
      const store = await openStore()
      await store.settleAnswer(answer([told('a', 'CRIADO')]))
      expect(await store.lastReceivedAt('payment', 'production')).toBeNull()
      await store.storeCallback(payment('a', 'CRIADO', { receivedAt: LATER + 1 }))
      expect(await store.lastReceivedAt('payment', 'production')).toBe(LATER + 1)
    })

    it('of the entries of a token become events once, whether the token or the question comes first', async () => {
      const store = await openStore()
      const of = (...states: ToldState[]) => store.settleAnswer(answer(states, CHARGES))
      await store.storeCallback(aTokenCallback('t'))
      const [job] = await store.listWaitingTokens({ environment: 'production' }, 1)
      if (job === undefined) expect.unreachable()
      expect(await of(toldEntry(1, 'new'), toldEntry(2, 'waiting'))).toMatchObject({
        facts: [{ status: 'new' }, { status: 'waiting' }],
      })
      const entries = [anEntry(1, { status: 'new' }), anEntry(2, { status: 'waiting' }), anEntry(3)]
      expect(await store.settleToken(anOutcome(job, { entries }))).toMatchObject({ facts: [{ status: 'paid' }] })
      expect(await of(toldEntry(2, 'waiting'), toldEntry(3, 'paid'))).toMatchObject({ eventIds: [] })
      expect(await events(store)).toEqual([
        ['77', 'new', 'reconciled', 0],
        ['77', 'waiting', 'reconciled', 0],
        ['77', 'paid', 'resolved', 0],
      ])
    })

    it('of a token that comes for the first time later are repeats, too, and end its job', async () => {
      const store = await openStore()
      await store.settleAnswer(answer([toldEntry(1, 'new')], CHARGES))
      await store.storeCallback(aTokenCallback('t'))
      const [job] = await store.listWaitingTokens({ environment: 'production' }, 1)
      if (job === undefined) expect.unreachable()
      const outcome = anOutcome(job, {
        entries: [anEntry(1, { status: 'new' })],
        nextAttemptAt: LATER,
        endsWithNewEntry: true,
      })
      expect(await store.settleToken(outcome)).toMatchObject({ eventIds: [], nextAttemptAt: null })
      expect(await events(store)).toEqual([['77', 'new', 'reconciled', 1]])
    })
  })

  it(`${name}: of the runs of gateways, the newest 1,000 are kept`, async () => {
    const store = await openStore()
    const ids = await Promise.all(Array.from({ length: 1002 }, (_, at) => store.beginRun('one', NOON + at)))
    const newest = ids.sort((a, b) => b - a).slice(0, 1000)
    expect((await store.listRuns(2000)).map(({ id }) => id)).toEqual(newest)
  })

  it(`${name}: gaps are listed by kind, environment and day, the newest first`, async () => {
    const store = await openStore()
    const counts = { ...PAYMENTS, received: 2, reconciled: 0 }
    await store.noteSubjects({ from: 0, through: 1, subjects: [], events: [{ ...counts, day: DAY }] })
    await store.noteSubjects({ from: 1, through: 2, subjects: [], events: [{ ...counts, day: DAY, reconciled: 1 }] })
    const before = { ...PAYMENTS, day: '2026-01-14' }
    await store.keepUnknown([{ ...before, unknown: 9 }])
    await store.keepUnknown([{ ...before, unknown: 3 }])
    await store.expectSubjects([{ ...PAYMENTS, subject: 'gone', type: 'payment' }], NOON - 86_400_000)
    const asked = [{ type: 'payment', subject: 'gone' }] as const
    await store.settleAnswer(answer([], { asked, lack: 'unknown' }))
    const opening = { kind: 'registration', environment: 'production', subject: 'o', type: 'opening' } as const
    await store.expectSubjects([opening], NOON)
    await store.settleAnswer(answer([], { ...opening, asked: [opening], lack: 'undecided' }))
    await store.expectSubjects([{ ...PAYMENTS, subject: 'slow', type: 'payment' }], NOON)
    await store.storeCallback(payment('slow', 'CRIADO', { receivedAt: NOON + 2500 }))
    await store.storeCallback(payment('slow', 'CRIADO', { receivedAt: NOON + 2600 }))
    await note(store, [seen('slow', 'CRIADO', { receivedAt: NOON + 2500 })], 2, 3)
    const today = { ...PAYMENTS, day: DAY, received: 4, reconciled: 1, duplicates: 1, unknown: 0, delay: 2.5 }
    expect(await store.listGaps({ limit: 9 })).toEqual({
      data: [
        { ...today, settledBy: 'GET /v1/:idPagamento' },
        {
          ...before,
          received: 0,
          reconciled: 0,
          duplicates: 0,
          unknown: 4,
          delay: null,
          settledBy: 'question to the service',
        },
      ],
      openings: ['o'],
    })
    expect((await store.listGaps({ limit: 9, since: DAY })).data).toHaveLength(1)
    expect((await store.listGaps({ limit: 1 })).data).toHaveLength(1)
    expect(await store.listGaps({ limit: 9, environments: ['sandbox'] })).toEqual({ data: [], openings: [] })
  })
}
