import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect, it } from 'vitest'
import { checkFiles } from '../../src/cli/check/files.ts'
import { serverFindings } from '../../src/cli/check/postgres.ts'
import { load, minimumWith } from '../config/files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SAFE = {
  version: '18.1',
  hasTls: true,
  hasSynchronousStandby: true,
  isSuperuser: false,
  isOpenToAll: false,
  lackingRights: [],
  unsafeSettings: [],
}

it('a server with a standby, safe settings and a user of least rights is good', () => {
  expect(serverFindings(SAFE, { mode: 'production' }).map(({ level, found }) => [level, found])).toEqual([
    ['good', 'PostgreSQL 18.1, with TLS: its certificate is verified'],
    ['good', 'what was acknowledged survives a crash of the server'],
    ['good', 'synchronous: a failover to it loses nothing'],
    ['good', 'has the rights that it needs, and is no superuser'],
  ])
})

it('each shortcoming of a server is a finding; unsafe settings are a problem in production only', () => {
  const facts = { ...SAFE, hasTls: false, hasSynchronousStandby: false, unsafeSettings: ['fsync is off: …'] }
  const codesOf = (mode: 'production' | 'development', changes: object) =>
    serverFindings({ ...facts, ...changes }, { mode }).map(({ level, code }) => `${level} ${code}`)
  const [server, standby] = ['good storage.good', 'good database.standby']
  const rights = { lackingRights: ['insert into events'] }
  expect(codesOf('production', rights)).toEqual([
    server,
    'problem database.settings',
    standby,
    'problem database.rights',
  ])
  expect(codesOf('development', { isSuperuser: true, isOpenToAll: true })).toEqual([
    server,
    'warning database.settings',
    standby,
    'warning database.superuser',
    'warning database.public',
  ])
})

it('others may not read the file with the password, nor change that with the authorities', () => {
  const folder = temporaryFolder()
  const [passwordFile, authorities] = [join(folder, 'password'), join(folder, 'ca.pem')]
  writeFileSync(passwordFile, 'secret', { mode: 0o644 })
  writeFileSync(authorities, rootCertificates[0] ?? '')
  chmodSync(authorities, 0o666)
  const url = 'postgres://portaria@db.example/portaria'
  const config = load(minimumWith('storage', { url, passwordFile, authorities }))
  const open = checkFiles(config).filter(({ what }) => what.startsWith('storage.'))
  expect(open.map(({ what, code }) => [what, code])).toEqual([
    ['storage.passwordFile', 'file.mode'],
    ['storage.authorities', 'file.writable'],
  ])
  expect(checkFiles(config).some(({ code }) => code.startsWith('database.'))).toBe(false)
})
