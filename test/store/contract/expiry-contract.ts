import { describe, expect, it } from 'vitest'
import type { ExpiryWarning } from '../../../src/domain/expiry.ts'
import { warningsDue } from '../../../src/domain/expiry.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aDestination, aWatchedCertificate, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

const DAY = 86_400_000

/** The warning of a certificate with so many days left. */
function aWarning(days: number, changes: Parameters<typeof aWatchedCertificate>[0] = {}): ExpiryWarning {
  const [warning] = warningsDue([aWatchedCertificate({ notAfter: NOON + days * DAY, ...changes })], NOON)
  return warning as ExpiryWarning
}

/** What every Store promises of certificates that end. */
export function describeExpiry(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()
  const eventsOf = async (store: Store) => (await store.listEvents({ kinds: ['operator'] }, 100)).events

  describe(`${name}: certificates that end`, () => {
    it('are warned about once for each number of days, downwards only, in another process too', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      expect(await store.raiseExpiryWarning(aWarning(13))).toMatchObject({ destinationIds: [] })
      expect(await store.raiseExpiryWarning(aWarning(12))).toBeNull()
      // The clock was set back.
      expect(await store.raiseExpiryWarning(aWarning(29))).toBeNull()
      expect(await store.raiseExpiryWarning(aWarning(2))).not.toBeNull()
      await store.close()

      const reopened = await underTest.reopen()
      expect(await reopened.raiseExpiryWarning(aWarning(2))).toBeNull()
      expect(await reopened.raiseExpiryWarning(aWarning(-1))).not.toBeNull()
      const bodies = (await eventsOf(reopened)).map((event) => JSON.parse(Buffer.from(event.body).toString()))
      expect(bodies.map(({ warning, daysLeft }) => [warning, daysLeft])).toEqual([
        [14, 13],
        [3, 2],
        [0, -1],
      ])
    })

    it('are distinguished by set and fingerprint', async () => {
      const store = await openStore()
      expect(await store.raiseExpiryWarning(aWarning(2))).not.toBeNull()
      expect(await store.raiseExpiryWarning(aWarning(2, { set: 'client' }))).not.toBeNull()
      expect(await store.raiseExpiryWarning(aWarning(2, { fingerprint: 'cd'.repeat(32) }))).not.toBeNull()
    })

    it('make an event that came in no callback, for polls that name its kind', async () => {
      const store = await openStore()
      const warning = aWarning(2, { environment: 'sandbox' })
      const raised = await store.raiseExpiryWarning(warning)
      expect((await store.listEvents({}, 10)).events).toEqual([])
      const [event] = await eventsOf(store)
      expect(event).toMatchObject({
        id: raised?.eventId,
        kind: 'operator',
        environment: 'sandbox',
        listener: null,
        authentication: 'none',
        subject: warning.fingerprint,
        status: 'expiring',
        receivedAt: NOON,
        callbackId: null,
        contentType: 'application/json',
      })
      const found = await store.getEvent(raised?.eventId ?? '')
      expect(found?.evidence).toMatchObject({ callbackId: null, remoteAddress: null, target: null, peer: null })
      expect(Buffer.from(found?.evidence.body ?? []).toString()).toBe(warning.event.body)
    })

    it('are for destinations that name the kind, and to no others', async () => {
      const store = await openStore()
      await store.createDestination(aDestination({ name: 'all' }), NOON)
      await store.createDestination(
        aDestination({ name: 'sandbox', kinds: ['operator'], environments: ['sandbox'] }),
        NOON,
      )
      const { id } = await store.createDestination(aDestination({ name: 'alarms', kinds: ['operator'] }), NOON)
      expect(await store.raiseExpiryWarning(aWarning(2))).toMatchObject({ destinationIds: [id] })
      const wanted = { destinationId: id, limit: 9, now: NOON, leaseUntil: NOON + 1, freshSince: 0, backlogLimit: 9 }
      const { deliveries } = await store.claimDeliveries(wanted)
      expect(deliveries).toMatchObject([
        { event: { kind: 'operator', authentication: 'none', part: 1, parts: 1 }, contentType: 'application/json' },
      ])
      expect(Buffer.from(deliveries[0]?.body ?? []).toString()).toBe(aWarning(2).event.body)
    })

    it('of destinations are kept as they were shown last, while the destination is there', async () => {
      const store = await openStore()
      const { id: destinationId } = await store.createDestination(aDestination(), NOON)
      const shown = (fingerprint: string) => ({
        destinationId,
        host: 'books.example',
        fingerprint,
        subject: 'CN=books.example',
        issuer: 'CN=authority',
        notBefore: NOON - 90 * 86_400_000,
        notAfter: NOON,
      })
      for (const fingerprint of ['aa', 'aa', 'bb']) await store.keepDestinationCertificate(shown(fingerprint), NOON)
      expect(await store.listDestinationCertificates()).toEqual([shown('bb')])
      const moved = { ...shown('bb'), host: 'other.example:8443' }
      await store.keepDestinationCertificate(moved, NOON)
      expect(await store.listDestinationCertificates()).toEqual([moved])
      await store.deleteDestination(destinationId)
      expect(await store.listDestinationCertificates()).toEqual([])
    })
  })
}
