import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createHeaderReader } from '../../src/receiving/relevant-headers.ts'

const requestWith = (...rawHeaders: string[]) => ({ rawHeaders }) as IncomingMessage

it('the headers of each request are read, also where those before differ in one name or value', () => {
  const read = createHeaderReader()
  const all = [
    ['Host', 'a', 'X-Id', '1'],
    ['Host', 'a', 'X-Id', '2'],
    ['Host', 'a', 'X-Ie', '2'],
    ['Host', 'a'],
    ['Host', 'a', 'X-Id', '1'],
    ['Host', 'a', 'X-Id', '1'],
    [],
  ]
  expect(all.map((raw) => read(requestWith(...raw)))).toEqual([
    '[["host","a"],["x-id","1"]]',
    '[["host","a"],["x-id","2"]]',
    '[["host","a"],["x-ie","2"]]',
    '[["host","a"]]',
    '[["host","a"],["x-id","1"]]',
    '[["host","a"],["x-id","1"]]',
    '[]',
  ])
})

it('credentials and headers of the connection are not kept, and long values are cut, but not the loop header', () => {
  const long = 'x'.repeat(1025)
  const raw = ['Authorization', 'Bearer x', 'Cookie', 'a=1', 'Connection', 'close', 'X-Long', long, 'CDN-Loop', long]
  expect(JSON.parse(createHeaderReader()(requestWith(...raw)))).toEqual([
    ['x-long', 'x'.repeat(1024)],
    ['cdn-loop', long],
  ])
})
