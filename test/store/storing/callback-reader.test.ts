import { expect, it } from 'vitest'
import { kindDefaults } from '../../../src/domain/kinds.ts'
import { createCallbackReader } from '../../../src/store/storing/callback-reader.ts'
import { aCallback, aReceivedCallback } from '../../support/builders.ts'

const accounts = [{ pointers: ['/account'], values: ['own'] }]
const read = createCallbackReader([
  { name: 'payment', path: '/p', ...kindDefaults('payment') },
  { name: 'pix', path: '/x', ...kindDefaults('pix'), accounts },
])
/** Every interpreter throws for it. */
const UNREADABLE = null as unknown as Buffer

it('a callback whose reading throws becomes one unparsed event, which is quarantined where accounts are checked', () => {
  const [unchecked, checked] = ['payment', 'pix'].map((kind) =>
    read({ ...aReceivedCallback({ kind }), body: UNREADABLE }),
  )
  expect(unchecked).toMatchObject({ mark: 'unparsed', facts: [{ kind: 'payment', hash: null, part: 1, parts: 1 }] })
  expect(unchecked?.facts[0]).not.toHaveProperty('quarantine')
  expect(checked).toMatchObject({ mark: 'unparsed', facts: [{ kind: 'pix', quarantine: 'account_missing' }] })
})

it('facts that are given are kept', () => {
  const callback = aCallback({ kind: 'unknown' })
  expect(read(callback)).toBe(callback)
})
