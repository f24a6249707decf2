import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import ts from 'typescript-6'
import { expect, it } from 'vitest'
import { standaloneCommand } from '../../../simulator/src/cli/standalone.ts'
import { portuguese } from '../../../simulator/src/messages/po.ts'
import { createTranslator } from '../../../simulator/src/messages/translator.ts'
import { sourceTexts } from './source-texts.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const TEXTS = portuguese(null)
const translate = createTranslator(TEXTS)
const FOLDER = 'simulator/src'
const FILE = readFileSync(join(ROOT, FOLDER, 'messages/pt.po'), 'utf8')

/** Templates of names and values alone, and what Document 1 says in Portuguese. */
const LEFT_OUT = [/^(--to|--control:|--set \{\w+\}:|--script \{\w+\}:|\{\w+\}:) \{\w+\}$/, /^Informe /]

it('every text of the command line is there in Portuguese', () => {
  const texts = [...sourceTexts(FOLDER)].filter(([text]) => !LEFT_OUT.some((one) => one.test(text)))
  expect(texts.length).toBeGreaterThan(100)
  const missing = texts.filter(([text]) => translate(text) === text)
  expect(missing.map(([text, place]) => `${place}: ${text}`)).toEqual([])
})

it('every text of the help is there in Portuguese', () => {
  const described = (command: Command): string[] => [
    ...[command.description(), ...command.options.map((one) => one.description)],
    ...command.registeredArguments.map((one) => one.description),
    ...command.commands.flatMap(described),
  ]
  const texts = described(standaloneCommand())
  expect(texts.filter((text) => translate(text) === text)).toEqual([])
})

it('every operation of the control API is described in Portuguese', () => {
  const summaries = globSync(`${FOLDER}/**/*control*.ts`, { cwd: ROOT }).flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/summary:\s+'([^']+)'/g)].map(([, text = '']) => text),
  )
  expect(summaries.length).toBeGreaterThan(50)
  expect(summaries.filter((text) => !TEXTS.has(text))).toEqual([])
})

it('every text of the conformance suite is there in Portuguese, and no other', () => {
  const texts = globSync(`${FOLDER}/conformance/**/*.ts`, { cwd: ROOT }).flatMap((name) =>
    textsOfCalls(join(ROOT, name)),
  )
  expect([...new Set(texts)].toSorted()).toEqual([...portuguese('conformance').keys()].toSorted())
})

/** First arguments of `text(…)`, and second ones of `rule(…)`. */
function textsOfCalls(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const { text: name } = node.expression
      const said = name === 'text' ? node.arguments[0] : name === 'rule' ? node.arguments[1] : undefined
      if (said !== undefined && ts.isStringLiteralLike(said)) found.push(said.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

it('each text is there once, and has its values in both languages', () => {
  const entries = FILE.split('\n\n').map((entry) => entry.replaceAll(/^(?:#.*|msgstr .*)\n?/gm, ''))
  expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([])
  const places = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort().join()
  for (const context of [null, 'document', 'playground', 'conformance'] as const)
    expect([...portuguese(context)].filter(([text, own]) => !ofOthers(text) && places(text) !== places(own))).toEqual(
      [],
    )
})

/** Of parts that only a run puts together. */
const COMPOSED = [
  /^must (be|have) /,
  /^--to gives two/,
  /^--set \{setting\} adds/,
  /^\{file\} (is missing: put it back|cannot be read \(\{words\}\): mend it)/,
]

it('no text is left that nothing says', () => {
  const said = literals()
  const isSaid = (part: string) => part.split(/[:;,.] /).every((one) => said.includes(one.trim()))
  const unused = [...TEXTS.keys()].filter((text) => !ofOthers(text) && !text.split(/\{\w+\}/).every(isSaid))
  expect(unused.filter((text) => !COMPOSED.some((one) => one.test(text)))).toEqual([])
})

/** Texts of commander and of the system, in sections of their own. */
function ofOthers(text: string): boolean {
  const sections = FILE.split(/^#\. /m)
  return sections.some(
    (one) => /^Of (commander|the system)\n/.test(one) && one.includes(`\nmsgid ${JSON.stringify(text)}\n`),
  )
}

/** The source. */
function literals(): string {
  return readdirSync(join(ROOT, FOLDER), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, FOLDER, name), 'utf8').replaceAll("\\'", "'"))
    .join('\n')
}
