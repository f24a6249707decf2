import { expect, it } from 'vitest'
import { rightsOf } from '../../src/oidc/rights.ts'
import type { OidcRole } from '../../src/oidc/settings.ts'

const READERS: OidcRole = { value: 'readers', scopes: ['events.read'], environments: ['sandbox'] }
const SUPPORT: OidcRole = { value: 'support', scopes: ['support.read'], environments: ['production', 'sandbox'] }
const DESK: OidcRole = { value: 'desk', scopes: ['support.unmask'], environments: ['production'] }
const OPERATIONS: OidcRole = {
  value: 'operations',
  scopes: ['operations.read'],
  environments: ['production', 'sandbox'],
}

function rights(values: unknown, roles: readonly OidcRole[], claim = 'groups') {
  const found = rightsOf({ groups: values }, { claim, roles })
  return found && [found.environment, ...found.scopes]
}

it('without a matching role a person may do nothing', () => {
  expect(rights(['others'], [READERS])).toBeNull()
  expect(rights(undefined, [READERS])).toBeNull()
  expect(rights([], [READERS])).toBeNull()
  expect(rights([['readers'], { value: 'readers' }, 1], [READERS])).toBeNull()
  expect(rights('readers support', [READERS])).toBeNull()
  expect(rights('Readers', [READERS])).toBeNull()
})

it('a claim may be a text, a list, or below other names', () => {
  expect(rights('readers', [READERS])).toEqual(['sandbox', 'events.read'])
  expect(rights(['readers'], [READERS])).toEqual(['sandbox', 'events.read'])
  const roles = [READERS]
  const nested = { realm_access: { roles: ['readers'] } }
  expect(rightsOf(nested, { claim: 'realm_access.roles', roles })?.environment).toBe('sandbox')
  const named = { 'https://app.example/roles': 'readers' }
  expect(rightsOf(named, { claim: 'https://app.example/roles', roles })?.environment).toBe('sandbox')
  expect(
    rightsOf({ roles: 'readers' }, { claim: 'constructor.name', roles: [{ ...READERS, value: 'Object' }] }),
  ).toBeNull()
})

it('the first matching role of the list sets the environments, and further ones add what counts in all of them', () => {
  expect(rights(['support', 'readers'], [READERS, SUPPORT])).toEqual(['sandbox', 'events.read', 'support.read'])
  expect(rights(['support', 'readers'], [SUPPORT, READERS])).toEqual(['any', 'support.read'])
  expect(rights(['readers', 'desk'], [READERS, DESK])).toEqual(['sandbox', 'events.read'])
  expect(rights(['readers', 'desk'], [DESK, READERS])).toEqual(['production', 'support.unmask'])
})

it('a role that opens both environments adds nothing to one that opens a single one', () => {
  expect(rights(['readers', 'operations'], [READERS, OPERATIONS])).toEqual(['sandbox', 'events.read'])
  expect(rights(['readers', 'operations'], [OPERATIONS, READERS])).toEqual(['any', 'operations.read'])
  expect(rights(['support', 'operations'], [OPERATIONS, SUPPORT])).toEqual(['any', 'operations.read', 'support.read'])
})
