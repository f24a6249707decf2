import { expect, it } from 'vitest'
import { inventoryOfCallers, inventoryOfDestinations } from '../../../src/certificates/live/certificate-inventory.ts'
import type { InventoryEntry } from '../../../src/domain/expiry.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { openTestStore } from '../../support/store.ts'

const DAY = 86_400_000

/** A call with the certificate of this name's fingerprint and end. */
function call(store: Store, peer: { fingerprint: string; notAfter: number; subject?: string }, receivedAt: number) {
  const known = aCallback().peer
  if (known === null) throw new TypeError('unreachable: the builder has a caller')
  return store.storeCallback(aCallback({ receivedAt, peer: { ...known, ...peer }, facts: [aFact({ hash: null })] }))
}

const replacedOf = (watched: readonly InventoryEntry[]) =>
  watched.map((one) => ('problem' in one ? null : [one.fingerprint, one.isReplaced]))

it('callers are those of the last 30 days; one that has gone over to another certificate is replaced', async () => {
  const store = await openTestStore()
  await call(store, { fingerprint: 'gone', notAfter: NOON + 50 * DAY }, NOON - 31 * DAY)
  await call(store, { fingerprint: 'old', notAfter: NOON + 3 * DAY }, NOON - 2 * DAY)
  await call(store, { fingerprint: 'untrusted', notAfter: NOON + 90 * DAY, subject: 'O=a\nCN=b' }, NOON - 2 * DAY)
  expect(replacedOf(await inventoryOfCallers(store, NOON))).toEqual([
    ['old', false],
    ['untrusted', false],
  ])
  await call(store, { fingerprint: 'new', notAfter: NOON + 90 * DAY }, NOON - DAY)
  const watched = await inventoryOfCallers(store, NOON)
  expect(replacedOf(watched)).toEqual([
    ['new', false],
    ['old', true],
    ['untrusted', false],
  ])
  expect(watched.at(-1)).toMatchObject({
    set: 'service-client',
    where: 'callbacks, production',
    environment: 'production',
    subject: 'O=a, CN=b',
  })
})

it('what a destination showed counts while its URL leads there', async () => {
  const store = await openTestStore()
  const show = async (name: string, url: string, host: string) => {
    const environments = name === 'sandboxed' ? (['sandbox'] as const) : null
    const { id: destinationId } = await store.createDestination(aDestination({ name, url, environments }), NOON)
    const certificate = {
      fingerprint: name,
      subject: 'CN=it',
      issuer: 'CN=authority',
      notBefore: NOON - DAY,
      notAfter: NOON,
    }
    await store.keepDestinationCertificate({ destinationId, host, ...certificate }, NOON)
  }
  await show('here', 'https://here.example/hook', 'here.example')
  await show('sandboxed', 'https://here.example:8443/hook', 'here.example:8443')
  await show('moved', 'https://there.example/hook', 'here.example')
  await show('plain', 'http://10.0.0.1/hook', '10.0.0.1')
  expect((await inventoryOfDestinations(store)).map(({ where, environment }) => [where, environment])).toEqual([
    ['here (here.example)', null],
    ['sandboxed (here.example:8443)', 'sandbox'],
  ])
})
