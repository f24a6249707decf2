import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { SimulatorFolder } from '../../src/folder/folder.ts'
import { hasOpenssl, openssl } from '../support/openssl.ts'
import { contentsOf, filesIn, firstStart } from './support.ts'

const first = firstStart()

/** Whether a receiver that installed this chain accepts the caller. */
function isAccepted(client: string, chain: string): boolean {
  const issuer = new X509Certificate(chain)
  const certificate = new X509Certificate(client)
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

const sandboxOf = (folder: SimulatorFolder) => folder.environments.sandbox

it('a rotation publishes a new chain, while calls keep the certificate of the old one until the activation', async () => {
  const folder = await first.open(first.copy())
  const before = sandboxOf(folder)
  await folder.rotate('sandbox')
  const rotated = sandboxOf(folder)
  expect(rotated.client).toEqual(before.client)
  expect(rotated.chain).not.toBe(before.chain)
  expect(isAccepted(before.client.cert, rotated.chain)).toBe(false)
  await folder.activate('sandbox')
  const activated = sandboxOf(folder)
  expect(activated.chain).toBe(rotated.chain)
  expect(isAccepted(activated.client.cert, rotated.chain)).toBe(true)
  expect(isAccepted(activated.client.cert, before.chain)).toBe(false)
  expect(activated.client.key).not.toBe(before.client.key)
})

it('a rotation adds files and changes none, and leaves the other environment alone', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  const [before, production] = [contentsOf(path), folder.environments.production]
  await folder.rotate('sandbox')
  await folder.activate('sandbox')
  const after = contentsOf(path)
  const added = Object.keys(after).filter((file) => before[file] === undefined)
  expect(added).toEqual([
    'authority/sandbox-2.pem',
    'chains/sandbox-2.pem',
    'service/sandbox-client-2.crt',
    'service/sandbox-client-2.key',
  ])
  expect(after).toMatchObject(before)
  expect(folder.environments.production).toEqual(production)
  const modes = added.map((file) => statSync(join(path, file)).mode & 0o777)
  expect(modes).toEqual([0o600, 0o644, 0o644, 0o600])
})

it('a restart keeps the published and the active generation', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  await folder.rotate('sandbox')
  expect(sandboxOf(await first.open(path))).toEqual(sandboxOf(folder))
  await folder.activate('sandbox')
  expect(sandboxOf(await first.open(path))).toEqual(sandboxOf(folder))
  expect(sandboxOf(folder).chainFile).toBe(join(path, 'chains/sandbox-2.pem'))
  expect(readFileSync(sandboxOf(folder).chainFile, 'utf8')).toBe(sandboxOf(folder).chain)
  expect(readFileSync(sandboxOf(folder).clientFiles.cert, 'utf8')).toBe(sandboxOf(folder).client.cert)
  expect(readFileSync(sandboxOf(folder).clientFiles.key, 'utf8')).toBe(sandboxOf(folder).client.key)
})

it('several rotations are published one after the other, and an activation takes the last of them', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  await Promise.all(Array.from({ length: 10 }, () => folder.rotate('production')))
  const { production } = folder.environments
  expect(production.chainFile).toBe(join(path, 'chains/production-11.pem'))
  expect(isAccepted(production.client.cert, readFileSync(join(path, 'chains/production.pem'), 'utf8'))).toBe(true)
  await Promise.all([folder.activate('production'), folder.activate('production')])
  expect(isAccepted(folder.environments.production.client.cert, production.chain)).toBe(true)
  expect(folder.environments.production.clientFiles.cert).toBe(join(path, 'service/production-client-11.crt'))
})

it('an activation without a rotation changes nothing', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  const before = contentsOf(path)
  await folder.activate('production')
  expect(contentsOf(path)).toEqual(before)
})

it.skipIf(!hasOpenssl)('openssl accepts the new client certificate strictly with the new chain only', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  await folder.rotate('sandbox')
  await folder.activate('sandbox')
  const verify = (chain: string) =>
    openssl(['verify', '-x509_strict', '-CAfile', chain, '-purpose', 'sslclient', 'service/sandbox-client-2.crt'], {
      cwd: path,
    })
  expect(verify('chains/sandbox-2.pem')).toBe('service/sandbox-client-2.crt: OK\n')
  expect(() => verify('chains/sandbox.pem')).toThrow(/unable to get local issuer certificate/)
})

it('an interrupted rotation counts as not made, and the next one takes another number', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  await folder.rotate('sandbox')
  rmSync(join(path, 'authority/sandbox-2.pem'))
  const reopened = await first.open(path)
  expect(sandboxOf(reopened).chainFile).toBe(join(path, 'chains/sandbox.pem'))
  const orphan = readFileSync(join(path, 'chains/sandbox-2.pem'))
  await reopened.rotate('sandbox')
  expect(sandboxOf(reopened).chainFile).toBe(join(path, 'chains/sandbox-3.pem'))
  expect(readFileSync(join(path, 'chains/sandbox-2.pem'))).toEqual(orphan)
})

it('an interrupted activation is continued with the key that it left', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  await folder.rotate('sandbox')
  await folder.activate('sandbox')
  const { key } = sandboxOf(folder).client
  rmSync(join(path, 'service/sandbox-client-2.crt'))
  const reopened = await first.open(path)
  expect(sandboxOf(reopened).client).not.toEqual(sandboxOf(folder).client)
  await reopened.activate('sandbox')
  expect(sandboxOf(reopened).client.key).toBe(key)
})

it('a missing file of the generation in use is damage, not the generation before it', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  await folder.rotate('sandbox')
  await folder.activate('sandbox')
  for (const file of ['authority/sandbox-2.pem', 'chains/sandbox-2.pem', 'service/sandbox-client-2.key']) {
    const content = readFileSync(join(path, file))
    rmSync(join(path, file))
    await expect(first.open(path)).rejects.toMatchObject({
      code: 'folder_damaged',
      message: expect.stringContaining(`${join(path, file)} is missing`),
    })
    writeFileSync(join(path, file), content)
  }
  expect((await first.open(path)).environments).toEqual(folder.environments)
})

it('a rotation that cannot be written is explained and changes nothing', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  const before = filesIn(path)
  rmSync(join(path, 'chains'), { recursive: true })
  writeFileSync(join(path, 'chains'), '')
  await expect(folder.rotate('sandbox')).rejects.toMatchObject({ code: 'folder_occupied' })
  expect(sandboxOf(folder).chainFile).toBe(join(path, 'chains/sandbox.pem'))
  expect(existsSync(join(path, 'authority/sandbox-2.pem'))).toBe(false)
  expect(filesIn(path)).toEqual([...before.filter((file) => !file.startsWith('chains/')), 'chains'].toSorted())
})
