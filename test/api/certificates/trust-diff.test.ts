import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UsedChain } from '../../../src/certificates/trust/trust-reading.ts'
import type { SeenPeer } from '../../../src/domain/store-reader.ts'
import { createTrustDiff } from '../../../src/gateway/trust-diff.ts'
import { fingerprintOf } from '../../../src/platform/certificate-identity.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { type ApiChanges, post, startApi } from '../api.ts'

const PATH = '/v1/certificates/trust/diff'
const DAY_MS = 86_400_000

describe.skipIf(!hasOpenssl)('POST /v1/certificates/trust/diff', () => {
  let now: number
  let folder: string
  let old: IssuedCertificate
  let young: IssuedCertificate
  let sandbox: IssuedCertificate
  let bank: IssuedCertificate
  let peers: SeenPeer[]
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'portaria-trust-diff-'))
    const { issue } = createAuthority(folder)
    const root = issue({ name: 'root', ca: true })
    old = issue({ name: 'old', issuer: root, ca: true })
    young = issue({ name: 'young', issuer: root, ca: true })
    sandbox = issue({ name: 'sandbox', issuer: root, ca: true })
    bank = issue({ name: 'bank', issuer: root, ca: true })
    // The last two are refused today, whatever changes.
    const callers = [
      { name: 'caller', issuer: old },
      { name: 'early', issuer: young },
      { name: 'stray', issuer: sandbox },
    ].map((one) => issue(one))
    // Not earlier than the certificates are valid from.
    now = Date.now()
    peers = callers.map(peerOf)
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function peerOf(issued: IssuedCertificate): SeenPeer {
    const { subject, issuer, serialNumber, validToDate, ...certificate } = new X509Certificate(issued.cert)
    return {
      subject,
      issuer,
      serial: serialNumber,
      notAfter: now + DAY_MS,
      pem: String(issued.cert),
      environment: 'production',
      firstSeenAt: now - DAY_MS,
      lastSeenAt: now - DAY_MS,
      fingerprint: certificate.fingerprint256 ?? '',
    }
  }

  function chains(
    production = old.chainFile,
    named: readonly string[] = [],
    inUse: readonly UsedChain[] = [],
  ): ApiChanges {
    const trust = [
      { environment: 'production', chain: production },
      { environment: 'sandbox', chain: sandbox.chainFile },
    ]
    const institutions = named.map((name) => ({ name }))
    const chainsOf = named.map((name) => ({ environment: `${name}/production`, chain: bank.chainFile }))
    const config = () =>
      ({
        file: '/etc/portaria.yaml',
        callbacks: { trust: [...trust, ...chainsOf] },
        institutions,
        service: [],
      }) as never
    const store = { listPeers: async (since: number) => peers.filter(({ lastSeenAt }) => lastSeenAt >= since) }
    return { diffTrust: createTrustDiff({ config, inUse: () => inUse, store, now: () => now }) }
  }
  const pemOf = ({ chainFile }: IssuedCertificate) => readFileSync(chainFile, 'utf8')

  it('says what a chain in place of the active one adds, removes and keeps, and whom it would refuse', async () => {
    const api = await startApi(chains())
    const answer = await post(api, PATH, { environment: 'production', pem: pemOf(young) })
    expect(answer.status).toBe(200)
    const { changes, ...rest } = JSON.parse(answer.body)
    expect(changes.map(({ change, role, subject }: Record<string, string>) => [change, role, subject])).toEqual([
      ['added', 'issuing', 'CN=young'],
      ['removed', 'issuing', 'CN=old'],
      ['kept', 'root', 'CN=root'],
    ])
    expect(rest).toEqual({
      institution: null,
      environment: 'production',
      activation: 'instead',
      activeChains: 1,
      callersSeen: 1,
      callersRefused: [
        {
          subject: 'CN=caller',
          problem: 'sibling_issuer',
          lastSeenAt: new Date(now - DAY_MS).toISOString(),
          fingerprint: fingerprintOf(new X509Certificate(peers[0]?.pem ?? '')),
        },
      ],
    })
    expect(readFileSync(old.chainFile, 'utf8')).toBe(pemOf(old))
  })

  it('beside the active chain it removes nothing and refuses no caller', async () => {
    const api = await startApi(chains())
    const answer = await post(api, PATH, { environment: 'production', pem: pemOf(young), activation: 'beside' })
    const { changes, callersSeen, callersRefused } = JSON.parse(answer.body)
    expect(changes.map(({ change }: { change: string }) => change)).toEqual(['added', 'kept', 'kept'])
    expect([callersSeen, callersRefused]).toEqual([1, []])
  })

  it('compares with the chains of the institution that is named', async () => {
    const api = await startApi(chains(old.chainFile, ['bank-a']))
    const proposal = { institution: 'bank-a', environment: 'production', pem: pemOf(young) }
    const { changes, institution, callersSeen } = JSON.parse((await post(api, PATH, proposal)).body)
    expect([institution, changes[1], callersSeen]).toMatchObject([
      'bank-a',
      { change: 'removed', subject: 'CN=bank' },
      // The callers are of the unnamed one.
      0,
    ])
    const ofOther = await post(api, PATH, { ...proposal, institution: null, pem: pemOf(bank) })
    expect([ofOther.status, ofOther.body]).toEqual([
      422,
      expect.stringContaining('the institution of a caller would be ambiguous'),
    ])
    const unknown = await post(api, PATH, { ...proposal, institution: 'bank-b' })
    expect([unknown.status, unknown.body]).toEqual([
      400,
      expect.stringContaining('there is no institution \\"bank-b\\"; did you mean \\"bank-a\\"?'),
    ])
  })

  it.each([
    ['garbage', () => 'garbage', 'contains no certificate'],
    ['a part of a chain', () => String(young.cert), 'add the certificate of its issuer'],
    ['a chain of the other environment', () => pemOf(sandbox), 'the environment of a caller would be ambiguous'],
  ])('%s is refused with what to do', async (_, pem, words) => {
    const api = await startApi(chains())
    const answer = await post(api, PATH, { environment: 'production', pem: pem() })
    expect([answer.status, answer.body]).toEqual([422, expect.stringContaining(words)])
  })

  it('a damaged active chain can be compared with its replacement', async () => {
    const damaged = join(folder, 'damaged.pem')
    writeFileSync(damaged, 'garbage')
    const api = await startApi(chains(damaged))
    const answer = await post(api, PATH, { environment: 'production', pem: pemOf(old) })
    expect(JSON.parse(answer.body)).toMatchObject({
      activeChains: 0,
      changes: [{ change: 'added' }, { change: 'added' }],
    })
  })
  it('a damaged active chain whose earlier content is in use counts with that content, and so do its callers', async () => {
    const chain = join(folder, 'damaged-in-use.pem')
    writeFileSync(chain, pemOf(old).slice(0, -60))
    const inUse = [{ environment: 'production' as const, named: chain, chain, pem: pemOf(old) }]
    const api = await startApi(chains(chain, [], inUse))
    const proposed = async (activation: string) => {
      const answer = await post(api, PATH, { environment: 'production', pem: pemOf(young), activation })
      return JSON.parse(answer.body)
    }
    expect(await proposed('instead')).toMatchObject({
      activeChains: 1,
      changes: [{ change: 'added' }, { change: 'removed', subject: 'CN=old' }, { change: 'kept' }],
      callersSeen: 1,
      callersRefused: [{ subject: 'CN=caller', problem: 'sibling_issuer' }],
    })
    expect(await proposed('beside')).toMatchObject({ activeChains: 1, callersSeen: 1, callersRefused: [] })
  })
})
