import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { loadWithoutSecrets } from '../../src/config/load-config.ts'
import { directory, load, minimum, minimumWith, mistakes } from './files.ts'

afterEach(() => void vi.unstubAllEnvs())

function credentials(files: Record<string, string>): string {
  const folder = directory(files)
  vi.stubEnv('CREDENTIALS_DIRECTORY', folder)
  return folder
}

test('credential:NAME is what the unit loads under that name, for secrets and for paths', () => {
  const folder = credentials({
    'secrets_charge-token': 'ab'.repeat(16),
    'secrets_operator-token': 'ab'.repeat(16),
    secrets_app: `whsec_${'A'.repeat(32)}`,
  })
  const config = load({
    ...minimum(),
    chargeNotifications: {
      host: '127.0.0.1',
      port: 1,
      tokens: [{ environment: 'sandbox', tokenFile: 'credential:secrets_charge-token' }],
    },
    api: { operatorTokenFile: 'credential:secrets_operator-token' },
    destinations: [{ name: 'app', url: 'https://app.example/', secretFile: 'credential:secrets_app' }],
  })
  expect(config.chargeNotifications?.tokens[0]?.token).toBe('ab'.repeat(16))
  expect(config.destinations[0]?.secrets).toEqual([`whsec_${'A'.repeat(32)}`])
  expect(config.api.operatorTokenFile).toBe(join(folder, 'secrets_operator-token'))
})

test('a command outside the unit looks at the credentials of the running service', () => {
  vi.stubEnv('CREDENTIALS_DIRECTORY', undefined)
  const file = join(directory(), 'portaria.yaml')
  writeFileSync(file, stringify(minimumWith('api.operatorTokenFile', 'credential:secrets_operator-token')))
  expect(loadWithoutSecrets(file).api.operatorTokenFile).toBe(
    '/run/credentials/portaria.service/secrets_operator-token',
  )
})

test('a path that names a missing credential is a mistake where secrets are read', () => {
  credentials({})
  expect(mistakes(minimumWith('callbacks.privateKey', 'credential:server-key'))).toEqual([
    expect.stringMatching(/^callbacks\.privateKey: names a credential that is not loaded: .*LoadCredential=server-key/),
  ])
})

test('a credential that is not there, or that leads out of its folder, is a mistake that says what to do', () => {
  const folder = credentials({ token: 'ab'.repeat(16) })
  mkdirSync(join(folder, 'in'))
  writeFileSync(join(folder, 'in/token'), 'ab'.repeat(16))
  const withToken = (tokenFile: string) => ({
    ...minimum(),
    chargeNotifications: { host: '127.0.0.1', port: 1, tokens: [{ environment: 'sandbox', tokenFile }] },
  })
  expect(mistakes(withToken('credential:nothing'))).toEqual([
    expect.stringMatching(/names a credential that is not loaded: .* add LoadCredential=nothing:FILE to it/),
  ])
  for (const place of ['../token', 'in/token', '', '.', '..'])
    expect(mistakes(withToken(`credential:${place}`))).toEqual([
      expect.stringContaining('must name a credential of the unit, such as credential:secrets_operator-token'),
    ])
  expect(mistakes(minimumWith('api.operatorTokenFile', 'credential:../x'))).toEqual([
    expect.stringContaining('must name a credential of the unit'),
  ])
})

test('LoadCredential= is named only where the unit lacks it', () => {
  const withToken = {
    ...minimum(),
    destinations: [{ name: 'app', url: 'https://app.example/', secretFile: 'credential:secrets_app' }],
  }
  credentials({})
  expect(mistakes(withToken)).toEqual([
    expect.stringContaining('add LoadCredential=secrets:/etc/portaria/secrets to it'),
  ])
  vi.stubEnv('CREDENTIALS_DIRECTORY', join(directory(), 'no service'))
  expect(mistakes(withToken)).toEqual([
    expect.stringMatching(/not loaded: systemd loads credentials when .* loaded none: systemctl restart portaria$/),
  ])
  vi.stubEnv('SYSTEMD_EXEC_PID', String(process.pid))
  expect(mistakes(withToken)).toEqual([expect.stringContaining('add LoadCredential=')])
})
