import { expect, it } from 'vitest'
import { withoutFacts } from '../../../src/store/storing/callback-writer.ts'
import { aCallback, aHeldCallback } from '../../support/builders.ts'

it('a callback that is stored unparsed is held back where one of its facts was', () => {
  const [held, free] = [withoutFacts(aHeldCallback('{"n":1}')), withoutFacts(aCallback())]
  expect(held.facts).toMatchObject([{ subject: null, quarantine: expect.any(String) }])
  expect(free.facts.map(({ subject, quarantine }) => [subject, quarantine])).toEqual([[null, undefined]])
  expect([held.mark, free.mark]).toEqual(['unparsed', 'unparsed'])
})
