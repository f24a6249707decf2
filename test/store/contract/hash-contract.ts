import { describe, expect, it } from 'vitest'
import { digestOf, hashBehind, hexOf } from '../../../src/domain/event-hash.ts'
import { warningsDue } from '../../../src/domain/expiry.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aHeldCallback, anInterpretedCallback, aWatchedCertificate, NOON } from '../../support/builders.ts'
import { aPaymentAnswer } from './reconcile-contract.ts'
import type { StoreUnderTest } from './store-contract.ts'

/** What every Store promises of the hashes of its events. */
export function describeHashes(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const allOf = async (store: Store) => {
    const kinds = ['payment', 'charge', 'operator']
    const { events } = await store.listEvents({ kinds }, 100)
    return Promise.all(
      events.map(async ({ id }) => ({ found: await store.getEvent(id), proof: await store.getProof(id) })),
    )
  }

  describe(`${name}: the hash of an event`, () => {
    it('covers its fields, its payload and the event before it, however it was stored, also by another process', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      await store.storeCallback(anInterpretedCallback('{"pix":[{"n":1},{"n":2}]}', ['/pix']))
      await store.storeCallback(aHeldCallback('{"n":3}'))
      const [warning] = warningsDue([aWatchedCertificate({ notAfter: NOON + 1 })], NOON)
      if (warning !== undefined) await store.raiseExpiryWarning(warning)
      await store.releaseQuarantined(1, { by: 'operator', at: NOON })
      await store.settleAnswer(aPaymentAnswer('a', 'CRIADO'))
      await store.close()

      const reopened = await underTest.reopen()
      await reopened.storeCallback(anInterpretedCallback('{"n":4}'))
      const events = await allOf(reopened)
      await reopened.close()
      let previous = { position: 0, hash: '00'.repeat(32) }
      for (const { found, proof } of events) {
        if (found === null || proof === null) throw new Error('an event is gone')
        const hash = hexOf(hashBehind(Buffer.from(previous.hash, 'hex'), digestOf(proof.values)))
        expect(proof).toMatchObject({ previous, hashes: { ...found.hashes, event: hash }, isSound: true })
        expect(proof.values).toEqual(
          expect.arrayContaining([
            found.event.kind,
            found.hashes.payload,
            found.evidence.headers.length === 0 ? '[]' : JSON.stringify(found.evidence.headers),
          ]),
        )
        previous = { position: found.event.position, hash }
      }
      expect(previous.position).toBe(6)
      expect(events.map(({ proof }) => proof?.values).filter((values) => values?.includes('service'))).toHaveLength(1)
    })

    it('is not there for an event that is not there', async () => {
      const store = await createStoreUnderTest().open()
      expect(await store.getProof('evt_1_0000000000')).toBeNull()
      expect(await store.getProof('other')).toBeNull()
    })
  })
}
