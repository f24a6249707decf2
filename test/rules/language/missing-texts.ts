import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-6'
import { portuguese } from '../../../simulator/src/messages/po.ts'
import { contextual, type Translations } from '../../../src/messages/po.ts'
import { createTranslator } from '../../../src/messages/translator.ts'
import { ROOT } from '../../../src/platform/program-files.ts'
import { exactTexts, helpTexts } from './exact-texts.ts'
import { sourceTexts } from './source-texts.ts'

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

/** Templates of names and values alone, and words that are the same in both languages. */
export const SAME = [
  '✗ {words}',
  'until {words}',
  'api.operatorTokenFile {file} {words}',
  '--to {words}',
  '--control: {words}',
  '--set {setting}: {words}',
  '--script {file}: {words}',
  'chmod {mode} {file}',
  '{command} certs import {arguments}',
  '{command} serve',
  'listeners',
  'URL',
  'tokens',
  ...['API', 'Callback', 'Callbacks', 'Host', 'Pix', 'Status', 'callbacks', 'e-mail', 'sandbox', 'webhook'],
  ...['Discord', 'Slack', 'Teams', 'Telegram'],
]

/** Every text of the program that the language lacks, with its place. */
export async function missingTexts(translations: Translations): Promise<string[]> {
  const isThere = (text: string, context?: string) =>
    translations.has(contextual(context, text)) || (context !== 'finding' && translations.has(text))
  const translate = createTranslator(translations)
  const help = (await helpTexts()).filter(({ text }) => translate(text) === text && !portuguese(null).has(text))
  const guessed = [...sourceTexts('src')].filter(([text]) => {
    const own = translate(text)
    return (
      !LEFT_OUT.some((one) => one.test(text)) &&
      ((own === text && !SAME.some((one) => isSameTemplate(one, text))) || isEnglish(own))
    )
  })
  return [
    ...exactTexts()
      .filter(({ text, context }) => !isThere(text, context) && !SAME.includes(text))
      .map(lineOf),
    ...help.map(lineOf),
    ...guessed.map(([text, place]) => lineOf({ text, place })),
    ...expectedValues()
      .filter((line) => isUnknownValue(line.text, translate))
      .map(lineOf),
    ...clauses(translations).map(lineOf),
  ]
}

export function isEnglish(text: string): boolean {
  return ENGLISH.test(text.replaceAll(/\{\w+\}|\{"by":"36h"\}/g, '{}'))
}

function isSameTemplate(one: string, other: string): boolean {
  return one.replaceAll(/\{\w+\}/g, '{}') === other.replaceAll(/\{\w+\}/g, '{}')
}

interface Placed {
  readonly text: string
  readonly place: string
}

function lineOf({ text, place }: Placed): string {
  return `${place}: ${text}`
}

/** What a value of the configuration must be, in the place of `{expected}`, where a key is missing or has another type. */
function expectedValues(): Placed[] {
  return globSync('src/config/*.ts', { cwd: ROOT }).flatMap((place) =>
    [...readFileSync(join(ROOT, place), 'utf8').matchAll(/(['"])((?:a|an|the|true|why) (?:(?!\1).)+)\1/g)].map(
      ([, , text = '']) => ({ text, place }),
    ),
  )
}

function isUnknownValue(text: string, translate: (text: string) => string): boolean {
  return translate(`is missing: write ${text}`).includes(text)
}

/** Where the texts of findings are made of clauses. */
const OF_FINDINGS = ['src/domain/refusal-rules.ts', 'src/probe/ending-of-error.ts', 'src/probe/server-certificate.ts']

/** What is no part of a finding: progress, the table, commands and names of certificates. */
const NO_FINDINGS =
  /^(?:asking|calling|making|reading|checking) |^for its metadata|untrusted certificate$|^of database|ALL:@SECLEVEL|^has mode 0$|^such as https|^unreachable: a file|^a file without|^Test service|^O=|^is a path of|^choose one with|^(?:certs|destinations) (?:csr|import|test|trust)|^--|allowedAddresses$|^api$|authorities of clients$/

/** Parts of findings and of mistakes of the configuration that no text contains. */
function clauses(translations: Translations): Placed[] {
  const known = [...translations.keys()].join('\n')
  const filesIn = (folder: string) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)
  const ofFindings = [...filesIn('src/cli/check'), ...OF_FINDINGS].flatMap((place) =>
    clausesIn(place)
      .filter((text) => !NO_FINDINGS.test(text))
      .map((text) => ({ text, place })),
  )
  const mistakes = filesIn('src/config')
    .filter((place) => place.endsWith('.ts'))
    .flatMap((place) =>
      clausesIn(place)
        .filter((text) => /^(?:must|is empty|is there beside) /.test(text))
        .map((text) => ({ text, place })),
    )
  return [...ofFindings, ...mistakes].filter(({ text }) => !known.includes(text))
}

function clausesIn(name: string): string[] {
  const file = ts.createSourceFile(name, readFileSync(join(ROOT, name), 'utf8'), ts.ScriptTarget.Latest, true)
  const found: string[] = []
  function look(node: ts.Node): void {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return
    if (ts.isStringLiteralLike(node)) found.push(node.text)
    if (ts.isTemplateExpression(node))
      found.push(node.head.text, ...node.templateSpans.map(({ literal }) => literal.text))
    ts.forEachChild(node, look)
  }
  look(file)
  return found
    .flatMap((text) => text.split(/[;:,.] |…/))
    .map((text) => text.replaceAll(/^[ .;:,)]+|[ ;:,.(]+$/g, ''))
    .filter((text) => /[a-z]{2,} [a-z]{2,}/i.test(text))
}
