import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TrustEntry } from '../../../src/certificates/trust/trust.ts'
import { createTrustReader, type TrustReading } from '../../../src/certificates/trust/trust-reading.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { makeRevocationList } from '../../support/revocation-lists.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-reading-'))
const at = (name: string) => join(folder, name)
const now = new Date()

afterAll(() => rmSync(folder, { recursive: true }))

const BROKEN = '-----BEGIN CERTIFICATE-----\nMIIB'

describe.skipIf(!hasOpenssl)('chains of several institutions are read again', () => {
  let chains: Record<'one' | 'two' | 'three', IssuedCertificate>
  let caller: IssuedCertificate
  beforeAll(() => {
    const { issue } = createAuthority(at('authority'))
    const chain = (name: string) => issue({ name, ca: true, issuer: issue({ name: `${name}-root`, ca: true }) })
    chains = { one: chain('one'), two: chain('two'), three: chain('three') }
    caller = issue({ name: 'caller', issuer: chains.one })
  })
  beforeEach(() => {
    write('a.pem', chains.one)
    write('b.pem', chains.two)
  })

  const write = (name: string, content: IssuedCertificate | string) =>
    writeFileSync(at(name), typeof content === 'string' ? content : content.chain)
  const a: TrustEntry = { environment: 'bank-a/production', chain: at('a.pem') }
  const b: TrustEntry = { environment: 'bank-b/production', chain: at('b.pem') }
  const issuersIn = ({ trust }: TrustReading) =>
    trust.issuing.map(({ environment, certificate }) => `${environment} ${certificate.subject}`)
  const usesIn = ({ problems }: TrustReading) => problems.map(({ file, use }) => [file.slice(folder.length + 1), use])

  it('a damaged file keeps its last content, and what is new in other files is taken up', () => {
    const reader = createTrustReader()
    expect(usesIn(reader.read([a, b], now))).toEqual([])
    write('a.pem', BROKEN)
    write('b.pem', chains.three)
    for (const _again of ['once', 'again']) {
      const read = reader.read([a, b], now)
      expect(issuersIn(read)).toEqual(['bank-a/production CN=one', 'bank-b/production CN=three'])
      expect(usesIn(read)).toEqual([['a.pem', 'earlier']])
    }
    write('a.pem', chains.two)
    expect(issuersIn(reader.read([a, b], now))).toEqual(['bank-a/production CN=two', 'bank-b/production CN=three'])
  })

  it('rules for callers are taken up beside a damaged file, its own too', () => {
    const reader = createTrustReader()
    reader.read([a, b], now)
    write('a.pem', BROKEN)
    const denying = { ...a, deny: { fingerprints: ['aa'], serials: [] } }
    const { trust } = reader.read([denying, { ...b, deny: { fingerprints: ['bb'], serials: [] } }], now)
    expect(trust.issuing.map(({ deny }) => deny.fingerprints)).toEqual([['aa'], ['bb']])
  })

  it('a file that never could be used closes its own callers alone, and what its entry denies stays denied', () => {
    write('a.pem', BROKEN)
    const beside: TrustEntry = { environment: 'bank-a/production', chain: at('beside.pem') }
    write('beside.pem', chains.three)
    const read = createTrustReader().read([{ ...a, deny: { fingerprints: ['aa'], serials: [] } }, beside, b], now)
    expect(issuersIn(read)).toEqual(['bank-a/production CN=three', 'bank-b/production CN=two'])
    expect(read.trust.issuing.map(({ deny }) => deny.fingerprints)).toEqual([['aa'], []])
    expect(usesIn(read)).toEqual([['a.pem', 'none']])
  })

  it('without any usable file there is no start, and every problem is named', () => {
    for (const name of ['a.pem', 'b.pem']) write(name, BROKEN)
    expect(() => createTrustReader().read([a, b], now)).toThrow(/have 2 problems/)
  })

  it('an institution that left the configuration is closed, also where no other chain can be used', () => {
    const reader = createTrustReader()
    reader.read([b], now)
    write('a.pem', BROKEN)
    const { trust } = reader.read([a], now)
    expect([trust.issuing, trust.authorities.length]).toEqual([[], 2])
  })

  it('a file that takes the issuing certificate of another institution is not taken up', () => {
    const reader = createTrustReader()
    reader.read([a, b], now)
    write('a.pem', chains.two)
    const read = reader.read([a, b], now)
    expect(issuersIn(read)).toEqual(['bank-a/production CN=one', 'bank-b/production CN=two'])
    expect(read.problems).toEqual([
      expect.objectContaining({ file: at('a.pem'), use: 'earlier', problem: expect.stringContaining('ambiguous') }),
    ])
    // At a start nothing says which of both is wrong.
    write('c.pem', chains.three)
    const started = createTrustReader().read([a, b, { environment: 'bank-c/production', chain: at('c.pem') }], now)
    expect(issuersIn(started)).toEqual(['bank-c/production CN=three'])
    expect(usesIn(started)).toEqual([
      ['a.pem', 'none'],
      ['b.pem', 'none'],
    ])
  })

  it('what was revoked stays revoked while a list is damaged or has another name', () => {
    // Of one time, so that the slower program does not make one of them the newer.
    const thisUpdate = new Date(now.getTime() - 60_000)
    const revoking = (revoked: readonly IssuedCertificate[]) =>
      makeRevocationList(folder, { issuer: chains.one, revoked, thisUpdate })
    const crl = [at('one.crl'), at('two.crl')]
    const entry = { ...a, crl }
    const revokedIn = ({ trust }: TrustReading) => trust.issuing[0]?.revocation?.serials.size
    write('one.crl', revoking([caller]))
    write('two.crl', revoking([]))
    const reader = createTrustReader()
    expect(revokedIn(reader.read([entry, b], now))).toBe(1)
    write('one.crl', BROKEN)
    const read = reader.read([entry, b], now)
    expect([revokedIn(read), usesIn(read)]).toEqual([1, [['one.crl', 'earlier']]])
    // Another name in the configuration is no reason to forget it either.
    const renamed = reader.read([{ ...a, crl: [at('nowhere.crl')] }, b], now)
    expect([revokedIn(renamed), usesIn(renamed)]).toEqual([1, [['nowhere.crl', 'earlier']]])
    // Nothing says who is revoked: the institution is closed.
    const started = createTrustReader().read([entry, b], now)
    expect([issuersIn(started), usesIn(started)]).toEqual([['bank-b/production CN=two'], [['one.crl', 'none']]])
  })

  it('with crlExpired: refuse, a renewed chain without a list leaves the earlier chain in use', () => {
    const entry: TrustEntry = { ...a, crl: [at('lists.crl')], crlExpired: 'refuse' }
    const { issue } = createAuthority(at('listed'))
    const alone = issue({ name: 'alone', ca: true })
    write('a.pem', alone)
    write('lists.crl', makeRevocationList(folder, { issuer: alone }))
    const reader = createTrustReader()
    expect(usesIn(reader.read([entry, b], now))).toEqual([])
    write('a.pem', `${alone.cert}${chains.one.chain}`)
    const read = reader.read([entry, b], now)
    expect(issuersIn(read)).toEqual(['bank-a/production CN=alone', 'bank-b/production CN=two'])
    expect(usesIn(read).every(([file, use]) => file === 'a.pem' && use === 'earlier')).toBe(true)
  })
})
