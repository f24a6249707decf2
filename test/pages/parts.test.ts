import { expect, it } from 'vitest'
import { speaker } from '../../src/messages/speaker.ts'
import { sliceOf } from '../../src/pages/frame/list-slices.ts'
import { ageOf, spanText } from '../../src/pages/parts/age.ts'
import { buttonForm } from '../../src/pages/parts/button-form.ts'
import { filterForm, select, textField } from '../../src/pages/parts/fields.ts'
import { fileName } from '../../src/pages/parts/file-name.ts'
import { html } from '../../src/pages/parts/html.ts'
import { idOf } from '../../src/pages/parts/id.ts'
import { typedTime } from '../../src/pages/parts/period.ts'
import { shortened } from '../../src/pages/parts/shortened-text.ts'

it.each([
  [-1, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_665_000, '1 h 1 min'],
  [90_000_000, '1 d 1 h'],
  [400 * 86_400_000, '400 d'],
])('%i ms are %s', (ms, text) => {
  expect(spanText(ms)).toBe(text)
})

it('an age is the time since then', () => {
  expect(ageOf('2026-01-15T12:00:00Z', Date.UTC(2026, 0, 15, 14, 5))).toBe('2 h 5 min')
})

it.each([
  ['short', 'short'],
  ['twelve chars', 'twelve ch…'],
  ['\u202eevil', '\\u202eevil'],
  ['💸'.repeat(11), `${'💸'.repeat(9)}…`],
])('%j becomes %j in a table', (text, shown) => {
  expect(shortened(text, 10)).toBe(shown)
})

it.each([
  [null, null],
  [' ', null],
  ['2026-11-22T10:00:00-03:00', '2026-11-22T13:00:00.000Z'],
  ['soon', 'soon'],
])('a typed time %j goes to the API as %j', (text, time) => {
  expect(typedTime(text)).toBe(time)
})

it.each([
  ['', 1, 25, 'from=25'],
  ['from=25', 26, 50, 'from=50'],
  ['from=50', 51, 60, 'href="/ui/x?set=a"'],
  ['from=99', 1, 25, 'from=25'],
  ['from=-1', 1, 25, 'from=25'],
  ['from=x', 1, 25, 'from=25'],
])('a list of 60, %j: 25 at once, and links to the others', (from, first, last, link) => {
  const query = new URLSearchParams(`set=a&${from}`)
  const all = Array.from({ length: 60 }, (_, n) => n + 1)
  const { items, pager } = sliceOf(all, { path: '/ui/x', query, t: speaker('en') })
  expect([items[0], items.at(-1), String(pager)]).toEqual([first, last, expect.stringContaining(link)])
})

it('a long id is shortened by the page alone: its text and its title are whole', () => {
  const [short, long] = ['evt_9_w98nqxphnb', 'E00000000202603021201shop7781wxyz']
  const textOf = (shown: unknown) => String(shown).replaceAll(/<[^>]+>/g, '')
  expect([textOf(idOf(short)), textOf(idOf(long))]).toEqual([short, long])
  expect(String(idOf(long))).toContain(`title="${long}"`)
})

it('a form says whether its reason may stay empty', () => {
  const t = speaker('en')
  const form = { action: '/ui/x', text: 'Go', formToken: html``, t }
  expect(String(buttonForm({ ...form, reason: 'required' }))).toMatch(/>Reason<.* required>/s)
  expect(String(buttonForm({ ...form, reason: 'optional' }))).toMatch(/>Reason \(optional\)<(?!.* required)/s)
})

it('several filters are folded, and what is chosen stays in sight', () => {
  const options = [
    ['', 'any'],
    ['tls', 'wrong TLS'],
  ] as const
  const form = (chosen: string, address: string) =>
    String(
      filterForm(
        '/ui/x',
        [select('reason', 'Reason', { options, chosen }), textField('address', 'Address', { value: address })],
        'Filter',
      ),
    )
  const chips = (text: string) => [...text.matchAll(/class="chip">([^<]*)</g)].map(([, chip]) => chip)
  expect(chips(form('', ''))).toEqual([])
  expect(chips(form('tls', '\u202e<b>'))).toEqual(['Reason: wrong TLS', 'Address: \\u202e&lt;b&gt;'])
  expect(form('tls', '')).toMatch(/^<form [^>]+><details class="card">/)
  expect(String(filterForm('/ui/x', [textField('name', 'Name')], 'Show'))).not.toContain('<details')
})

it.each([
  ['/etc/portaria/certs/server.crt', 'server.crt'],
  ['server: /etc/portaria/certs/server.crt', 'server: server.crt'],
  ['destination books', 'destination books'],
  ['bank-a/payment', 'bank-a/payment'],
  ['/', '/'],
])('%j is shown as %j, without folders of the machine', (name, shown) => {
  expect(fileName(name)).toBe(shown)
})
