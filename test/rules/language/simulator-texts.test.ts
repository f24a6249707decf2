import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { standaloneCommand } from '../../../simulator/src/cli/standalone.ts'
import { COMMANDER } from '../../../simulator/src/messages/pt/commander.ts'
import { HELP } from '../../../simulator/src/messages/pt/help.ts'
import { MESSAGES } from '../../../simulator/src/messages/pt/messages.ts'
import { OPERATIONS } from '../../../simulator/src/messages/pt/operations.ts'
import { TEXTS } from '../../../simulator/src/messages/pt/texts.ts'
import { createTranslator } from '../../../simulator/src/messages/translator.ts'
import { sourceTexts } from './source-texts.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const translate = createTranslator(TEXTS)
const FOLDER = 'simulator/src'

/** Templates of names and values alone, and what Document 1 says in Portuguese. */
const LEFT_OUT = [/^(--to|--control:|--set \{\w+\}:|--script \{\w+\}:|\{\w+\}:) \{\w+\}$/, /^Informe /]

it('every text of the command line is there in Portuguese', () => {
  const texts = [...sourceTexts(FOLDER)].filter(([text]) => !LEFT_OUT.some((one) => one.test(text)))
  expect(texts.length).toBeGreaterThan(100)
  const missing = texts.filter(([text]) => translate(text) === text)
  expect(missing.map(([text, place]) => `${place}: ${text}`)).toEqual([])
})

it('every text of the help is there in Portuguese, and no other', () => {
  const described = (command: Command): string[] => [
    ...[command.description(), ...command.options.map((one) => one.description)],
    ...command.registeredArguments.map((one) => one.description),
    ...command.commands.flatMap(described),
  ]
  // With the option of the gateway, too.
  const texts = described(standaloneCommand())
  expect(texts.filter((text) => translate(text) === text)).toEqual([])
  const said = literals()
  expect(Object.keys(HELP).filter((text) => !said.includes(text))).toEqual([])
})

it('every operation of the control API is described in Portuguese, and no other', () => {
  const summaries = globSync(`${FOLDER}/**/*control*.ts`, { cwd: ROOT }).flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/summary:\s+'([^']+)'/g)].map(([, text = '']) => text),
  )
  expect(summaries.length).toBeGreaterThan(50)
  expect(summaries.filter((text) => !Object.hasOwn(TEXTS, text))).toEqual([])
  expect(Object.keys(OPERATIONS).filter((text) => !literals().includes(text))).toEqual([])
})

it('each text is there once, and has its values in both languages', () => {
  const all = [COMMANDER, HELP, MESSAGES, OPERATIONS].flatMap(Object.keys)
  expect(all.filter((text, index) => all.indexOf(text) !== index)).toEqual([])
  const places = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort().join()
  expect(all.filter((text) => places(text) !== places(TEXTS[text] ?? ''))).toEqual([])
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
  const unused = Object.keys(MESSAGES).filter((text) => !text.split(/\{\w+\}/).every(isSaid))
  expect(unused.filter((text) => !COMPOSED.some((one) => one.test(text)))).toEqual([])
})

/** The source without the catalogues. */
function literals(): string {
  return readdirSync(join(ROOT, FOLDER), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('messages/'))
    .map((name) => readFileSync(join(ROOT, FOLDER, name), 'utf8').replaceAll("\\'", "'"))
    .join('\n')
}
