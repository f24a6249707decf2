import { describe, expect, it } from 'vitest'
import { MARKUP, startPages, submitted, textIn } from './api-pages.ts'

const LIST = '/ui/clients'
const NEW = `${LIST}/new`

const secretIn = (body: string) => /id="secret"[^>]* value="([^"]+)"/.exec(body)?.[1] ?? ''
const idIn = (body: string) => /value="(cli_[^"]+)"/.exec(body)?.[1] ?? ''

/** A client that was created with the form: the page that shows its secret. */
async function created(name = 'maria', scopes = 'support.read') {
  const pages = await startPages()
  const fields = { name, environment: 'production', scopes, reason: 'new colleague' }
  const answer = await pages.browser.submit(NEW, NEW, fields)
  return { ...pages, answer, id: idIn(answer.body), secret: secretIn(answer.body) }
}

describe('a client', () => {
  it('is created with its secret, which is shown once, and in no list, address or log', async () => {
    const { api, browser, answer, id, secret } = await created()
    expect([answer.status, answer.headers.location, answer.headers['cache-control']]).toEqual([
      ...[200, undefined, 'no-store'],
    ])
    expect(secret).toMatch(/^\S{20,}$/)
    const list = await browser.get(LIST)
    expect(textIn(list.body)).toContain(`maria active production support.read ${id}`)
    const one = await browser.get(`${LIST}/${id}`)
    for (const text of [list.body, one.body, JSON.stringify(api.lines)]) expect(text).not.toContain(secret)
    const { actions } = await api.store.listActions({}, 9)
    expect(actions).toMatchObject([
      {
        actor: 'operator',
        channel: 'page',
        action: 'createClient',
        reason: 'new colleague',
        details: { name: 'maria', environment: 'production', scopes: 'support.read' },
      },
    ])
    expect(JSON.stringify(actions)).not.toContain(secret)
    expect((await browser.signIn({ id, secret })).status).toBe(303)
  })

  it('is not created again by the same form: the answer has no secret', async () => {
    const { browser } = await created()
    const again = await browser.submit(NEW, NEW, { name: 'maria', environment: 'production', scopes: 'support.read' })
    expect([again.status, secretIn(again.body)]).toEqual([409, ''])
    expect(textIn(again.body)).toContain('A client that is not revoked has this name')
  })

  it('that is refused stays in the form, with the problems at the fields', async () => {
    const { browser, api } = await startPages()
    const answer = await browser.submit(NEW, NEW, { name: MARKUP, environment: 'sandbox' })
    expect(answer.status).toBe(400)
    expect(answer.body).not.toContain('<script>alert')
    expect(answer.body).toMatch(/<input id="name"[^>]* value="&lt;script&gt;[^>]*aria-invalid="true"/)
    expect(answer.body).toMatch(/id="name-problem">The name needs/)
    expect(answer.body).toMatch(/id="scopes-problem">Choose at least one scope/)
    expect(answer.body).toContain('<option value="sandbox" selected>')
    expect(await api.clients.list()).toEqual([])
  })

  it('whose scopes show nothing of what they change has a warning', async () => {
    const { answer } = await created('bot', 'operations.write')
    expect(textIn(answer.body)).toContain('operations.write without operations.read')
  })

  it('gets a new secret, shown once, and its sessions end', async () => {
    const { browser, id, openAs } = await created()
    const person = await openAs(['events.read'])
    expect((await person.get('/ui/')).status).toBe(200)
    const answer = await browser.submit(`${LIST}/${person.id}`, `${LIST}/${person.id}/rotate`, { grace: '0s' })
    expect([answer.status, secretIn(answer.body) !== '']).toEqual([200, true])
    expect((await person.get('/ui/')).headers.location).toMatch(/^\/ui\/sign-in/)
    expect((await browser.signIn({ id: person.id, secret: secretIn(answer.body) })).status).toBe(303)
    await browser.signIn()
    const page = `${LIST}/${id}`
    const refused = await submitted(browser, page, `${page}/rotate`, { grace: 'soon' })
    expect([refused.flash, refused.location]).toEqual([expect.stringMatching(/^bad: The grace period/), page])
  })

  it('is revoked with a reason: its session ends, and its page has no more buttons', async () => {
    const { api, browser, openAs } = await startPages()
    const person = await openAs(['events.read'])
    const page = `${LIST}/${person.id}`
    const revoked = await submitted(browser, page, `${page}/revoke`, { reason: 'has left' })
    expect(revoked.flash).toBe('good: person-1 is revoked.')
    expect(revoked.body).not.toMatch(/\/(?:revoke|rotate)"/)
    expect((await person.get('/ui/')).headers.location).toMatch(/^\/ui\/sign-in/)
    expect((await api.store.listActions({}, 9)).actions).toMatchObject([
      { action: 'revokeClient', target: person.id, reason: 'has left', channel: 'page' },
    ])
    expect(textIn((await browser.get(LIST)).body)).toContain('There is no client.')
    expect(textIn((await browser.get(`${LIST}?show=all`)).body)).toContain('person-1 revoked')
  })
})

it('only the operator opens and changes them, and sees the tab', async () => {
  const { api, openAs, browser } = await startPages()
  const person = await openAs(['operations.read', 'operations.write', 'destinations.read', 'destinations.write'])
  expect((await browser.get('/ui/overview')).body).toContain(`href="${LIST}"`)
  expect((await person.get('/ui/overview')).body).not.toContain(`href="${LIST}"`)
  for (const path of [LIST, NEW, `${LIST}/${person.id}`]) {
    const { status, body } = await person.get(path)
    expect([path, status, textIn(body)]).toEqual([path, 403, expect.stringContaining('Only the operator')])
  }
  const fields = { name: 'mine', environment: 'any', scopes: 'events.read' }
  expect((await person.submit('/ui/overview', NEW, fields)).status).toBe(403)
  for (const verb of ['rotate', 'revoke']) await person.submit('/ui/overview', `${LIST}/${person.id}/${verb}`)
  expect(await api.clients.list()).toMatchObject([{ id: person.id, revokedAt: null, rotatedAt: null }])
})

it('speaks Portuguese', async () => {
  const { browser } = await startPages()
  const { body } = await browser.get(NEW, { 'accept-language': 'pt-BR' })
  expect(textIn(body)).toMatch(/Pessoas e aplicativos Novo cliente .*support.read: encontrar eventos/)
})
