import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript-6'
import { expect, it } from 'vitest'
import { TEXTS } from '../../../src/messages/pt/cli/texts.ts'
import { CONFIGURATION_COMMENTS } from '../../../src/messages/pt/init.ts'
import { createTranslator } from '../../../src/messages/translator.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FOLDERS = ['src/cli', 'src/certificates', 'src/config', 'src/service']
/** Scripts, examples of commands, and texts that catalogues of their own have. */
const LEFT_OUT = /^src\/cli\/(?:shell\/|program\/|init\/next-steps)/

/** Heads of tables and names of fields stay English, as do commands, labels inside files, and what only the log and programmers see. */
const NO_WORDS = [
  /^(?:leased until|next attempt|last answer|why paused|removed at|asked by|settled by|failing since)$/,
  /^(?:last success|last failure|missed states|unknown ids|not named|free on disk|min free space)$/,
  /^(?:export|sub|systemctl|socket|init|certs|select|begin|keytool|openssl|grep|pem|p12|--\w|O=|CN=|STATUS=)/,
  /^-----|"-----BEGIN|FILE(?:\.|$)|PRIVATE KEY|TRUSTED CERTIFICATE|certs (?:authority|issue|import|trust)/,
  /^(?:Portaria (?:development|private)|Test service|Google Trust|Starfield|SSL Corp|IP Address|Of "portaria|Written by)/,
  /^(?:watching|renewing|feeding|secrets too|usable secrets|no secrets|loaded secrets|not DER|selfsigned|has mode 0)/,
  /^(?:none needed|the service manager|Uses the latest|The configuration was not|the earlier one|install the program)/,
  /^(?:without READY|correct it and reload|check" says|see the error|correct the section service|or the account at)/,
  /^(?:the value in use|there is a URL|the client of the service|the answer has an event)/,
  /^(?:The authorities|clientCrl of|crl of|a file (?:that|without)|the password file|was not made)/,
  /^then asking|"(?:ssh-keygen|openssl) |`echo |^portaria service/,
]

function clausesIn(name: string): string[] {
  const file = ts.createSourceFile(name, readFileSync(join(ROOT, name), 'utf8'), ts.ScriptTarget.Latest, true)
  const found: string[] = []
  function look(node: ts.Node): void {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || isMistakeOfProgrammer(node)) return
    if (ts.isStringLiteralLike(node)) found.push(node.text)
    if (ts.isTemplateExpression(node))
      found.push(node.head.text, ...node.templateSpans.map(({ literal }) => literal.text))
    ts.forEachChild(node, look)
  }
  look(file)
  return found
    .flatMap((text) => text.split(/[;:,.\n] ?|…|#/))
    .map((text) => text.replace(/ ?\bsuch as .*/, '').replaceAll(/^[ .;:,)(]+|[ ;:,.(]+$/g, ''))
    .filter((text) => /[a-z]{2,} [a-z]{2,}/i.test(text))
}

function isMistakeOfProgrammer(node: ts.Node): boolean {
  return ts.isNewExpression(node) && /^(?:TypeError|RangeError)$/.test(node.expression.getText())
}

const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT })).filter(
  (name) => !LEFT_OUT.test(name),
)
const known = [...Object.keys(TEXTS), ...Object.keys(CONFIGURATION_COMMENTS)].join('\n')
const isKnown = (clause: string) => known.includes(clause)

it.each(files)('%s says nothing on the command line that has no Portuguese', (name) => {
  const said = clausesIn(name).filter((clause) => !isKnown(clause))
  expect(said.filter((clause) => !NO_WORDS.some((one) => one.test(clause)))).toEqual([])
})

/** In the place of `{expected}`, where a key is missing or has another type. */
it('what a value of the configuration must be is Portuguese as a whole', () => {
  const translate = createTranslator(TEXTS)
  const expected = globSync('src/config/*.ts', { cwd: ROOT }).flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/(['"])((?:a|an|the|true|why) (?:(?!\1).)+)\1/g)].map(
      ([, , text = '']) => text,
    ),
  )
  expect(expected.length).toBeGreaterThan(50)
  expect(expected.filter((text) => translate(`is missing: write ${text}`).includes(text))).toEqual([])
})

it('every operation of the simulator is described in Portuguese', () => {
  const summaries = globSync('simulator/src/**/*control*.ts', { cwd: ROOT }).flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/summary:\s+'([^']+)'/g)].map(([, text = '']) => text),
  )
  expect(summaries.length).toBeGreaterThan(50)
  expect(summaries.filter((text) => !Object.hasOwn(TEXTS, text))).toEqual([])
})
