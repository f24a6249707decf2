import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
import { refuseInTurn } from '../../src/tls/broken-requests.ts'

it('a broken request is refused once, when the answer in front of it is sent, however many of its bytes cause errors', () => {
  const latest = Object.assign(new EventEmitter(), { req: { complete: true }, closed: false })
  const socket = new Socket()
  const refuse = vi.fn()
  for (let error = 0; error < 20; error++) refuseInTurn({ socket, latest: latest as unknown as ServerResponse, refuse })
  expect([refuse.mock.calls.length, latest.listenerCount('close')]).toEqual([0, 1])
  latest.emit('close')
  expect(refuse).toHaveBeenCalledTimes(1)
})
