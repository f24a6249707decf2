import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contextual, isOfContext, translationsIn } from '../../../src/messages/po.ts'
import { translationsOf } from '../../../src/messages/say.ts'
import { partsOf } from '../../../src/messages/templates.ts'
import { createTranslator } from '../../../src/messages/translator.ts'
import { programFile, ROOT } from '../../../src/platform/program-files.ts'
import { missing, NOTHING_KNOWN, refuseLess } from '../../../src/store/sqlite/database/last-known.ts'
import { exactTexts, helpTexts } from './exact-texts.ts'
import { isEnglish, missingTexts, SAME } from './missing-texts.ts'
import { saidIn } from './said-texts.ts'
import { sourceTexts } from './source-texts.ts'

const PORTUGUESE = translationsOf('pt')
const FILE = readFileSync(programFile('src/messages/pt.po'), 'utf8')

it('a text without Portuguese is named with its place', async () => {
  const left = ['there is no client {id}', 'name of the consumer', contextual('finding', 'file.mode')]
  const missing = await missingTexts(new Map([...PORTUGUESE].filter(([english]) => !left.includes(english))))
  expect(missing).toContain('FINDING_CODES: file.mode')
  expect(missing).toContain('portaria consumers show --help: name of the consumer')
  expect(missing).toContainEqual(expect.stringMatching(/^src\/.*\.ts:\d+: there is no client \{/))
})

it('a template of say has its names, its context, and of a plural the text for several', () => {
  const source = `const a = say\`\${{ name }} is \${{ what: b.c }}\`
const d = inContext('of a chain', say\`valid\`)
const e = plural(n, say\`1 event\`, say\`\${{ count: n }} events\`)`
  expect(saidIn('a.ts', source)).toEqual([
    { text: '{name} is {what}', place: 'a.ts:1' },
    { text: 'valid', place: 'a.ts:2', context: 'of a chain' },
    { text: '{count} events', place: 'a.ts:3' },
  ])
})

it('what is said of a database that is missing, another one or an older one is in Portuguese', () => {
  const translate = createTranslator(PORTUGUESE)
  const [file, found] = ['/db', { database: 'a', position: 5, assigned: 9 }]
  const known = { ...NOTHING_KNOWN, ...found, savedAt: '2026-11-28T10:00:00.000Z' }
  const errors = [
    missing(file, known, 'is not there'),
    missing(file, { ...known, position: 0, rescued: '/db.rescued' }, 'is empty'),
    ...[{ database: 'b' }, { position: 4 }, { assigned: 8 }].map((less) =>
      refusal(() => refuseLess(file, known, { ...found, ...less })),
    ),
    refusal(() => refuseLess(file, { ...known, damage: '/db was overwritten' }, found)),
  ]
  for (const { message } of errors) expect(isEnglish(translate(message))).toBe(false)
})

function refusal(act: () => void): Error {
  try {
    act()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was refused')
}

/** Each text for itself, those of plurals too; a code has no values. */
const TEXTS = [...PORTUGUESE]
  .filter(([english]) => !isOfContext(english))
  .flatMap(([english, own]) => (typeof own === 'string' ? [own] : own).map((one) => [english, one] as const))

it('each Portuguese text has values of the English one', () => {
  const placesOf = (text: string) => partsOf(text).filter((_, index) => index % 2 === 1)
  const differing = TEXTS.filter(([english, own]) => placesOf(own).some((one) => !placesOf(english).includes(one)))
  expect(differing).toEqual([])
})

it('no text is the same in both languages, and none is half English', () => {
  const differing = TEXTS.filter(([english]) => !SAME.includes(english))
  expect(differing.filter(([english, own]) => english === own)).toEqual([])
  // Codes and keys of the configuration stay as they are.
  const words = ([, own]: (typeof TEXTS)[number]) => own.replaceAll(/\b[A-Z_]{3,}\b|\bfrom e email\b/g, '')
  expect(differing.filter((text) => isEnglish(words(text)))).toEqual([])
})

it('a text in Portuguese names the page in Portuguese, where there is one', () => {
  const pages = TEXTS.flatMap(([, own]) => own.match(/(?<![\w/])docs\/[\w/-]+\.md/g) ?? [])
  expect(pages).toContain('docs/pt/tour.md')
  expect(pages.filter((page) => existsSync(join(ROOT, page.replace('docs/', 'docs/pt/'))))).toEqual([])
})

it('each English text is translated once: another meaning has a context', () => {
  const keys = FILE.split('\n\n').flatMap((entry) => [...translationsIn(entry).keys()])
  expect(keys.length).toBeGreaterThan(3000)
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})

/** Of parts that only a run puts together. */
const COMPOSED = [
  /^--forward-to gives all kinds /,
  /^there is no institution .*did you mean/,
  /^contains no \{wanted\}/,
  /which is empty/,
  /^No event was altered/,
  /^must be (less|more) than /,
  /the database that was here|the one that was here/,
  /^\{file\} may be damaged/,
  /^the .* is not valid$/,
  /^It must be a port/,
  /^is a (named pipe|socket|device) /,
  /^names no chain of the service/,
  /^accepted after /,
  /is not a network: /,
  /^no event of (kind|institution) /,
  /^(Instead of|Beside) the active /,
  /\{command\} (check --url|refusals list|service webhooks list)/,
  /^Set the (metadata|notification_url) of /,
  /^receberSemChave of the account is /,
  /^served (authority|chain)$/,
  /^answered (a|more|no|payment|the|without) /,
  /^the service's \{words1\} interface /,
  /^the token of the development listener is no secret/,
  /^(1 finding accepted|\{count\} findings accepted|in 1 day|1 day ago)$/,
  /^taken from any address without a client certificate: /,
  /^it is missing, so no notification URL is set/,
  /^resolveTokens is on, but (there is no charge listener|.* has none of )/,
  /^(accounts of \{name\}|\{from\} UTC to \{to\} UTC|\{address\} answers over \{protocol\})$/,
  /^\{name\} issues callers in /,
  / \(\{keys\}\)$/,
  /^must be at most \{count\}: create /,
  /^add `charge: /,
  /^the first to expire is /,
  /^callers come from \{name\}, which /,
  /^both environments lead to /,
  /^it says \{now\}, but /,
  /^(no gateway ran|callbacks were answered 503) (since|from) /,
  /^of the others the service sends again until /,
  /^not ours: /,
]

/** What commander, Node, OpenSSL and SQLite say. A section of pt.po goes on to the next one. */
const FOREIGN: readonly string[] = FILE.split(/^(?=#\. )/m)
  .filter((section) => section.startsWith('#. Of other programs: '))
  .flatMap((section) => [...translationsIn(section).keys()])

it('no text is left that nothing says', async () => {
  const used = new Set<string>()
  const recorded = new (class extends Map<string, string | readonly [string, string]> {
    override get(text: string) {
      used.add(text)
      return super.get(text)
    }
  })(PORTUGUESE)
  const translate = createTranslator(recorded)
  for (const text of [...sourceTexts('src').keys(), ...(await helpTexts()).map((one) => one.text)]) translate(text)
  for (const { text, context } of exactTexts()) used.add(text).add(contextual(context, text))
  const said = literals()
  const isSaid = (part: string) => part.split(/[:;,.] /).every((one) => said.includes(one.trim()))
  const unused = [...PORTUGUESE.keys()].filter(
    (text) =>
      !used.has(text) &&
      !FOREIGN.includes(text) &&
      !COMPOSED.some((one) => one.test(text)) &&
      !partsOf(text).every((part, index) => index % 2 === 1 || isSaid(part)),
  )
  expect(unused).toEqual([])
})

function literals(): string {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('messages/pt/'))
    .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8').replaceAll("\\'", "'"))
    .join('\n')
}
