import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFolder } from '../../src/folder/folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { contentsOf, filesIn, firstStart, now } from './support.ts'

const first = firstStart()
const open = (folder: string) => openFolder(folder, { now, hostNames: [] })

const ACCOUNTS = ['production-integrator', 'production-second', 'sandbox-integrator', 'sandbox-second']
const PUBLIC = [
  'chains/production.pem',
  'chains/sandbox.pem',
  'server-ca.crt',
  'server.crt',
  'service/production-client.crt',
  'service/sandbox-client.crt',
  ...ACCOUNTS.map((name) => `accounts/${name}.crt`),
]
const SECRET = [
  'applications.json',
  'server.key',
  'service/production-client.key',
  'service/sandbox-client.key',
  ...['root', 'server', 'production', 'sandbox', 'accounts-production', 'accounts-sandbox'].map(
    (name) => `authority/${name}.pem`,
  ),
  ...ACCOUNTS.flatMap((name) => [`accounts/${name}.key`, `accounts/${name}.p12`, `accounts/${name}.pem`]),
]

it('a first start makes every file, and only its owner reads folders and secrets, whatever the umask is', async () => {
  const umask = process.umask(0)
  const folder = join(temporaryFolder(), 'data/simulator')
  try {
    await open(folder)
  } finally {
    process.umask(umask)
  }
  expect(filesIn(folder)).toEqual([...PUBLIC, ...SECRET].toSorted())
  const modeOf = (path: string) => statSync(join(folder, path)).mode & 0o777
  for (const file of PUBLIC) expect(modeOf(file), file).toBe(0o644)
  for (const file of SECRET) expect(modeOf(file), file).toBe(0o600)
  for (const path of ['..', '.', 'accounts', 'authority', 'chains', 'service']) expect(modeOf(path), path).toBe(0o700)
})

it('a public file contains no private key', () => {
  for (const file of PUBLIC) expect(readFileSync(join(first.path, file), 'utf8')).not.toContain('PRIVATE KEY')
})

it('a second start changes nothing and gives the same credentials', async () => {
  const before = contentsOf(first.path)
  const [one, two] = [await first.open(), await first.open()]
  expect(contentsOf(first.path)).toEqual(before)
  expect(two.server).toEqual(one.server)
  expect(two.environments.sandbox).toEqual(one.environments.sandbox)
})

it('two first starts differ in every key, id and secret', async () => {
  const other = temporaryFolder()
  const [one, two] = [await first.open(), await open(other)]
  const secretsOf = ({ server, environments }: typeof one) => [
    server.key,
    ...Object.values(environments).flatMap(({ client, applications, accounts }) => [
      client.key,
      ...applications.flatMap(({ clientId, clientSecret }) => [clientId, clientSecret]),
      ...accounts.flatMap(({ payeeCode, certificateFingerprint256 }) => [payeeCode, certificateFingerprint256]),
    ]),
  ]
  const all = [...secretsOf(one), ...secretsOf(two)]
  expect(new Set(all).size).toBe(all.length)
})

it('each environment has accounts and applications of its own, with ids in the form of the service', async () => {
  const { environments } = await first.open()
  const applications = Object.values(environments).flatMap((environment) => environment.applications)
  expect(applications.map(({ environment, account }) => [environment, account.number])).toEqual([
    ['production', '100001'],
    ['production', '100002'],
    ['sandbox', '200001'],
    ['sandbox', '200002'],
  ])
  for (const { clientId, clientSecret, scopes } of applications) {
    expect(clientId).toMatch(/^Client_Id_[0-9a-f]{40}$/)
    expect(clientSecret).toMatch(/^Client_Secret_[0-9a-f]{40}$/)
    expect(scopes).toContain('svc.barcode.pay.write')
  }
})

it('uses an empty folder, also behind a symbolic link', async () => {
  const base = temporaryFolder()
  mkdirSync(join(base, 'real'))
  symlinkSync(join(base, 'real'), join(base, 'link'))
  await open(join(base, 'link'))
  expect(existsSync(join(base, 'real/applications.json'))).toBe(true)
})

it('of two first starts at once, both end with the same files', async () => {
  const folder = join(temporaryFolder(), 'simulator')
  const [one, two] = await Promise.all([open(folder), open(folder)])
  expect(two.environments.production).toEqual(one.environments.production)
  expect(readdirSync(join(folder, '..'))).toEqual(['simulator'])
})

it('a first start after an interrupted one succeeds, and removes what that left an hour ago', async () => {
  const base = temporaryFolder()
  const [old, young] = [join(base, '.simulator.making-old'), join(base, '.simulator.making-young')]
  for (const path of [old, young]) {
    mkdirSync(path)
    writeFileSync(join(path, 'server.key'), 'half a')
  }
  utimesSync(old, new Date(), new Date(Date.now() - 2 * 3_600_000))
  await open(join(base, 'simulator'))
  expect(readdirSync(base).toSorted()).toEqual(['.simulator.making-young', 'simulator'])
})

it('refuses a folder with other files, also a folder of certificates, and leaves it alone', async () => {
  const folder = temporaryFolder()
  const names = ['accounts', 'chains', 'server-ca.crt', 'server.crt', 'server.key', 'service', 'simulator.db']
  for (const name of names) {
    writeFileSync(join(folder, name), 'mine')
    await expect(open(folder)).rejects.toMatchObject({
      name: 'SimulatorError',
      code: 'folder_occupied',
      message: `${folder} holds other files and none of the simulator: name a new or an empty folder.`,
    })
  }
  expect(readdirSync(folder).toSorted()).toEqual(names)
})

it('explains a path that cannot be a folder', async () => {
  const base = temporaryFolder()
  writeFileSync(join(base, 'file'), '')
  const message = expect.stringContaining('is a file, so name another folder')
  await expect(open(join(base, 'file'))).rejects.toMatchObject({ code: 'folder_occupied', message })
  await expect(open(join(base, 'file/simulator'))).rejects.toMatchObject({ code: 'folder_occupied', message })
  await expect(open('/proc/portaria/simulator')).rejects.toMatchObject({
    code: 'folder_unusable',
    message: expect.stringContaining('name another folder'),
  })
})
