import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adviceForCredential } from '../../src/platform/credentials.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A machine with these credentials of the service, and these files in the folder that its unit loads; null: no such folder. */
function machineWith(loaded: readonly string[] | null, secrets: readonly string[] = []) {
  const root = temporaryFolder()
  const credentials = join(root, 'credentials')
  const loadedFolder = join(root, 'secrets')
  mkdirSync(loadedFolder)
  for (const name of secrets) writeFileSync(join(loadedFolder, name), 'secret')
  if (loaded !== null) mkdirSync(credentials)
  for (const name of loaded ?? []) writeFileSync(join(credentials, name), 'secret')
  const advice = (name: string, isOwn = false) =>
    adviceForCredential(join(credentials, name), { loadedFolder, isOwn }).replaceAll(loadedFolder, 'FOLDER')
  return { advice }
}

describe('a credential that does not exist', () => {
  it('asks for a restart where no service has loaded any', () => {
    expect(machineWith(null).advice('secrets_app')).toBe(
      'systemd loads credentials when portaria.service starts, and has loaded none: systemctl restart portaria',
    )
  })

  it('asks for LoadCredential where systemd started this process without credentials', () => {
    expect(machineWith(null).advice('secrets_app', true)).toContain('add LoadCredential=secrets:FOLDER to it')
  })

  it('asks for LoadCredential where the unit loads others alone', () => {
    const { advice } = machineWith(['operator-token'], ['app'])
    expect(advice('token')).toContain('add LoadCredential=token:FILE to it')
    expect(advice('secrets_app')).toContain('add LoadCredential=secrets:FOLDER to it')
  })

  it('asks for a restart where its file came after the start', () => {
    const advice = machineWith(['secrets_operator-token'], ['operator-token', 'app']).advice('secrets_app')
    expect(advice).toBe('FOLDER/app was created after the service started: systemctl restart portaria loads it')
  })

  it('asks for the file where only that is missing, and not for LoadCredential', () => {
    const advice = machineWith(['secrets_operator-token'], ['operator-token']).advice('secrets_app')
    expect(advice).toBe('no secret has this name: create FOLDER/app, then systemctl restart portaria')
  })

  it('claims nothing about a folder that this user may not see', () => {
    const { advice } = machineWith(['secrets_operator-token'])
    // A name that is too long cannot be looked up either, not even by root.
    expect(advice(`secrets_${'a'.repeat(300)}`)).toMatch(/does not exist, or was created after .*: systemctl restart/)
  })
})
