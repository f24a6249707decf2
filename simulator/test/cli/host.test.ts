import { expect, it } from 'vitest'
import { hostWarning } from '../../src/cli/host-warning.ts'

it.each(['0.0.0.0', '::', '192.168.1.10', '127.example.com', 'simulator'])('warns of %s', (host) => {
  expect(hostWarning(host)).toContain(`--host ${host} lets other machines reach the simulator`)
})

it.each([undefined, '127.0.0.1', '127.1.2.3', '::1', 'localhost'])('does not warn of %s', (host) => {
  expect(hostWarning(host)).toBe(null)
})
