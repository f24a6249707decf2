import { describe, expect, it } from 'vitest'
import type { InventoryEntry } from '../../src/domain/expiry.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { aWatchedCertificate, NOON } from '../support/builders.ts'
import { MARKUP, PAGE_BYTES, startPages, textIn } from './api-pages.ts'

const DAY_MS = 86_400_000
const TRUST = '/ui/certificates/trust'

const CERTIFICATES: readonly InventoryEntry[] = [
  { set: 'server', where: '/etc/portaria/server.crt', environment: null, problem: 'is not PEM' },
  aWatchedCertificate({ set: 'service-client', subject: `CN=${MARKUP}`, notAfter: NOON + 3.5 * DAY_MS }),
  aWatchedCertificate({ set: 'destination', subject: 'CN=books', notAfter: NOON + 400 * DAY_MS }),
  aWatchedCertificate({ set: 'service-chain', subject: 'CN=chain', environment: 'bank-a/production' }),
]

describe('the list of certificates', () => {
  it('has every set with the first to expire, and each certificate with its days left', async () => {
    const { browser } = await startPages({ certificates: CERTIFICATES })
    const { body } = await browser.get('/ui/certificates')
    const text = textIn(body)
    expect(text).toContain('Callers of the callback listener 1 3 days expires soon')
    expect(text).toContain(`CN=${MARKUP.slice(0, 20)}`)
    expect(text).toContain('is not PEM')
    expect(text).toContain('Chains of the service bank-a/production')
    expect(body).not.toMatch(/<script>alert|<img/)
    const own = textIn((await browser.get('/ui/certificates?set=destination')).body)
    expect(own).toMatch(/CN=books (Issuer: \S+ )?valid \S+ (\S+ )?400 days/)
    expect(own).not.toContain('is not PEM')
  })

  it('names the environment of callers in the reader’s language', async () => {
    const where = 'callbacks, bank-a/production'
    const { browser } = await startPages({ certificates: [aWatchedCertificate({ set: 'service-client', where })] })
    const { body } = await browser.get('/ui/certificates', { 'accept-language': 'pt-BR' })
    expect(textIn(body)).toContain('callbacks, bank-a/produção')
  })

  it('stays small with a thousand certificates', async () => {
    const certificates = Array.from({ length: 1200 }, (_, n) =>
      aWatchedCertificate({ subject: `CN=${n}${'&'.repeat(280)}`, where: `/etc/${'x'.repeat(500)}` }),
    )
    const { browser } = await startPages({ certificates })
    const { body } = await browser.get('/ui/certificates')
    expect(body.length).toBeLessThan(PAGE_BYTES)
    expect(textIn(body)).toContain('The list is cut.')
    expect((await browser.get('/ui/certificates?from=50')).body).toContain('CN=50&amp;')
  })
})

describe('the comparison of a chain', () => {
  const fingerprint = 'ab'.repeat(32)
  const notAfter = '2027-01-15T12:00:00.000Z'
  const change = { mayCall: false, notAfter, daysLeft: 365, fingerprint }
  const lockedOut = { fingerprint, lastSeenAt: '2026-01-14T12:00:00.000Z', problem: 'sibling_issuer' } as const

  it('says what would be added, removed and kept, and which callers would be locked out', async () => {
    const asked: unknown[] = []
    const { api, browser } = await startPages({
      institutions: ['bank-a'],
      async diffTrust(proposal) {
        asked.push(proposal)
        return {
          institution: 'bank-a',
          environment: 'sandbox',
          activeChains: 1,
          callersSeen: 3,
          callersRefused: [{ ...lockedOut, subject: `CN=${MARKUP}` }],
          changes: [
            { ...change, change: 'added', role: 'issuing', subject: 'CN=new' },
            { ...change, change: 'kept', role: 'root', subject: 'CN=root' },
          ],
        }
      },
    })
    const fields = { pem: 'PEM', institution: 'bank-a', environment: 'sandbox', activation: 'instead' }
    const { status, body } = await browser.submit(TRUST, TRUST, fields)
    expect([status, asked]).toEqual([200, [fields]])
    const text = textIn(body)
    expect(text).toContain('Compared with the active chain of bank-a/sandbox. Nothing was changed.')
    expect(text).toContain(
      `1 of 3 callers would be locked out. Callers of the last 30 days Subject Why Last seen SHA-256 CN=${MARKUP} no installed certificate has issued it`,
    )
    expect(text).toMatch(/CN=new added issues callers 365 days .*CN=root kept root 365 days/)
    expect(body).not.toMatch(/<script>alert|<img/)
    expect(text).toContain('certs trust stage FILE --institution bank-a --environment sandbox, then')
    expect((await api.store.listActions({}, 9)).actions).toEqual([])
  })

  it('says that all callers would still be accepted', async () => {
    const asked: unknown[] = []
    const diffTrust = async ({ institution }: { institution: string | null }) => {
      asked.push(institution)
      return {
        institution: null,
        environment: 'production' as const,
        activeChains: 2,
        callersSeen: 4,
        callersRefused: [],
        changes: [],
      }
    }
    const { browser } = await startPages({ diffTrust })
    expect((await browser.get(TRUST)).body).not.toContain('name="institution"')
    const { body } = await browser.submit(TRUST, TRUST, { pem: 'PEM', environment: 'production', activation: 'beside' })
    expect(textIn(body)).toContain(
      'All 4 callers would still be accepted. Certificates Nothing would be added or removed.',
    )
    expect(asked).toEqual([null])
  })

  it('says what is wrong with a chain, and keeps it in the form', async () => {
    const problem = new PortariaError('certificate_invalid', 'the given chain: block 1 was cut off', {
      details: ['one'],
    })
    const { browser } = await startPages({ institutions: ['bank-a'], diffTrust: () => Promise.reject(problem) })
    const fields = { institution: 'bank-a', pem: `\n${MARKUP}`, environment: 'sandbox', activation: 'beside' }
    const { status, body } = await browser.submit(TRUST, TRUST, fields)
    expect([status, textIn(body)]).toEqual([422, expect.stringContaining('the given chain: block 1 was cut off; one')])
    expect(body).toContain('<option value="bank-a" selected>')
    expect(body).toContain('<option value="sandbox" selected>')
    expect(body).toContain('<option value="beside" selected>')
    expect(textIn(body)).toContain(MARKUP)
    expect(body).not.toMatch(/<script>alert|<img/)
    expect(body).toContain('trust-file.js')
    const empty = await browser.submit(TRUST, TRUST, { ...fields, pem: '' })
    expect([empty.status, textIn(empty.body)]).toEqual([400, expect.stringContaining('in PEM form')])
  })
})
