import { expect, it } from 'vitest'
import { openClientRegistry } from '../../../src/api/clients/registry.ts'
import type { Client, NewClient } from '../../../src/domain/client.ts'
import type { Store } from '../../../src/domain/store.ts'
import { NOON } from '../../support/builders.ts'

function aClient(id: string): Client {
  const made = { id, name: id, environment: 'any', scopes: [], secretHash: 'hash', generation: 1 } as const
  return { ...made, previousSecret: null, createdAt: NOON, rotatedAt: null, revokedAt: null }
}

/** A store that another process changes, too. What it reads may arrive late. */
async function startRegistry() {
  const stored = new Map([['erp', aClient('erp')]])
  const reading = { late: Promise.resolve() }
  const changing = { late: Promise.resolve() }
  const store = {
    async listClients() {
      const read = [...stored.values()]
      await reading.late
      return read
    },
    async createClient(made: NewClient) {
      stored.set(made.id, { ...aClient(made.id), name: made.name })
      return stored.get(made.id)
    },
    async rotateClient(id: string) {
      const rotated = { ...(stored.get(id) as Client), secretHash: 'new' }
      stored.set(id, rotated)
      await changing.late
      return rotated
    },
  }
  return { clients: await openClientRegistry(store as unknown as Store, () => NOON), stored, reading, changing }
}

it('clients that another process made or revoked are taken up', async () => {
  const { clients, stored } = await startRegistry()
  stored.delete('erp')
  stored.set('crm', aClient('crm'))
  await clients.refresh()
  expect(clients.find('erp')).toBeUndefined()
  expect(clients.find('crm')?.id).toBe('crm')
})

it('a change of this process during the reading stays', async () => {
  const { clients, reading } = await startRegistry()
  const { promise, resolve } = Promise.withResolvers<void>()
  reading.late = promise
  const refreshing = clients.refresh()
  reading.late = Promise.resolve()
  const { client } = await clients.create({ name: 'crm', environment: 'any', scopes: [] })
  resolve()
  await refreshing
  expect(clients.find(client.id)?.name).toBe('crm')
})

it('a client that another process revoked behind a change of this one stays revoked', async () => {
  const { clients, stored, changing } = await startRegistry()
  const { promise, resolve } = Promise.withResolvers<void>()
  changing.late = promise
  const rotating = clients.rotate('erp', 1000)
  await new Promise(setImmediate)
  stored.delete('erp')
  await clients.refresh()
  resolve()
  await rotating
  expect(clients.find('erp')).toBeUndefined()
})
