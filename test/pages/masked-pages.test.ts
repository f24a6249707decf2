import { expect, it } from 'vitest'
import { PAGES } from '../../src/pages/pages.ts'
import { aCallback, aFact } from '../support/builders.ts'
import { startPages } from './api-pages.ts'

const CPF = '123.456.789-09'
const NAME = 'Maria Conceição'
const TEXT = `{"identificador":"4711","valor":150.10,"pagador":{"nome":"${NAME}","cpf":"${CPF}"},"descricao":"de ${NAME}"}`

function expectNothingPersonal(body: string): void {
  for (const personal of [CPF, '12345678909', 'Maria', 'Concei']) expect(body).not.toContain(personal)
}

it('no page and no passed-through answer shows a support person anything personal, until an event is unmasked with a reason', async () => {
  const pages = await startPages()
  const { store } = pages.api
  const target = `/callbacks/payment?cpf=${CPF}`
  await store.storeCallback(aCallback({ text: TEXT, target, facts: [aFact({ subject: '4711' })] }))
  const [event] = (await store.listEvents({}, 1)).events
  const support = await pages.openAs(['support.read', 'support.unmask'])
  const path = `/ui/events/${event?.id}`
  const paths = [
    ...[path, `${path}/original`, '/ui/?kind=payment', '/ui/?subject=4711', `/ui/?search=${CPF}`],
    ...PAGES.filter(({ page }) => !page.path.includes(':')).map(({ page }) => `/ui${page.path}`),
    ...['/ui/api/v1/events', `/ui/api/v1/events/${event?.id}`, `/ui/api/v1/events/${event?.id}/original`],
    ...['/ui/api/v1/overview', '/ui/api/v1/deliveries', '/ui/api/v1/quarantine', '/ui/api/v1/audit'],
  ]
  for (const one of paths) {
    const { body } = await support.get(one)
    // The box of the search repeats what the person typed.
    if (!one.includes('search')) expectNothingPersonal(body)
    else expect(body).not.toContain('Maria')
  }
  const { status, body } = await support.get(path)
  expect([status, body.includes('150.10'), body.includes('***')]).toEqual([200, true, true])

  const refused = await support.submit(path, `${path}/unmask`, { reason: ' ' })
  expectNothingPersonal(refused.body)
  expect((await store.listActions({}, 10)).actions).toEqual([])
  const shown = await support.submit(path, `${path}/unmask`, { reason: 'the customer called' })
  expect([shown.status, shown.body.includes(NAME), shown.body.includes(CPF)]).toEqual([200, true, true])
  expect((await store.listActions({}, 10)).actions).toMatchObject([
    { actor: support.id, channel: 'page', action: 'unmaskEvent', target: event?.id, reason: 'the customer called' },
  ])
  expectNothingPersonal((await support.get(path)).body)
})
