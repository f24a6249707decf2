import { expect, it } from 'vitest'
import { type AlarmState, entriesBetween, stateOf } from '../../../src/domain/alarms/alarm.ts'
import type { AlarmPlan } from '../../../src/domain/alarms/alarm-source.ts'
import { anAlarm } from '../../alarms/messages.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { ask, askJson, post, startApi } from '../api.ts'

const EMPTY: AlarmState = { alarms: [], mutes: [], channels: [] }
const PLAN: AlarmPlan = {
  quietHours: { fromMinute: 11 * 60, toMinute: 13 * 60, timeZone: 'UTC' },
  hasHeartbeat: true,
  channels: [
    { name: 'mail', kind: 'email' },
    { name: 'team', kind: 'slack' },
  ],
}
const NO_PLAN = { plan: () => null }
const REFUSED = { code: 'login_refused', words: '535 5.7.8 no' } as const

const remove = (api: { port: number }, path: string) => ask(api, path, { method: 'DELETE' })

it('has what waits for the destination of an alarm, its sum, where the oldest is and the last answer', async () => {
  const api = await startApi({ alarms: { plan: () => PLAN } })
  const { id } = await api.store.createDestination(aDestination(), NOON)
  for (const [subject, valor] of [
    ['90001', '0.10'],
    ['90002', '1500.20'],
  ] as const)
    await api.store.storeCallback(
      aCallback({ text: JSON.stringify({ identificador: subject, valor }), facts: [aFact({ subject })] }),
    )
  const claim = { destinationId: id, limit: 1, backlogLimit: 1, now: NOON, leaseUntil: NOON + 1000, freshSince: 0 }
  const [first] = (await api.store.claimDeliveries(claim)).deliveries
  const failed = {
    startedAt: NOON,
    durationMs: 1,
    status: 422,
    error: 'answered Ana',
    answer: Buffer.from('Ana Souza'),
  }
  const result = { state: 'pending', at: NOON + 60_000, retriesUsed: 1 } as const
  await api.store.recordAttempts([{ deliveryId: first?.deliveryId as number, attempt: 1, ...failed, result }])
  const over = anAlarm({ code: 'destination_paused', endedAt: NOON + 1, told: { team: 'began' } })
  const alarms = [anAlarm(), over, anAlarm({ code: 'space_short', subject: '' })]
  await api.store.keepAlarmEntries(entriesBetween(EMPTY, { ...EMPTY, alarms }))
  const answer = await askJson<{ alarms: { code: string }[] }>(api, '/v1/alarms')
  const factsOf = (code: string) => answer.alarms.find((one) => one.code === code)
  expect(factsOf('circuit_open')).toMatchObject({
    waiting: { payments: 2, amount: '1500.30', others: 0, more: false },
    oldest: { standing: 'refused', status: 422 },
    lastAnswer: { status: 422, error: null, at: '2026-01-15T12:00:00.000Z' },
  })
  for (const code of ['destination_paused', 'space_short'])
    expect(factsOf(code)).toMatchObject({ waiting: null, oldest: null, lastAnswer: null })
  expect(JSON.stringify(answer)).not.toMatch(/Ana|9000\d/)
})

it('lists alarms with what each channel has sent, failing channels with the next step, and mutes', async () => {
  const api = await startApi({ alarms: { plan: () => PLAN } })
  const state: AlarmState = {
    alarms: [
      anAlarm({ told: { team: 'began' } }),
      anAlarm({ code: 'space_short', subject: '', severity: 'warning' }),
      anAlarm({ code: 'space_out', subject: '', told: { team: 'given_up' } }),
      anAlarm({ code: 'alarm_failing', subject: 'mail', detail: 'login_refused: 535 5.7.8 no' }),
      anAlarm({ code: 'kind_silent', subject: 'payment', value: 7200, endedAt: NOON + 1, told: { team: 'began' } }),
    ],
    mutes: [],
    channels: [{ name: 'mail', failingSince: NOON, error: REFUSED, summedUpAt: 0 }],
  }
  await api.store.keepAlarmEntries(entriesBetween(EMPTY, state))
  const answer = await askJson<{ alarms: { code: string; text: string; channels: { state: string }[] }[] }>(
    api,
    '/v1/alarms',
  )
  expect(answer).toMatchObject({
    configured: true,
    heartbeat: true,
    quiet: true,
    channels: [
      {
        name: 'mail',
        kind: 'email',
        failingSince: '2026-01-15T12:00:00.000Z',
        error: { ...REFUSED, text: 'the mail server refuses user or password: 535 5.7.8 no' },
      },
      { name: 'team', kind: 'slack', failingSince: null, error: null },
    ],
    mutes: [],
  })
  const states = answer.alarms.map(({ code, channels }) => [code, ...channels.map((one) => one.state)].join(' '))
  expect(states.sort()).toEqual([
    'alarm_failing left_out quiet',
    'circuit_open quiet sent',
    'kind_silent sent waiting',
    'space_out failing given_up',
    'space_short quiet quiet',
  ])
  expect(answer.alarms.find(({ code }) => code === 'alarm_failing')?.text).toBe(
    'alarms cannot be sent by the channel mail: the mail server refuses user or password: 535 5.7.8 no',
  )
})

