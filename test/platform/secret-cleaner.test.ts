import { expect, it } from 'vitest'
import { createChangingCleaner, createSecretCleaner } from '../../src/platform/secret-cleaner.ts'

const SECRET = `s/q7Vx0Kz-3hT_Yp+8LmWd1Rb"&<`
const clean = createSecretCleaner([SECRET])
const escapedBy = (form: (code: number) => string) => Array.from(Buffer.from(SECRET), form).join('')

it.each([
  ['as it is', SECRET],
  ['in capitals', SECRET.toUpperCase()],
  ['in a URL', encodeURIComponent(SECRET)],
  ['in a URL with small letters', encodeURIComponent(SECRET).toLowerCase()],
  ['in a query', new URLSearchParams({ a: SECRET }).toString().slice(2)],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in JSON with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
  ['in HTML', SECRET.replace('&', '&amp;').replace('<', '&lt;').replace('"', '&quot;')],
  ['in a URL twice', encodeURIComponent(encodeURIComponent(SECRET))],
  ['in a URL, every character escaped', escapedBy((code) => `%${code.toString(16)}`)],
  ['in JSON, every character escaped', escapedBy((code) => `\\u00${code.toString(16)}`)],
  ['in JSON inside JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
  ['in HTML, every character as a number', escapedBy((code) => `&#${code};`)],
  ['in HTML, every character as a hexadecimal number', escapedBy((code) => `&#x${code.toString(16)};`)],
  ['in hexadecimal digits', Buffer.from(SECRET).toString('hex')],
  ['in UTF-16', escapedBy((code) => `${String.fromCharCode(code)}\0`).slice(0, -1)],
  ['folded', SECRET.replaceAll(/.{9}/g, '$&\r\n ')],
  ['folded in JSON', SECRET.replaceAll(/.{9}/g, '$&\\n')],
  ['decoded as a form', SECRET.replaceAll('+', ' ')],
])('a secret is replaced %s', (_how, form) => {
  expect(clean(`a ${form} b ${form}`)).toBe('a *** b ***')
})

it.each([0, 1, 2, 3])('a secret is replaced in base64, %i bytes behind its beginning', (offset) => {
  for (const coding of ['base64', 'base64url'] as const) {
    const coded = Buffer.from(`${'i'.repeat(offset)}${SECRET}`).toString(coding)
    expect(clean(`Basic ${coded}`).length).toBeLessThan('Basic ***'.length + 8)
    expect(clean(coded.replaceAll(/.{9}/g, '$&\n')).length).toBeLessThan('***'.length + 8)
  }
})

it('a part of a secret is replaced, and its beginning at the end of a text that was cut', () => {
  const parts = [SECRET.slice(0, 20), SECRET.slice(5, 25), SECRET.slice(-16)]
  expect(parts.map((part) => clean(`a ${part} b`))).toEqual(parts.map(() => 'a *** b'))
  for (let length = 8; length < SECRET.length; length++)
    expect(clean(`a ${SECRET.slice(0, length)}`)).toMatch(/^a \*\*\*[+"-]?$/)
})

it('a secret of few characters is replaced as a whole, and one of three is too short to be told from a word', () => {
  const cleanShort = createSecretCleaner(['abcd', 'xyz'])
  expect(cleanShort('an abcd, an ABCD, an abc, an xyz')).toBe('an ***, an ***, an abc, an xyz')
})

it('a text without a secret stays as it is', () => {
  expect(clean('Erro: não autorizado \u0000 ***')).toBe('Erro: não autorizado \u0000 ***')
  expect(createSecretCleaner([])('anything')).toBe('anything')
})

it('secrets that change are prepared once, however many texts are cleaned of them', () => {
  const cleaner = createChangingCleaner()
  const tokens = Array.from({ length: 4 }, (_, index) => `${index}-${SECRET}`.repeat(200))
  const cpuMs = (times: number) => {
    const before = process.cpuUsage().user
    for (let time = 0; time < times; time++) expect(cleaner.clean(`a ${SECRET}`, tokens)).toBe('a ***')
    return (process.cpuUsage().user - before) / 1000
  }
  const first = cpuMs(1)
  expect(Math.min(cpuMs(30), cpuMs(30))).toBeLessThan(10 * first + 50)
  expect(cleaner.clean(SECRET, ['another-secret'])).toBe(SECRET)
})
