import { expect, it } from 'vitest'
import { fingerprintOf, nameOnOneLine } from '../../src/platform/certificate-identity.ts'

it.each([
  ['CN=a.example\nO=Example', 'CN=a.example, O=Example'],
  ['CN=a\u202eexample\n', 'CN=a\\u202eexample'],
  ['', ''],
  [undefined, ''],
])('the name %j is %j on one line', (name, line) => {
  expect(nameOnOneLine(name)).toBe(line)
})

it('a name is cut at its limit', () => {
  expect(nameOnOneLine('CN=a\nO=b', 6)).toBe('CN=a, ')
})

it('a fingerprint is lower case and without colons', () => {
  expect(fingerprintOf({ fingerprint256: 'AB:01:FF' })).toBe('ab01ff')
})
