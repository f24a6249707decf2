import { expect, it } from 'vitest'
import { createPeers, type KnownPeer } from '../../../src/store/storing/peers.ts'
import { aCallback, NOON } from '../../support/builders.ts'

it('a caller whose row was rolled back gets another one with its next call, and one that is committed none', () => {
  const { peer } = aCallback()
  if (peer === null) throw new Error('a callback of the service has a peer')
  let inserted = 0
  let row: KnownPeer | null = null
  const peers = createPeers({
    find: () => row,
    insert: (_peer, environment, seenAt) => {
      row = { id: ++inserted, seenAt, environment }
      return inserted
    },
    see: () => undefined,
  })
  expect(peers.idOf(peer, 'production', NOON)).toBe(1)
  row = null
  peers.rolledBack()
  expect(peers.idOf(peer, 'production', NOON)).toBe(2)
  peers.committed()
  peers.rolledBack()
  expect([peers.idOf(peer, 'production', NOON), inserted]).toEqual([2, 2])
})
