import { expect, it, onTestFinished } from 'vitest'
import { chargeClient } from '../../../simulator/test/charges/charge-client.ts'
import { startReceiver } from '../../../simulator/test/receiver.ts'
import { openingRequest } from '../../../simulator/test/registration/opening-request.ts'
import { callBack } from '../../support/calls.ts'
import { askApi, createReconcileSite, eventsOf, expectSubject, isInDatabase, reconcile } from './reconcile-site.ts'

/** The clock of the simulator is in March. */
const SINCE = { since: '2026-03-01T00:00:00Z' }

it('asks for payments that are expected, and for failed ones that only the service knows', async () => {
  const { running, start, pay } = await createReconcileSite()
  const gateway = await start()
  const [expected, failed, unnamed] = [await pay(), await pay(), await pay()]
  await expectSubject(gateway, 'payment', expected)
  await running.control('POST', `/payments/${failed}/fail`)
  await running.control('POST', `/payments/${unnamed}/settle`)

  expect(await reconcile(gateway, SINCE)).toMatchObject({ found: 2, unknown: 0, failed: 0, unnamed: 1 })
  const events = await eventsOf(gateway, 'kind=payment')
  expect(events).toMatchObject([
    { subject: expected, status: 'EM_PROCESSAMENTO', source: 'reconciled', authentication: 'service' },
    { subject: failed, status: 'NAO_REALIZADO', source: 'reconciled' },
  ])
  expect(events[0].data).toEqual({
    identificador: expected,
    status: { anterior: null, atual: 'EM_PROCESSAMENTO' },
    valor: '50.00',
  })

  await running.control('POST', `/payments/${expected}/settle`)
  expect(await reconcile(gateway, SINCE)).toMatchObject({ found: 1 })
  const [, , settled] = await eventsOf(gateway, 'kind=payment')
  expect(settled.data.status).toEqual({ anterior: 'EM_PROCESSAMENTO', atual: 'LIQUIDADO' })

  const { data } = (await askApi(gateway, '/v1/gaps')).json
  expect(data.find(({ unknown }: { unknown: number }) => unknown > 0)).toMatchObject({
    kind: 'payment',
    environment: 'sandbox',
    day: '2026-03-02',
    unknown: 1,
    settledBy: 'question to the service',
  })
  expect(data.find(({ reconciled }: { reconciled: number }) => reconciled > 0)).toMatchObject({
    reconciled: 3,
    received: 0,
  })
})

it('a final state is not asked for again, and a late callback of a reconciled one is a duplicate', async () => {
  const { running, start, pay } = await createReconcileSite()
  const gateway = await start()
  const id = await pay()
  await expectSubject(gateway, 'payment', id)
  await running.control('POST', `/payments/${id}/settle`)
  expect(await reconcile(gateway)).toMatchObject({ asked: 2, found: 1 })
  expect(await reconcile(gateway)).toMatchObject({ asked: 1, subjects: 0, found: 0 })

  const late = { identificador: id, status: { anterior: 'EXECUTADO', atual: 'LIQUIDADO' }, valor: '50.00', extras: {} }
  const { status } = await callBack(gateway, { body: JSON.stringify(late), environment: 'sandbox' })
  expect(status).toBe(200)
  expect(await eventsOf(gateway, 'kind=payment')).toMatchObject([{ subject: id, source: 'reconciled', duplicates: 1 }])
  const early = { ...late, status: { anterior: null, atual: 'CRIADO' } }
  await callBack(gateway, { body: JSON.stringify(early), environment: 'sandbox' })
  expect(await eventsOf(gateway, 'kind=payment')).toHaveLength(2)
})

it('a dry run stores nothing', async () => {
  const { start, pay } = await createReconcileSite()
  const gateway = await start()
  const id = await pay()
  await expectSubject(gateway, 'payment', id)
  expect(await reconcile(gateway, { dryRun: true })).toMatchObject({ found: 1, asked: 2 })
  expect(await eventsOf(gateway, 'kind=payment')).toEqual([])
  expect(await reconcile(gateway)).toMatchObject({ found: 1 })
})

