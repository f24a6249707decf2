import { describe, expect, it } from 'vitest'
import { isDeeperThan, valueAt } from '../../src/platform/json-value.ts'

describe('depth', () => {
  it.each([
    ['7', 0],
    ['"[[["', 0],
    ['{}', 1],
    ['[1,{"a":[]}]', 3],
    ['[null,[null]]', 2],
  ])('of %s is %i', (json, depth) => {
    const value: unknown = JSON.parse(json)
    expect([isDeeperThan(value, depth), depth > 0 && isDeeperThan(value, depth - 1)]).toEqual([false, depth > 0])
  })

  it('of half a million arrays costs no stack', () => {
    expect(isDeeperThan(JSON.parse('['.repeat(500_000) + ']'.repeat(500_000)), 64)).toBe(true)
  })
})

describe('a pointer', () => {
  const value: unknown = JSON.parse('{"a":{"b":[1,{"c":"x"}]},"__proto__":{"d":"own"},"":"empty"}')

  it.each([
    [['a', 'b', '1', 'c'], 'x'],
    [['__proto__', 'd'], 'own'],
    [[''], 'empty'],
    [['a', 'b', '01'], undefined],
    [['a', 'b', '-'], undefined],
    [['a', 'b', 'length'], undefined],
    [['constructor'], undefined],
    [['a', 'toString'], undefined],
  ])('%j names %j', (tokens, expected) => {
    expect(valueAt(value, tokens)).toBe(expected)
  })
})
