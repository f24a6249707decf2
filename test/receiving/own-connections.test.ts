import { expect, it } from 'vitest'
import { machineAddresses } from '../../src/platform/machine-addresses.ts'
import { createOwnConnections } from '../../src/receiving/own-connections.ts'

const HERE = { remoteAddress: '::ffff:127.0.0.1', remotePort: 40_001 }

it('only the next connection from an announced port of this machine is an own one', () => {
  const own = createOwnConnections()
  const [untrusted, otherPort] = [
    { ...HERE, remoteAddress: '192.0.2.1' },
    { ...HERE, remotePort: 40_002 },
  ]
  own.announce(HERE.remotePort)
  for (const end of [untrusted, otherPort]) own.accepted(end)
  expect([HERE, untrusted, otherPort, {}].map(own.has)).toEqual([false, false, false, false])
  expect([HERE, untrusted, otherPort, {}].map(own.expects)).toEqual([true, false, false, false])
  own.accepted(HERE)
  expect([HERE, untrusted, otherPort, {}].map(own.has)).toEqual([true, false, false, false])
  expect(own.expects(HERE)).toBe(false)
  // The command has closed its connection, and another program takes its port.
  own.accepted(HERE)
  own.accepted(HERE)
  expect(own.has(HERE)).toBe(false)
})

it('knows connections of loopback where the system does not name the addresses of the machine', () => {
  const refused = () => {
    throw new Error('uv_interface_addresses returned Unknown system error 97')
  }
  const own = createOwnConnections(
    () => 0,
    () => machineAddresses(refused),
  )
  const far = { remoteAddress: '192.0.2.1', remotePort: 40_002 }
  for (const end of [HERE, far]) own.announce(end.remotePort)
  expect([HERE, far].map(own.expects)).toEqual([true, false])
})

it('an announcement ends after a minute', () => {
  let nowMs = 0
  const own = createOwnConnections(() => nowMs)
  own.announce(HERE.remotePort)
  nowMs = 59_999
  own.accepted(HERE)
  expect(own.has(HERE)).toBe(true)
  nowMs = 60_000
  expect(own.has(HERE)).toBe(false)
  own.announce(HERE.remotePort)
  nowMs = 120_000
  own.accepted(HERE)
  expect(own.has(HERE)).toBe(false)
})

it('a hundred announcements are kept, the latest', () => {
  const own = createOwnConnections()
  const ends = Array.from({ length: 101 }, (_, index) => ({ ...HERE, remotePort: 40_000 + index }))
  for (const { remotePort } of ends) own.announce(remotePort)
  for (const end of ends) own.accepted(end)
  expect(ends.filter((end) => !own.has(end))).toEqual([ends[0]])
})
