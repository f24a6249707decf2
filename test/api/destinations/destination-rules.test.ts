import { expect, it } from 'vitest'
import { load, minimumWith } from '../../config/files.ts'
import { patch, post, startApi } from '../api.ts'

const url = 'https://hooks.example.com/in'

/** A setting of a destination, as the configuration and as the API write it, and whether it is taken. */
const SETTINGS: readonly (readonly [file: object, body: object, isTaken: boolean])[] = [
  ...[{ name: 'Books.v2-a' }, { name: `a${'.'.repeat(62)}` }].map((set) => [set, set, true] as const),
  ...[{ name: '.books' }, { name: 'a'.repeat(64) }, { name: 'a_b' }].map((set) => [set, set, false] as const),
  [{ timeout: '100ms' }, { timeoutMs: 100 }, true],
  [{ timeout: '2m' }, { timeoutMs: 120_000 }, true],
  [{ timeout: '99ms' }, { timeoutMs: 99 }, false],
  [{ timeout: '121s' }, { timeoutMs: 121_000 }, false],
  ...[1, 256].map((concurrency) => [{ concurrency }, { concurrency }, true] as const),
  ...[0, 257, 1.5].map((concurrency) => [{ concurrency }, { concurrency }, false] as const),
  ...[1, 100_000].map((rateLimit) => [{ rateLimit }, { rateLimit }, true] as const),
  ...[0, 100_001].map((rateLimit) => [{ rateLimit }, { rateLimit }, false] as const),
  [{ schedule: ['0s', '30d'] }, { scheduleMs: [0, 2_592_000_000] }, true],
  [{ schedule: ['31d'] }, { scheduleMs: [2_678_400_000] }, false],
  [{ schedule: Array(101).fill('1s') }, { scheduleMs: Array(101).fill(1000) }, false],
  ...['', 'a b', 'x'.repeat(4096)].map((value) => [headers('x-a', value), headers('x-a', value), true] as const),
  ...[' a', 'é', 'x'.repeat(4097)].map((value) => [headers('x-a', value), headers('x-a', value), false] as const),
  [headers('x'.repeat(128), '1'), headers('x'.repeat(128), '1'), true],
  ...['x'.repeat(129), 'x y', 'host'].map((name) => [headers(name, '1'), headers(name, '1'), false] as const),
  ...alike(true, [{ format: 'event' }, { subjects: { exact: ['42'] } }, { subjects: { prefix: ['x'.repeat(512)] } }]),
  ...alike(true, [{ subjects: { exact: Array(500).fill('a'), prefix: Array(50).fill('a') } }]),
  ...alike(false, [{ format: 'xml' }, { subjects: {} }, { subjects: { exact: [] } }, { subjects: { exact: [''] } }]),
  ...alike(false, [{ subjects: { exact: ['x'.repeat(513)] } }, { subjects: { suffix: ['a'] } }]),
  ...alike(false, [{ subjects: { exact: Array(501).fill('a') } }, { subjects: { prefix: Array(51).fill('a') } }]),
  ...alike(true, [{ headers: many(32) }]),
  ...alike(false, [{ headers: many(33) }, { headers: { 'x-a': '1', 'X-A': '2' } }]),
]

function alike(isTaken: boolean, settings: readonly object[]) {
  return settings.map((set) => [set, set, isTaken] as const)
}

function many(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']))
}

function headers(name: string, value: string): object {
  return { headers: { [name]: value } }
}

it('the configuration file and the API take the same settings of a destination, new or changed', async () => {
  const api = await startApi()
  await post(api, '/v1/destinations', { url, name: 'changed' })
  for (const [index, [file, body, isTaken]] of SETTINGS.entries()) {
    const name = `app-${index}`
    const words = JSON.stringify(file).slice(0, 80)
    const { status } = await post(api, '/v1/destinations', { url, name, ...body })
    expect([isTakenFromFile({ name, url, ...file }), status], words).toEqual([isTaken, isTaken ? 201 : 400])
    await patch(api, '/v1/destinations/changed', { headers: null, subjects: null })
    // The first ones are names, and so taken by now.
    if ('name' in body) continue
    const changed = await patch(api, '/v1/destinations/changed', body)
    expect(changed.status, words).toBe(isTaken ? 200 : 400)
  }
})

function isTakenFromFile(destination: object): boolean {
  try {
    load(minimumWith('destinations', [destination]))
    return true
  } catch {
    // The reasons are checked in the tests of the configuration.
    return false
  }
}

it('a destination without a name is called by its host, as far as a name may look like it', async () => {
  const api = await startApi()
  const names: string[] = []
  for (const host of ['-hooks.example.com', '[2001:db8::7]', `${'a'.repeat(60)}.example.com`]) {
    const { body } = await post(api, '/v1/destinations', { url: `https://${host}/` })
    names.push((JSON.parse(body) as { name: string }).name)
  }
  expect(names).toEqual(['hooks.example.com', '2001db87', `${'a'.repeat(60)}.ex`])
})
