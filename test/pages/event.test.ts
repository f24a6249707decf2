import { expect, it } from 'vitest'
import { callApi, callBack } from '../support/calls.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { TestBrowser } from './browser.ts'

async function newestEvent(gateway: TestGateway, kind = 'payment'): Promise<string> {
  const list = await callApi(gateway.api, `/v1/events?order=desc&limit=1&kind=${kind}`)
  return (JSON.parse(list.body) as { data: { id: string }[] }).data[0]?.id as string
}

it('the page of an event shows its way, its payload with every digit, and no markup of it', async () => {
  const gateway = await startTestGateway()
  await callBack(gateway, { body: '{}' })
  await callBack(gateway, { body: '{"identificador":"<b>7</b>","valor":150.10,"x":[{},[],[1,{"a":null}]]}' })
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const id = await newestEvent(gateway)
  const { status, body } = await browser.get(`/ui/events/${id}`)
  expect(status).toBe(200)
  expect(body).toContain(`<h1>payment &lt;b&gt;7&lt;/b&gt;</h1>`)
  expect(body).toContain('&quot;valor&quot;: 150.10,\n  &quot;x&quot;: [\n    {},\n    [],\n    [\n      1,')
  expect(body).toContain('CN=Test service production, O=Portaria development')
  expect(body).toContain('TLSv1.3, TLS_AES_128_GCM_SHA256')
  expect(body).toContain(`/ui/events/${await newestEvent(gateway, 'probe')}`)
  expect(body).not.toContain('<b>')
})

it('an id that names nothing gets a page that leads back', async () => {
  const gateway = await startTestGateway()
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const { status, body } = await browser.get('/ui/events/nothing')
  expect([status, body.includes('<a href="/ui/">Back</a>')]).toEqual([404, true])
  expect((await browser.get('/ui/events/%2e%2e')).status).toBe(404)
})
