import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { FINDING_CODES } from '../../src/config/finding-codes.ts'
import { clockProblem } from '../../src/domain/clock.ts'
import { knownText } from '../../src/messages/say.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { partsInto, translatedInto } from '../../src/messages/translator.ts'
import { itemOf } from '../../src/pages/check/check.ts'
import { stepOf } from '../../src/pages/check/next-steps.ts'
import { reportWords } from '../../src/pages/check/values.ts'
import { withoutFolders } from '../../src/pages/parts/file-name.ts'
import { NOON } from '../support/builders.ts'

const shown = (text: string, most = 600) => String(reportWords(text, 'pt', most))

describe.each(['en', 'pt'] as const)('in %s', (language) => {
  it.each(FINDING_CODES)('%s has a remedy for a person without a shell', (code) => {
    const step = stepOf(code, speaker(language))
    expect(step).toEqual(expect.stringMatching(/\.$/))
    expect(step).not.toMatch(/portaria |sudo |chmod |systemctl |\{|\//)
  })
})

it('what a finding means in Portuguese is a sentence', () => {
  expect(FINDING_CODES.map((code) => knownText(code, 'pt', 'finding')).filter((own) => !own?.endsWith('.'))).toEqual([])
})

it('the reason that config/development.yaml gives is in Portuguese, on the page and in the terminal', () => {
  const { accepted } = parse(readFileSync('config/development.yaml', 'utf8')).check
  expect(accepted).toHaveLength(1)
  const [{ code, reason }] = accepted
  const own = 'o token do listener de desenvolvimento não é secreto, e um clone não tem arquivos privados'
  expect(shown(reason)).toBe(own)
  expect(translatedInto('pt', `accepted (${code}): ${reason}`)).toBe(`aceito (${code}): ${own}`)
})

it('a text is rebuilt with its values, and times have the form of all times', () => {
  expect(shown(clockProblem(NOON + 9 * 86_400_000, NOON))).toMatch(
    /^o relógio mostra <time .*, 9 dias depois da última hora certa, <time datetime="2026-01-15T12:00:00.000Z">/,
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
  const parts = partsInto('pt', text)
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
  expect(String(itemOf(what, speaker('pt')))).toBe(shown)
})
