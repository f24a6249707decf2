import { expect, it } from 'vitest'
import { differencesOf } from '../../../src/domain/nodes/differences.ts'

const aNode = (facts: Record<string, string>, isLiving = true, version = '1.0.0') => ({ facts, isLiving, version })

it('names what is not as on most living nodes', () => {
  const [one, other] = [aNode({ kinds: 'a', client: 'x' }), aNode({ kinds: 'b', client: 'x' })]
  expect(differencesOf([one, other, aNode({ kinds: 'b' })])).toEqual([['kinds'], [], ['client']])
  expect(differencesOf([one, aNode(one.facts, true, '1.1.0'), one])).toEqual([[], ['version'], []])
  expect(differencesOf([one, one])).toEqual([[], []])
})

it('of two that differ, the later one', () => {
  expect(differencesOf([aNode({ kinds: 'a' }), aNode({ kinds: 'b' })])).toEqual([[], ['kinds']])
})

it('neither compares nor counts nodes that do not live', () => {
  const silent = aNode({ kinds: 'old' }, false)
  expect(differencesOf([silent, silent, aNode({ kinds: 'new' })])).toEqual([[], [], []])
})
