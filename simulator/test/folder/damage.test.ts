import { X509Certificate } from 'node:crypto'
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFolder } from '../../src/folder/folder.ts'
import { contentsOf, filesIn, firstStart } from './support.ts'

const DAY_MS = 86_400_000
const first = firstStart()

const remedyFor = (folder: string) =>
  `To make everything again, remove the folder ${folder} and start: certificates, ids and secrets are then new.`

/** Damages a copy and expects one error about a file; nothing is changed. */
async function expectDamage(damage: (folder: string) => void, file: string, problem: string): Promise<void> {
  const folder = first.copy()
  damage(folder)
  const before = contentsOf(folder)
  await expect(first.open(folder)).rejects.toMatchObject({
    name: 'SimulatorError',
    code: 'folder_damaged',
    message: `${join(folder, file)} ${problem}: put the right file back. ${remedyFor(folder)}`,
  })
  expect(contentsOf(folder)).toEqual(before)
}

const write = (file: string, text: string) => (folder: string) => writeFileSync(join(folder, file), text)
const swap = (one: string, two: string) => (folder: string) => {
  const at = (file: string) => join(folder, file)
  renameSync(at(one), at('swap'))
  renameSync(at(two), at(one))
  renameSync(at('swap'), at(two))
}

it('each missing file is named, and nothing is made in its place', async () => {
  const files = filesIn(first.path)
  expect(files).toHaveLength(32)
  for (const file of files) await expectDamage((folder) => rmSync(join(folder, file)), file, 'is missing')
})

it('each missing subfolder is explained by its first missing file or itself', async () => {
  const gone = (name: string) => (folder: string) => rmSync(join(folder, name), { recursive: true })
  await expectDamage(gone('authority'), 'authority/root.pem', 'is missing')
  await expectDamage(gone('service'), 'service', 'is missing')
  await expectDamage(gone('chains'), 'chains/production.pem', 'is missing')
  await expectDamage(gone('accounts'), 'accounts/production-integrator.crt', 'is missing')
})

it('each truncated or empty file is named', async () => {
  for (const file of filesIn(first.path)) {
    const folder = first.copy()
    const content = readFileSync(join(folder, file))
    for (const length of [0, Math.floor(content.length / 2)]) {
      writeFileSync(join(folder, file), content.subarray(0, length))
      const error = await first.open(folder).catch((thrown: unknown) => thrown)
      expect(error, `${file} cut to ${length} bytes`).toMatchObject({ code: 'folder_damaged' })
      // A pair is damaged where its parts disagree: either name leads to it.
      expect((error as Error).message).toContain(join(folder, file.replace(/\.(key|crt|pem|p12)$/, '')))
    }
  }
})

it('a key that belongs to another certificate is named with it', async () => {
  const [one, two] = ['service/production-client', 'service/sandbox-client']
  await expectDamage(swap(`${one}.key`, `${two}.key`), `${one}.key`, `is not the key of ${one}.crt`)
  await expectDamage(swap('server.key', `${one}.key`), 'server.key', 'is not the key of server.crt')
})

it('files of another environment, or of another first start, are not taken for these', async () => {
  const issuer = 'was not issued by O=Portaria simulator, CN=Simulated service'
  const swapAccounts = (folder: string) => {
    for (const ending of ['crt', 'key', 'pem'])
      swap(`accounts/production-integrator.${ending}`, `accounts/sandbox-integrator.${ending}`)(folder)
  }
  await expectDamage(swapAccounts, 'accounts/production-integrator.crt', `${issuer} production accounts CA`)
  const other = first.copy()
  rmSync(other, { recursive: true })
  await first.open(other)
  const takeServer = (folder: string) => {
    for (const file of ['server.crt', 'server.key']) cpSync(join(other, file), join(folder, file))
  }
  await expectDamage(takeServer, 'server.crt', `${issuer} server CA`)
})

