import { expect, it } from 'vitest'
import { messageOf } from '../../../src/alarms/message.ts'
import { keyOfAlarm } from '../../../src/domain/alarms/alarm.ts'
import { readAlarmFacts } from '../../../src/domain/alarms/alarm-facts.ts'
import type { Language } from '../../../src/messages/languages.ts'
import { anAlarm } from '../../alarms/messages.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { openTestStore } from '../../support/store.ts'

const ALARM = anAlarm({ about: 'dst_1' })

/** Three payments with four events, one registration, and a payment that was delivered; the receiver has said no to the first one. */
async function furnishedStore() {
  const store = await openTestStore()
  const { id } = await store.createDestination(aDestination(), NOON)
  const send = (subject: string, valor: string | null, kind = 'payment', n = 0) =>
    store.storeCallback(
      aCallback({
        kind,
        text: JSON.stringify({ identificador: subject, n, pagador: { nome: 'Ana Souza' }, ...(valor && { valor }) }),
        facts: [aFact({ kind, subject })],
      }),
    )
  await send('90001', '0.10')
  const claim = { destinationId: id, limit: 1, backlogLimit: 1, now: NOON, leaseUntil: NOON + 1000, freshSince: 0 }
  const [first] = (await store.claimDeliveries(claim)).deliveries
  await store.recordAttempts([
    {
      deliveryId: first?.deliveryId as number,
      attempt: 1,
      startedAt: NOON + 5000,
      durationMs: 1,
      status: 422,
      error: 'answered HTTP 422',
      answer: Buffer.from('no account of Ana Souza'),
      result: { state: 'pending', at: NOON + 60_000, retriesUsed: 1 },
    },
  ])
  await send('90002', '0.20')
  await send('90003', '999.00')
  await send('90003', '1500.00', 'payment', 1)
  await send('90004', null, 'registration')
  await send('90005', '7.00')
  const [last] = await store.listDeliveries({ newestFirst: true }, 1)
  await store.skipDelivery(last?.deliveryId as number, NOON)
  return store
}

it('counts each payment that waits once, by its newest amount, and has the last answer', async () => {
  const store = await furnishedStore()
  expect(await readAlarmFacts(store, ALARM)).toEqual({
    waiting: { payments: 3, cents: 150_030, others: 1, isMore: false },
    oldest: { standing: 'refused', names: ['books'], status: 422 },
    lastAnswer: { status: 422, error: 'answered HTTP 422', at: NOON + 5000 },
  })
  expect(await readAlarmFacts(store, { code: 'space_out', about: null })).toBeNull()
  expect(await readAlarmFacts(store, { code: 'circuit_open', about: 'dst_77' })).toEqual({
    waiting: null,
    oldest: null,
    lastAnswer: null,
  })
})

it('a payment keeps its amount where its newest event does not repeat it', async () => {
  const store = await openTestStore()
  await store.createDestination(aDestination(), NOON)
  for (const [n, more] of [{ valor: '3.50' }, {}].entries())
    await store.storeCallback(
      aCallback({ text: JSON.stringify({ n, ...more }), facts: [aFact({ kind: 'payment', subject: '90006' })] }),
    )
  expect((await readAlarmFacts(store, ALARM))?.waiting).toEqual({ payments: 1, cents: 350, others: 0, isMore: false })
})

it.each<[Language, string[]]>([
  [
    'en',
    [
      'Waiting: 3 payments, R$1,500.30 in all; 1 without an amount',
      'The oldest: books does not accept it (HTTP 422). The gateway tries again by itself. Who runs books must correct why it answers so.',
      'Last answer of the receiver: HTTP 422 (2026-01-15 12:00:05 UTC)',
      'Page: https://portaria.example/ui/destinations/dst_1',
    ],
  ],
  [
    'pt',
    [
      'Em espera: 3 pagamentos, R$\u{a0}1.500,30 no total; 1 sem valor',
      'O mais antigo: books não aceita (HTTP 422). O gateway tenta de novo sozinho. Quem cuida de books precisa corrigir por que responde assim.',
      'Última resposta do receptor: HTTP 422 (15/01/2026 12:00:05 UTC)',
      'Página: https://portaria.example/ui/destinations/dst_1',
    ],
  ],
])('an alarm in %s has sum, answer and link, and nothing of a person or a payment', async (language, lines) => {
  const facts = await readAlarmFacts(await furnishedStore(), ALARM)
  const page = 'https://portaria.example/ui/destinations/dst_1'
  const { text, began } = messageOf(
    { channel: 'team', began: [ALARM], ended: [], goingOn: [], sumsUp: null },
    {
      language,
      timeZone: null,
      gateway: 'gw-1',
      now: NOON,
      additions: new Map([[keyOfAlarm(ALARM), { waiting: null, oldest: null, lastAnswer: null, ...facts, page }]]),
      mutePage: 'https://portaria.example/ui/alarms#mutes',
    },
  )
  for (const line of lines) expect(text.split('\n')).toContain(line)
  expect(text).toContain('https://portaria.example/ui/alarms#mutes')
  expect(text + JSON.stringify(began)).not.toMatch(/Ana|Souza|9000\d/)
})
