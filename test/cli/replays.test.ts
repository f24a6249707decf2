import { expect, it } from 'vitest'
import { canceledText } from '../../src/cli/replays.ts'

it('a canceled replay says how many attempts may still arrive', () => {
  expect(canceledText({ id: 'rpl_1', underWay: 0 })).toBe('rpl_1 is canceled')
  expect(canceledText({ id: 'rpl_1', underWay: 2 })).toBe(
    'rpl_1 is canceled; attempts under way, which may still arrive: 2',
  )
})