it('mutes a code or everything for a time, says who did and why, and records it', async () => {
  let wakes = 0
  const api = await startApi({ alarms: { wake: () => wakes++ } })
  await api.store.keepAlarmEntries(entriesBetween(EMPTY, { ...EMPTY, alarms: [anAlarm()] }))
  const muted = await post(api, '/v1/alarms/mutes', {
    code: 'circuit_open',
    subject: 'books',
    until: '2026-01-15T10:00:00-03:00',
    note: 'maintenance',
  })
  const mute = JSON.parse(muted.body) as { id: string }
  expect([muted.status, mute]).toEqual([
    201,
    {
      id: expect.stringMatching(/^mut_/),
      code: 'circuit_open',
      subject: 'books',
      mutedAt: '2026-01-15T12:00:00.000Z',
      until: '2026-01-15T13:00:00.000Z',
      by: 'operator',
      note: 'maintenance',
    },
  ])
  const all = JSON.parse((await post(api, '/v1/alarms/mutes', { code: 'all', until: '2026-01-15T12:30Z' })).body)
  expect(await askJson(api, '/v1/alarms')).toMatchObject({
    alarms: [{ code: 'circuit_open', muted: mute.id, channels: [{ name: 'team', state: 'muted' }] }],
    mutes: expect.arrayContaining([mute, all]),
  })

  expect((await remove(api, `/v1/alarms/mutes/${mute.id}`)).status).toBe(204)
  expect(wakes).toBe(1)
  expect((await remove(api, `/v1/alarms/mutes/${mute.id}`)).status).toBe(404)
  expect(await askJson(api, '/v1/alarms')).toMatchObject({ mutes: [all] })
  // The look that finds it over frees what it has held back.
  const kept = stateOf(await api.store.listAlarmEntries()).mutes.find(({ id }) => id === mute.id)
  expect(kept).toMatchObject({ until: NOON })
  const { data } = await askJson<{ data: object[] }>(api, '/v1/audit')
  expect(data).toMatchObject([
    { action: 'muteAlarms', details: { code: 'circuit_open', subject: 'books', until: '2026-01-15T10:00:00-03:00' } },
    { action: 'muteAlarms', details: { code: 'all', until: '2026-01-15T12:30Z' } },
    { action: 'unmuteAlarms', target: mute.id },
    { action: 'unmuteAlarms', target: mute.id },
    { action: 'unmuteAlarms', target: mute.id, refersTo: expect.any(String) },
  ])
})

it.each([
  [{ code: 'circuit_open', until: '2026-01-15T12:00:00Z' }, 400, 'until must be in the future'],
  [{ code: 'circuit_open', until: '2027-01-17' }, 400, 'until must be at most a year from now'],
  [{ code: 'circuit_open', until: 'tomorrow' }, 400, 'until must be an RFC 3339 time'],
  [{ code: 'all', subject: 'books', until: '2026-01-16' }, 400, 'a subject needs a code'],
  [{ code: 'nothing', until: '2026-01-16' }, 400, 'code'],
])('refuses the mute %j', async (body, status, words) => {
  const api = await startApi()
  const answer = await post(api, '/v1/alarms/mutes', body)
  expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(words)])
})

it('tests one channel or all, and says what to do about a failure', async () => {
  const tested: string[][] = []
  const api = await startApi({
    alarms: {
      plan: () => PLAN,
      async test(channels) {
        tested.push([...channels])
        return channels.map((channel) => ({ channel, error: channel === 'mail' ? REFUSED : null }))
      },
    },
  })
  const all = await post(api, '/v1/alarms/test')
  expect([all.status, JSON.parse(all.body)]).toEqual([
    200,
    {
      channels: [
        {
          name: 'mail',
          sent: false,
          error: {
            ...REFUSED,
            text: 'the mail server refuses user or password: 535 5.7.8 no',
            nextStep: 'correct the content of smtp.userFile and smtp.passwordFile',
          },
        },
        { name: 'team', sent: true, error: null },
      ],
    },
  ])
  await post(api, '/v1/alarms/test', { channel: 'team' })
  expect(tested).toEqual([['mail', 'team'], ['team']])
  const unknown = await post(api, '/v1/alarms/test', { channel: 'pager' })
  expect([unknown.status, unknown.body]).toEqual([404, expect.stringContaining('mail, team')])
})

it('sends and mutes nothing where no channel is configured or no gateway runs', async () => {
  const without = await startApi({ alarms: NO_PLAN })
  expect(await askJson(without, '/v1/alarms')).toMatchObject({ configured: false, channels: [], alarms: [] })
  for (const [path, body] of [['test'], ['mutes', { code: 'all', until: '2026-01-16' }]] as const) {
    const refused = await post(without, `/v1/alarms/${path}`, body)
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('no channel is configured')])
  }
  const offline = await startApi({ alarms: { test: null } })
  expect((await post(offline, '/v1/alarms/test')).body).toContain('no gateway runs')
})
