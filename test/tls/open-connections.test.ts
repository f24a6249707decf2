import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { type Connection, createOpenConnections, type Share } from '../../src/tls/open-connections.ts'

function connectionOf(share: Share): Connection {
  const socket = new Socket()
  return {
    share,
    endpoint: '',
    accepted: socket,
    stream: socket,
    isHandshakeDone: true,
    isAuthenticated: false,
    activeAt: 0,
    latest: undefined,
  }
}

it('a connection that is removed a second time takes no place of a later one from its network', () => {
  const connections = createOpenConnections()
  const first = connectionOf(connections.shareOf('192.0.2.1'))
  connections.add(first)
  connections.remove(first)
  const later = connectionOf(connections.shareOf('192.0.2.1'))
  connections.add(later)
  // Its socket has closed.
  connections.remove(first)
  expect(connections.shareOf('192.0.2.1')).toBe(later.share)
  expect(connections.all.unauthenticated).toEqual(new Set([later]))
})
