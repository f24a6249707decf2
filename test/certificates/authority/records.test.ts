import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAuthority, openAuthority } from '../../../src/certificates/authority/authority.ts'
import { inventoryOfAuthority } from '../../../src/certificates/authority/inventory.ts'
import { issueCertificate } from '../../../src/certificates/authority/issuing.ts'
import { writeRevocationList } from '../../../src/certificates/authority/list.ts'
import { addRevocation, type IssuedUse, isReplaced, recordsOf } from '../../../src/certificates/authority/records.ts'
import { newKeys } from '../../../src/certificates/authority/signing.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NOW = new Date('2026-11-28T12:00:00Z')

async function anAuthority() {
  const folder = join(temporaryFolder(), 'ca')
  await createAuthority({ folder, name: 'test', days: 1000, keyType: 'p256', now: NOW })
  const authority = await openAuthority(folder, NOW)
  await writeRevocationList(authority, NOW)
  const { publicKey } = await newKeys('p256')
  const issue = (name: string, days: number, use: IssuedUse = 'app') =>
    issueCertificate(authority, { use, name, publicKey, alternativeNames: [], client: null }, { days }, NOW)
  const issued = () =>
    inventoryOfAuthority(folder, NOW.getTime())
      .filter(({ set, where }) => set === 'issued' || where === folder)
      .map((one) => ('problem' in one ? one.problem : [one.where, one.isReplaced]))
  return { authority, issue, issued, folder: join(folder, 'issued') }
}

it('a certificate is replaced by a later one of the same name and use that is not revoked', async () => {
  const { authority, issue, issued } = await anAuthority()
  const first = await issue('a', 10)
  await issue('a', 20, 'forwarding')
  await issue('b', 30)
  const later = await issue('a', 40)
  expect(issued()).toEqual([
    ['app a', true],
    ['forwarding a', false],
    ['app b', false],
    ['app a', false],
  ])
  addRevocation(authority, { serial: later.serial, revokedAt: NOW.toISOString(), reason: 'ended' })
  const records = recordsOf(authority)
  expect(records.filter((one) => isReplaced(one, records))).toEqual([])
  expect(issued()).toContainEqual([`app ${first.name}`, false])
})

it('a running gateway sees records that are added, changed, damaged and removed', async () => {
  const { issue, issued, folder } = await anAuthority()
  await issue('a', 10)
  expect(issued()).toEqual([['app a', false]])
  const other = await issue('b', 20)
  expect(issued()).toHaveLength(2)
  const [file = ''] = readdirSync(folder).filter((name) => !name.startsWith(other.serial))
  const { revocation: _, ...record } = other
  writeFileSync(join(folder, file), JSON.stringify({ ...record, name: 'another' }))
  expect(issued()).toContainEqual(['app another', false])
  writeFileSync(join(folder, file), '{')
  expect(issued()).toEqual([expect.stringContaining('is no record of the private authority')])
  rmSync(join(folder, file))
  expect(issued()).toEqual([['app b', false]])
})
