import { expect, it } from 'vitest'
import { textOfRecord } from '../../src/cli/show.ts'

const clock = { now: '2026-03-02T15:00:00.000Z', frozen: false, timeZone: 'America/Sao_Paulo' }

it('a record has its members, its history and what comes next, in local time and with the distance', () => {
  const record = {
    charge_id: 7,
    custom_id: null,
    created_at: '2026-03-02T14:00:00.000Z',
    tags: ['a', 'b'],
    empty: [],
    settings: {},
    payment: { method: 'banking_billet', sums: { due: 5 } },
    payments: [
      { id: '1', status: 'A' },
      { id: '2', status: 'B' },
    ],
    clock,
    history: [{ at: '2026-03-02T14:00:00.000Z', what: 'charge 7 is new' }],
    next: [
      { at: '2026-03-02T15:05:30.000Z', what: 'sooner' },
      { at: '2026-03-11T03:00:00.000Z', what: 'later' },
      { at: '2026-03-02T15:00:00.000Z', what: 'at once' },
      { at: null, what: 'somebody pays\u001b[2J' },
    ],
  }
  expect(textOfRecord('charge 7', record).split('\n')).toEqual([
    'charge 7, 2026-03-02 12:00:00 America/Sao_Paulo; amounts in cents',
    '  charge_id   7',
    '  custom_id   none',
    '  created_at  2026-03-02 11:00:00',
    '  tags        a, b',
    '  empty       none',
    '  settings    none',
    '  payment     method banking_billet, sums (due 5)',
    '  payments    id 1, status A',
    '              id 2, status B',
    '',
    'history',
    '  2026-03-02 11:00:00  charge 7 is new',
    '',
    'next',
    '  2026-03-02 12:05:30  in 5 min 30 s  sooner',
    '  2026-03-11 00:00:00  in 8 d 12 h    later',
    '  2026-03-02 12:00:00  now            at once',
    '',
    'not by itself',
    expect.stringMatching(/^ {2}somebody pays[^\u001b]*$/),
    '',
  ])
})

it('a frozen clock is named, and so is a record of which nothing comes', () => {
  const timed = {
    clock: { ...clock, frozen: true },
    history: [],
    next: [{ at: '2026-03-03T15:00:00.000Z', what: 'x' }],
  }
  const text = textOfRecord('charge 7', { status: 'waiting', ...timed })
  expect(text).toMatch(/^charge 7 \(waiting\), 2026-03-02 12:00:00 America\/Sao_Paulo, the clock is frozen;/)
  expect(text).toContain('  The clock is frozen: nothing comes until it is moved')
  expect(textOfRecord('charge 7', { ...timed, next: [] })).toMatch(/\nnext\n {2}nothing comes any more\n$/)
  const manual = { ...timed, next: [{ at: null, what: 'somebody pays' }] }
  expect(textOfRecord('charge 7', manual)).toMatch(/nothing comes by itself\n\nnot by itself\n {2}somebody pays\n$/)
})

it('a long list is folded behind a comma', () => {
  const scopes = Array.from({ length: 18 }, (_, index) => `scope-${index}.write`)
  const lines = textOfRecord('account 1', { scopes, clock, history: [], next: [] }).split('\n').slice(1, 4)
  expect(
    lines.map((line) => [line.length < 115, line.startsWith('  scopes  ') || line.startsWith('          scope-')]),
  ).toEqual(Array(3).fill([true, true]))
  expect(lines.map((line) => line.trim()).join(' ')).toBe(`scopes  ${scopes.join(', ')}`)
})
