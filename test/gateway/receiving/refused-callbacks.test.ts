import { expect, it } from 'vitest'
import { findingsOf } from '../../../src/cli/check.ts'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { openRawCaller } from '../../support/raw-calls.ts'
import { until } from '../../support/until.ts'

const alarmsOf = (gateway: TestGateway) => allEvents(gateway.api, '&kind=operator')

async function overviewOf(gateway: TestGateway) {
  const { body } = await callApi(gateway.api, '/v1/overview')
  return JSON.parse(body) as { light: string; reasons: { code: string; subject: string; value: number }[] }
}

it('a refused callback of an identified caller is red on the overview, a finding with its remedy, and one event a cause', async () => {
  const site = await createSite({ callbacks: { ...BASE_CALLBACKS, limits: { body: '1KiB' } } })
  const gateway = await startTestGateway(site)
  const doubled = '/callbacks/payment/pix/pix'
  const calls: Parameters<typeof callBack>[1][] = [
    { path: doubled },
    { path: `${doubled}?token=1` },
    { method: 'PUT' },
    { headers: { 'content-encoding': 'gzip' } },
    { body: 'x'.repeat(2000), environment: 'sandbox' },
    // Recorded, and no lost callback: requests of `check` and `probe`, and of a health check.
    { path: '/wrong', headers: { 'user-agent': 'Portaria-check' } },
    { method: 'PUT', headers: { 'user-agent': 'Portaria-probe' }, environment: 'sandbox' },
    { path: '/health', method: 'GET', body: '' },
    { method: 'HEAD', body: '' },
    { method: 'OPTIONS', body: '' },
  ]
  for (const call of calls) await callBack(gateway, call)
  const broken = await openRawCaller(gateway)
  broken.send('GARBAGE\r\n\r\n')
  await broken.closed()

  const alarms = await until(
    () => alarmsOf(gateway),
    (raised) => raised.length >= 5,
  )
  expect(alarms.map(({ subject, status, environment }) => [subject, status, environment])).toEqual([
    ['unknown_path', 'refused', 'production'],
    ['wrong_method', 'refused', 'production'],
    ['encoded_body', 'refused', 'production'],
    ['too_large', 'refused', 'sandbox'],
    ['bad_request', 'refused', 'production'],
  ])
  const { light, reasons } = await until(
    () => overviewOf(gateway),
    ({ reasons: all }) => all.filter(({ code }) => code === 'callbacks_refused').length === 5,
  )
  expect(light).toBe('red')
  expect(reasons.find(({ subject }) => subject === doubled)).toMatchObject({ value: 2, severity: 'problem' })

  const findings = await findingsOf({ config: site.configFile, timeout: '10', integrityLimit: 60, offline: true })
  const refused = findings.filter(({ code }) => code === 'callbacks_refused')
  expect(refused).toHaveLength(5)
  expect(refused.find(({ what }) => what === `production ${doubled}`)).toMatchObject({
    level: 'problem',
    found: expect.stringMatching(
      /^callbacks of identified callers that were answered 404 in the last 24 hours: 2, the last at /,
    ),
    nextStep: expect.stringMatching(/^register the URL without \/pix/),
  })
  expect(gateway.lines.filter(({ event }) => event === 'callback.refused')).toHaveLength(5)
  const others = gateway.lines.filter(({ code }) => code === 'no_callback')
  expect(others.map(({ rawCode, reason, environment }) => [rawCode, reason, environment])).toEqual([
    ['unknown_path', 'nothing is received at this path', 'production'],
    ['wrong_method', 'callbacks are sent by POST', 'sandbox'],
    ['unknown_path', 'nothing is received at this path', 'production'],
    ['wrong_method', 'callbacks are sent by POST', 'production'],
    ['wrong_method', 'callbacks are sent by POST', 'production'],
  ])
})
