import { describe, expect, it } from 'vitest'
import {
  FORWARDING_TEXTS,
  type ForwardingCode,
  forwardingTextIn,
} from '../../src/domain/forwarding/forwarding-texts.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { forwardingHtml } from '../../src/pages/parts/forwarding-text.ts'
import { aCallback, aDestination, aFact, aWatchedCertificate, NOON } from '../support/builders.ts'
import { startPages, submitted, textIn } from './api-pages.ts'

const CODES = Object.keys(FORWARDING_TEXTS) as ForwardingCode[]
const VALUES: Readonly<Record<string, string>> = {
  status: '503',
  seconds: '10',
  code: 'SERVFAIL',
  id: 'dst_7',
  date: 'Jan 15 12:00:00 2026 GMT',
  address: 'https://a.example/?b=(c): d; e',
  host: 'a.example',
  name: 'books',
  file: '/etc/a.crt',
  subject: 'CN=a, O=b',
  issuer: 'DigiCert',
  reason: 'new server: soon',
  detail: 'bad certificate (42)',
  command: 'portaria',
  step: FORWARDING_TEXTS.old_tls,
}

/** As the gateway writes it. */
function textOf(code: ForwardingCode): string {
  return FORWARDING_TEXTS[code].replaceAll(/\{(\w+)\}/g, (place, name) => VALUES[name] ?? place)
}

function shownOf(code: ForwardingCode, words = speaker('pt')): string {
  return textIn(`<main>${forwardingHtml(textOf(code), words)}</main>`)
}

it('a range of addresses that is not allowed is named in the reader’s language', () => {
  const text = `10.1.2.3 is not an allowed address (private network): ${FORWARDING_TEXTS.old_tls}`
  const shown = String(forwardingHtml(text, speaker('pt')))
  expect(shown).toContain('rede privada')
  expect(shown).not.toMatch(/private network|<q lang="en">rede/)
  expect(String(forwardingHtml(text, speaker('en')))).toContain('(private network)')
})

describe.each(CODES)('%s', (code) => {
  it('is found in its English text, with its values', () => {
    const names = [...FORWARDING_TEXTS[code].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const step = names.includes('step') ? { code: 'old_tls', values: {}, step: null } : null
    const values = Object.fromEntries(names.map((name) => [name, VALUES[name]]))
    expect(forwardingTextIn(textOf(code))).toEqual({ code, values, step })
  })

  it('is shown in Portuguese with the same values, and in English as it is', () => {
    const namesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
    expect(namesIn(speaker('pt').template(FORWARDING_TEXTS[code]))).toEqual(namesIn(FORWARDING_TEXTS[code]))
    expect(speaker('pt').template(FORWARDING_TEXTS[code])).not.toBe(FORWARDING_TEXTS[code])
    expect(shownOf(code)).not.toMatch(/[{}]/)
    expect(shownOf(code, speaker('en')).replaceAll(/\s/g, '')).toBe(textOf(code).replaceAll(/\s/g, ''))
  })
})

it('what to do after a handshake is in the same language, and the words of OpenSSL are marked as English', () => {
  const text =
    'TLS handshake failed: certificate has expired; renew the certificate at the destination, with its intermediates'
  expect(String(forwardingHtml(text, speaker('pt')))).toBe(
    'o handshake TLS falhou: <q lang="en">certificate has expired</q>; renove o certificado no destino, com os intermediários',
  )
})

it('a text that is none of these is marked as English, and shows no markup', () => {
  expect(String(forwardingHtml('<b>other</b>', speaker('pt')))).toBe('<span lang="en">&lt;b&gt;other&lt;/b&gt;</span>')
})

/** A page in Portuguese. */
async function inPortuguese(changes: Parameters<typeof startPages>[0] = {}) {
  const world = await startPages(changes)
  await world.browser.submit('/ui/', '/ui/language', { language: 'pt', next: '/ui/' })
  return world
}

describe('a page in Portuguese says in its language', () => {
  const REFUSED = { status: null, error: textOf('refused'), durationMs: 12, answer: Buffer.from('') }

  it('why a destination is paused, and why a test event failed', async () => {
    const { api, browser } = await inPortuguese({ testDestination: async () => REFUSED })
    await api.store.createDestination(aDestination({ name: 'books' }), NOON)
    const { flash } = await submitted(browser, '/ui/destinations/dst_1', '/ui/destinations/dst_1/test')
    expect(flash).toBe('bad: O evento de teste falhou após 12 ms: conexão recusada.')
    const paused = await submitted(browser, '/ui/destinations/dst_1', '/ui/destinations/dst_1/pause', {
      reason: 'obra',
    })
    expect(textIn(paused.body)).toContain('Motivo da pausa pausado por um operador: obra')
  })

  it('why a delivery ended, on each page that lists it', async () => {
    const { api, browser } = await inPortuguese()
    await api.store.createDestination(aDestination({ name: 'books' }), NOON)
    const { eventIds } = await api.store.storeCallback(aCallback({ text: '{}', facts: [aFact()] }))
    await submitted(browser, '/ui/destinations/dst_1', '/ui/deliveries/dlv_1/skip', { destination: 'dst_1' })
    const event = `/ui/events/${eventIds[0]}`
    for (const path of [event, `${event}/deliveries`, '/ui/destinations/dst_1?state=canceled']) {
      const text = textIn((await browser.get(path)).body)
      expect([path, text.includes('pulada por um operador'), text.includes('skipped')]).toEqual([path, true, false])
    }
  })

  it('why an attempt failed', async () => {
    const { api, browser } = await inPortuguese()
    await api.store.createDestination(aDestination({ name: 'books' }), NOON)
    const { eventIds } = await api.store.storeCallback(aCallback({ text: '{}', facts: [aFact()] }))
    const claim = { destinationId: 1, limit: 1, now: NOON, leaseUntil: NOON + 1000, freshSince: 0, backlogLimit: 1 }
    await api.store.claimDeliveries(claim)
    const tried = { deliveryId: 1, attempt: 1, startedAt: NOON, ...REFUSED }
    await api.store.recordAttempts([
      { ...tried, result: { state: 'exhausted', reason: FORWARDING_TEXTS.schedule_used_up } },
    ])
    for (const path of [`/ui/events/${eventIds[0]}`, '/ui/destinations/dst_1?state=exhausted']) {
      const text = textIn((await browser.get(path)).body)
      expect(text).toContain('conexão recusada')
      expect(text).toContain('a agenda de tentativas terminou')
    }
  })

  it('why a certificate cannot be used', async () => {
    const clientUseProblem = textOf('not_for_clients')
    const { browser } = await inPortuguese({ certificates: [aWatchedCertificate({ set: 'client', clientUseProblem })] })
    expect(textIn((await browser.get('/ui/certificates')).body)).toContain(shownOf('not_for_clients'))
  })
})
