import { expect, it } from 'vitest'
import { checkOverview, withReasons } from '../../src/cli/check/overview.ts'
import { AREAS, reportOn } from '../../src/cli/check/finding.ts'
import { summaryOf } from '../../src/cli/check/findings-text.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { FINDING_CODES } from '../../src/config/finding-codes.ts'
import { filledIn, REASON_CODES, REASON_TEXTS, type Reason } from '../../src/domain/overview/reasons.ts'
import { partsInto } from '../../src/messages/translator.ts'
import { callApi } from '../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { findingsAt } from './checking.ts'

const translate = (text: string) => partsInto('pt', text)

const reasonOf = (code: Reason['code'], changes: Partial<Reason> = {}): Reason => {
  const values = { subject: 'books', value: 7, detail: 'writer: disk', until: null }
  const { text, nextStep } = REASON_TEXTS[code]
  return {
    severity: 'problem',
    code,
    about: null,
    others: 0,
    ...values,
    text: filledIn(text, values),
    nextStep,
    ...changes,
  }
}

it.each(REASON_CODES)('the reason %s of an overview is a finding with the same code, in Portuguese too', (code) => {
  expect(FINDING_CODES).toContain(code)
  for (const severity of ['problem', 'warning'] as const) {
    const reason = reasonOf(code, { severity })
    const [finding, ...more] = withReasons([], [reason])
    expect(more).toEqual([])
    expect(finding).toMatchObject({
      code,
      level: severity,
      what: 'books',
      found: reason.text,
      nextStep: reason.nextStep,
    })
    expect(AREAS).toContain(finding?.area)
    const said = [reason.nextStep, ...(code === 'clock_implausible' ? [] : [reason.text])].map(translate)
    expect(said.flat().filter(({ kind, text }) => kind === 'foreign' && text !== 'disk')).toEqual([])
  }
})

it('says once what the check found by itself, unless the overview judges it as graver', () => {
  const own = reportOn('storage').warning('space_short', 'free space', 'little is free', 'free some')
  const codesOf = (...reasons: Reason[]) => withReasons([own], reasons).map(({ code, level }) => `${level} ${code}`)
  expect(codesOf(reasonOf('space_short', { severity: 'warning' }))).toEqual(['warning space_short'])
  expect(codesOf(reasonOf('space_short'), reasonOf('space_out'))).toEqual([
    'warning space_short',
    'problem space_short',
    'problem space_out',
  ])
  expect(withReasons([], [reasonOf('circuit_open', { others: 25 })])[0]?.found).toMatch(
    /; more with the same reason: 25$/,
  )
})

it('says once that a certificate of a file expires, and what no file has any more beside it', () => {
  const own = reportOn('certificates').problem('certificate.urgent', 'callbacks: dates', 'it expires', 'renew it')
  const codesOf = (subject: string, findings = [own]) =>
    withReasons(findings, [reasonOf('certificate_expiring', { subject })]).map(({ code }) => code)
  expect(codesOf('server: /certs/server.crt')).toEqual(['certificate.urgent'])
  expect(codesOf('server: /certs/server.crt', [])).toEqual(['certificate_expiring'])
  for (const other of ['server: in use; no file has it any more', 'destination: books (books.example)'])
    expect(codesOf(other)).toEqual(['certificate.urgent', 'certificate_expiring'])
})

it('is not content while the overview of the running gateway is red', async () => {
  const kinds = { ...BASE_CALLBACKS.kinds, payment: { path: '/callbacks/payment', alertAfter: '1s' } }
  const site = await createSite({ callbacks: { ...BASE_CALLBACKS, kinds } })
  const gateway = await startTestGateway(site)
  const overview = () =>
    callApi(gateway.api, '/v1/overview').then(({ body }) => JSON.parse(body) as { light: string; reasons: Reason[] })
  const { reasons } = await until(overview, ({ light }) => light === 'red')
  expect(reasons).toMatchObject([{ severity: 'problem', code: 'kind_never', subject: 'payment' }])

  const findings = await findingsAt(site, { offline: true })
  expect(summaryOf(findings).ok).toBe(false)
  expect(findings).toContainEqual(
    expect.objectContaining({ area: 'listeners', code: 'kind_never', what: 'payment', level: 'problem' }),
  )
  await gateway.stop()
  expect(await checkOverview(loadConfig(site.configFile))).toEqual([])
})
