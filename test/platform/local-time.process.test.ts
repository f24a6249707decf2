import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const MODULE = resolve(import.meta.dirname, '../../src/platform/local-time.ts')
const SCRIPT = `
import { localText, preciseLocalText, readLocalTime } from ${JSON.stringify(MODULE)}
const read = JSON.parse(process.argv[1]).map((text) => {
  const reading = readLocalTime(text)
  if ('problem' in reading) return reading.problem
  return [new Date(reading.value).toISOString(), localText(reading.value), preciseLocalText(reading.value)]
})
console.log(JSON.stringify(read))
`

/** In a process of its own: TZ is read when a program starts. */
function readIn(zone: string, ...texts: string[]): unknown[] {
  const args = ['--input-type=module', '-e', SCRIPT, JSON.stringify(texts)]
  return JSON.parse(execFileSync(process.execPath, args, { env: { TZ: zone }, encoding: 'utf8' }))
}

function momentOf(read: unknown): unknown {
  return Array.isArray(read) ? read[0] : read
}

it('a time without an offset is local, a date alone is where that day begins, and what is shown can be typed again', () => {
  const typed = [
    '2026-11-22 10:00',
    '2026-11-22T10:00:30.5',
    '2026-11-22',
    '2026-11-22T10:00Z',
    '2026-11-22 10:00+05:30',
    '2026-11-22 10:00:00.123456789-03:00',
  ]
  expect(readIn('America/Sao_Paulo', ...typed)).toEqual([
    ['2026-11-22T13:00:00.000Z', '2026-11-22 10:00:00-03:00', '2026-11-22 10:00:00.000-03:00'],
    ['2026-11-22T13:00:30.500Z', '2026-11-22 10:00:30-03:00', '2026-11-22 10:00:30.500-03:00'],
    ['2026-11-22T03:00:00.000Z', '2026-11-22 00:00:00-03:00', '2026-11-22 00:00:00.000-03:00'],
    ['2026-11-22T10:00:00.000Z', '2026-11-22 07:00:00-03:00', '2026-11-22 07:00:00.000-03:00'],
    ['2026-11-22T04:30:00.000Z', '2026-11-22 01:30:00-03:00', '2026-11-22 01:30:00.000-03:00'],
    ['2026-11-22T13:00:00.123Z', '2026-11-22 10:00:00-03:00', '2026-11-22 10:00:00.123-03:00'],
  ])
  expect(readIn('UTC', '2026-11-22 10:00')).toEqual([
    ['2026-11-22T10:00:00.000Z', '2026-11-22 10:00:00Z', '2026-11-22 10:00:00.000Z'],
  ])
  expect(readIn('Asia/Kathmandu', '2026-11-22 10:00', '2026-11-22 10:00:00+05:45')).toEqual(
    Array(2).fill(['2026-11-22T04:15:00.000Z', '2026-11-22 10:00:00+05:45', '2026-11-22 10:00:00.000+05:45']),
  )
})

it('a time that the clocks leave out, or show twice, is refused with what to write', () => {
  const [missing, twice, before, after] = readIn(
    'Europe/Berlin',
    ...['2026-03-29 02:30', '2026-10-25 02:30', '2026-10-25 01:59:59', '2026-10-25 03:00'],
  )
  expect(missing).toBe(
    'does not exist in Europe/Berlin, where the clocks go forward by 1 h: "2026-03-29 02:30" would be "2026-03-29 03:30:00+02:00"',
  )
  expect(twice).toBe(
    'occurs twice in Europe/Berlin, where the clocks go back: write "2026-10-25T02:30+02:00" or "2026-10-25T02:30+01:00"',
  )
  expect([before, after].map(momentOf)).toEqual(['2026-10-24T23:59:59.000Z', '2026-10-25T02:00:00.000Z'])
  expect(readIn('Europe/Berlin', '2026-10-25T02:30+02:00', '2026-10-25T02:30+01:00').map(momentOf)).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T01:30:00.000Z',
  ])
})

it('a day begins where it has no midnight, and once where an hour before midnight occurs twice', () => {
  const days = ['2018-11-03', '2018-11-04', '2018-11-05', '2018-02-17', '2018-02-18']
  const read = readIn('America/Sao_Paulo', ...days, '2018-11-04 00:30', '2018-02-17 23:30')
  expect(read.slice(0, 5).map(momentOf)).toEqual([
    '2018-11-03T03:00:00.000Z',
    '2018-11-04T03:00:00.000Z',
    '2018-11-05T02:00:00.000Z',
    '2018-02-17T02:00:00.000Z',
    '2018-02-18T03:00:00.000Z',
  ])
  expect(read[1]).toContain('2018-11-04 01:00:00-02:00')
  expect(read[5]).toContain('"2018-11-04 00:30" would be "2018-11-04 01:30:00-02:00"')
  expect(read[6]).toContain('write "2018-02-17T23:30-02:00" or "2018-02-17T23:30-03:00"')
})

it('other texts are refused', () => {
  const forms = 'must be a time such as "2026-11-22 10:00", 2026-11-22 or 2026-11-22T10:00:00-03:00'
  expect(
    readIn('UTC', 'yesterday', '22/11/2026', '2026-11-22 10', '2026-11-22Z', '2026-02-30', '2026-11-22 25:00'),
  ).toEqual([...Array(4).fill(forms), ...Array(2).fill('is not in the calendar')])
})

it('a zone is named with its offset, where that says more', () => {
  const named = (zone: string) => {
    const script = `import { zoneText } from ${JSON.stringify(MODULE)}\nconsole.log(zoneText(Date.UTC(2026, 0, 15)))`
    const args = ['--input-type=module', '-e', script]
    return execFileSync(process.execPath, args, { env: { TZ: zone }, encoding: 'utf8' }).trim()
  }
  expect(['America/Sao_Paulo', 'Europe/Berlin', 'Europe/London', 'UTC'].map(named)).toEqual([
    'America/Sao_Paulo, UTC-03:00',
    'Europe/Berlin, UTC+01:00',
    'Europe/London, UTC',
    'UTC',
  ])
})
