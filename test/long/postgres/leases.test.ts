import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { AttemptOutcome, ClaimedDelivery, ReleasedClaim } from '../../../src/domain/delivery.ts'
import { JOBS } from '../../../src/domain/nodes/node.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { clientOptions } from '../../support/postgres.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const claim = { limit: 10, now: NOON, leaseUntil: NOON + 45_000, freshSince: 0, backlogLimit: 10 }

describePostgres('leases of several stores on one PostgreSQL database', (server) => {
  async function openDatabase() {
    const url = await server.createDatabase()
    const admin = new pg.Client(clientOptions(url))
    onTestFinished(() => admin.end())
    await admin.connect()
    return {
      async open(name: string) {
        const store = await openPostgresStore({ ...postgresOptions(), url })
        onTestFinished(() => store.close())
        const signOn = (mayTakeOver = true, configured: readonly string[] = []) =>
          store.nodes.signOn({ name, version: '1.2.3', facts: {}, configured }, NOON, mayTakeOver)
        return { store, signOn, held: async () => (await signOn()).held.map(({ destinationId }) => destinationId) }
      },
      /** As after a crash of the server: claims are not synced. */
      async undoClaims() {
        await admin.query(
          `update deliveries set claimed_by = null, claimed_at = null, attempts = attempts - 1, next_attempt_at = created_at where claimed_by is not null`,
        )
      },
      /** As if all nodes had been silent for that long. */
      async pass(seconds: number) {
        await admin.query(`update nodes set seen_at = seen_at - interval '${seconds} s'`)
        await admin.query(`update leases set until = until - interval '${seconds} s'`)
      },
      /** As if the node had been silent for that long. */
      async age(name: string, seconds: number) {
        const to = `statement_timestamp() - interval '${seconds} s'`
        await admin.query(`update nodes set seen_at = ${to} where name = '${name}'`)
        await admin.query(
          `update leases set until = ${to} + interval '15 s' where node in (select id from nodes where name = '${name}')`,
        )
      },
    }
  }

  /** Two nodes, and a destination whose lease the first one holds. */
  async function withTwo() {
    const { open, age, pass, undoClaims } = await openDatabase()
    const [one, other] = [await open('one'), await open('other')]
    const { id } = await one.store.createDestination(aDestination({ order: 'subject' }), NOON)
    expect(await one.held()).toEqual([JOBS, id])
    const takeOver = async () => {
      await age('one', 16)
      expect(await other.held()).toEqual([JOBS, id])
    }
    return {
      one: one.store,
      other: other.store,
      oneHeld: one.held,
      otherHeld: other.held,
      takeOver,
      undoClaims,
      age,
      pass,
      id,
    }
  }

  async function claimed(store: PostgresStore, destinationId: number): Promise<readonly ClaimedDelivery[]> {
    return (await store.claimDeliveries({ ...claim, destinationId })).deliveries
  }

  const subjects = (deliveries: readonly ClaimedDelivery[]) => deliveries.map(({ event }) => event.subject)
  const attempts = async (store: PostgresStore, id: number) =>
    (await store.listAttempts(id, 10)).map(({ attempt, error }) => [attempt, error])

  function delivered({ deliveryId, attempt }: ClaimedDelivery): AttemptOutcome {
    const result = { state: 'delivered' as const }
    return {
      deliveryId,
      attempt,
      startedAt: NOON,
      durationMs: 1,
      status: 200,
      error: null,
      answer: Buffer.of(),
      result,
    }
  }

  function released({ deliveryId, attempt }: ClaimedDelivery): ReleasedClaim {
    return { deliveryId, attempt, dueAt: NOON }
  }

  it('only the holder claims', async () => {
    const { one, other, id } = await withTwo()
    await one.storeCallback(aCallback())
    expect(await claimed(other, id)).toEqual([])
    expect(await claimed(one, id)).toHaveLength(1)
  })

  it('a node whose file is older retires no destination that the file of another living node has', async () => {
    const { open, age } = await openDatabase()
    const [one, other] = [await open('one'), await open('other')]
    await one.signOn(true, ['books', 'new'])
    await one.store.syncDestinations([aDestination({ name: 'books' }), aDestination({ name: 'new' })], NOON, true)
    await other.signOn(true, ['books'])
    const sync = () => other.store.syncDestinations([aDestination({ name: 'books' })], NOON, true)
    expect(await sync()).toEqual({ retired: [] })
    await age('one', 16)
    expect(await sync()).toEqual({ retired: ['new'] })
  })

  it('does not claim again what the worker still has, though a crash of PostgreSQL has undone the claim', async () => {
    const { one, undoClaims, id } = await withTwo()
    await one.storeCallback(aCallback())
    const [sent] = (await claimed(one, id)) as [ClaimedDelivery]
    await undoClaims()
    for (const isUntriedFirst of [false, true]) {
      const again = { ...claim, destinationId: id, held: [sent.deliveryId], isUntriedFirst }
      const nothing = { deliveries: [], nextDueAt: null, hasBacklog: false, isHeldDue: true }
      expect(await one.claimDeliveries(again)).toEqual(nothing)
    }
    // The database does not know the attempt of its outcome.
    expect(await one.recordAttempts([delivered(sent)])).toBe(0)
    expect(await claimed(one, id)).toMatchObject([{ deliveryId: sent.deliveryId, attempt: 1 }])
  })

  it('who takes over voids the claims of the other, which then records, releases and claims nothing', async () => {
    const { one, other, takeOver, id } = await withTwo()
    await one.storeCallback(aCallback())
    const [old] = (await claimed(one, id)) as [ClaimedDelivery]
    await one.setCircuit(id, NOON)
    await takeOver()
    expect(await attempts(one, old.deliveryId)).toEqual([[1, expect.stringMatching(/^interrupted/)]])
    const [taken] = (await claimed(other, id)) as [ClaimedDelivery]
    expect(taken).toMatchObject({ deliveryId: old.deliveryId, attempt: 2 })

    expect(await one.recordAttempts([delivered(old), delivered(taken)])).toBe(0)
    await one.releaseClaims([released(old), released(taken)])
    await one.setCircuit(id, null)
    expect(await claimed(one, id)).toEqual([])
    expect(await claimed(other, id)).toEqual([])
    expect(await one.listDeliveries({}, 1)).toMatchObject([{ state: 'pending', attempts: 2 }])
    expect(await one.listDestinations()).toMatchObject([{ circuitOpenedAt: NOON }])
    expect(await other.recordAttempts([delivered(taken)])).toBe(1)
  })

  it('a node that takes its own lease again after another one had it does not get its old claims back', async () => {
    const { one, other, oneHeld, takeOver, id } = await withTwo()
    await one.storeCallback(aCallback())
    const [old] = (await claimed(one, id)) as [ClaimedDelivery]
    await takeOver()
    await other.nodes.signOff()
    expect(await oneHeld()).toEqual([JOBS, id])
    const [again] = (await claimed(one, id)) as [ClaimedDelivery]
    expect(again.attempt).toBe(2)
    expect(await one.recordAttempts([delivered(old)])).toBe(0)
    expect(await one.recordAttempts([delivered(again)])).toBe(1)
  })

  it('nothing is handed over to who has lost the lease: the delivery is due for the holder', async () => {
    const { one, other, takeOver, id } = await withTwo()
    const slots = { destinationId: id, count: 10, taken: 0, leaseMs: 45_000 }
    one.offerSlots(slots)
    other.offerSlots(slots)
    async function handed(store: PostgresStore, subject: string): Promise<boolean> {
      const stored = await store.storeCallback(aCallback({ facts: [aFact({ subject, hash: null })] }))
      return stored.handed !== undefined && stored.destinationIds.length === 0
    }
    expect(await handed(one, '1')).toBe(true)
    expect(await handed(other, '2')).toBe(false)
    await takeOver()
    expect(await handed(one, '3')).toBe(false)
    expect(subjects(await claimed(other, id)).toSorted()).toEqual(['1', '2', '3'])
  })

  it('the order of a subject is kept across a takeover', async () => {
    const { one, other, takeOver, id } = await withTwo()
    const texts = ['a', 'b', 'c'].map((status) => `{"identificador":"1","status":{"atual":"${status}"}}`)
    for (const text of texts) await one.storeCallback(aCallback({ text }))
    const [first] = (await claimed(one, id)) as [ClaimedDelivery]
    await takeOver()
    const [again] = (await claimed(other, id)) as [ClaimedDelivery]
    expect(again.deliveryId).toBe(first.deliveryId)
    expect(await one.recordAttempts([delivered(first)])).toBe(0)
    expect(await claimed(other, id)).toEqual([])
    expect(await other.recordAttempts([delivered(again)])).toBe(1)
    expect(await claimed(other, id)).toMatchObject([{ deliveryId: first.deliveryId + 1 }])
  })

  it('a silent node loses its leases after 15 s of the database, and not before', async () => {
    const { oneHeld, otherHeld, age, id } = await withTwo()
    await age('one', 14)
    expect(await otherHeld()).toEqual([])
    await age('one', 16)
    expect(await otherHeld()).toEqual([JOBS, id])
    expect(await oneHeld()).toEqual([])
  })

  it('after the clock of the database went back, leases of a silent node end 15 s later, and it lives no longer', async () => {
    const { otherHeld, other, age, pass, id } = await withTwo()
    await age('one', -3600)
    expect(await otherHeld()).toEqual([])
    await pass(14)
    expect(await otherHeld()).toEqual([])
    await pass(2)
    expect(await otherHeld()).toEqual([JOBS, id])
    expect((await other.listNodes()).map(({ name, isLiving }) => [name, isLiving])).toEqual([
      ['one', false],
      ['other', true],
    ])
  })

  it('a silent node keeps its leases and claims until another one takes them', async () => {
    const { one, oneHeld, age, id } = await withTwo()
    await one.storeCallback(aCallback())
    const [claimedOne] = (await claimed(one, id)) as [ClaimedDelivery]
    await age('one', 60)
    expect(await oneHeld()).toEqual([JOBS, id])
    expect(await one.recordAttempts([delivered(claimedOne)])).toBe(1)
  })

  it('a node that was silent itself takes over nothing, but takes what is free', async () => {
    const { open, age } = await openDatabase()
    const [one, other] = [await open('one'), await open('other')]
    const { id } = await one.store.createDestination(aDestination(), NOON)
    await one.signOn()
    await age('one', 60)
    expect((await other.signOn(false)).held).toEqual([])
    expect((await one.signOn(false)).held).toMatchObject([{ destinationId: JOBS }, { destinationId: id }])
    await one.store.nodes.signOff()
    expect((await other.signOn(false)).held).toMatchObject([{ destinationId: JOBS }, { destinationId: id }])
  })

  it('one that stops hands over at once', async () => {
    const { one, otherHeld, id } = await withTwo()
    expect(await otherHeld()).toEqual([])
    await one.nodes.signOff()
    expect(await otherHeld()).toEqual([JOBS, id])
    expect(await one.listNodes()).toMatchObject([{ name: 'other', isLiving: true, leases: [JOBS, id] }])
  })

  it('each gets its share, and says what it has beyond that', async () => {
    const { open } = await openDatabase()
    const first = await open('first')
    for (let n = 0; n < 8; n++) await first.store.createDestination(aDestination({ name: `d${n}` }), NOON)
    expect(await first.signOn()).toMatchObject({ held: { length: 9 }, surplus: 0, living: 1 })
    const [second, third] = [await open('second'), await open('third')]
    expect(await second.signOn()).toMatchObject({ held: [], living: 2 })
    expect(await third.signOn()).toMatchObject({ held: [], living: 3 })
    const { held, surplus } = await first.signOn()
    expect(surplus).toBe(6)
    await first.store.nodes.freeLeases(held.slice(-surplus).map(({ destinationId }) => destinationId))
    const all = [await first.held(), await second.held(), await third.held()]
    expect(all.map(({ length }) => length)).toEqual([3, 3, 3])
    expect(new Set(all.flat()).size).toBe(9)
    expect(await first.signOn()).toMatchObject({ surplus: 0 })
  })

  it('several that sign on at once share without holding one twice', async () => {
    const { open } = await openDatabase()
    const nodes = await Promise.all(['a', 'b', 'c'].map(open))
    for (let n = 0; n < 11; n++) await nodes[0]?.store.createDestination(aDestination({ name: `d${n}` }), NOON)
    await Promise.all(nodes.map(({ signOn }) => signOn()))
    const all = (await Promise.all(nodes.map(({ held }) => held()))).flat()
    expect(new Set(all).size).toBe(all.length)
  })

  it('a destination has a lease until the last attempt at it is on record', async () => {
    const { one, oneHeld, id } = await withTwo()
    await one.storeCallback(aCallback())
    const [under] = (await claimed(one, id)) as [ClaimedDelivery]
    await one.deleteDestination(id)
    expect(await oneHeld()).toEqual([JOBS, id])
    await one.cancelDeliveries(id, 100, NOON)
    expect(await oneHeld()).toEqual([JOBS, id])
    expect(await one.recordAttempts([delivered(under)])).toBe(1)
    expect(await oneHeld()).toEqual([JOBS])
  })

  it('lists nodes, forgets an older process of the same name, and shows two that live', async () => {
    const { open, age } = await openDatabase()
    const [old, same] = [await open('one'), await open('one')]
    await old.signOn()
    await same.signOn()
    const list = () => same.store.listNodes()
    expect(await list()).toMatchObject([
      { name: 'one', version: '1.2.3', isLiving: true, leases: [JOBS] },
      { name: 'one', isLiving: true, leases: [] },
    ])
    await age('one', 16)
    expect(await list()).toMatchObject([{ isLiving: false }, { isLiving: false }])
    await same.signOn()
    expect(await list()).toMatchObject([{ isLiving: true, leases: [JOBS] }])
    // It was forgotten, and is a new node.
    await old.signOn()
    expect((await list()).map(({ isLiving }) => isLiving)).toEqual([true, true])
  })

  it('a sign of life goes before the callbacks that wait', async () => {
    const { one, oneHeld } = await withTwo()
    let isSigned = false
    const stored = Array.from({ length: 900 }, (_, n) =>
      one.storeCallback(aCallback({ text: `{"identificador":"${n}"}` })).then(() => isSigned),
    )
    await sleep(0)
    await oneHeld()
    isSigned = true
    expect((await Promise.all(stored)).filter(Boolean).length).toBeGreaterThan(0)
  })
})
