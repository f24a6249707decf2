import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadTrust } from '../../../src/certificates/trust/trust.ts'
import { consequencesOf } from '../../../src/certificates/trust/trust-change.ts'
import { diffChains, lockedOutCallers, type SeenCaller } from '../../../src/certificates/trust/trust-diff.ts'
import type { SeenPeer } from '../../../src/domain/store-reader.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'

const DAY_MS = 86_400_000

describe.skipIf(!hasOpenssl)('another chain in place of the one that is trusted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-trust-diff-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let root: IssuedCertificate
  let middle: IssuedCertificate
  let old: IssuedCertificate
  let young: IssuedCertificate
  let seen: SeenCaller
  beforeAll(() => {
    const { issue } = createAuthority(folder)
    root = issue({ name: 'root', ca: true })
    middle = issue({ name: 'middle', issuer: root, ca: true })
    old = issue({ name: 'old', issuer: middle, ca: true, days: 10 })
    young = issue({ name: 'young', issuer: root, ca: true })
    const certificate = new X509Certificate(issue({ name: 'caller', issuer: old }).cert)
    seen = { certificate, environment: 'production', lastSeenAt: 1 }
  })
  const parsed = (...all: IssuedCertificate[]) => all.map(({ cert }) => new X509Certificate(cert))
  const trusted = (issued: IssuedCertificate, environment: 'production' | 'sandbox' = 'production') =>
    loadTrust([{ environment, chain: issued.chainFile }], new Date()).trust

  it('adds, removes and keeps, and what each certificate does is said', () => {
    const changes = diffChains(parsed(old, middle, root), parsed(young, root))
    expect(changes.map(({ change, role, certificate }) => `${change} ${role} ${certificate.subject}`)).toEqual([
      'added issuing CN=young',
      'removed issuing CN=old',
      'removed intermediate CN=middle',
      'kept root CN=root',
    ])
  })

  it('of callers that only usage: any lets in says that they would be refused without it', () => {
    const { issue } = createAuthority(join(folder, 'servers'))
    const forServers = 'extendedKeyUsage=serverAuth'
    const ca = issue({ name: 'ca', extensions: ['basicConstraints=critical,CA:TRUE', forServers] })
    const callers = [
      issue({
        name: 'server',
        issuer: ca,
        subject: '/CN=calls',
        extensions: ['keyUsage=digitalSignature', forServers],
      }),
      issue({ name: 'client', issuer: ca, subject: '/CN=calls' }),
    ].map(({ cert }) => ({ ...seen, certificate: new X509Certificate(cert) }))
    const allow = { subjectCommonNames: ['calls'], subjectAlternativeNames: [], fingerprints: [] }
    const problemsWith = (usage: 'any' | 'client') => {
      const { trust } = loadTrust([{ environment: 'production', chain: ca.chainFile, allow, usage }], new Date())
      return lockedOutCallers(trust, callers, new Date()).map(({ problem }) => problem)
    }
    expect(problemsWith('any')).toEqual([])
    expect(problemsWith('client')).toEqual(['wrong_usage', 'wrong_usage'])
  })

  it('a chain that two institutions share changes for the callers of both', () => {
    const { issue } = createAuthority(join(folder, 'shared'))
    const names = ['bank-a', 'bank-b'] as const
    const entries = names.map((name) => ({
      environment: `${name}/production` as const,
      chain: old.chainFile,
      allow: { subjectCommonNames: [name], subjectAlternativeNames: [], fingerprints: [] },
    }))
    const peers = names.map((name): SeenPeer => {
      const pem = String(issue({ name, issuer: old }).cert)
      const identity = { subject: `CN=${name}`, issuer: 'CN=old', serial: '1', fingerprint: name }
      const times = { notAfter: Date.now() + DAY_MS, firstSeenAt: 1, lastSeenAt: 1 }
      return { ...identity, ...times, pem, environment: `${name}/production` }
    })
    const [entry] = entries
    if (entry === undefined) throw new Error('unreachable')
    const refusedWith = ({ chainFile }: IssuedCertificate) =>
      consequencesOf({ entries, entry, inUse: [] }, [{ file: chainFile }], { peers, now: Date.now() }).refused.map(
        ({ caller }) => caller.environment,
      )
    expect(refusedWith(young)).toEqual(['bank-a/production', 'bank-b/production'])
    expect(refusedWith(old)).toEqual([])
  })

  it('says of an issuing certificate whether callers may show it themselves', () => {
    const { issue } = createAuthority(join(folder, 'published'))
    const ca = 'basicConstraints=critical,CA:TRUE,pathlen:0'
    const both = issue({ name: 'both', issuer: root, extensions: [ca, 'keyUsage=digitalSignature,keyCertSign'] })
    const open = issue({ name: 'open', issuer: root, extensions: [ca] })
    const changes = diffChains([], parsed(both, open, young, root))
    expect(changes.map(({ role, mayCall, certificate }) => [certificate.subject, role, mayCall])).toEqual([
      ['CN=both', 'issuing', true],
      ['CN=open', 'issuing', true],
      ['CN=young', 'issuing', false],
      ['CN=root', 'root', false],
    ])
  })

  it.each([
    ['the same one', () => trusted(old), 0, []],
    ['another', () => trusted(young), 0, ['sibling_issuer']],
    ['the same one, in the other environment', () => trusted(old, 'sandbox'), 0, ['other_environment']],
    ['the same one, when it has expired', () => trusted(old), 11, ['issuer_out_of_date']],
  ])('%s: who would be refused', (_what, trust, days, problems) => {
    const refused = lockedOutCallers(trust(), [seen], new Date(Date.now() + days * DAY_MS))
    expect(refused.map(({ problem }) => problem)).toEqual(problems)
  })
})
