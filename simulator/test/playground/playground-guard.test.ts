import { describe, expect, it } from 'vitest'
import { startSimulator } from '../../src/service/simulator.ts'
import { simulatorForFile } from '../running.ts'
import { askPlayground } from './playground-client.ts'

const running = simulatorForFile()

const CALL = { as: 'sandbox 200001', on: 'account', operation: 'createKey' }
const FORM = 'as=sandbox+200001&on=account&operation=createKey'
const own = () => `http://localhost:${running().simulator.controlPort}`
const keys = async () => (await running().control('GET', '/accounts/200001')).json.keys

describe('a request that changes something is refused', () => {
  it.each<[string, () => Record<string, string>, string | undefined, number]>([
    ['under another name (DNS rebinding)', () => ({ host: 'attacker.example:9445' }), undefined, 421],
    ['under an address of another machine', () => ({ host: '192.0.2.1:9445' }), undefined, 421],
    ['from a page of another origin', () => ({ origin: 'https://attacker.example' }), undefined, 403],
    ['from another port of this machine', () => ({ origin: 'http://localhost:1' }), undefined, 403],
    ['from a page without an origin', () => ({ origin: 'null' }), undefined, 403],
    ['from another site', () => ({ 'sec-fetch-site': 'cross-site' }), undefined, 403],
    ['from a sibling site', () => ({ 'sec-fetch-site': 'same-site', origin: own() }), undefined, 403],
    ['as a form', () => ({ 'content-type': 'application/x-www-form-urlencoded', origin: own() }), FORM, 415],
    ['as text, which any page can send', () => ({ 'content-type': 'text/plain' }), JSON.stringify(CALL), 415],
    ['as a form of files', () => ({ 'content-type': 'multipart/form-data; boundary=a' }), '--a--', 415],
  ])('%s', async (_title, headers, body, expected) => {
    const before = await keys()
    const { status, json } = await askPlayground(running(), 'POST', '/call', { body: body ?? CALL, headers: headers() })
    expect({ status, error: typeof json.error }).toEqual({ status: expected, error: 'string' })
    expect(await keys()).toEqual(before)
  })

  it('without a content type, also at the control API and without a body', async () => {
    const headers = { 'content-type': '' }
    expect((await askPlayground(running(), 'POST', '/call', { headers })).status).toBe(415)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const reset = await running().askRaw(`${own()}/control/reset`, { method: 'POST', headers: form })
    expect(reset.status).toBe(415)
  })

  it('and the same request of the own page, or of a program, is carried out', async () => {
    const before = await keys()
    const headers = { origin: own(), 'sec-fetch-site': 'same-origin' }
    expect((await askPlayground(running(), 'POST', '/call', { body: CALL, headers })).json.status).toBe(201)
    expect((await askPlayground(running(), 'POST', '/call', { body: CALL })).json.status).toBe(201)
    expect(await keys()).toHaveLength(before.length + 2)
  })
})

