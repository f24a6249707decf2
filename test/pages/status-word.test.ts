import { expect, it } from 'vitest'
import { PAYMENT_STATUSES } from '../../simulator/src/money/payment.ts'
import { OPEN_BANKING_STATUSES } from '../../simulator/src/open-banking/callback-values.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { kindHtml, kindText, kindWord } from '../../src/pages/parts/kind-word.ts'
import { STATUSES, statusHtml, statusWord } from '../../src/pages/parts/status-word.ts'

const OPENINGS = ['conta_aberta', 'conta_recusada_pelo_cliente_final']
const CHARGES = ['new', 'waiting', 'unpaid', 'link', 'canceled', 'paid', 'expired']
const [SUBSCRIPTIONS, CARNETS] = [
  ['new', 'active', 'canceled', 'expired'],
  ['up_to_date', 'unpaid', 'finished'],
]

it('every status that the service gives has a word', () => {
  const all = [...PAYMENT_STATUSES, ...OPEN_BANKING_STATUSES, ...OPENINGS, ...CHARGES, ...SUBSCRIPTIONS, ...CARNETS]
  expect(Object.keys(STATUSES)).toEqual(expect.arrayContaining(all))
})

it.each([
  ['LIQUIDADO', 'settled', null],
  ['NAO_REALIZADO', 'not made', 'não realizado'],
  ['paid', null, 'paga'],
  ['CONCLUIDA', 'completed', 'concluída'],
  ['conta_aberta', 'account opened', 'conta aberta'],
  ['EM_PROCESSAMENTO', 'in process', 'em processamento'],
  ['liquidado', null, null],
  ['toString', null, null],
])('%s: in English %j, in Portuguese %j', (status, en, pt) => {
  expect([statusWord(status, speaker('en')), statusWord(status, speaker('pt'))]).toEqual([en, pt])
})

it('an unknown status is shown as received, without its markup', () => {
  expect(String(statusHtml('<b>\u202e', speaker('en')))).toBe('&lt;b&gt;\\u202e')
  expect(
    String(statusHtml('X'.repeat(40), speaker('en')))
      .split('<wbr>')
      .map((part) => part.length),
  ).toEqual([16, 16, 8])
  expect(String(statusHtml('paid', speaker('pt')))).toBe('paga <small>paid</small>')
})

const SEEN = ['registration', 'payment', 'charge', 'openBanking', 'instantPayment', 'probe', 'operator']

it.each(SEEN)('the kind %s has a word beside it in Portuguese, where it is English', (kind) => {
  expect(kindWord(kind, speaker('pt'))).toMatch(/\p{L}{3}/u)
})

it.each([
  ['payment', null, 'pagamento'],
  ['instant-payment', 'Pix', 'Pix'],
  ['settlement', null, null],
  ['toString', null, null],
])('the kind %s: in English %j, in Portuguese %j', (kind, en, pt) => {
  expect([kindWord(kind, speaker('en')), kindWord(kind, speaker('pt'))]).toEqual([en, pt])
})

it('a kind is shown by its word, as it is configured behind it, without its markup', () => {
  expect(String(kindHtml('<b>\u202e', speaker('pt')))).toBe('&lt;b&gt;\\u202e')
  expect(String(kindHtml('charge', speaker('pt')))).toBe('cobrança <small>charge</small>')
  expect(kindText('charge', speaker('pt'))).toBe('cobrança · charge')
})
