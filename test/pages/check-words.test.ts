import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript-6'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { FINDING_CODES } from '../../src/config/finding-codes.ts'
import { clockProblem } from '../../src/domain/clock.ts'
import { EN } from '../../src/messages/en/en.ts'
import { PT } from '../../src/messages/pt/pt.ts'
import { FINDING_VALUES } from '../../src/messages/pt/report/check-values.ts'
import { REPORT } from '../../src/messages/pt/report/report.ts'
import { createPartsTranslator, createTranslator } from '../../src/messages/translator.ts'
import { itemOf } from '../../src/pages/check/check.ts'
import { reportWords } from '../../src/pages/check/values.ts'
import { withoutFolders } from '../../src/pages/parts/file-name.ts'
import { NOON } from '../support/builders.ts'

const placesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()
const translate = createPartsTranslator(REPORT)
const shown = (text: string, most = 600) => String(reportWords(text, REPORT, most))

/** Where the texts of findings are made. */
const CHECK = readdirSync('src/cli/check').map((name) => `src/cli/check/${name}`)
const OTHERS = ['src/domain/refusal-rules.ts', 'src/probe/ending-of-error.ts', 'src/probe/server-certificate.ts']

describe.each([
  ['English', EN.check],
  ['Portuguese', PT.check],
])('in %s', (_, { steps }) => {
  it.each(FINDING_CODES)('%s has a remedy for a person without a shell', (code) => {
    expect(steps[code]).toEqual(expect.stringMatching(/\.$/))
    expect(steps[code]).not.toMatch(/portaria |sudo |chmod |systemctl |\{|\//)
  })
})

it.each(FINDING_CODES)('%s has a sentence in Portuguese', (code) => {
  expect(PT.check.findings[code]).toEqual(expect.stringMatching(/\.$/))
})

it('the reason that config/development.yaml gives is in Portuguese, on the page and in the terminal', () => {
  const { accepted } = parse(readFileSync('config/development.yaml', 'utf8')).check
  expect(accepted).toHaveLength(1)
  const [{ code, reason }] = accepted
  const own = 'o token do listener de desenvolvimento não é secreto, e um clone não tem arquivos privados'
  expect(shown(reason)).toBe(own)
  expect(createTranslator(REPORT)(`accepted (${code}): ${reason}`)).toBe(`aceito (${code}): ${own}`)
})

it.each(Object.keys(FINDING_VALUES))('%s, which has texts with values, is a code', (code) => {
  expect(FINDING_CODES).toContain(code)
})

it.each(Object.entries(REPORT))('"%s" has the same values in Portuguese', (english, own) => {
  expect(own).not.toBe('')
  expect(new Set(placesIn(own)).size).toBeGreaterThanOrEqual(Math.min(1, placesIn(english).length))
  for (const place of placesIn(own)) expect(placesIn(english)).toContain(place)
})

/** The clauses of the texts of a file. */
function clausesIn(name: string): string[] {
  const file = ts.createSourceFile(name, readFileSync(name, 'utf8'), ts.ScriptTarget.Latest, true)
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

/** What is no part of a finding: progress, the table, commands and names of certificates. */
const NO_FINDINGS =
  /^(?:asking|calling|making|reading|checking) |^for its metadata|untrusted certificate$|^of database|ALL:@SECLEVEL|^has mode 0$|^such as https|^unreachable: a file|^a file without|^Test service|^O=|^is a path of|^choose one with|^(?:certs|destinations) (?:csr|import|test|trust)|^--|allowedAddresses$|^api$|authorities of clients$/

const known = Object.keys(REPORT).join('\n')

it.each([...CHECK, ...OTHERS])('%s says nothing that has no Portuguese', (file) => {
  expect(clausesIn(file).filter((text) => !known.includes(text) && !NO_FINDINGS.test(text))).toEqual([])
})

it.each(readdirSync('src/config').filter((name) => name.endsWith('.ts')))(
  'src/config/%s names no mistake that has no Portuguese',
  (name) => {
    const all = Object.keys(PT.check.report).join('\n')
    const mistakes = clausesIn(`src/config/${name}`).filter((text) => /^(?:must|is empty|is there beside) /.test(text))
    expect(mistakes.filter((text) => !all.includes(text))).toEqual([])
  },
)

it('a text is rebuilt with its values, and times have the form of all times', () => {
  expect(shown(clockProblem(NOON + 9 * 86_400_000, NOON))).toMatch(
    /^Ele mostra <time .*, 9 dias depois da última hora certa, <time datetime="2026-01-15T12:00:00.000Z">/,
  )
  expect(shown('/srv/key.pem has mode 0644: others may read or change it')).toBe(
    '/srv/key.pem tem o modo 0644: outros podem lê-lo ou alterá-lo',
  )
  expect(shown('the first to expire is "CN=a, O=b c", in 2 days')).toBe(
    'o primeiro a vencer é &quot;CN=a, O=b c&quot;, em 2 dias',
  )
  expect(shown('"CN=a" expires in 5 days, on 2026-12-03')).toBe('&quot;CN=a&quot; vence em 5 dias, em 2026-12-03')
})

it.each([
  ['/etc/portaria/certs/server.crt does not exist yet', 'server.crt does not exist yet'],
  ['of "CN=a" (/etc/portaria/crl/a.pem): 3 revoked', 'of "CN=a" (a.pem): 3 revoked'],
  ['/data has mode 0750', '/data has mode 0750'],
  ['https://a.example/hooks/in answers', 'https://a.example/hooks/in answers'],
  ['the bits are 1/2/3', 'the bits are 1/2/3'],
])('a page shows no folder of the machine: %s', (text, shown) => expect(withoutFolders(text)).toBe(shown))

it('what is not known is a quotation, or nothing', () => {
  expect(shown('https://a.example: the stars were wrong')).toBe('null')
  expect(shown('paused: works go on')).toBe('O destino está pausado: <q lang="en">works go on</q>')
})

it('a long text is cut in the reader’s language', () => {
  const clauses = Array.from({ length: 30 }, (_, n) => `/k${n} has mode 0644: others may read or change it`).join('; ')
  const words = shown(clauses, 100)
  expect(words).toMatch(/^\/k0 tem o modo 0644: outros podem lê-lo ou alterá-lo; .*…$/)
  expect(words.length).toBeLessThan(120)
})

it('the parts of a text within a text are known', () => {
  const text =
    'no gateway ran from 2026-01-01T00:00:00.000Z to 2026-01-02T00:00:00.000Z; with retries: short, nothing is lost yet: the service sends again until 2026-01-03T00:00:00.000Z; with retries: long, callbacks first sent from A to B may be lost; of the others the service sends again until C'
  const parts = translate(text)
  expect(parts.filter(({ kind }) => kind === 'foreign')).toEqual([])
  expect(parts.map((part) => part.text).join('')).toBe(
    'Nenhum gateway estava em execução de 2026-01-01T00:00:00.000Z a 2026-01-02T00:00:00.000Z; com retries: short, nada se perdeu até agora: o serviço reenvia até 2026-01-03T00:00:00.000Z; com retries: long, callbacks enviados pela primeira vez de A a B podem estar perdidos; os outros são reenviados até C',
  )
})

it.each([
  ['chain of production', 'cadeia de produção'],
  ['chain of bank-a/production', 'cadeia de bank-a/produção'],
  ['production', 'produção'],
  ['callbacks: dates', 'callbacks: datas'],
  ['production-app', 'production-app'],
])('the item %s is %s', (what, shown) => {
  expect(String(itemOf(what, PT))).toBe(shown)
})
