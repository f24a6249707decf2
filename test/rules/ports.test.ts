import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const TESTS = join(import.meta.dirname, '..')
/** It, and this file with its samples. */
const EXEMPT = ['support/ports.ts', 'rules/ports.test.ts']

const NAMED = /\b(?:function|const|let)\s+\w*(?:closed|free|unused|available|spare|random)\w*ports?\w*\s*[(=:]/i
const LISTENING = /^( *).*\blisten\((?:\w+, ?)?(?:\{[^}]*port: ?)?0\b/gim
const CLOSED = /^( *)(?!.*(?:onTestFinished|afterAll|afterEach)).*(?:\b(?:once|Promise)\b.*\.close|\bclosed)\(/gim

/** Functions that choose ports of their own, and servers on port 0 that the same function closes: another process may have the port at once. */
function racesIn(text: string): string[] {
  const named = NAMED.exec(text)
  return [
    ...(named ? [named[0]] : []),
    ...[...text.matchAll(LISTENING)].flatMap((listening) => closedAfter(text, listening)),
  ]
}

function closedAfter(text: string, listening: RegExpExecArray): string[] {
  const [rest = ''] = text.slice(listening.index).split('\n}\n')
  const closing = [...rest.matchAll(CLOSED)].find(([, indent = '']) => indent.length <= (listening[1] ?? '').length)
  return closing === undefined ? [] : [closing[0].trim()]
}

it('no test takes a port that it has closed for one that stays closed or free: test/support/ports.ts reserves ports', () => {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.includes('/node_modules/') && !EXEMPT.includes(file),
  )
  const found = files.map((file) => [file, racesIn(readFileSync(join(TESTS, file), 'utf8'))] as const)
  expect(found.filter(([, races]) => races.length > 0)).toEqual([])
})

it.each([
  'async function closedPort(): Promise<number> {\n  return 1\n}\n',
  'const findFreePorts = async () => []\n',
  "async function port() {\n  const server = createServer().listen(0, '127.0.0.1')\n  await once(server.close(), 'close')\n}\n",
  'async function many() {\n  const all = list.map(async () => {\n    await new Promise((done) => one.listen(0, done))\n  })\n' +
    '  await Promise.all(all.map((one) => new Promise((done) => one.close(done))))\n}\n',
  'async function dead() {\n  const port = await listen(server, 0)\n  if (fault === null) await closed(server)\n}\n',
])('the search finds %j', (text) => {
  expect(racesIn(text)).toHaveLength(1)
})

it('the search leaves a server alone that is closed when its test is over', () => {
  const stopped =
    "  server.listen(0)\n  return {\n    async stop() {\n      await once(server.close(), 'close')\n    },\n  }\n}\n"
  expect(racesIn(`function start() {\n${stopped}`)).toEqual([])
  expect(racesIn('  await listen(0)\n  onTestFinished(() => new Promise((done) => server.close(done)))\n}\n')).toEqual(
    [],
  )
})
