import { describe, expect, it } from 'vitest'
import { load, minimum, mistakes } from './files.ts'

const HOOK = 'https://hooks.slack.com/services/T0/B0/very-secret'
const smtp = { host: 'mail.example.com' }
const mail = { name: 'mail', email: 'ops@example.com', from: 'portaria@example.com', smtp }
const withAlarms = (alarms: unknown, more: object = {}) => ({ ...minimum(), alarms, ...more })
const channel = (one: object) => withAlarms({ channels: [one] })

describe('the section alarms', () => {
  it('is off by default, and has defaults', () => {
    expect(load(minimum()).alarms).toBeNull()
    const config = load(withAlarms({ channels: [mail, { name: 'run', command: '/bin/alarm' }] }))
    expect(config.alarms).toEqual({
      language: 'en',
      groupMs: 30_000,
      quietHours: null,
      heartbeat: null,
      heartbeatFile: null,
      heartbeatEveryMs: 60_000,
      channels: [
        {
          name: 'mail',
          kind: 'email',
          to: ['ops@example.com'],
          from: 'portaria@example.com',
          smtp: {
            host: 'mail.example.com',
            port: 587,
            isImplicitTls: false,
            authorities: null,
            userFile: null,
            passwordFile: null,
          },
        },
        { name: 'run', kind: 'command', command: ['/bin/alarm'] },
      ],
    })
  })

  it('reads quiet hours, and TLS from the start at port 465', () => {
    const quietHours = { from: '22:00', to: '07:30', timeZone: 'America/Sao_Paulo' }
    const { alarms } = load(withAlarms({ quietHours, channels: [{ ...mail, smtp: { ...smtp, port: 465 } }] }))
    expect(alarms?.quietHours).toEqual({ fromMinute: 1320, toMinute: 450, timeZone: 'America/Sao_Paulo' })
    expect(alarms?.channels).toMatchObject([{ smtp: { isImplicitTls: true } }])
  })

  it.each<[string, object, RegExp]>([
    ['a way to send', channel({ name: 'x' }), /exactly one of email, webhook and command/],
    ['one way only', channel({ ...mail, command: '/bin/x' }), /exactly one of email, webhook and command/],
    [
      'one address',
      channel({ name: 'x', webhook: HOOK, webhookFile: 'u', format: 'slack' }),
      /webhookFile: .*beside webhook/,
    ],
    ['one heartbeat', withAlarms({ heartbeat: HOOK, heartbeatFile: 'u' }), /heartbeatFile: .*beside heartbeat/],
    ['a format', channel({ name: 'x', webhook: HOOK }), /format: .*is missing: a channel with webhook needs it/],
    [
      'no key of another way',
      channel({ name: 'x', command: '/bin/x', format: 'slack' }),
      /format: .*is for a channel with webhook/,
    ],
    ['a sender', channel({ ...mail, from: undefined }), /from: .*is missing: a channel with email needs it/],
    ['an address', channel({ ...mail, email: 'Ops <ops@example.com>' }), /one e-mail address/],
    ['a user with its password', channel({ ...mail, smtp: { ...smtp, userFile: 'u' } }), /passwordFile: .*is missing/],
    ['a whole path', channel({ name: 'x', command: 'alarm --now' }), /whole path of a program/],
    ['a chat', channel({ name: 'x', webhook: HOOK, format: 'telegram' }), /must end with \?chat_id=/],
    [
      'https',
      channel({ name: 'x', webhook: 'http://chat.example/very-secret', format: 'json' }),
      /webhook: .*must be an https address/,
    ],
    [
      'https of the heartbeat',
      withAlarms({ heartbeat: 'http://beat.example/very-secret' }),
      /heartbeat: .*must be an https address/,
    ],
    ['names once', withAlarms({ channels: [mail, mail] }), /name: .*is the name of a channel above/],
    ['times of day', withAlarms({ quietHours: { from: '24:00', to: '7', timeZone: 'UTC' } }), /from: .*time of day/],
    [
      'a time zone',
      withAlarms({ quietHours: { from: '22:00', to: '07:00', timeZone: 'Brasilia' } }),
      /time zone of the IANA list/,
    ],
    ['two different times', withAlarms({ quietHours: { from: '22:00', to: '22:00', timeZone: 'UTC' } }), /must differ/],
    ['known keys', withAlarms({ chanels: [] }), /chanels: .*unknown key; did you mean "channels"/],
  ])('demands %s, without a secret in its words', (_, config, words) => {
    const found = mistakes(config).join('\n')
    expect(found).toMatch(words)
    expect(found).not.toContain('very-secret')
  })

  it('takes plain http on this machine, and in development', () => {
    const local = { name: 'x', webhook: 'http://127.0.0.1:8065/hook', format: 'slack' }
    expect(load(channel(local)).alarms?.channels).toHaveLength(1)
    const remote = { name: 'x', webhook: 'http://chat.example/hook', format: 'slack' }
    expect(load(withAlarms({ channels: [remote] }, { mode: 'development' })).alarms?.channels).toHaveLength(1)
  })
})
