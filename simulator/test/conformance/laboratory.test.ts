import { X509Certificate } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { writeChains } from '../../src/conformance/chain-files.ts'
import { defaultLaboratory, openLaboratory } from '../../src/conformance/laboratory.ts'
import { MAKE_WRONG } from '../../src/conformance/wrong-callers.ts'

const NOW = new Date('2026-11-28T12:00:00Z')
const YEAR_MS = 31_557_600_000
const later = (years: number) => new Date(NOW.getTime() + years * YEAR_MS)

const contentsOf = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]))

it('the keys are made once, for their user alone, and the chains are the same bytes each time', async () => {
  const folder = join(temporaryFolder(), 'state/laboratory')
  const chains = temporaryFolder()
  await writeChains(await openLaboratory(folder, NOW), chains)
  const first = { keys: contentsOf(folder), chains: contentsOf(chains) }
  const again = await openLaboratory(folder, later(1))
  const files = await writeChains(again, chains)

  expect({ keys: contentsOf(folder), chains: contentsOf(chains) }).toEqual(first)
  expect(again.renewed).toBe('nothing')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600)
  expect(Object.values(first.chains).join('')).not.toContain('PRIVATE KEY')
  expect(files.production.chain).toBe(join(chains, 'conformance-production.pem'))
  const [issuer, root] = (first.chains['conformance-production.pem'] ?? '')
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((block) => block.includes('BEGIN'))
    .map((block) => new X509Certificate(block))
  expect([issuer?.ca, issuer?.checkIssued(root as X509Certificate), root?.checkIssued(root)]).toEqual([
    true,
    true,
    true,
  ])
  expect(new X509Certificate(readFileSync(files.production.issuer)).fingerprint256).toBe(issuer?.fingerprint256)
})

it('two users have two keys', async () => {
  const [one, two] = await Promise.all([0, 1].map(() => openLaboratory(join(temporaryFolder(), 'own'), NOW)))
  expect(one?.root.key).not.toBe(two?.root.key)
})

it('what is out of date is made again, and only that', async () => {
  const folder = join(temporaryFolder(), 'laboratory')
  const first = await openLaboratory(folder, NOW)
  const clients = await openLaboratory(folder, later(3))
  const chains = await openLaboratory(folder, later(11))

  expect([first.renewed, clients.renewed, chains.renewed]).toEqual(['nothing', 'client certificates', 'chains'])
  expect(clients.environments.sandbox.chain).toBe(first.environments.sandbox.chain)
  expect(clients.environments.sandbox.credentials).not.toEqual(first.environments.sandbox.credentials)
  expect(chains.environments.sandbox.chain).not.toBe(first.environments.sandbox.chain)
})

it('a folder with other files, and one that is damaged, are left as they are', async () => {
  const other = temporaryFolder()
  writeFileSync(join(other, 'mine.txt'), 'mine')
  await expect(openLaboratory(other, NOW)).rejects.toThrow(
    'has other files and no test CA: name a new or an empty folder',
  )

  const damaged = join(temporaryFolder(), 'laboratory')
  await openLaboratory(damaged, NOW)
  rmSync(join(damaged, 'sandbox-client.pem'))
  await expect(openLaboratory(damaged, NOW)).rejects.toThrow(
    /sandbox-client\.pem is missing: put it back, or remove the folder/,
  )
  writeFileSync(join(damaged, 'sandbox-client.pem'), 'no key')
  await expect(openLaboratory(damaged, NOW)).rejects.toThrow(/sandbox-client\.pem cannot be read/)
})

it('a chain of the service is never replaced', async () => {
  const laboratory = await openLaboratory(join(temporaryFolder(), 'laboratory'), NOW)
  const folder = temporaryFolder()
  cpSync(join(inject('testCa'), 'trust/production.pem'), join(folder, 'conformance-production.pem'))
  await expect(writeChains(laboratory, folder)).rejects.toThrow(
    /conformance-production\.pem is no certificate of a test CA/,
  )
  expect(readdirSync(folder)).toEqual(['conformance-production.pem'])
})

it('the keys are in the state folder of the user', () => {
  expect(defaultLaboratory({ XDG_STATE_HOME: '/var/state' })).toBe('/var/state/portaria/conformance')
  expect(defaultLaboratory({ XDG_STATE_HOME: 'relative' })).toMatch(/\/\.local\/state\/portaria\/conformance$/)
})

it('wrong callers are wrong in one thing each', async () => {
  const laboratory = await openLaboratory(join(temporaryFolder(), 'laboratory'), NOW)
  const { issuer, chain } = laboratory.environments.production
  const authority = new X509Certificate(issuer)
  const root = new X509Certificate(chain.slice(issuer.length))
  async function traitsOf(kind: keyof typeof MAKE_WRONG) {
    const { certificate } = await MAKE_WRONG[kind](laboratory, 'production', NOW)
    const [leaf, parent] = certificate
      .split(/(?<=-----END CERTIFICATE-----\n)/)
      .map((block) => block.trim())
      .filter(Boolean)
    const [own, above] = [new X509Certificate(leaf as string), new X509Certificate(parent as string)]
    return {
      issued: own.verify(authority.publicKey),
      sameIssuerName: own.issuer === authority.subject,
      sameRoot: above.verify(root.publicKey),
      inDate: own.validToDate > NOW,
      forClients: own.keyUsage?.includes('1.3.6.1.5.5.7.3.2'),
    }
  }
  const right = { issued: true, sameIssuerName: true, sameRoot: true, inDate: true, forClients: true }
  const foreign = { ...right, issued: false, sameRoot: false }
  expect(await traitsOf('sibling')).toEqual({ ...right, issued: false, sameIssuerName: false })
  expect(await traitsOf('foreign')).toEqual({ ...foreign, sameIssuerName: false })
  expect(await traitsOf('foreign-same-name')).toEqual(foreign)
  expect(await traitsOf('expired')).toEqual({ ...right, inDate: false })
  expect(await traitsOf('server-only')).toEqual({ ...right, forClients: false })
  expect(await traitsOf('other-environment')).toEqual({ ...right, issued: false, sameIssuerName: false })
})
