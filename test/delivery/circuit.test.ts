import { expect, it } from 'vitest'
import { createCircuit, isDestinationTrouble } from '../../src/delivery/circuit.ts'

function aCircuit(failures = 3, openedAt: number | null = null) {
  const changes: (number | null)[] = []
  const circuit = createCircuit(
    { failures, probeIntervalMs: 1000 },
    { openedAt, now: () => 77, onChange: (at) => changes.push(at) },
  )
  return { circuit, changes }
}

it('opens when so many different deliveries have failed in a row, and says so once', () => {
  const { circuit, changes } = aCircuit()
  for (const id of [1, 2]) circuit.failed(id)
  expect(circuit.openedAt).toBeNull()
  circuit.failed(3)
  expect(circuit.openedAt).toBe(77)
  for (const id of [4, 5, 6]) circuit.failed(id)
  expect([circuit.openedAt, changes]).toEqual([77, [77]])
})

it('one delivery that fails for ever opens nothing', () => {
  const { circuit, changes } = aCircuit(2)
  for (let i = 0; i < 50; i++) circuit.failed(1)
  expect([circuit.openedAt, changes]).toEqual([null, []])
})

it('a success in between begins the count again', () => {
  const { circuit } = aCircuit()
  for (const id of [1, 2]) circuit.failed(id)
  circuit.succeeded()
  for (const id of [3, 4]) circuit.failed(id)
  expect(circuit.openedAt).toBeNull()
})

it('closes at a success, once, and needs the full count to open again', () => {
  const { circuit, changes } = aCircuit(2, 5)
  expect(circuit.openedAt).toBe(5)
  for (const id of [1, 2, 3]) circuit.failed(id)
  circuit.succeeded()
  circuit.succeeded()
  circuit.failed(4)
  expect([circuit.openedAt, changes]).toEqual([null, [null]])
})

it.each([
  [null, 'no answer', true],
  [500, 'answered HTTP 500', true],
  [503, 'answered HTTP 503', true],
  [429, 'answered HTTP 429', true],
  [408, 'answered HTTP 408', true],
  [200, null, false],
  [302, 'redirect', false],
  [400, 'answered HTTP 400', false],
  [404, 'answered HTTP 404', false],
  [410, 'answered HTTP 410', false],
  [422, 'answered HTTP 422', false],
])('status %s (%s) is the destination’s own trouble: %s', (status, error, expected) => {
  expect(isDestinationTrouble({ status, error })).toBe(expected)
})
