import { expect, it } from 'vitest'
import { callApi, callBack } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { linesOf, portaria } from './program.ts'

interface Consumer {
  readonly name: string
  readonly owner: string | null
  readonly behind: number
}

it('consumers are looked at, moved and deleted at the running gateway', async () => {
  const gateway = await startTestGateway()
  const run = (...args: string[]) => portaria(gateway.site, 'consumers', ...args)
  const take = async (name: string, token?: string) => {
    const options = { method: 'POST', ...(token !== undefined && { token }) }
    return JSON.parse((await callApi(gateway.api, `/v1/consumers/${name}/batches`, options)).body) as { batch: string }
  }
  expect((await run('list')).stdout).toBe('no consumers; the first batch of a consumer creates it\n')
  for (const n of [1, 2, 3]) await callBack(gateway, { body: `{"identificador":"${n}"}` })
  const { batch } = await take('books')

  const create = ['clients', 'create', '--name', 'shop', '--environment', 'any', '--scopes', 'events.read', '--json']
  const [client] = linesOf<{ clientId: string; clientSecret: string }>(await portaria(gateway.site, ...create))
  const asked = { grant_type: 'client_credentials', client_id: client?.clientId, client_secret: client?.clientSecret }
  const issued = await callApi(gateway.api, '/oauth/token', { method: 'POST', body: asked, token: null })
  await take('books', (JSON.parse(issued.body) as { access_token: string }).access_token)

  expect(linesOf<Consumer>(await run('list', '--json')).map(({ owner, behind }) => [owner, behind])).toEqual([
    [null, 3],
    [client?.clientId, 3],
  ])
  expect((await run('list')).stdout).toMatch(
    /^name +owner +behind +since +leased until .*\nbooks +operator +3 .*\nbooks +cli_\w+ +3 /,
  )

  expect((await run('show', 'books')).stdout).toMatch(/^ {2}leased +until 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/m)

  const moved = await run('seek', 'books', '--position', 'latest')
  expect([moved.code, moved.stdout]).toEqual([0, expect.stringMatching(/^consumer\n.* behind +0\n/s)])
  const refused = await callApi(gateway.api, '/v1/consumers/books/ack', { method: 'POST', body: { batch } })
  expect(refused.status).toBe(409)
  expect(linesOf(await run('seek', 'books', '--owner', 'shop', '--time', '1h', '--json'))).toMatchObject([
    { owner: client?.clientId, behind: 3, leased: null },
  ])
  expect((await run('show', 'books', '--owner', 'shop')).stdout).toMatch(/ owner +cli_\w+\n/)

  expect((await run('delete', 'books')).stdout).toBe('books is deleted\n')
  expect(linesOf<Consumer>(await run('list', '--json')).map(({ owner }) => owner)).toEqual([client?.clientId])
})

it('what is not there is named, and not made', async () => {
  const site = await createSite()
  const gateway = await startTestGateway(site)
  const run = (...args: string[]) => portaria(site, 'consumers', ...args)
  for (const args of [
    ['show', 'books'],
    ['delete', 'books'],
    ['seek', 'books', '--position', 'start'],
  ]) {
    const { code, stderr } = await run(...args)
    expect([code, stderr]).toEqual([1, 'portaria: there is no consumer books\n'])
  }
  expect(await run('show', 'books', '--owner', 'nobody')).toMatchObject({ code: 1 })
  expect(await run('seek', 'books')).toMatchObject({ code: 2 })
  expect(await run('seek', 'books', '--position', 'start', '--time', '1h')).toMatchObject({ code: 2 })
  await gateway.stop()
  expect((await run('delete', 'books')).stderr).toBe('portaria: there is no consumer books\n')
})
