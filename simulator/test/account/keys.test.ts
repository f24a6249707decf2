import { expect, it } from 'vitest'
import type { Environment } from '../../src/interfaces.ts'
import { type RunningSimulator, simulatorForTest } from '../running.ts'

const PATH = '/v2/svc/evp'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function clientOf({ ask, askRaw, baseOf, tlsOf, tokenOf }: RunningSimulator) {
  const list = async (environment?: Environment): Promise<string[]> =>
    (await ask('account', { path: PATH }, environment)).json.chaves
  /** As the second account. */
  async function asSecond(method: string, path = PATH) {
    const token = await tokenOf('account', { account: 1 })
    const headers = { authorization: `Bearer ${token}` }
    return askRaw(`${baseOf('account')}${path}`, { method, headers }, tlsOf('sandbox', 1))
  }
  return {
    create: (environment?: Environment) => ask('account', { method: 'POST', path: PATH }, environment),
    remove: (key: string) => ask('account', { method: 'DELETE', path: `${PATH}/${key}` }),
    list,
    asSecond,
  }
}

it('are random UUIDs, listed oldest first, of the account and environment that created them', async () => {
  const { create, list, asSecond } = clientOf(await simulatorForTest())
  expect(await list()).toEqual([])
  const answers = [await create(), await create(), await create()]
  expect(answers.map(({ status, json }) => [status, Object.keys(json)])).toEqual(Array(3).fill([201, ['chave']]))
  const keys = answers.map(({ json }) => json.chave)
  expect(keys).toEqual(Array(3).fill(expect.stringMatching(UUID)))
  expect(new Set(keys).size).toBe(3)
  expect([await list(), await list('production'), (await asSecond('GET')).json.chaves]).toEqual([keys, [], []])
})

it('are 20 at most; the place of a removed key is free again', async () => {
  const { create, remove, list, asSecond } = clientOf(await simulatorForTest())
  const answers = await Promise.all(Array.from({ length: 20 }, () => create()))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
  const refused = await create()
  expect([refused.status, refused.json]).toEqual([
    400,
    { nome: 'limite_criacao_chave_atingido', mensagem: expect.stringMatching(/^[A-Z].*\.$/) },
  ])
  expect([(await asSecond('POST')).status, (await list()).length]).toEqual([201, 20])
  await remove(answers[7]?.json.chave)
  expect([(await create()).status, (await create()).status]).toEqual([201, 400])
})

it('are removed with a sentence as text, once, and never come again', async () => {
  const { create, remove, list } = clientOf(await simulatorForTest())
  const [first, second] = [(await create()).json.chave, (await create()).json.chave]
  const { status, headers, text } = await remove(first)
  expect([status, headers['content-type'], text]).toEqual([
    200,
    expect.stringMatching(/^text\/plain/),
    expect.stringMatching(/^[A-Z][^{}]*\.$/),
  ])
  expect([(await remove(first)).status, await list()]).toEqual([400, [second]])
  const later = await Promise.all(Array.from({ length: 19 }, () => create()))
  expect(later.map(({ json }) => json.chave)).not.toContain(first)
})

it.each(['field', 'strict'] as const)('with errors: %s, unknown keys are not found', async (errors) => {
  const { create, remove, list, asSecond } = clientOf(await simulatorForTest({ errors }))
  const own = (await create()).json.chave
  const answers = [
    await remove('no-key'),
    await remove('123e4567-e89b-42d3-a456-426614174000'),
    await remove('__proto__'),
    await asSecond('DELETE', `${PATH}/${own}`),
  ]
  const status = errors === 'field' ? 400 : 404
  expect(answers.map((answer) => [answer.status, answer.json?.nome])).toEqual(
    Array(4).fill([status, 'chave_nao_encontrada']),
  )
  expect(await list()).toEqual([own])
})

it('lose their settings when they are removed', async () => {
  const running = await simulatorForTest()
  const { create, remove } = clientOf(running)
  const [first, second] = [(await create()).json.chave, (await create()).json.chave]
  const chaves = { [first]: { recebimento: { txidObrigatorio: true } }, [second]: { recebimento: {} } }
  const path = '/v2/svc/config'
  await running.ask('account', { method: 'PUT', path, body: { pix: { receberSemChave: true, chaves } } })
  const listed = async () => (await running.ask('account', { path })).json.pix
  await remove(first)
  const { [first]: _, ...others } = (await listed()).chaves
  expect([await listed(), Object.keys(others)]).toEqual([{ receberSemChave: true, chaves: others }, [second]])
  await remove(second)
  expect(await listed()).toEqual({ receberSemChave: true })
})

it('need their scopes and the configured segment', async () => {
  const { ask, tokenOf } = await simulatorForTest({ servicePathSegment: 'gn' })
  const read = await tokenOf('account', { scope: 'gn.pix.evp.read' })
  const write = await tokenOf('account', { scope: 'gn.pix.evp.write' })
  const path = '/v2/gn/evp'
  const key = (await ask('account', { method: 'POST', path, token: write })).json.chave
  const answers = [
    await ask('account', { method: 'POST', path, token: read }),
    await ask('account', { path, token: write }),
    await ask('account', { method: 'DELETE', path: `${path}/${key}`, token: read }),
    await ask('account', { path, token: read }),
    await ask('account', { method: 'DELETE', path: `${path}/${key}`, token: write }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 200, 200])
})

it.each([
  ['application/x-www-form-urlencoded', ''],
  ['application/json', ''],
  ['application/json', '{}'],
  ['text/plain', 'no JSON'],
])('are created and removed with a body of type %s: %j', async (type, body) => {
  const { ask } = await simulatorForTest()
  const headers = { 'content-type': type }
  const created = await ask('account', { method: 'POST', path: `${PATH}/`, body, headers })
  const path = `${PATH}/${created.json.chave}/`
  expect([created.status, (await ask('account', { method: 'DELETE', path, body, headers })).status]).toEqual([201, 200])
})
