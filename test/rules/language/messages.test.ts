import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { COMMANDER } from '../../../src/messages/pt/cli/commander.ts'
import { TEXTS } from '../../../src/messages/pt/cli/texts.ts'
import { REPORT } from '../../../src/messages/pt/report/report.ts'
import { partsOf } from '../../../src/messages/templates.ts'
import { createTranslator } from '../../../src/messages/translator.ts'
import { missing, NOTHING_KNOWN, refuseLess } from '../../../src/store/sqlite/database/last-known.ts'
import { sourceTexts } from './source-texts.ts'

/** test/pages/check-words.test.ts looks after those of the report. */
const OWN = Object.keys(TEXTS).filter((text) => !Object.hasOwn(REPORT, text))

const ROOT = resolve(import.meta.dirname, '../../..')

/** help-texts.test.ts looks after these. */
const HELP = Object.values(await import('./help-catalogues.ts'))

/** Words of English sentences that are no Portuguese words. */
const ENGLISH =
  /(?<![\p{L}\d/.:`[-])(?:the|is|are|was|were|of|and|with|from|this|that|has|have|had|not|which|its|to|by|cannot|must|may|will|be|been|it|on|at|than|then|every|without|there)(?![\p{L}\d/`\]-])/iu

/** Texts that need no Portuguese: names, parts of a text that is there as a whole, and answers of other programs. */
const LEFT_OUT: readonly RegExp[] = [
  /^\{name\} is \{state\}$/,
  /\{known\}$/,
  /\bit \{message\}/,
  /^subject \{subject\}$/,
  /^\{name\} {2}\{api\} {2}token$/,
  /^\{at\} {2}/,
  /^Informe /,
]

/** Templates of names and values alone, which are there for the texts in their values. */
const SAME = [
  '✗ {words}',
  'until {words}',
  'api.operatorTokenFile {file} {words}',
  '--to {words}',
  '--control: {words}',
  '--set {setting}: {words}',
  '--script {file}: {words}',
]

it('every text of the command line is there in Portuguese', () => {
  const translate = createTranslator(TEXTS)
  const texts = [...sourceTexts('src')].filter(([text]) => !LEFT_OUT.some((one) => one.test(text)))
  expect(texts.length).toBeGreaterThan(800)
  const missing = texts.filter(([text]) => {
    const own = translate(text)
    return (own === text && !SAME.some((one) => sameTemplate(one, text))) || isEnglish(own)
  })
  expect(missing.map(([text, place]) => `${place}: ${text}`)).toEqual([])
})

function isEnglish(text: string): boolean {
  return ENGLISH.test(text.replaceAll(/\{\w+\}|\{"by":"36h"\}/g, '{}'))
}

function sameTemplate(one: string, other: string): boolean {
  return one.replaceAll(/\{\w+\}/g, '{}') === other.replaceAll(/\{\w+\}/g, '{}')
}

it('what is said of a database that is missing, another one or an older one is in Portuguese', () => {
  const translate = createTranslator(TEXTS)
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
  for (const { message } of errors) expect(translate(message)).not.toMatch(ENGLISH)
})

function refusal(act: () => void): Error {
  try {
    act()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was refused')
}

it('each Portuguese text has the values of the English one', () => {
  const placesOf = (text: string) => [...new Set(partsOf(text).filter((_, index) => index % 2 === 1))].sort()
  const differing = OWN.filter((text) => String(placesOf(text)) !== String(placesOf(TEXTS[text] ?? '')))
  expect(differing).toEqual([])
})

it('no text is the same in both languages, and none is half English', () => {
  const texts = OWN.filter((text) => !SAME.includes(text))
  expect(texts.filter((text) => TEXTS[text] === text || TEXTS[text] === '' || isEnglish(TEXTS[text] ?? ''))).toEqual([])
})

it('a text in Portuguese names the page in Portuguese, where there is one', () => {
  const pages = Object.values(TEXTS).flatMap((text) => text.match(/(?<![\w/])docs\/[\w/-]+\.md/g) ?? [])
  expect(pages).toContain('docs/pt/tour.md')
  expect(pages.filter((page) => existsSync(join(ROOT, page.replace('docs/', 'docs/pt/'))))).toEqual([])
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
]

it('each English text is translated in one place alone', async () => {
  const folder = join(ROOT, 'src/messages/pt/cli')
  const files = ['help', 'messages']
    .flatMap((name) => readdirSync(join(folder, name)).map((file) => join(folder, name, file)))
    .filter((file) => !file.endsWith('/messages/messages.ts'))
  const modules = await Promise.all(files.map((file) => import(file)))
  const texts = [REPORT, COMMANDER, ...modules.flatMap((one) => Object.values<object>(one))].flatMap(Object.keys)
  expect(texts.length).toBeGreaterThan(2000)
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
})

it('no text is left that nothing says', () => {
  const used = new Set<string>(Object.keys(COMMANDER))
  const recorded = new Proxy(TEXTS, {
    get(texts, text) {
      used.add(String(text))
      return texts[String(text)]
    },
  })
  const translate = createTranslator(recorded)
  for (const text of sourceTexts('src').keys()) translate(text)
  const said = literals()
  const isSaid = (part: string) => part.split(/[:;,.] /).every((one) => said.includes(one.trim()))
  const unused = OWN.filter(
    (text) => !used.has(text) && !partsOf(text).every((part, index) => index % 2 === 1 || isSaid(part)),
  )
  expect(
    unused.filter(
      (text) => !COMPOSED.some((one) => one.test(text)) && !HELP.some((texts) => Object.hasOwn(texts, text)),
    ),
  ).toEqual([])
})

/** The source without the catalogues. */
function literals(): string {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('messages/'))
    .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8').replaceAll("\\'", "'"))
    .join('\n')
}
