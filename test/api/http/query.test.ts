import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  checkQuery,
  flag,
  idBehind,
  instant,
  limit,
  listOf,
  oneOf,
  queryOf,
  text,
} from '../../../src/api/http/query.ts'
import { PortariaError } from '../../../src/platform/errors.ts'

const schema = z.strictObject({
  after: idBehind('dlv'),
  limit,
  state: oneOf(['open', 'closed'], 'Only this state.'),
  kind: listOf('Only these kinds.', z.enum(['a', 'b'], { error: 'one of a, b' })),
  subject: text('Only this subject.'),
  removed: flag('Removed ones too.'),
})

const readQuery = <Schema extends z.ZodObject>(url: string, schema: Schema) => checkQuery(schema, queryOf(url))

it.each([
  ['/x', { limit: 100, removed: false }],
  ['/x?', { limit: 100, removed: false }],
  ['/x?after=dlv_7&limit=5&state=open&removed=true', { after: 7, limit: 5, state: 'open', removed: true }],
  ['/x?kind=a,b&kind=a&subject=', { limit: 100, kind: ['a', 'b', 'a'], subject: '', removed: false }],
])('the query of %s is %j', (url, expected) => {
  expect(readQuery(url, schema)).toEqual(expected)
})

it.each([
  '2026-11-22T10:00:00Z',
  '2026-11-22t10:00:00.000000z',
  '2026-11-22 07:00-03:00',
  '2026-11-22 10:00:00.123456Z',
])('%s is an RFC 3339 time', (typed) => {
  const { from } = readQuery(`/x?${new URLSearchParams({ from: typed })}`, z.strictObject({ from: instant('From.') }))
  expect(Math.floor(Number(from) / 1000)).toBe(Date.parse('2026-11-22T10:00:00Z') / 1000)
})

it.each(['2026-11-22 10:00', '2026-11-22T10:00:00 03:00', '2026-02-31', 'z'])(
  '%s is none, and the text says why',
  (typed) => {
    const read = () =>
      readQuery(`/x?${new URLSearchParams({ from: typed })}`, z.strictObject({ from: instant('From.') }))
    expect(read).toThrow(
      'from: an RFC 3339 time such as 2026-01-31T12:00:00Z or 2026-01-31T09:00:00-03:00; write + as %2B in a URL',
    )
  },
)

it('everything that is wrong is named at once: unknown parameters first, then the others in the order of the schema', () => {
  const wrong =
    '/x?removed=1&kind=a,c,d&zzz=1&limit=0&limit=2&__proto__=1&after=7&state=ajar&subject=a&subject=b&subject=c'
  const read = () => readQuery(wrong, schema)
  expect(read).toThrow(PortariaError)
  let seen: unknown
  try {
    read()
  } catch (error) {
    seen = (error as PortariaError).violations.map(({ parameter, words }) => [parameter, words])
  }
  const unknown = 'unknown; known are after, limit, state, kind, subject, removed'
  expect(seen).toEqual([
    ['zzz', unknown],
    ['__proto__', unknown],
    ['after', 'an id such as dlv_1'],
    ['limit', 'given 2 times'],
    ['state', 'one of open, closed'],
    ['kind', 'one of a, b'],
    ['subject', 'given 3 times'],
    ['removed', 'true or false'],
  ])
})
