import { expect, it } from 'vitest'
import { knownIds } from '../../../src/cli/service/known-ids.ts'
import { aCallback, aFact } from '../../support/builders.ts'
import { openTestStore } from '../../support/store.ts'

it('the ids of charges are found behind a byte order mark, and in the charset of the content type', async () => {
  const store = await openTestStore()
  const callbacks = [
    { body: Buffer.from('\ufeff{"charge_id":1000001}') },
    { body: Buffer.from('\ufeff{"charge_id":1000002}', 'utf16le') },
    { body: Buffer.from('{"charge_id":1000003,"nome":"João"}', 'latin1'), contentType: 'text/json; charset=latin1' },
  ]
  for (const callback of callbacks)
    await store.storeCallback(aCallback({ kind: 'charge', facts: [aFact({ kind: 'charge' })], ...callback }))
  expect(await knownIds(store, 'charge', 'production')).toEqual(['1000001', '1000002', '1000003'])
})

it('the ids are those of one institution, and of one environment', async () => {
  const store = await openTestStore()
  const realms = ['production', 'sandbox', 'bank-a/production', 'bank-b/production'] as const
  for (const [index, environment] of realms.entries()) {
    const text = `{"charge_id":${index + 1}}`
    await store.storeCallback(aCallback({ kind: 'charge', environment, text, facts: [aFact({ kind: 'charge' })] }))
  }
  expect(await Promise.all(realms.map((realm) => knownIds(store, 'charge', realm)))).toEqual([
    ['1'],
    ['2'],
    ['3'],
    ['4'],
  ])
})
