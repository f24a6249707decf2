import { expect, it, onTestFinished } from 'vitest'
import { hexOf } from '../../../src/domain/event-hash.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const CALLBACKS = 300

describePostgres('several stores on one PostgreSQL database', (server) => {
  /** All of them begin at once, so one creates the schema. */
  async function openNodes(count: number): Promise<Store[]> {
    const url = await server.createDatabase()
    const nodes = await Promise.all(
      Array.from({ length: count }, () => openPostgresStore({ ...postgresOptions(), url })),
    )
    onTestFinished(async () => {
      await Promise.all(nodes.map((node) => node.close()))
    })
    return nodes
  }

  function storeMany(node: Store, name: string) {
    const texts = Array.from({ length: CALLBACKS }, (_, index) => `{"identificador":"${name}-${index}"}`)
    return Promise.all(texts.map((text) => node.storeCallback(aCallback({ text }))))
  }

  it('give each position once and in the order of commits, to a reader too, and the chain of hashes is whole', async () => {
    const nodes = await openNodes(3)
    const [reader] = nodes as [Store]
    const seen: number[] = []
    let isStoring = true
    async function poll(): Promise<void> {
      for (let isLast = false; !isLast; ) {
        isLast = !isStoring
        const { events } = await reader.listEvents({ after: seen.at(-1) ?? 0 }, 1000)
        seen.push(...events.map(({ position }) => position))
      }
    }
    const polling = poll()
    await Promise.all(nodes.map((node, index) => storeMany(node, `node ${index}`)))
    isStoring = false
    await polling

    const all = CALLBACKS * nodes.length
    expect(seen).toEqual(Array.from({ length: all }, (_, index) => index + 1))
    const { events } = await reader.listEvents({}, all)
    let previous = hexOf(new Uint8Array(32))
    for (const { id } of events) {
      const proof = await reader.getProof(id)
      expect(proof).toMatchObject({ isSound: true, previous: { hash: previous } })
      previous = proof?.hashes.event ?? ''
    }
  })

  it('store the same fact once, whichever of them it reaches', async () => {
    const nodes = await openNodes(2)
    const stored = (await Promise.all(nodes.map((node) => storeMany(node, 'same')))).flat()
    expect(stored.filter(({ eventIds }) => eventIds.length === 1)).toHaveLength(CALLBACKS)
    expect(stored.filter(({ duplicates }) => duplicates === 1)).toHaveLength(CALLBACKS)
  })

  it('a destination that one makes gets what another one stores after it', async () => {
    const [one, other] = (await openNodes(2)) as [Store, Store]
    expect((await other.storeCallback(aCallback({ text: '1' }))).destinationIds).toEqual([])
    const { id } = await one.createDestination(aDestination(), NOON)
    expect((await other.storeCallback(aCallback({ text: '2' }))).destinationIds).toEqual([id])
    await one.pauseDestination(id, 'by an operator')
    await one.deleteDestination(id)
    expect((await other.storeCallback(aCallback({ text: '3' }))).destinationIds).toEqual([])
  })
})
