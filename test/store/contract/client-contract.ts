import { describe, expect, it } from 'vitest'
import { CLIENT_LIMIT, type NewClient } from '../../../src/domain/client.ts'
import { hashOfSecret } from '../../../src/domain/secrets/client-secret.ts'
import { NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

const [FIRST, SECOND, THIRD] = ['first', 'second', 'third'].map(hashOfSecret) as [string, string, string]

function aClient(changes: Partial<NewClient> = {}): NewClient {
  return {
    id: 'cli_0123456789',
    name: 'shop',
    environment: 'sandbox',
    scopes: ['events.read', 'payment.webhook.write'],
    secretHash: FIRST,
    ...changes,
  }
}

/** What every Store promises of the API's clients. */
export function describeClients(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  describe(`${name}: clients`, () => {
    it('are kept as they were made, in another process too', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      const made = await store.createClient(aClient(), NOON)
      expect(made).toEqual({
        ...aClient(),
        previousSecret: null,
        generation: 1,
        createdAt: NOON,
        rotatedAt: null,
        revokedAt: null,
      })
      await store.close()

      const reopened = await underTest.reopen()
      expect(await reopened.listClients()).toEqual([made])
    })

    it('keep the secret before the last for a while, or lose it with a new generation', async () => {
      const store = await createStoreUnderTest().open()
      const { id } = await store.createClient(aClient(), NOON)
      const rotated = await store.rotateClient(id, { secretHash: SECOND, previousValidUntil: NOON + 9 }, NOON + 1)
      expect(rotated).toMatchObject({
        secretHash: SECOND,
        previousSecret: { hash: FIRST, validUntil: NOON + 9 },
        generation: 1,
        rotatedAt: NOON + 1,
      })
      const again = await store.rotateClient(id, { secretHash: THIRD, previousValidUntil: null }, NOON + 2)
      expect(again).toMatchObject({ secretHash: THIRD, previousSecret: null, generation: 2, rotatedAt: NOON + 2 })
      expect(await store.listClients()).toEqual([again])
      await expect(
        store.rotateClient('cli_9999999999', { secretHash: SECOND, previousValidUntil: null }, NOON),
      ).rejects.toMatchObject({ code: 'not_found' })
    })

    it('are revoked for good: listed only when asked for, and their names are free again', async () => {
      const store = await createStoreUnderTest().open()
      const { id } = await store.createClient(aClient(), NOON)
      await expect(store.createClient(aClient({ id: 'cli_1111111111' }), NOON)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('there is a client named shop already'),
      })
      await store.rotateClient(id, { secretHash: SECOND, previousValidUntil: NOON + 9 }, NOON)
      const revoked = await store.revokeClient(id, NOON + 1)
      expect(revoked).toMatchObject({ generation: 2, previousSecret: null, revokedAt: NOON + 1 })
      expect(await store.revokeClient(id, NOON + 2)).toEqual(revoked)
      await expect(store.rotateClient(id, { secretHash: THIRD, previousValidUntil: null }, NOON)).rejects.toMatchObject(
        { code: 'conflict', message: expect.stringContaining('was revoked') },
      )
      await expect(store.revokeClient('cli_9999999999', NOON)).rejects.toMatchObject({ code: 'not_found' })
      const other = await store.createClient(aClient({ id: 'cli_1111111111' }), NOON + 3)
      expect(await store.listClients()).toEqual([other])
      expect(await store.listClients({ revoked: true })).toEqual([revoked, other])
    })

    it('are at most so many, the revoked ones apart', async () => {
      const store = await createStoreUnderTest().open()
      const numbered = (n: number) => aClient({ id: `cli_${String(n).padStart(10, '0')}`, name: `app-${n}` })
      await Promise.all(Array.from({ length: CLIENT_LIMIT }, (_, n) => store.createClient(numbered(n), NOON)))
      const one = numbered(CLIENT_LIMIT)
      await expect(store.createClient(one, NOON)).rejects.toMatchObject({ code: 'conflict' })
      await store.revokeClient(numbered(0).id, NOON)
      expect(await store.createClient(one, NOON)).toMatchObject({ id: one.id })
    })

    it('have their tokens signed with the key that was kept first', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      expect(await Promise.all([store.keepTokenKey('one'), store.keepTokenKey('two')])).toEqual(['one', 'one'])
      await store.close()
      const reopened = await underTest.reopen()
      expect(await reopened.keepTokenKey('three')).toBe('one')
    })
  })
}
