import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { siteOf } from '../../src/cli/init/answers.ts'
import { nextSteps } from '../../src/cli/init/next-steps.ts'
import { filesOf } from '../../src/cli/init/site-files.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

afterEach(() => void vi.unstubAllEnvs())

/** The configuration that init writes, with the section `service` switched on. */
function written(flags: Parameters<typeof siteOf>[1]) {
  const folder = temporaryFolder()
  const site = siteOf(folder, { hostName: 'hooks.example.com', ...flags })
  mkdirSync(join(folder, 'secrets'))
  for (const environment of site.environments)
    writeFileSync(join(folder, `secrets/service-${environment}`), 'Client_Secret\n')
  for (const { path, content } of filesOf(site)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  const file = join(folder, 'portaria.yaml')
  writeFileSync(file, withService(readFileSync(file, 'utf8')))
  return { config: loadConfig(file), folder, steps: nextSteps(site) }
}

function withService(text: string): string {
  const at = text.indexOf('#service:')
  return text.slice(0, at) + text.slice(at).replace(/^#(?=( *)(- )?\w)/gm, '')
}

it('init writes the section service ready to be switched on, with the files of each environment', () => {
  const { config, folder, steps } = written({ kinds: 'registration,openBanking', chargePort: 9444, publicPort: 443 })
  expect(config.callbacks.publicUrl).toBe('https://hooks.example.com')
  expect(config.chargeNotifications?.publicUrl).toBe('https://hooks.example.com:9444')
  expect(config.service.map(({ environment }) => environment)).toEqual(['production', 'sandbox'])
  expect(config.service[1]).toMatchObject({
    clientSecret: 'Client_Secret',
    certificate: { pkcs12: join(folder, 'certs/service-sandbox.p12'), passwordFile: null },
    baseAddresses: { payment: null, openBanking: 'https://open-banking.service.example' },
    resolveTokens: true,
  })
  expect(steps).toContain('section `service`')
  expect(steps).toContain('secrets/service-production')
  expect(steps).toContain('    portaria service webhooks create --environment production --interface registration\n')
})

it('init names the interfaces of the kinds that it writes', () => {
  const { config } = written({ environments: 'sandbox' })
  expect(config.callbacks.publicUrl).toBe('https://hooks.example.com:8443')
  expect(config.service).toHaveLength(1)
  const { baseAddresses } = config.service[0] ?? {}
  expect(Object.entries(baseAddresses ?? {}).flatMap(([name, address]) => (address === null ? [] : [name]))).toEqual([
    'payment',
    'registration',
  ])
})

it('the section in the configuration of the systemd unit can be switched on', () => {
  const folder = temporaryFolder()
  vi.stubEnv('CREDENTIALS_DIRECTORY', folder)
  writeFileSync(join(folder, 'secrets_service-production'), 'Client_Secret\n')
  writeFileSync(join(folder, 'secrets_operator-token'), 'ab'.repeat(16))
  const text = readFileSync(resolve(import.meta.dirname, '../../systemd/portaria.yaml'), 'utf8')
  writeFileSync(join(folder, 'portaria.yaml'), withService(text))
  expect(loadConfig(join(folder, 'portaria.yaml')).service).toMatchObject([
    { environment: 'production', clientSecret: 'Client_Secret', resolveTokens: false },
  ])
})
