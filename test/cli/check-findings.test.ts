import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it, test, vi } from 'vitest'
import { expiryFindings } from '../../src/cli/check/expiry.ts'
import { type Finding, markAccepted, reportOn } from '../../src/cli/check/finding.ts'
import { findingsTable, summaryOf } from '../../src/cli/check/findings-text.ts'
import { checkRuntime } from '../../src/cli/check/runtime.ts'
import { type Progress, withElapsed } from '../../src/cli/progress.ts'
import { SAFE_NODE } from '../../src/platform/version.ts'
import { load, minimum, mistakes } from '../config/files.ts'
import { createAuthority } from '../support/authority.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const { good, warning, problem } = reportOn('destinations')

afterEach(() => void vi.useRealTimers())

describe('accepted findings', () => {
  const findings = [
    good('app', 'answers'),
    problem('destination.unreachable', 'books', 'refused', 'repair it'),
    problem('destination.unreachable', 'shop', 'refused', 'repair it'),
    warning('destination_paused', 'late', 'paused', 'resume it'),
  ]

  it('are printed with the reason and do not count; `what` names one of them', () => {
    const entry = { code: 'destination.unreachable', what: 'books', reason: 'off until January' } as const
    const marked = markAccepted(findings, [entry])
    expect(summaryOf(marked)).toEqual({ ok: false, good: 1, warnings: 1, problems: 1, accepted: 1 })
    expect(findingsTable(marked)).toBe(
      [
        'destinations',
        '  ✓ app    answers',
        '  ~ books  refused',
        '           → accepted (destination.unreachable): off until January',
        '  ✗ shop   refused',
        '           → repair it (destination.unreachable)',
        '  ! late   paused',
        '           → resume it (destination_paused)',
        '',
        '✗ Not good: 1 problem, 1 warning; 1 finding accepted.',
        '',
      ].join('\n'),
    )
    const all = { code: 'destination.unreachable', what: null, reason: 'all off' } as const
    expect(summaryOf(markAccepted(findings, [all]))).toMatchObject({ ok: true, problems: 0, accepted: 2 })
  })

  it('are taken from the configuration', () => {
    const accepted = [{ code: 'forwarding.none', reason: 'apps poll' }]
    expect(load({ ...minimum(), check: { accepted } }).check.accepted).toEqual([
      { code: 'forwarding.none', what: null, reason: 'apps poll' },
    ])
  })

  test.each([
    [
      { code: 'forwarding.nome', reason: 'x' },
      'code: is no code of a finding of portaria check; did you mean "forwarding.none"?',
    ],
    [{ code: 'weather', reason: 'x' }, 'code: is no code of a finding of portaria check; docs/codes.md lists them'],
    [{ code: 'trust.test_ca', reason: 'x' }, 'code: trust.test_ca cannot be accepted: remove its cause'],
    [{ code: 'forwarding.none' }, 'reason: is missing: write why you accept it, in quotes'],
  ])('%j is a mistake', (entry, text) => {
    expect(mistakes({ ...minimum(), check: { accepted: [entry] } })).toEqual([`check.accepted[0].${text}`])
  })
})

describe('Node.js', () => {
  const found = (version: string) => checkRuntime('production', version).map(({ level, code }) => [level, code])

  it('without fixes for what Portaria uses is a problem; without others nothing must be done, so it is good', () => {
    expect(found('24.20.0')).toEqual([['problem', 'node.outdated']])
    expect(found('24.21.0')).toEqual([['good', 'node.unneeded_fixes']])
    expect(found('26.12.0')).toEqual([['problem', 'node.outdated']])
    expect(found(SAFE_NODE)).toEqual([['good', 'runtime.good']])
  })

  it('decodes no Brotli for Portaria, which that finding is about', () => {
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    )
    // Compressing alone is no decoding.
    const decoding =
      /(?<!import \{ gzipSync \} from ')node:zlib|brotli|DecompressionStream|\bfetch\(|interceptors\.decompress/
    const decoders = files.filter((file) => decoding.test(readFileSync(join(ROOT, 'src', file), 'utf8')))
    expect(decoders).toEqual([])
    const parsers = files.flatMap((file) => [
      ...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/express\.(?:json|raw|text|urlencoded)\([^)]*\)/g),
    ])
    expect(parsers.length).toBeGreaterThan(1)
    expect(parsers.filter(([call]) => !call.includes('inflate: false'))).toEqual([])
  })
})

describe.skipIf(!hasOpenssl)('expiry of our own certificate (with openssl)', () => {
  const DAY = 86_400_000

  /** @param day since the certificate was issued; @param written when its file was, as such a day */
  function levelOf(lifetime: number, day: number, written = 0): string {
    const issuedAt = new Date('2026-01-01T00:00:00Z')
    const at = (days: number) => new Date(issuedAt.getTime() + days * DAY)
    const authority = createAuthority(temporaryFolder())
    const { certFile, cert } = authority.issue({ name: 'own', notBefore: issuedAt, notAfter: at(lifetime) })
    utimesSync(certFile, at(written), at(written))
    const about = { report: reportOn('certificates'), what: 'dates', renew: 'renew it', file: certFile }
    const [finding] = expiryFindings([new X509Certificate(cert)], about, { now: at(day), days: null })
    return (finding as Finding).code
  }

  test.each([
    ['certificates.good', 90, 59, 0, 'before the usual renewal'],
    ['certificate.expiring', 90, 61, 0, 'a day after it'],
    ['certificate.not_renewed', 90, 66, 0, 'days after it'],
    ['certificate.expiring', 90, 66, 50, 'days after it, with a file that was replaced lately'],
    ['certificate.expiring', 90, 77, 76, 'with 13 days left'],
    ['certificate.urgent', 90, 84, 83, 'with 6 days left'],
    ['certificate.not_renewed', 365, 336, 0, 'of a year, 29 days before its end'],
    ['certificate.expiring', 365, 336, 330, 'of a year, installed lately'],
    ['certificates.good', 45, 29, 0, 'of 45 days, before the usual renewal'],
    ['certificates.good', 47, 19, 0, 'of 47 days, 28 days before its end'],
    ['certificates.good', 6, 3, 0, 'of 6 days, in the middle of its life'],
    ['certificate.not_renewed', 6, 4.6, 0, 'of 6 days, after its renewal was due'],
    ['certificate.urgent', 6, 5.5, 0, 'of 6 days, in its last hours'],
    ['certificate.expired', 90, 91, 0, 'after its end'],
  ])('is %s: %d days long, on day %d, written on day %d (%s)', (code, lifetime, day, written) => {
    expect(levelOf(lifetime, day, written)).toBe(code)
  })
})

it('a long job shows how much of its time limit it has used', async () => {
  vi.useFakeTimers()
  const seen: Progress[] = []
  const { promise, resolve } = Promise.withResolvers<string>()
  const work = withElapsed({ show: (one) => seen.push(one), words: 'checking 2 GiB', limitMs: 60_000 }, promise)
  await vi.advanceTimersByTimeAsync(1999)
  expect(seen).toEqual([])
  await vi.advanceTimersByTimeAsync(4001)
  expect(seen.at(-1)).toEqual({ share: 0.1, words: 'checking 2 GiB: 6 s of at most 60 s', isEnded: false })
  resolve('done')
  expect(await work).toBe('done')
  expect(seen.at(-1)).toEqual({ share: 1, words: 'checking 2 GiB', isEnded: true })
})
