import { expect, it } from 'vitest'
import { isRecorded } from '../../src/api/audit/recording.ts'
import { operationsOf } from '../../src/api/operations.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { DETAIL_NAMES, detailsOf } from '../../src/pages/audit/details.ts'
import { actionTexts } from '../../src/pages/audit/list.ts'
import { aDestination, NOON } from '../support/builders.ts'
import { MARKUP, startPages, submitted, textIn } from './api-pages.ts'

const ONE = '/ui/destinations/dst_1'
const ABOUT = 'Destination: dst_1 Name: books Host: books.example Owner: operator'

async function withActions() {
  const world = await startPages()
  await world.api.store.createDestination(aDestination({ name: 'books' }), NOON)
  await submitted(world.browser, ONE, `${ONE}/pause`, { reason: MARKUP })
  await submitted(world.browser, ONE, '/ui/deliveries/dlv_9/retry', { destination: 'dst_1' })
  return world
}

it('shows who did what, why and whether it failed, newest first', async () => {
  const { browser } = await withActions()
  const { body } = await browser.get('/ui/audit')
  const text = textIn(body)
  expect(text).toMatch(/act_3 .*operator retry a delivery failed: act_2 dlv_9 .*act_2 .*retry a delivery dlv_9/)
  expect(text).toContain(`act_1 2026-01-15 12:00:00 operator pause a destination dst_1 ${ABOUT} ${MARKUP} a page`)
  expect(body).not.toMatch(/<script>alert|<img/)
})

it.each([
  ['action=pauseDestination', ['act_1']],
  ['target=dlv_9', ['act_3', 'act_2']],
  ['actor=cli_0000000000', []],
  ['actor=operator&action=&target=dst_1', ['act_1']],
  ['to=2026-01-15T12:00:00Z', []],
])('filters by %s', async (query, ids) => {
  const { browser } = await withActions()
  const { body } = await browser.get(`/ui/audit?${query}`)
  expect([...body.matchAll(/scope="row"><span class="id whole">(act_\d)/g)].map(([, id]) => id)).toEqual(ids)
  if (ids.length === 0) expect(textIn(body)).toContain('No action matches the filters.')
})

it('has words for every recorded action, in both languages', async () => {
  const { api } = await startPages()
  const recorded = operationsOf(api.options).filter(isRecorded)
  const missing = (texts: object) => recorded.map(({ id }) => id).filter((id) => !(id in texts))
  expect(missing(actionTexts(speaker('en')))).toEqual([])
  const [english, portuguese] = [actionTexts(speaker('en')), actionTexts(speaker('pt'))]
  expect(recorded.filter(({ id }) => english[id] === portuguese[id])).toEqual([])
})

it('says what an action was about in the reader’s language', () => {
  const details = {
    owner: 'operator',
    environments: 'production sandbox',
    kinds: 'payment settlement',
    destination: 'all',
    mode: 'all',
    dryRun: 'true',
    events: '78',
    subject: 'one',
    status: 'paid',
    changed: 'kinds url later',
    code: 'circuit_open',
    until: '2026-01-15T12:00:00.000Z',
    position: 'start',
    later: '<b>',
  }
  const shown = String(detailsOf(details, speaker('pt')))
  expect(textIn(`<main>${shown}</main>`)).toBe(
    [
      'Dono: operador Ambientes: produção, sandbox Tipos: pagamento · payment, settlement Destino: Todos os que tiveram envio, também os que já o têm',
      'Modo: todos os que correspondem Só contar: sim Eventos escolhidos: 78 Referências: de uma referência Status: paga · paid',
      'Alterado: Tipos, URL, later Alarme: um destino continua falhando Até: 2026-01-15 12:00:00 Posição: o primeiro evento gravado later: <b>',
    ].join(' '),
  )
  expect(Object.keys(DETAIL_NAMES)).toEqual(
    expect.arrayContaining(Object.keys(details).filter((name) => name !== 'later')),
  )
})
