import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Which rooms a room may import from. */
const ALLOWED: Record<string, readonly string[]> = {
  domain: [],
  config: ['domain'],
  store: ['domain'],
  tls: ['domain'],
  receiving: ['domain', 'tls'],
  api: ['domain', 'tls'],
  delivery: ['domain'],
  certificates: ['domain'],
  metrics: ['domain'],
  service: ['domain'],
  simulator: [],
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

function roomOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] as string) : 'top'
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import|import\(|new URL\()\s*['"](\.[^'"]+)['"]/g)].map(
    (match) => match[1] as string,
  )
  return specifiers.map((specifier) => relative(SRC, resolve(SRC, dirname(file), specifier)))
}

it('knows every room of the house', () => {
  const rooms = new Set(files.map(roomOf))
  for (const room of ['top', 'cli']) rooms.delete(room)
  expect([...rooms].filter((room) => ALLOWED[room] === undefined)).toEqual([])
})

it.each(files.filter((file) => ALLOWED[roomOf(file)] !== undefined))(
  '%s imports only its own room and those that its room may',
  (file) => {
    const room = roomOf(file)
    const foreign = importsOf(file).filter(
      (target) => !target.startsWith('..') && roomOf(target) !== room && !ALLOWED[room]?.includes(roomOf(target)),
    )
    expect(foreign).toEqual([])
  },
)

it('only the configuration and the command line read the environment', () => {
  const readers = files.filter((file) => /process\.env/.test(readFileSync(join(SRC, file), 'utf8')))
  expect(readers.filter((file) => !['config', 'cli'].includes(roomOf(file)))).toEqual([])
})

/** getaddrinfo holds one of libuv's four threads for as long as a name server is silent. Commands of the command line end by themselves. */
it('only the name resolver of delivery looks names up', () => {
  const looking = files.filter((file) =>
    /node:dns|\bdns\.|\blookup\(|\bfetch\(/.test(readFileSync(join(SRC, file), 'utf8')),
  )
  expect(looking.filter((file) => roomOf(file) !== 'cli')).toEqual(['delivery/name-resolver.ts'])
  expect(readFileSync(join(SRC, 'delivery/name-resolver.ts'), 'utf8')).toContain(
    "{ Resolver } from 'node:dns/promises'",
  )
})

it('deliveries and the API open connections only where the address is known', () => {
  const opening = files.filter((file) =>
    /\b(connect|createConnection|request)\b[^\n]*from 'node:(net|tls|https?)'/.test(
      readFileSync(join(SRC, file), 'utf8'),
    ),
  )
  expect(opening.filter((file) => ['api', 'delivery'].includes(roomOf(file))).sort()).toEqual([
    // The control socket's path.
    'api/api-listener.ts',
    'delivery/guarded-connect.ts',
  ])
})
