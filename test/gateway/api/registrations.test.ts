import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { linesOf, portaria } from '../../cli/program.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { reservePort } from '../../support/ports.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const WEBHOOKS = [
  ...['svc.registration.webhook.write', 'svc.registration.webhook.read'],
  ...['payment.webhook.write', 'payment.webhook.read', 'destinations.read', 'destinations.write'],
]

type Send = (method: string, path: string, body?: object) => Promise<{ status: number; body: string }>

/** An app with a client of its own, and a token from the token endpoint of an interface. */
async function startApp(gateway: TestGateway, environment: string, on = 'payment'): Promise<Send> {
  const client = { name: `app-${environment}`, environment, scopes: WEBHOOKS }
  const made = JSON.parse((await callApi(gateway.api, '/v1/clients', { method: 'POST', body: client })).body)
  const grant = { grant_type: 'client_credentials', client_id: made.clientId, client_secret: made.clientSecret }
  const path = `/${on}/v1/oauth/token`
  const given = await callApi(gateway.api, path, { method: 'POST', body: grant, token: null })
  const { access_token: token } = JSON.parse(given.body) as { access_token: string }
  return (method, path, body) => callApi(gateway.api, path, { method, token, ...(body !== undefined && { body }) })
}

const deliveriesOf = async ({ api }: TestGateway) =>
  (JSON.parse((await callApi(api, '/v1/deliveries')).body) as { data: Record<string, unknown>[] }).data

it('an app written for the service gets its payment callbacks, signed with the secret that it may read', async () => {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  const send = await startApp(gateway, 'production')
  expect(await send('PUT', '/payment/v1/webhook', { url: receiver.url })).toMatchObject({
    status: 201,
    body: JSON.stringify({ url: receiver.url }),
  })
  const sent = '{"identificador":"7","status":{"anterior":"CRIADO","atual":"LIQUIDADO"},"valor":"150.10"}'
  await callBack(gateway, { body: sent })
  await callBack(gateway, { body: sent, path: '/callbacks/registration' })
  await until(() => receiver.received.length === 1)

  const { data } = JSON.parse((await send('GET', '/v1/destinations')).body) as { data: { id: string }[] }
  const secret = await send('GET', `/v1/destinations/${data[0]?.id}/secret`)
  const [whsec = ''] = (JSON.parse(secret.body) as { secrets: string[] }).secrets
  const [{ body, headers } = expect.fail()] = receiver.received
  expect([body.toString(), headers['portaria-kind']]).toEqual([sent, 'payment'])
  expect(new Webhook(whsec).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(sent))
})

it('a registration gets the events of its client’s environment: those of both for "any"', async () => {
  const gateway = await startTestGateway()
  const receivers = await Promise.all(
    ['any', 'sandbox', 'production'].map(async (environment) => {
      const receiver = await startReceiver()
      const send = await startApp(gateway, environment, 'registration')
      expect((await send('POST', '/registration/v1/webhook', { webhookUrl: receiver.url })).status).toBe(200)
      return receiver
    }),
  )
  for (const environment of ['production', 'sandbox'] as const)
    await callBack(gateway, { environment, path: '/callbacks/registration', body: `{"in":"${environment}"}` })
  await until(
    () => deliveriesOf(gateway),
    (all) => all.length === 4 && all.every(({ state }) => state === 'delivered'),
  )
  const got = receivers.map(({ received }) => received.map(({ headers }) => headers['portaria-environment']).sort())
  expect(got).toEqual([['production', 'sandbox'], ['sandbox'], ['production']])
})

it('deleting a registration cancels what it would still get, visibly, and nothing more comes', async () => {
  const gateway = await startTestGateway()
  const send = await startApp(gateway, 'any')
  const url = `http://127.0.0.1:${await reservePort()}/`
  const registered = await send('POST', '/registration/v1/webhook', { webhookUrl: url })
  const { identificadorWebhook: id } = JSON.parse(registered.body) as { identificadorWebhook: string }
  await send('PUT', '/payment/v1/webhook', { url })
  const call = (path: string, identificador: string) =>
    callBack(gateway, { path, body: `{"identificador":"${identificador}"}` })
  for (const identificador of ['1', '2', '3']) await call('/callbacks/registration', identificador)
  await call('/callbacks/payment', '1')
  await until(
    () => deliveriesOf(gateway),
    (all) => all.length === 4 && all.every(({ lastError }) => lastError !== null),
  )

  expect((await send('DELETE', `/registration/v1/webhook/${id}`)).status).toBe(204)
  expect((await send('DELETE', '/payment/v1/webhook', { url })).status).toBe(204)
  const canceled = { state: 'canceled', reason: 'its destination was removed' }
  expect(await deliveriesOf(gateway)).toMatchObject([canceled, canceled, canceled, canceled])
  const names = [`registration-${id.slice(0, 8)}`, expect.stringMatching(/^payment-/)]
  expect(gateway.lines.filter(({ event }) => event === 'deliveries.canceled')).toMatchObject([
    { level: 'warn', destination: names[0], canceled: 3 },
    { level: 'warn', destination: names[1], canceled: 1 },
  ])
  expect(gateway.lines.filter(({ event }) => event === 'registration.deleted')).toMatchObject([
    { registration: id, destination: names[0] },
    { destination: names[1] },
  ])
  await call('/callbacks/registration', '4')
  expect(await deliveriesOf(gateway)).toHaveLength(4)
})

it('registrations stand in the list of destinations on the command line, and are removed there too', async () => {
  const gateway = await startTestGateway()
  const send = await startApp(gateway, 'sandbox')
  await send('PUT', '/payment/v1/webhook', { url: 'http://127.0.0.1:9/' })
  const [listed] = linesOf<{ name: string }>(await portaria(gateway.site, 'destinations', 'list', '--json'))
  expect(listed).toMatchObject({ origin: 'registration', registration: expect.any(String), kinds: ['payment'] })
  expect((await portaria(gateway.site, 'destinations', 'delete', listed?.name ?? '')).code).toBe(0)
  const period = 'dataInicio=2020-01-01T00:00:00Z&dataFim=2099-01-01T00:00:00Z'
  const { body } = await send('GET', `/payment/v1/webhook?${period}`)
  expect(JSON.parse(body)).toMatchObject({ webhooks: [] })
})