it('an opening becomes an event without its secret; one that waits stays a gap', async () => {
  const { running, site, start } = await createReconcileSite()
  const receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  onTestFinished(() => receiver.stop())
  await running.ask('registration', { method: 'POST', path: '/v1/webhook', body: { webhookUrl: receiver.urlOf('r') } })
  const body = openingRequest({ escoposIntegrados: ['cob.read'] })
  const asked = await running.ask('registration', { method: 'POST', path: '/v1/conta-simplificada', body })
  const id = asked.json.contaSimplificada.identificador
  const gateway = await start({ readCredentials: true })
  await expectSubject(gateway, 'registration', id)
  expect(await reconcile(gateway)).toMatchObject({ undecided: 1, found: 0 })
  expect((await askApi(gateway, '/v1/gaps')).json.openings).toEqual([id])

  await running.control('POST', `/openings/${id}/accept`, {})
  await running.control('POST', '/clock/advance', { by: '60s' })
  expect(await reconcile(gateway)).toMatchObject({ undecided: 0, found: 1 })
  const [event] = await eventsOf(gateway, `kind=registration&subject=${id}`)
  expect(event.data).toEqual({ contaSimplificada: { identificador: id }, evento: 'conta_aberta' })
  const { json } = await running.ask('registration', { path: `/v1/conta-simplificada/${id}/credenciais` })
  for (const secret of [json.clientId, json.clientSecret, json.conta.payeeCode]) {
    expect(isInDatabase(site, secret)).toBe(false)
    expect(JSON.stringify(gateway.lines)).not.toContain(secret)
  }
})

it('charges and unknown ids: the record tells, 404 is an answer', async () => {
  const { running, start } = await createReconcileSite()
  const gateway = await start()
  const client = chargeClient(() => running, 'sandbox')
  const charge = String(await client.createCharge())
  await client.payByCard(Number(charge))
  await expectSubject(gateway, 'charge', charge)
  await expectSubject(gateway, 'charge', '99999999')
  await expectSubject(gateway, 'charge', '7777', 'subscription')
  expect(await reconcile(gateway)).toMatchObject({ found: 1, unknown: 2, failed: 0 })
  const [event] = await eventsOf(gateway, 'kind=charge')
  expect(event).toMatchObject({ subject: charge, status: await client.statusOf(Number(charge)), source: 'reconciled' })
})

it('a budget that is used up leaves the rest, and stops no other interface', async () => {
  const { running, start, pay } = await createReconcileSite()
  const client = chargeClient(() => running, 'sandbox')
  const charge = String(await client.createCharge())
  const ids = [await pay(), await pay(), await pay()]
  const gateway = await start({}, { dailyBudgets: { payment: 2 } })
  for (const id of ids) await expectSubject(gateway, 'payment', id)
  await expectSubject(gateway, 'charge', charge)
  // The pass at the start has taken one.
  expect(await reconcile(gateway)).toMatchObject({ asked: 2, left: 3, found: 2, failed: 0 })
  expect(await eventsOf(gateway, 'kind=payment')).toMatchObject([{ subject: ids[2] }])
  expect(await eventsOf(gateway, 'kind=charge')).toMatchObject([{ subject: charge, status: 'new' }])
})

it('a service that is away ends the run after five failures, and what is left is asked for later', async () => {
  const { running, start, pay } = await createReconcileSite()
  const ids = await Promise.all(Array.from({ length: 8 }, pay))
  const gateway = await start()
  for (const id of ids) await expectSubject(gateway, 'payment', id)
  await running.stop()
  const away = await reconcile(gateway)
  expect(away).toMatchObject({ found: 0, problem: expect.stringContaining('payment interface (sandbox)') })
  expect(away.failed).toBeGreaterThanOrEqual(5)
  expect(away.failed).toBeLessThanOrEqual(8)
  expect(await eventsOf(gateway, 'kind=payment')).toEqual([])
})
