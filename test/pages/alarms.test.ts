import { expect, it } from 'vitest'
import { type AlarmState, entriesBetween, stateOf } from '../../src/domain/alarms/alarm.ts'
import type { AlarmPlan } from '../../src/domain/alarms/alarm-source.ts'
import { forwardingText } from '../../src/domain/forwarding/forwarding-texts.ts'
import { anAlarm } from '../alarms/messages.ts'
import { aCallback, aDestination, aFact, NOON } from '../support/builders.ts'
import { startPages, submitted, textIn } from './api-pages.ts'
import { englishIn } from './english-words.ts'

const PATH = '/ui/alarms'
const PLAN: AlarmPlan = {
  quietHours: null,
  hasHeartbeat: true,
  channels: [
    { name: 'mail', kind: 'email' },
    { name: 'team', kind: 'slack' },
  ],
}
const REFUSED = { code: 'login_refused', words: '535 it is not <b>you</b>' } as const
const STATE: AlarmState = {
  alarms: [
    anAlarm({ told: { team: 'began' } }),
    anAlarm({
      code: 'alarm_failing',
      severity: 'warning',
      subject: 'mail',
      detail: 'login_refused: 535 it is not you',
    }),
    anAlarm({ code: 'not_ready', subject: 'writer', detail: 'writer: the disk fails' }),
    anAlarm({
      code: 'certificate_loses_client_use',
      subject: 'client: /etc/portaria/a.crt',
      detail: forwardingText('not_for_clients', { subject: 'CN=gw' }),
    }),
  ],
  mutes: [
    {
      id: 'mut_0123456789',
      code: 'circuit_open',
      subject: 'books',
      mutedAt: NOON,
      until: NOON + 3_600_000,
      mutedBy: 'operator',
      note: 'obra',
    },
  ],
  channels: [{ name: 'mail', failingSince: NOON, error: REFUSED, summedUpAt: NOON }],
}

async function withAlarms(changes: Parameters<typeof startPages>[0] = {}) {
  const world = await startPages({ alarms: { plan: () => PLAN }, ...changes })
  await world.api.store.keepAlarmEntries(entriesBetween({ alarms: [], mutes: [], channels: [] }, STATE))
  return world
}

it('shows channels with why they fail and what to do, open alarms with what each has sent, and mutes', async () => {
  const { browser } = await withAlarms()
  const { body } = await browser.get(PATH)
  const text = textIn(body)
  expect(text).toMatch(
    /mail e-mail fails since .*: the mail server refuses user or password: 535 it is not <b>you<\/b>/,
  )
  expect(text).toContain('Next step: correct the content of smtp.userFile and smtp.passwordFile.')
  expect(text).toMatch(/team Slack no failure/)
  expect(text).toMatch(/the destination books keeps failing.* mail muted team sent/)
  expect(text).toContain('callbacks are not accepted: the disk fails')
  expect(text).toMatch(/a destination keeps failing books .* operator obra/)
  expect(text).toContain('client: a.crt')
  expect(body).not.toContain('/etc/portaria')
})

it('says what waits, its sum, where the oldest is and the last answer, as the message does', async () => {
  const { api, browser } = await withAlarms()
  await api.store.createDestination(aDestination(), NOON)
  const text = JSON.stringify({ identificador: '90001', valor: '1500.10' })
  await api.store.storeCallback(aCallback({ text, facts: [aFact({ subject: '90001' })] }))
  const shown = textIn((await browser.get(PATH)).body)
  expect(shown).toContain('Waiting: 1 payment, R$1,500.10 in all')
  expect(shown).toContain('The oldest: on its way to books. It is sent in a moment.')
  expect(shown).not.toContain('Last answer of the receiver')
  await browser.submit('/ui/', '/ui/language', { language: 'pt', next: '/ui/' })
  expect(textIn((await browser.get(PATH)).body)).toMatch(/Em espera: 1 pagamento, R\$\s1\.500,10 no total/)
})

it('lists problems first', async () => {
  const { browser } = await withAlarms()
  const text = textIn((await browser.get(PATH)).body)
  expect(text.lastIndexOf('problem: ')).toBeLessThan(text.indexOf('warning: '))
})

it('has no English in Portuguese but the words of a receiver, with alarms of every kind', async () => {
  const { browser } = await withAlarms()
  await browser.submit('/ui/', '/ui/language', { language: 'pt', next: '/ui/' })
  const { body } = await browser.get(PATH)
  expect(englishIn(body)).toEqual([])
  expect(textIn(body)).toContain('o banco de dados não grava')
  expect(body).toContain('<q lang="en">535 it is not you</q>')
})

it('tests one channel or all, and says what came of each', async () => {
  const tested: string[] = []
  const world = await withAlarms({
    alarms: {
      plan: () => PLAN,
      async test(channels) {
        tested.push(channels.join(' '))
        return channels.map((channel) => ({ channel, error: channel === 'mail' ? REFUSED : null }))
      },
    },
  })
  const all = await submitted(world.browser, PATH, `${PATH}/test`)
  expect(all.flash).toMatch(
    /^bad: mail: the test was not sent: the mail server refuses .*535 it is not <b>you<\/b>\. Next step: correct .*team: the test was sent\./,
  )
  const one = await submitted(world.browser, PATH, `${PATH}/test`, { channel: 'team' })
  expect(one.flash).toBe('good: team: the test was sent. ')
  expect(tested).toEqual(['mail team', 'team'])
})

it('mutes an open alarm, a code or everything until a time, and ends a mute', async () => {
  const { api, browser } = await withAlarms()
  const form = { until: '2026-01-16T10:00', note: 'feriado' }
  for (const alarm of ['circuit_open books', 'space_short', 'all'])
    expect((await submitted(browser, PATH, `${PATH}/mute`, { alarm, ...form })).flash).toBe(
      'good: The alarms are muted.',
    )
  expect((await submitted(browser, PATH, `${PATH}/mute`, { alarm: '', until: '2026-03-02T13:00Z' })).flash).toBe(
    `bad: No alarm was chosen. Nothing is muted.`,
  )
  expect((await browser.get(PATH)).body).toContain(`required><option value="" selected>Choose an alarm</option>`)
  const mutesIn = async () => stateOf(await api.store.listAlarmEntries()).mutes.filter(({ until }) => until > NOON)
  expect((await mutesIn()).map(({ code, subject, note }) => [code, subject, note]).sort()).toEqual([
    [null, null, 'feriado'],
    ['circuit_open', 'books', 'feriado'],
    ['circuit_open', 'books', 'obra'],
    ['space_short', null, 'feriado'],
  ])
  const wrong = await submitted(browser, PATH, `${PATH}/mute`, { alarm: 'all', until: '2020-01-01T10:00', note: '' })
  expect(wrong.flash).toMatch(/^bad: .*until must be in the future/)
  const ended = await submitted(browser, PATH, `${PATH}/unmute`, { id: 'mut_0123456789' })
  expect(ended.flash).toMatch(/^good: The mute is ended\./)
  expect(await mutesIn()).toHaveLength(3)
})

it('has no button for who may not change anything, and says why; and says where no channel is configured', async () => {
  const world = await withAlarms()
  const reader = await world.openAs(['operations.read'])
  const { body } = await reader.get(PATH)
  expect(textIn(body)).toContain('that needs the scope operations.write')
  expect(body).not.toMatch(/action="\/ui\/alarms/)
  const without = await startPages({ alarms: { plan: () => null } })
  const shown = (await without.browser.get(PATH)).body
  expect(textIn(shown)).toContain('The operator names channels in the section alarms')
  expect(shown).not.toMatch(/action="\/ui\/alarms/)
})
