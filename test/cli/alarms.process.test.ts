import { expect, it } from 'vitest'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { startMailServer } from '../support/mail-server.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { portaria } from './program.ts'

/** A site whose one destination opens its circuit at the first failure, and is sent nothing. */
async function siteWithChannels(mailPort: number, hook: string) {
  const smtp = { host: '127.0.0.1', port: mailPort }
  return createSite({
    alarms: {
      group: '0s',
      channels: [
        { name: 'mail', email: 'ops@example.com', from: 'portaria@example.com', smtp },
        { name: 'team', webhook: hook, format: 'json' },
      ],
    },
  })
}

it('tests every channel or one of them, and exits with 1 and the next step where one failed', async () => {
  const mail = await startMailServer(null)
  const team = await startReceiver()
  const gateway = await startTestGateway(await siteWithChannels(mail.port, `${team.url}/a-secret-path-17`))
  const { site } = gateway

  const good = await portaria(site, 'alarms', 'test')
  expect([good.code, good.stdout]).toEqual([0, 'mail: sent\nteam: sent\n'])
  expect([mail.mails.length, team.received.length]).toEqual([1, 1])

  team.answer(404)
  const bad = await portaria(site, 'alarms', 'test')
  expect([bad.code, bad.stdout]).toEqual([
    1,
    'mail: sent\nteam: not sent: the address is not known to the service: HTTP 404: thanks; make a new webhook at the service, and write its address into the channel\n',
  ])
  const one = await portaria(site, 'alarms', 'test', 'team', '--json')
  expect([one.code, JSON.parse(one.stdout)]).toEqual([
    1,
    { channels: [expect.objectContaining({ name: 'team', sent: false })] },
  ])
  // What the test has proven is an alarm, by the other channel.
  await until(() => mail.mails.some(({ text }) => text.includes('[alarm_failing]')))
  expect(mail.mails.filter(({ text }) => text.includes('[alarm_failing]') === false)).toHaveLength(2)
  const unknown = await portaria(site, 'alarms', 'test', 'pager')
  expect([unknown.code, unknown.stderr]).toEqual([1, 'portaria: there is no channel "pager": mail, team\n'])
  expect(JSON.stringify(gateway.lines)).not.toContain('a-secret-path-17')
  await gateway.stop()

  const ended = await portaria(site, 'alarms', 'test')
  expect([ended.code, ended.stderr]).toEqual([1, 'portaria: no gateway runs that could send: start it\n'])
})

it('mutes for a span or until a time, lists it, and ends it, with and without a gateway', async () => {
  const team = await startReceiver()
  const gateway = await startTestGateway(await siteWithChannels(1, team.url))
  const { site } = gateway
  const muted = await portaria(
    site,
    ...['alarms', 'mute', 'circuit_open', '--subject', 'books', '--until', '2h', '--note', 'maintenance', '--json'],
  )
  const { id } = JSON.parse(muted.stdout) as { id: string }
  const list = await portaria(site, 'alarms', 'list')
  expect(list.code).toBe(0)
  expect(list.stdout).toMatch(/^channel +kind +failing since +error\nmail +email +- +-\nteam +json +- +-\n\n/)
  expect(list.stdout).toMatch(new RegExp(`\\dZ? +${id} +circuit_open +books +operator +maintenance\\n$`))
  await gateway.stop()

  const all = await portaria(site, 'alarms', 'mute', 'all', '--until', '24h')
  expect(all.stdout).toMatch(/^mut_\w+: all is muted until \d{4}-/)
  const ended = await portaria(site, 'alarms', 'unmute', id)
  expect([ended.code, ended.stdout]).toEqual([0, `${id} is ended\n`])
  const again = await portaria(site, 'alarms', 'unmute', id)
  expect([again.code, again.stderr]).toEqual([1, `portaria: there is no mute "${id}", or it has ended\n`])
  const { mutes } = JSON.parse((await portaria(site, 'alarms', 'list', '--json')).stdout) as { mutes: object[] }
  expect(mutes).toMatchObject([{ code: 'all', subject: null, by: 'operator', note: null }])
})

it.each([
  [['mute', 'circuit_open'], "required option '--until <time>' not specified"],
  [['mute', 'nothing', '--until', '2h'], 'It must be all, or one of: not_ready,'],
  [['mute', 'all', '--until', 'soon'], 'or a span such as 2h'],
  [['mute', 'all', '--until', '2020-01-01 10:00'], 'until must be in the future'],
])('refuses %j as wrong usage', async (args, words) => {
  const site = await siteWithChannels(1, 'http://127.0.0.1:1/')
  const { code, stderr } = await portaria(site, 'alarms', ...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
})

it('says what to do where no channel is configured', async () => {
  const site = await createSite()
  const { code, stderr } = await portaria(site, 'alarms', 'mute', 'all', '--until', '2h')
  expect([code, stderr]).toEqual([
    1,
    'portaria: no channel is configured: write one into the section alarms, and reload\n',
  ])
})