describe('a page', () => {
  it('allows no script and no style but its own, no frame, and no other reader', async () => {
    for (const path of ['/', '/endpoints', '/endpoints/charges/payCharge', '/no-such-page', '/sign-in']) {
      const { headers, text } = await askPlayground(running(), 'GET', path)
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      )
      expect(headers['cross-origin-resource-policy']).toBe('same-origin')
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=|javascript:/)
    }
  })

  it('is loaded by a link of another site, and by nothing else there', async () => {
    const load = async (mode: string, dest: string) => {
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest }
      return (await askPlayground(running(), 'GET', '/endpoints', { headers })).status
    }
    expect(await load('navigate', 'document')).toBe(200)
    expect(await load('navigate', 'iframe')).toBe(403)
    expect(await load('no-cors', 'script')).toBe(403)
    expect(await load('cors', 'empty')).toBe(403)
  })

  it('is refused under another name', async () => {
    expect((await askPlayground(running(), 'GET', '/', { headers: { host: 'attacker.example' } })).status).toBe(421)
  })

  it('escapes what a request says', async () => {
    const attack = '<img src=x onerror=alert(1)>'
    const query = `?as=${encodeURIComponent(attack)}&x=${encodeURIComponent(attack)}`
    expect((await askPlayground(running(), 'GET', `/endpoints${query}`)).text).not.toContain('<img')
    const body = { ...CALL, on: 'charges', operation: 'showCharge', params: { id: attack } }
    expect((await askPlayground(running(), 'POST', '/call', { body })).json.html).not.toContain('<img')
  })

  it('is in the language that the browser accepts, until its user chooses the other one', async () => {
    const title = async (headers: Record<string, string>) =>
      /<html lang="([\w-]+)">/.exec((await askPlayground(running(), 'GET', '/', { headers })).text)?.[1]
    expect(await title({})).toBe('en')
    expect(await title({ 'accept-language': 'fr, pt;q=0.9, en;q=0.8' })).toBe('pt-BR')
    const chosen = await askPlayground(running(), 'GET', '/language/en?next=%2Fplayground%2Fendpoints')
    expect(chosen.headers.location).toBe('/playground/endpoints')
    const cookie = String(chosen.headers['set-cookie']).split(';')[0] as string
    expect(await title({ 'accept-language': 'pt', cookie })).toBe('en')
    const foreign = await askPlayground(running(), 'GET', '/language/en?next=%2F%2Fattacker.example')
    expect(foreign.headers.location).toBe('/playground/')
  })
})

describe('beyond loopback', () => {
  const TOKEN = 'a-token-of-the-control-port'

  /** A simulator on 127.0.0.2, as the address of its machine. */
  async function withToken(use: (base: string) => Promise<void>): Promise<void> {
    const { folder } = running().simulator
    const simulator = await startSimulator({
      port: 0,
      controlPort: 0,
      controlAccess: { host: '127.0.0.2', token: TOKEN },
      host: null,
      folder: folder.path,
      isKept: false,
      settingsFile: null,
      receiverCaFile: null,
      report: () => undefined,
    })
    try {
      await use(`http://127.0.0.2:${simulator.controlPort}`)
    } finally {
      await simulator.stop()
    }
  }

  it('every page and operation needs the token, and a browser exchanges it for a cookie', () =>
    withToken(async (base) => {
      const ask = (path: string, headers: Record<string, string> = {}, body?: object) =>
        running().askRaw(`${base}${path}`, { headers, ...(body !== undefined && { method: 'POST', body }) })
      expect((await ask('/control/clock')).status).toBe(401)
      expect((await ask('/playground/')).headers.location).toBe('/playground/sign-in')
      expect((await ask('/playground/sign-in')).status).toBe(200)
      expect((await ask('/playground/assets/form.js')).status).toBe(200)
      expect((await ask('/control/clock', { authorization: `Bearer ${TOKEN}` })).status).toBe(200)
      expect((await ask('/control/clock', { authorization: 'Bearer another' })).status).toBe(401)

      expect((await ask('/playground/sign-in', {}, { token: 'another' })).status).toBe(403)
      const cookie = String((await ask('/playground/sign-in', {}, { token: TOKEN })).headers['set-cookie'])
      expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
      expect(cookie).not.toContain(TOKEN)
      const signedIn = { cookie: cookie.split(';')[0] as string }
      expect((await ask('/playground/', signedIn)).status).toBe(200)
      expect((await ask('/control/clock', signedIn)).status).toBe(200)
    }))

  it('the machine is named by an address, by no name of a foreign page', () =>
    withToken(async (base) => {
      const authorization = `Bearer ${TOKEN}`
      const named = async (host: string) =>
        (await running().askRaw(`${base}/control/clock`, { headers: { host, authorization } })).status
      expect(await named('127.0.0.2')).toBe(200)
      expect(await named('192.0.2.1:9445')).toBe(200)
      expect(await named('[2001:db8::1]:9445')).toBe(200)
      expect(await named('localhost:9445')).toBe(200)
      expect(await named('attacker.example')).toBe(421)
    }))
})
