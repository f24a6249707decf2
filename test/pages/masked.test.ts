import { expect, it } from 'vitest'
import { callApi, callBack } from '../support/calls.ts'
import { newClient, sharedGateway, TestBrowser } from './browser.ts'

const shared = sharedGateway()
const BODY =
  '{"contaSimplificada":{"identificador":"ac2d"},"nome":"Maria da Silva","cpf":"11144477735","valor":"150.10"}'

async function registered(): Promise<string> {
  const gateway = shared()
  await callBack(gateway, { path: '/callbacks/registration', body: BODY })
  const list = await callApi(gateway.api, '/v1/events?order=desc&limit=1')
  return (JSON.parse(list.body) as { data: { id: string }[] }).data[0]?.id as string
}

it('a person of the support sees no personal data, and it with a reason that is recorded', async () => {
  const gateway = shared()
  const event = await registered()
  const person = await newClient(gateway, ['support.read', 'support.unmask'], { environment: 'production' })
  const browser = new TestBrowser(gateway)
  await browser.signIn(person)
  const found = await browser.get('/ui/')
  expect(found.body).toContain(`/ui/events/${event}`)
  const path = `/ui/events/${event}`
  const masked = await browser.get(path)
  expect([masked.status, masked.body.includes('Personal data is masked')]).toEqual([200, true])
  expect(found.body + masked.body).not.toMatch(/Maria|11144477735/)
  expect(masked.body).not.toContain('/original')
  const shown = await browser.submit(path, `${path}/unmask`, { reason: 'the customer calls' })
  expect([
    shown.status,
    shown.body.includes('This page shows personal data. It was recorded that you saw it.'),
  ]).toEqual([200, true])
  expect(shown.body).toContain('Maria da Silva')
  expect((await browser.get(path)).body).not.toContain('Maria')
  const { data } = JSON.parse((await callApi(gateway.api, '/v1/audit')).body) as { data: object[] }
  const entry = {
    actor: person.id,
    channel: 'page',
    action: 'unmaskEvent',
    target: event,
    reason: 'the customer calls',
  }
  expect(data).toContainEqual(expect.objectContaining(entry))
})

it('without a reason, or without the scope, nothing is shown', async () => {
  const gateway = shared()
  const path = `/ui/events/${await registered()}`
  const browser = new TestBrowser(gateway)
  await browser.signIn(await newClient(gateway, ['support.read', 'support.unmask']))
  expect((await browser.submit(path, `${path}/unmask`, { reason: ' ' })).status).toBe(303)
  expect((await browser.get(path)).body).toMatch(/class="flash bad" role="alert">[^<]*reason/)
  const reader = new TestBrowser(gateway)
  await reader.signIn(await newClient(gateway, ['support.read']))
  const { body } = await reader.get(path)
  expect([body.includes('Personal data is masked.'), body.includes('Show masked data')]).toEqual([true, false])
  expect((await reader.submit(path, `${path}/unmask`, { reason: 'x' })).status).toBe(303)
  expect((await reader.get(path)).body).toContain('support.unmask')
})
