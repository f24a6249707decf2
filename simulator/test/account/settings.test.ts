import { describe, expect, it } from 'vitest'
import { simulatorForTest } from '../running.ts'

const PATH = '/v2/svc/config'

describe('settings of the account', () => {
  it('are merged for each key, and listed without the parts that the document does not show', async () => {
    const { ask } = await simulatorForTest()
    const put = (pix: object) => ask('account', { method: 'PUT', path: PATH, body: { pix } })
    const list = async () => (await ask('account', { path: PATH })).json
    expect(await list()).toEqual({ pix: { receberSemChave: false } })

    const answer = await put({ receberSemChave: true, chaves: { a: { recebimento: { txidObrigatorio: true } } } })
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      201,
      expect.stringContaining('text/plain'),
      expect.stringMatching(/\.$/),
    ])
    await put({
      chaves: {
        a: {
          recebimento: { recusarTipoPessoa: 'PF', webhook: { notificacao: { tarifa: true } } },
          envio: { webhook: { notificacao: { favorecido: true } } },
        },
        __proto__b: { recebimento: { qrCodeEstatico: { recusarTodos: true } } },
      },
    })
    const qrCodeEstatico = { recusarTodos: false }
    expect(await list()).toEqual({
      pix: {
        receberSemChave: true,
        chaves: {
          a: { recebimento: { txidObrigatorio: true, recusarTipoPessoa: 'PF', qrCodeEstatico } },
          __proto__b: { recebimento: { txidObrigatorio: false, qrCodeEstatico: { recusarTodos: true } } },
        },
      },
    })
    expect((await ask('account', { path: PATH }, 'production')).json).toEqual({ pix: { receberSemChave: false } })
  })

  it('need their scopes and the configured segment', async () => {
    const { ask, tokenOf } = await simulatorForTest({ servicePathSegment: 'gn' })
    const path = '/v2/gn/config'
    const [read, write] = [
      await tokenOf('account', { scope: 'gn.settings.read' }),
      await tokenOf('account', { scope: 'gn.settings.write' }),
    ]
    const body = { pix: { receberSemChave: true } }
    const statuses = await Promise.all([
      ask('account', { method: 'PUT', path, body, token: read }),
      ask('account', { path, token: write }),
      ask('account', { method: 'PUT', path, body, token: write }),
      ask('account', { path, token: read }),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 201, 200])
  })

  it.each([
    [{}, ''],
    [{ pix: {} }, ''],
    [{ pix: { chaves: { a: { recebimento: {} } } } }, ''],
    [{ pix: { receberSemChave: 'true' } }, '/pix/receberSemChave'],
    [{ pix: { other: true } }, '/pix/other'],
    [
      { pix: { chaves: { a: { recebimento: { recusarTipoPessoa: 'PX' } } } } },
      '/pix/chaves/a/recebimento/recusarTipoPessoa',
    ],
  ])('%j is refused with its violation', async (body, caminho) => {
    const { ask } = await simulatorForTest()
    const { status, json } = await ask('account', { method: 'PUT', path: PATH, body })
    expect([status, json.nome]).toEqual([400, 'erro_de_validacao'])
    expect(json.erros).toContainEqual({ caminho, mensagem: expect.any(String) })
  })
})
