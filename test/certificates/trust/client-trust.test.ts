import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadClientTrust } from '../../../src/certificates/trust/client-trust.ts'
import { createAuthority } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const DAY_MS = 86_400_000

/** The path of a file with these certificates, of a root, an authority below it, and a client below that. */
function fileWith(...names: ('root' | 'issuing' | 'leaf')[]): string {
  const { issue } = createAuthority(temporaryFolder())
  const root = issue({ name: 'root', ca: true })
  const issuing = issue({ name: 'issuing', ca: true, issuer: root })
  const made = { root, issuing, leaf: issue({ name: 'leaf', issuer: issuing }) }
  const file = join(temporaryFolder(), 'apps.pem')
  writeFileSync(file, names.map((name) => made[name].cert).join(''))
  return file
}

describe.skipIf(!hasOpenssl)('the authorities of the API’s clients (with openssl)', () => {
  it('are all that the file holds', () => {
    const { value, warnings } = loadClientTrust({ clientCa: fileWith('root', 'issuing') }, new Date())
    expect([value.authorities.length, warnings]).toEqual([2, []])
  })

  it('that are out of date are reported, and kept', () => {
    const { value, warnings } = loadClientTrust({ clientCa: fileWith('root') }, new Date(Date.now() + 60 * DAY_MS))
    expect([value.authorities.length, warnings]).toEqual([
      1,
      [expect.stringMatching(/"CN=root" expired on .*are refused$/)],
    ])
  })

  it.each([
    ['a client’s own certificate', ['root', 'leaf'], /"CN=leaf" is not a CA certificate/],
    ['an authority without its root', ['issuing'], /the issuer "CN=root" of "CN=issuing" is missing/],
    ['nothing', [], /is empty/],
  ] as const)('are refused where the file holds %s', (_, names, words) => {
    const file = fileWith(...names)
    expect(() => loadClientTrust({ clientCa: file }, new Date())).toThrow(words)
    expect(() => loadClientTrust({ clientCa: file }, new Date())).toThrow(file)
  })
})
