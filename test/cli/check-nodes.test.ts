import { expect, it } from 'vitest'
import { nodeFindings } from '../../src/cli/check/nodes.ts'
import type { NodeRecord } from '../../src/domain/nodes/node.ts'
import { aNodeRecord } from '../support/builders.ts'

const NODE = aNodeRecord()

const codesOf = (...nodes: readonly NodeRecord[]) => nodeFindings(nodes).map(({ code, what }) => [code, what])

it('shows each node, and what it does', () => {
  const [one, other] = nodeFindings([NODE, { ...NODE, name: 'node-2', leases: [8, 9] }])
  expect([one?.found, other?.found]).toEqual([
    'version 1.0.0, sends to 1 destinations, runs the jobs',
    'version 1.0.0, sends to 2 destinations',
  ])
  expect([one?.level, other?.level]).toEqual(['good', 'good'])
})

it('warns of a node that differs, and of one that is silent', () => {
  const different = { ...NODE, name: 'node-2', facts: { kinds: 'b' } }
  expect(codesOf(NODE, different, { ...NODE, name: 'node-3', isLiving: false })).toEqual([
    ['nodes.good', 'node-1'],
    ['nodes.differ', 'node-2'],
    ['nodes.silent', 'node-3'],
  ])
})

it('two that live with one name are a problem, a silent one with the name of a living one is not', () => {
  expect(codesOf(NODE, NODE)).toContainEqual(['nodes.name_shared', 'node-1'])
  expect(codesOf(NODE, { ...NODE, isLiving: false })).not.toContainEqual(['nodes.name_shared', 'node-1'])
})
