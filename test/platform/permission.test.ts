import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isPermissionError, permissionAdvice } from '../../src/platform/permission.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it('advises to use the gateway’s user where there is an installation, and another user or root elsewhere', () => {
  expect(permissionAdvice(join(temporaryFolder(), 'none'))).toBe(
    'run this command as the user that the gateway runs as (it needs access), or as root',
  )
})

it('leads the gateway’s own user to the right owner and mode', () => {
  expect(permissionAdvice(temporaryFolder())).toMatch(/systemd-tmpfiles --create portaria\.conf restores both$/)
})

it.skipIf(process.getuid?.() !== 0)('names sudo to another user than the gateway’s (as root)', () => {
  const folder = temporaryFolder()
  chownSync(folder, 12_345, 12_345)
  expect(permissionAdvice(folder)).toBe(
    'run this command as the gateway does (sudo -u portaria portaria …), or as root',
  )
})

it('knows errors of permission', () => {
  const errorOf = (code: string) => Object.assign(new Error(code), { code })
  expect(['EACCES', 'EPERM', 'ENOENT'].map((code) => isPermissionError(errorOf(code)))).toEqual([true, true, false])
})
