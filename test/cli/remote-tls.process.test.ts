import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAuthority, type IssuedCertificate } from '../support/authority.ts'
import { createSite, spawnGateway } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { inShell, portaria } from './program.ts'

/** A gateway whose API has a certificate of a private authority; the pairs are made by openssl. */
async function startPrivateApi(more: (issued: Issued) => Record<string, unknown> = () => ({})) {
  const folder = temporaryFolder()
  const authority = createAuthority(folder)
  const ca = authority.issue({ name: 'ca', ca: true })
  const server = authority.issue({
    name: 'server',
    issuer: ca,
    extensions: ['subjectAltName=IP:127.0.0.1', 'extendedKeyUsage=serverAuth'],
  })
  const apps = authority.issue({ name: 'apps', ca: true })
  const client = authority.issue({ name: 'client', issuer: apps })
  const foreign = authority.issue({ name: 'foreign', issuer: authority.issue({ name: 'other', ca: true }) })
  const issued = { ca, apps, client, foreign }
  const tls = { certificate: server.chainFile, privateKey: server.keyFile, ...more(issued) }
  const site = await createSite({ api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', ...tls } })
  const { api } = await spawnGateway(site)
  const token = join(site.folder, 'operator-token')
  return { ...issued, folder, token, api: `https://127.0.0.1:${api.port}` }
}

type Issued = Record<'ca' | 'apps' | 'client' | 'foreign', IssuedCertificate>

it('a private authority is trusted only where it is named, and a wrong one is refused in words', async () => {
  const { api, token, ca, apps, folder } = await startPrivateApi()
  const list = (...args: string[]) => portaria(null, 'events', 'list', '--api', api, '--token-file', token, ...args)
  const [trusted, byPublic, byWrong, missing] = await Promise.all([
    list('--api-ca', ca.certFile),
    list(),
    list('--api-ca', apps.certFile),
    list('--api-ca', join(folder, 'none.pem')),
  ])
  expect([trusted.code, trusted.stdout, trusted.stderr]).toEqual([0, 'no events\n', ''])
  for (const { code, stdout, stderr } of [byPublic, byWrong]) {
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`no gateway answers at ${api}`)
    expect(stderr).toContain('name the authorities of its certificate (--api-ca, or --ca of login)')
  }
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--api-ca ')])
})

it('a required client certificate goes along, also from a profile; without it, and with a foreign one, it is said what is missing', async () => {
  const issued = await startPrivateApi(({ apps }) => ({ clientCa: apps.certFile, clientCertificates: 'required' }))
  const { api, token, ca, client, foreign, folder } = issued
  const list = (...args: string[]) =>
    portaria(null, 'events', 'list', '--api', api, '--token-file', token, '--api-ca', ca.certFile, ...args)
  const pair = ({ certFile, keyFile }: IssuedCertificate) => ['--api-cert', certFile, '--api-key', keyFile]
  const [good, none, wrong, half, mixed] = await Promise.all([
    list(...pair(client)),
    list(),
    list(...pair(foreign)),
    list('--api-cert', client.certFile),
    list('--api-cert', client.certFile, '--api-key', foreign.keyFile),
  ])
  expect([good.code, good.stdout, good.stderr]).toEqual([0, 'no events\n', ''])
  expect([none.code, none.stderr]).toEqual([
    1,
    expect.stringContaining('perhaps it wants a client certificate (--api-cert'),
  ])
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('perhaps it refuses this client certificate')])
  expect([half.code, half.stderr]).toEqual([2, expect.stringContaining('--api-cert and --api-key belong together')])
  expect([mixed.code, mixed.stderr]).toEqual([
    2,
    expect.stringContaining(`--api-key ${foreign.keyFile} is not the key`),
  ])

  const far = (line: string) => inShell(null, `export XDG_CONFIG_HOME=${folder}/home; cd ${folder}; ${line}`)
  const files = `--ca ${ca.certFile} --cert ${client.certFile} --key ${client.keyFile}`
  const login = await far(`portaria login ${api} --token-file ${token} ${files}`)
  expect([login.code, login.stderr]).toEqual([0, ''])
  expect(statSync(join(folder, 'home/portaria/profiles/default.json')).mode & 0o777).toBe(0o600)
  const shown = await far('portaria events list --profile default')
  expect([shown.code, shown.stdout]).toEqual([0, 'no events\n'])
  writeFileSync(client.keyFile, '')
  const broken = await far('portaria events list --profile default')
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('profile default: key ')])
})