it('a published chain, a root and a combined file must equal what they are made of', async () => {
  await expectDamage(
    swap('chains/production.pem', 'chains/sandbox.pem'),
    'chains/production.pem',
    'is not the chain of its authority',
  )
  await expectDamage(write('server-ca.crt', 'other'), 'server-ca.crt', 'is not the certificate of authority/root.pem')
  const pem = 'accounts/sandbox-second.pem'
  await expectDamage(
    swap(pem, 'accounts/sandbox-integrator.pem'),
    'accounts/sandbox-integrator.pem',
    'is not accounts/sandbox-integrator.crt followed by accounts/sandbox-integrator.key',
  )
})

it('a server or client certificate without its intermediate is damaged', async () => {
  for (const file of ['server.crt', 'service/sandbox-client.crt']) {
    const [leaf] = readFileSync(join(first.path, file), 'utf8').split(/(?<=-----END CERTIFICATE-----\n)/)
    await expectDamage(write(file, leaf as string), file, 'does not end with the certificate of its issuer')
  }
})

it('a mistake in the applications file is named by its place, without a secret in the text', async () => {
  const text = readFileSync(join(first.path, 'applications.json'), 'utf8')
  const json = JSON.parse(text)
  const [application] = json.sandbox.applications
  const changed = (change: object) => {
    const sandbox = {
      ...json.sandbox,
      applications: [{ ...application, ...change }, ...json.sandbox.applications.slice(1)],
    }
    return JSON.stringify({ ...json, sandbox })
  }
  const damagedBy = (content: string, problem: string) =>
    expectDamage(write('applications.json', content), 'applications.json', `is not valid (${problem})`)
  await damagedBy(text.slice(0, -20), 'it is not JSON')
  await damagedBy(changed({ account: '7' }), 'sandbox.applications.0.account: no account has this number')
  await damagedBy(
    changed({ clientId: json.production.applications[0].clientId }),
    'two applications have the same clientId',
  )
  await damagedBy(changed({ scope: [] }), 'sandbox.applications.0: Unrecognized key: "scope"')
  const secret = application.clientSecret.replace(/.$/, 'X')
  const folder = first.copy()
  write('applications.json', changed({ clientSecret: secret }))(folder)
  const error = await first.open(folder).catch((thrown: Error) => thrown)
  expect(String(error)).toContain('sandbox.applications.0.clientSecret')
  expect(JSON.stringify([String(error), error])).not.toContain(secret.slice(14))
})

it('applications that were added by hand are served', async () => {
  const folder = first.copy()
  const json = JSON.parse(readFileSync(join(folder, 'applications.json'), 'utf8'))
  const added = {
    clientId: `Client_Id_${'0'.repeat(40)}`,
    clientSecret: `Client_Secret_${'1'.repeat(40)}`,
    account: '200002',
    scopes: ['svc.balance.read'],
  }
  json.sandbox.applications.push(added)
  write('applications.json', JSON.stringify(json))(folder)
  const { sandbox, production } = (await first.open(folder)).environments
  const [, account] = sandbox.accounts
  expect(sandbox.applications.at(-1)).toEqual({ ...added, environment: 'sandbox', account })
  expect(production.applications).toHaveLength(2)
})

it('an expired certificate is named, from the first moment after its end', async () => {
  const at = (time: number) => openFolder(first.path, { now: () => new Date(time), hostNames: [] })
  const { environments } = await first.open()
  const end = new X509Certificate(environments.production.client.cert).validToDate
  const serverEnd = new X509Certificate(readFileSync(join(first.path, 'server.crt'))).validToDate
  const earliest = Math.min(end.getTime(), serverEnd.getTime())
  expect((await at(earliest)).path).toBe(first.path)
  await expect(at(earliest + 1)).rejects.toMatchObject({
    code: 'folder_expired',
    message: expect.stringMatching(
      /\.crt expired on \d{4}-\d\d-\d\dT[\d:.]+Z\. To make everything again, remove the folder/,
    ),
  })
})

it('a clock that is years behind is named as such', async () => {
  const now = () => new Date(Date.now() - 400 * DAY_MS)
  await expect(openFolder(first.path, { now, hostNames: [] })).rejects.toMatchObject({
    code: 'folder_expired',
    message: expect.stringContaining('after the time of this machine: correct its clock'),
  })
})
