import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const SRC = join(ROOT, 'src')
const SIMULATOR = resolve(import.meta.dirname, '../../simulator/src')

/** What a room may import beside `platform` and `domain`. `gateway` and `cli` join the rooms. */
const ALLOWED: Record<string, readonly string[]> = {
  platform: [],
  domain: [],
  config: [],
  store: [],
  tls: [],
  receiving: ['tls'],
  api: ['tls'],
  delivery: [],
  certificates: [],
  jobs: [],
  probe: [],
  service: [],
  metrics: [],
  messages: [],
  alarms: ['messages'],
  oidc: ['service'],
  pages: ['api', 'messages', 'oidc'],
}
const JOINING = ['top', 'cli', 'gateway']

/** Within a room, a folder imports only folders that stand before it. `.`: the files beside the folders. */
const FOLDERS: Record<string, readonly string[]> = {
  'src/store': ['rows', 'verification', 'storing', 'rules', 'sql', 'postgres', 'sqlite', 'moving', '.'],
  'src/store/sqlite': [
    'database',
    'blocks',
    'rows',
    'audit',
    'actions',
    'deduplication',
    'destinations',
    'deliveries',
    'service',
    'events',
    'search',
    'maintenance',
    'packing',
    'retention',
    'threads',
    'verification',
    '.',
  ],
  'src/api': [
    'http',
    'auth',
    'answers',
    'audit',
    'nodes',
    'streams',
    'retention',
    'deliveries',
    'events',
    'subjects',
    'destinations',
    'replays',
    'search',
    'clients',
    'consumers',
    'quarantine',
    'refusals',
    'overview',
    'certificates',
    'check',
    'alarms',
    'service',
    'reconcile',
    'service-api',
    'registrations',
    'gateway',
    'openapi',
    'listening',
    '.',
  ],
  'src/pages': [
    'parts',
    'frame',
    'event',
    'find',
    'overview',
    'alarms',
    'traffic',
    'destinations',
    'consumers',
    'replays',
    'gaps',
    'quarantine',
    'refusals',
    'certificates',
    'check',
    'clients',
    'audit',
    'codes',
    'reference',
    '.',
  ],
  // The files beside these folders are what all of them share.
  'simulator/src': [
    'messages',
    'rules',
    'folder',
    'http',
    'control-api',
    'faults',
    'webhooks',
    'institutions',
    'conformance',
    'open-banking',
    'account',
    'notifications',
    'money',
    'charges',
    'bills',
    'carnets',
    'subscriptions',
    'registration',
    'documents',
    'trigger',
    'playground',
    'control',
    'service',
    'cli',
  ],
}

/** Imports against the order of the folders, each with its reason. */
const AGAINST_THE_ORDER: Record<string, string> = {
  'simulator/src/charges/charge-outlook.ts -> simulator/src/bills/payment-outlook.ts':
    'what comes next for a charge is, too, what comes next for the bill payment that pays its billet',
  'simulator/src/charges/charges.ts -> simulator/src/carnets/carnet-status.ts':
    'a charge that changes gives its carnet another status',
}

/** The most files in one folder, without those of its folders: beyond it a reader no longer finds the place for a change by its file name. */
const MOST_FILES = 45

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

function roomOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] as string) : 'top'
}

function allowedFrom(room: string): readonly string[] {
  if (room === 'platform') return []
  if (room === 'domain') return ['platform']
  return ['platform', 'domain', ...(ALLOWED[room] ?? [])]
}

