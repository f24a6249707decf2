import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { ROUTES } from '../../src/conformance/fixes/answers.ts'
import { PIN_ISSUER } from '../../src/conformance/fixes/callers.ts'
import { htmlOf } from '../../src/conformance/report/html.ts'
import { jsonOf } from '../../src/conformance/report/json.ts'
import { junitOf } from '../../src/conformance/report/junit.ts'
import { wordsOf } from '../../src/conformance/report/words.ts'
import type { Report } from '../../src/conformance/run.ts'
import type { Verdict } from '../../src/conformance/scenario.ts'
import { CALLBACK_SCENARIOS } from '../../src/conformance/scenarios/all.ts'
import { verbatim } from '../../src/conformance/text.ts'

const EVIL = `</failure><script>alert("1")</script> & 'é' ]]>\u0000\u001b[31m`

/** One scenario of each verdict, with a reason that a hostile receiver wrote. */
function aReport(): Report {
  const verdicts: Verdict[] = ['pass', 'fail', 'warn', 'skip']
  const results = verdicts.map((verdict, index) => {
    const scenario = CALLBACK_SCENARIOS[index]
    if (scenario === undefined) throw new Error('there are fewer scenarios than verdicts')
    return { scenario, verdict, reason: { en: `${verdict} ${EVIL}`, pt: `pt ${verdict} ${EVIL}` } }
  })
  return {
    url: 'https://localhost/a?b=1&c="2"',
    preset: 'open-finance',
    at: '2026-11-30T12:00:00.000Z',
    issuer: 'CN=Test',
    ok: false,
    results,
  }
}

it('JSON has exactly the documented members, in the language of the report', () => {
  const report = jsonOf(aReport(), 'pt')
  expect(Object.keys(report)).toEqual(['ok', 'url', 'preset', 'at', 'scenarios'])
  for (const scenario of report.scenarios) {
    expect(Object.keys(scenario)).toEqual(['id', 'title', 'verdict', 'reason', 'why', 'source', 'fix'])
    expect(Object.keys(scenario.fix)).toEqual(['nginx', 'haproxy', 'apache', 'caddy', 'express', 'php', 'alb'])
    expect(scenario.reason).toMatch(/^pt /)
    for (const words of [scenario.id, scenario.title, scenario.why, ...Object.values(scenario.fix)])
      expect(words).toEqual(expect.stringMatching(/\S/))
  }
  expect(report.scenarios.map(({ verdict }) => verdict)).toEqual(['pass', 'fail', 'warn', 'skip'])
})

const hasPython = spawnSync('python3', ['--version']).status === 0

it.skipIf(!hasPython)('JUnit is XML that another reader takes, with every text as it was', () => {
  const program = [
    'import sys, json, xml.etree.ElementTree as tree',
    'root = tree.parse(sys.stdin.buffer).getroot()',
    'suite = root[0]',
    'cases = [[case.get("name").split(":")[0], [(child.tag, child.get("message")) for child in case]] for case in suite]',
    'print(json.dumps([root.tag, dict(suite.attrib), cases]))',
  ].join('\n')
  const read = spawnSync('python3', ['-c', program], { input: junitOf(jsonOf(aReport(), 'en')), encoding: 'utf8' })
  const shown = (verdict: string) => `${verdict} ${EVIL.replace('\u0000', '\ufffd').replace('\u001b', '\ufffd')}`
  expect([read.stderr, JSON.parse(read.stdout)]).toEqual([
    '',
    [
      'testsuites',
      {
        name: 'https://localhost/a?b=1&c="2"',
        timestamp: '2026-11-30T12:00:00.000Z',
        tests: '4',
        failures: '1',
        errors: '0',
        skipped: '1',
      },
      [
        ['notification', [['system-out', null]]],
        ['certless', [['failure', shown('fail')]]],
        ['certless-without-name', [['system-out', null]]],
        ['certless-by-address', [['skipped', shown('skip')]]],
      ],
    ],
  ])
})

it('the page loads nothing, runs nothing, and shows the text of a receiver as text', () => {
  const page = htmlOf(jsonOf(aReport(), 'pt'), 'pt')
  expect(page).toContain('<html lang="pt-BR">')
  const [, style = ''] = /<style>(.*)<\/style>/s.exec(page) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(page).toContain(`content="default-src 'none'; style-src 'sha256-${hash}'"`)
  expect(page).toContain('2026-11-30T12:00:00.000Z, regras: open-finance')
  expect(page).not.toMatch(/<script|<link|<img|\ssrc=|\son\w+=|@import|url\(/i)
  expect(
    [...page.matchAll(/<(\w+)[^>]*\shref="([^"]*)/g)].every(
      ([, tag, to]) => tag === 'a' && /^(https:\/\/|#[a-z-]+$)/.test(to ?? ''),
    ),
  ).toBe(true)
  expect(page.match(/&#60;script&#62;/g)).toHaveLength(4)
  expect(page).toContain('https://localhost/a?b=1&#38;c=&#34;2&#34;')
})

it('words have why, what to do where something is wrong, and a sum', () => {
  const words = wordsOf(jsonOf(aReport(), 'pt'), 'pt')
  expect([words.match(/Por quê: /g)?.length, words.match(/O que fazer:/g)?.length]).toEqual([4, 2])
  expect(words).toMatch(/\n {4}nginx: ssl_client_certificate .*\n {4}haproxy: /)
  // What has to be mended is the last that a terminal shows, and the first of a page.
  expect([...words.matchAll(/^([✓✗!-]) \w/gm)].map(([, mark]) => mark).slice(0, 4)).toEqual(['✓', '-', '!', '✗'])
  const page = htmlOf(jsonOf(aReport(), 'pt'), 'pt')
  expect([...page.matchAll(/<article class="(\w+)"/g)].map(([, one]) => one)).toEqual(['fail', 'warn', 'pass', 'skip'])
  expect(words.trimEnd().split('\n').at(-1)).toBe('✗ 1 aprovados, 1 reprovados, 1 avisos, 1 pulados')
})

it('the fixes have the path that was tried and the issuer of the run, in the form of each server', () => {
  const scenario = { ...(CALLBACK_SCENARIOS[0] as Report['results'][number]['scenario']), fix: ROUTES }
  const reported = { ...aReport(), results: [{ scenario, verdict: 'fail' as const, reason: verbatim('x') }] }
  const [tried] = jsonOf({ ...reported, preset: null, url: 'https://localhost/hooks/in/' }, 'en').scenarios
  expect(tried?.fix.nginx).toContain('location ~ ^/hooks/in(/|$)')
  expect(tried?.fix.express).toContain(String.raw`app.post(/^\/hooks\/in(`)
  const [atRoot] = jsonOf({ ...reported, url: 'https://localhost/' }, 'en').scenarios
  expect(atRoot?.fix.caddy).toBe('reverse_proxy /open-banking/webhook/v1/* 127.0.0.1:3000')
  const pinned = {
    ...reported,
    results: [{ scenario: { ...scenario, fix: PIN_ISSUER }, verdict: 'fail' as const, reason: verbatim('x') }],
  }
  expect(jsonOf({ ...pinned, preset: null }, 'en').scenarios[0]?.fix.nginx).toContain(
    'if ($ssl_client_i_dn != "CN=Test")',
  )
})
