import { expect, it } from 'vitest'
import { forwardingText } from '../../src/domain/forwarding/forwarding-texts.ts'
import { aMessage, anAlarm } from './messages.ts'

const FAILING = anAlarm({ code: 'alarm_failing', subject: 'mail', detail: 'login_refused: 535 5.7.8 no' })
const NOT_READY = anAlarm({ code: 'not_ready', subject: 'writer', detail: 'writer: the disk fails' })
const LOSES = anAlarm({
  code: 'certificate_loses_client_use',
  subject: 'client: a.crt',
  detail: forwardingText('not_for_clients', { subject: 'CN=gw' }),
})

it('has details in its language, and the words of a receiver as they came', () => {
  const { text } = aMessage([FAILING, NOT_READY, LOSES], [], { language: 'pt' })
  expect(text).toContain('o servidor de e-mail recusa usuário ou senha: “535 5.7.8 no”')
  expect(text).toContain('os callbacks não são aceitos: o banco de dados não grava')
  expect(text).toContain('CN=gw não')
  expect(text).not.toMatch(/\b(the|refuses|not for TLS)\b/)
})

it('has them in English', () => {
  const { text } = aMessage([FAILING, NOT_READY, LOSES])
  expect(text).toContain('by the channel mail: the mail server refuses user or password: 535 5.7.8 no')
  expect(text).toContain('callbacks are not accepted: the disk fails')
  expect(text).toContain('CN=gw is not for TLS clients')
})

it.each([
  ['en', null, 'Since 2026-01-15 12:00:00 UTC', 'about 2026-01-15 14:00:00 UTC'],
  ['en', 'America/Sao_Paulo', 'Since 2026-01-15 09:00:00 America/Sao_Paulo', 'about 2026-01-15 11:00:00 America/'],
  ['pt', null, 'Desde 15/01/2026 12:00:00 UTC', '15/01/2026 14:00:00 UTC'],
  ['pt', 'America/Sao_Paulo', 'Desde 15/01/2026 09:00:00 America/Sao_Paulo', '15/01/2026 11:00:00 America/'],
] as const)(
  'in %s writes times of %s as its language does, and leaves those of the facts',
  (language, timeZone, since, until) => {
    const failing = anAlarm({ code: 'callbacks_failing', subject: '', value: 3, until: '2026-01-15T14:00Z' })
    const { text, began } = aMessage([failing], [], { language, timeZone })
    expect(text.split('\n')).toContain(since)
    expect(text).toContain(until)
    expect(began[0]?.text).toContain('2026-01-15T14:00Z')
  },
)
