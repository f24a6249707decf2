import { join } from 'node:path'
import { expect, it } from 'vitest'
import { adviceFor, operatorToken } from '../../../src/api/auth/operator-token.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

it('an operator’s token that cannot be read is an error with what helps, and never with what would replace it', () => {
  const missing = join(temporaryFolder(), 'token')
  expect(() => operatorToken(missing, false)).toThrow(
    `api.operatorTokenFile ${missing} cannot be read: it does not exist; make it with: (umask 077; openssl rand -hex 32 > ${missing})`,
  )
  const credential = '/run/credentials/portaria-test.service/secrets_none'
  expect(() => operatorToken(credential, false)).toThrow(/has loaded none: systemctl restart portaria$/)
  for (const file of [missing, credential])
    expect(adviceFor(file, Object.assign(new Error('permission denied'), { code: 'EACCES' }))).toMatch(
      /^run this command as .* or as root$/,
    )
})
