import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

it('a callback is kept, stamped with its environment, acknowledged and forwarded signed, byte for byte', async () => {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  const { body: created } = await callApi(gateway.api, '/v1/destinations', {
    method: 'POST',
    body: { url: receiver.url, name: 'books' },
  })
  const { secret } = JSON.parse(created) as { secret: string }

  const body = '{ "identificador" : "7" , "status":{"atual":"LIQUIDADO"}, "valor": 150.10 }'
  const answer = await callBack(gateway, { body, environment: 'sandbox' })

  expect(answer).toMatchObject({ status: 200, body: '200', headers: { 'content-type': 'text/plain' } })
  const [event] = await allEvents(gateway.api)
  expect(event).toMatchObject({
    kind: 'payment',
    environment: 'sandbox',
    subject: '7',
    status: 'LIQUIDADO',
    authentication: 'mutual-tls',
  })
  const [sent] = await until(
    () => receiver.received,
    (received) => received.length === 1,
  )
  expect(sent?.body.toString()).toBe(body)
  expect(sent?.headers).toMatchObject({
    'webhook-id': event?.id,
    'portaria-kind': 'payment',
    'portaria-environment': 'sandbox',
    'portaria-attempt': '1',
  })
  expect(
    new Webhook(secret).verify(sent?.body.toString() ?? '', sent?.headers as Record<string, string>),
  ).toMatchObject({ identificador: '7' })
})
