import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkAlarms } from '../../src/cli/check/alarms.ts'
import { checkFiles } from '../../src/cli/check/files.ts'
import { loadWithoutSecrets } from '../../src/config/load-config.ts'
import { createSite } from '../support/gateway.ts'

const smtp = { host: 'mail.example.com', userFile: 'user', passwordFile: 'password' }
const mail = { name: 'mail', email: 'ops@example.com', from: 'portaria@example.com', smtp }
const team = { name: 'team', webhookFile: 'url', format: 'slack' }

/** What the check says of these channels, where the folder of the configuration has these files. */
async function found(files: Record<string, string>, alarms: object = { channels: [mail, team] }) {
  const site = await createSite({ alarms })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(site.folder, name), content)
  const findings = checkAlarms(loadWithoutSecrets(site.configFile))
  return findings.map(({ code, level, what, found }) => [code, level, what, found.replaceAll(site.folder, 'FOLDER')])
}

const USABLE = { user: 'me', password: 'secret', url: 'https://hooks.slack.com/services/T0/B0/very-secret' }

it('names the channels whose files can be used', async () => {
  expect(await found(USABLE)).toEqual([['alarms.good', 'good', 'channels', 'mail, team']])
})

it('names each file that cannot be read or used, with its key, and not what is in it', async () => {
  const { user } = USABLE
  expect(await found({ user, url: 'http://chat.example/very-secret' })).toEqual([
    [
      'alarms.file_unusable',
      'warning',
      'mail',
      expect.stringMatching(/^smtp\.passwordFile: .*FOLDER\/password: it does not exist/),
    ],
    [
      'alarms.file_unusable',
      'warning',
      'team',
      expect.stringMatching(/^webhookFile: its content must be an https address(?!.*very-secret)/),
    ],
  ])
  expect(await found({}, { heartbeatFile: 'beat' })).toEqual([
    ['alarms.file_unusable', 'warning', 'heartbeat', 'heartbeatFile: ENOENT'],
  ])
})

it('files and a configuration with secrets of alarms must not be open to others', async () => {
  const site = await createSite({ alarms: { channels: [mail, team], heartbeatFile: 'beat' } })
  const names = ['user', 'password', 'url', 'beat']
  for (const name of names) writeFileSync(join(site.folder, name), 'x', { mode: 0o600 })
  chmodSync(site.configFile, 0o644)
  const problems = () =>
    checkFiles(loadWithoutSecrets(site.configFile)).flatMap(({ level, what }) => (level === 'problem' ? [what] : []))
  expect(problems()).toEqual([])
  for (const name of names) chmodSync(join(site.folder, name), 0o644)
  expect(problems()).toEqual(['alarms.heartbeatFile', 'alarms.mail.smtp.passwordFile', 'alarms.team.webhookFile'])
  for (const alarms of [
    { heartbeat: 'https://hc.example/secret' },
    { channels: [{ name: 'team', webhook: 'https://chat.example/secret', format: 'slack' }] },
  ]) {
    await createSite({ alarms }, site.folder)
    chmodSync(site.configFile, 0o644)
    expect(problems()).toEqual(['configuration file'])
  }
})