function specifiersIn(text: string): string[] {
  return [...text.matchAll(/(?:from|import|import\(|new URL\()\s*['"](\.[^'"]+)['"]/g)].map(
    (match) => match[1] as string,
  )
}

function importsOf(file: string): string[] {
  const specifiers = specifiersIn(readFileSync(join(SRC, file), 'utf8'))
  return specifiers.map((specifier) => relative(SRC, resolve(SRC, dirname(file), specifier)))
}

it('knows every room of the house', () => {
  const rooms = new Set(files.map(roomOf))
  for (const room of JOINING) rooms.delete(room)
  expect([...rooms].filter((room) => ALLOWED[room] === undefined)).toEqual([])
})

it.each(files.filter((file) => ALLOWED[roomOf(file)] !== undefined))(
  '%s imports only its own room and those that its room may',
  (file) => {
    const room = roomOf(file)
    const foreign = importsOf(file).filter(
      (target) => !target.startsWith('..') && roomOf(target) !== room && !allowedFrom(room).includes(roomOf(target)),
    )
    expect(foreign).toEqual([])
  },
)

/** Every source file of the repository, with the files that it imports, both relative to the root. Imports of types count. */
function repository(): Map<string, readonly string[]> {
  const folders = ['src', 'packaging', 'test', 'simulator/src', 'simulator/test', 'receiver/src']
  const all = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  const ours = all.filter((file) => file.endsWith('.ts') && !file.includes('/node_modules/'))
  return new Map(ours.map((file) => [file, targetsOf(file)]))
}

function targetsOf(file: string): string[] {
  return specifiersIn(readFileSync(join(ROOT, file), 'utf8')).map((specifier) => join(dirname(file), specifier))
}

const graph = repository()

function importText(file: string, target: string): string {
  return `${file} -> ${target}`
}

function folderIn(room: string, file: string): string {
  const [first, ...more] = relative(room, file).split('/')
  return more.length === 0 ? '.' : (first as string)
}

it('knows every folder of the ordered rooms', () => {
  for (const [room, folders] of Object.entries(FOLDERS)) {
    const found = [...graph.keys()].filter((file) => file.startsWith(`${room}/`)).map((file) => folderIn(room, file))
    const below = (names: Iterable<string>) => [...names].filter((name) => name !== '.').sort()
    expect(below(new Set(found))).toEqual(below(folders))
  }
})

it.each(Object.entries(FOLDERS))('in %s, folders import only folders before them', (room, folders) => {
  const rank = (file: string) => folders.indexOf(folderIn(room, file))
  const against = [...graph].flatMap(([file, targets]) =>
    targets
      .filter(
        (target) =>
          [file, target].every((one) => one.startsWith(`${room}/`)) && rank(file) >= 0 && rank(target) > rank(file),
      )
      .map((target) => importText(file, target)),
  )
  expect(against.filter((one) => AGAINST_THE_ORDER[one] === undefined)).toEqual([])
})

it('few pairs of folders of the simulator import each other', () => {
  const arrows = new Set(
    [...graph].flatMap(([file, targets]) =>
      targets
        .filter((target) => [file, target].every((one) => one.startsWith('simulator/src/') && one.endsWith('.ts')))
        .map((target) => importText(dirname(file), dirname(target))),
    ),
  )
  const back = (arrow: string) => arrow.split(' -> ').reverse().join(' -> ')
  const mutual = [...arrows].filter((arrow) => arrow < back(arrow) && arrows.has(back(arrow)))
  expect(mutual.length, mutual.join('\n')).toBeLessThanOrEqual(9)
})

it('every import against the order that has a reason is there', () => {
  const imports = new Set([...graph].flatMap(([file, targets]) => targets.map((target) => importText(file, target))))
  expect(Object.keys(AGAINST_THE_ORDER).filter((one) => !imports.has(one))).toEqual([])
})

it('no file imports itself through others', () => {
  const done = new Set<string>()
  const circles: string[] = []
  function visit(file: string, path: readonly string[]): void {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (done.has(file)) return
    done.add(file)
    for (const target of graph.get(file) ?? []) visit(target, [...path, file])
  }
  for (const file of graph.keys()) visit(file, [])
  expect(circles).toEqual([])
})

/** The simulator is the gateway's far side: what it does not share with the gateway, they cannot both have wrong. */
it('the simulator imports nothing of the gateway, and only its command loads it', () => {
  const simulated = readdirSync(SIMULATOR, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  expect(simulated.length).toBeGreaterThan(100)
  const leaving = simulated.filter((file) =>
    specifiersIn(readFileSync(join(SIMULATOR, file), 'utf8')).some((specifier) =>
      relative(SIMULATOR, resolve(SIMULATOR, dirname(file), specifier)).startsWith('..'),
    ),
  )
  expect(leaving).toEqual([])
  expect(
    files.filter((file) => /portaria-simulator'|\.\.\/simulator\//.test(readFileSync(join(SRC, file), 'utf8'))),
  ).toEqual(['cli/program/commands.ts'])
})

/** A test of a gateway with the simulator is one of the gateway: test/simulator. */
it("the simulator's tests import nothing outside its folder", () => {
  const tests = [...graph].filter(([file]) => file.startsWith('simulator/test/'))
  expect(tests.length).toBeGreaterThan(100)
  const leaving = tests.flatMap(([file, targets]) =>
    targets.filter((target) => !target.startsWith('simulator/')).map((target) => importText(file, target)),
  )
  expect(leaving).toEqual([])
})

/** It is published by itself, for any Node.js program. */
it('the receiver for apps imports nothing but itself and node:crypto', () => {
  const folder = join(ROOT, 'receiver/src')
  const imported = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(
      ([, name = '']) => name,
    ),
  )
  expect(imported.length).toBeGreaterThan(10)
  expect(imported.filter((name) => !name.startsWith('./') && name !== 'node:crypto')).toEqual([])
})

/** Texts name the command as the PATH has it, and the proxy that the environment sets and nothing uses. */
const OTHER_READERS = ['platform/installation.ts', 'platform/proxy-variables.ts']

it('only the configuration and the command line read the environment', () => {
  const readers = files.filter((file) => /process\.env/.test(readFileSync(join(SRC, file), 'utf8')))
  expect(readers.filter((file) => !['config', 'cli'].includes(roomOf(file)))).toEqual(OTHER_READERS)
})

/** The name of a package that a module imports at its start or later. */
const PACKAGE =
  /(?:^import |^export |^\} |\bimport\(|\bcreateRequire\(import\.meta\.url\)\()(?:[^'\n]* from )?'(?!node:|\.)((?:@[^/']+\/)?[^/']+)[^']*'/gm

/** getaddrinfo holds one of libuv's four threads for as long as a name server is silent. Commands of the command line end by themselves. */
it('of the gateway, only the name resolver of delivery looks names up', () => {
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
    /\b(connect|createConnection|request)\b[^\n]*from '(node:(net|tls|https?)|[./]+platform\/http\.ts)'/.test(
      readFileSync(join(SRC, file), 'utf8'),
    ),
  )
  expect(opening.filter((file) => ['api', 'delivery'].includes(roomOf(file))).sort()).toEqual([
    // The control socket's path.
    'api/listening/listener.ts',
    'delivery/guarded-connect.ts',
  ])
})

it('only one file imports values of node:http, because each import of them loads fetch', () => {
  const importing = files.filter((file) =>
    /^import (?!type )[^'"]*'node:http'|import\('node:http'\)/m.test(readFileSync(join(SRC, file), 'utf8')),
  )
  expect(importing).toEqual([])
})

it.each(['simulator', 'receiver'])('the package in %s declares what it imports, and nothing else', (folder) => {
  const { dependencies = {} } = packageOf(folder)
  expect(Object.keys(dependencies)).toEqual(packagesIn(`${folder}/src`))
})

it('the tests of the simulator need nothing that its package does not declare', () => {
  const { dependencies = {}, devDependencies = {} } = packageOf('simulator')
  const ofTests = packagesIn('simulator/test').filter((name) => !(name in dependencies))
  expect(Object.keys(devDependencies)).toEqual(ofTests)
  const versions = packageOf('.').devDependencies
  expect(devDependencies).toEqual(Object.fromEntries(ofTests.map((name) => [name, versions[name]])))
})

function packageOf(folder: string) {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}

function packagesIn(folder: string): string[] {
  const imported = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(ROOT, folder, file), 'utf8').matchAll(PACKAGE)])
    .map(([, name = '']) => name)
  return [...new Set(imported)].sort()
}

it('a folder with too many files is split as docs/recipes.md says', () => {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  const full = [...counts].filter(([, count]) => count > MOST_FILES)
  const advice = ([folder, count]: [string, number]) =>
    `src/${folder} has ${count} files, at most ${MOST_FILES}: move the files of one subject into src/${folder}/<subject>/ ("Split a folder" in docs/recipes.md)`
  expect(full.map(advice)).toEqual([])
})
