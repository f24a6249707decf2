import { expect, it } from 'vitest'
import { tableOf } from '../../src/cli/output.ts'

it('a table has as many rows as there are: 400,000 too', () => {
  const rows = Array.from({ length: 400_000 }, (_, number) => [`evt_${number}`, null])
  const lines = tableOf(['id', 'subject'], rows).split('\n')
  expect([lines.length, lines[0], lines[1], lines.at(-2)]).toEqual([
    400_002,
    'id          subject',
    'evt_0       -',
    'evt_399999  -',
  ])
})
