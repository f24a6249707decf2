import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, type Answer, type Ask, type Asked, bodyOf, createAsk } from './contract-client.ts'
import {
  A_PERIOD,
  type ContractUnderTest,
  ENDPOINTS,
  expectError,
  type Interface,
  NOBODYS,
  SCOPES,
} from './contract-endpoints.ts'

interface Page {
  readonly paginaAtual: number
  readonly itensPorPagina: number
  readonly quantidadeDePaginas: number
  readonly quantidadeTotalDeItens: number
}
interface List {
  readonly parametros: { readonly inicio: string; readonly fim: string; readonly paginacao: Page }
  readonly webhooks: readonly Record<string, string>[]
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** What every offer of the contract promises. Only HTTP, so that it can be asked of anything. */
export function describeRegistrationContract(name: string, start: () => Promise<ContractUnderTest>): void {
  describe(name, () => {
    let under: ContractUnderTest
    let ask: Ask
    let shop: Account
    let books: Account
    let tokens: Map<string, string>

    beforeAll(async () => {
      under = await start()
    })
    afterAll(() => under.stop())
    beforeEach(async () => {
      ask = createAsk(under.authorities, under.judge)
      tokens = new Map()
      ;[shop, books] = await under.newAccounts()
    })

    const nameOf = (scope: string) => (scope.startsWith('registration.') ? `${under.segment}.${scope}` : scope)

    async function tokenOf(on: Interface, account: Account, scopes: readonly string[] = SCOPES): Promise<string> {
      const key = [on, account.clientId, ...scopes].join(' ')
      const known = tokens.get(key)
      if (known !== undefined) return known
      const answer = await askToken(on, account, scopes.map(nameOf).join(' '))
      const { access_token: token } = bodyOf<{ access_token: string }>(answer)
      tokens.set(key, token)
      return token
    }

    function askToken(on: Interface, { clientId, clientSecret, tls }: Account, scope: string): Promise<Answer> {
      const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
      const body = { grant_type: 'client_credentials', scope }
      return ask(under.bases[on], { method: 'POST', path: '/v1/oauth/token', body, tls, headers: { authorization } })
    }

    /** With a token of every scope. */
    async function as(account: Account, on: Interface, asked: Asked): Promise<Answer> {
      return ask(under.bases[on], { token: await tokenOf(on, account), tls: account.tls, ...asked })
    }
    const asShop = (on: Interface, asked: Asked) => as(shop, on, asked)

    const register = (path: string, account = shop) =>
      as(account, 'registration', { method: 'POST', path: '/v1/webhook', body: { webhookUrl: under.urlOf(path) } })
    const registered = async (path: string, account = shop) =>
      bodyOf<{ identificadorWebhook: string }>(await register(path, account)).identificadorWebhook
    const put = (path: string, account = shop) =>
      as(account, 'payment', { method: 'PUT', path: '/v1/webhook', body: { url: under.urlOf(path) } })
    const remove = (url: string, account = shop) =>
      as(account, 'payment', { method: 'DELETE', path: '/v1/webhook', body: { url } })
    const show = (id: string, account = shop) => as(account, 'registration', { path: `/v1/webhook/${id}` })
    const listed = async (query = '', account = shop) =>
      bodyOf<List>(await as(account, 'registration', { path: `/v1/webhooks${query}` }))
    const expectUnknown = (answer: Answer) =>
      expectError(answer, under.unknownStatus, { nome: 'identificador_webhook' })
    const paymentsListed = async (query = `?${A_PERIOD}`, account = shop) =>
      bodyOf<List>(await as(account, 'payment', { path: `/v1/webhook${query}` }))

    describe('the token endpoints', () => {
      it.each(['registration', 'payment'] as const)(
        'give tokens for %s, with the scopes that were asked for',
        async (on) => {
          const scopes = SCOPES.map(nameOf).join(' ')
          const answer = await askToken(on, shop, scopes)
          expect([answer.status, bodyOf(answer)]).toEqual([
            200,
            { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, scope: scopes },
          ])
          expect((await asShop(on, { method: 'GET', path: '/v1/oauth/token' })).status).toBe(405)
        },
      )
    })

    describe('registering a registration webhook (18)', () => {
      it('answers 200 with its identificadorWebhook', async () => {
        const answer = await register('a')
        expect([answer.status, answer.headers['content-type'], bodyOf(answer)]).toEqual([
          200,
          expect.stringMatching(/^application\/json/),
          { identificadorWebhook: expect.stringMatching(UUID) },
        ])
      })

      it('a second time answers 409, names the first one and makes none; two at once make one', async () => {
        const id = await registered('a')
        const again = await register('a')
        expectError(again, 409)
        expect(bodyOf<{ mensagem: string }>(again).mensagem).toContain(id)
        const both = await Promise.all([register('b'), register('b')])
        expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
        expect((await listed()).parametros.paginacao.quantidadeTotalDeItens).toBe(2)
      })

      it('is one account’s own: another one may register the same URL', async () => {
        const ids = [await registered('a'), await registered('a', books)]
        expect(new Set(ids).size).toBe(2)
      })

      it('refuses an address that nothing may be sent to', async () => {
        expect(under.refusedUrls.length).toBeGreaterThan(0)
        for (const [webhookUrl, nome] of under.refusedUrls) {
          const answer = await asShop('registration', { method: 'POST', path: '/v1/webhook', body: { webhookUrl } })
          expectError(answer, 400, { nome })
        }
        expect((await listed()).webhooks).toEqual([])
      })

      it.each(['no address', '', 7])('refuses %j, which is no URL', async (webhookUrl) => {
        const answer = await asShop('registration', { method: 'POST', path: '/v1/webhook', body: { webhookUrl } })
        expectError(answer, 400, { nome: 'url_webhook', places: ['/webhookUrl'] })
      })

      const move = (body: object, account = shop) =>
        as(account, 'registration', { method: 'POST', path: '/v1/webhook', body })

      it('with url and chave moves the webhook, which keeps its identificadorWebhook', async () => {
        const [id, other] = [await registered('a'), await registered('b')]
        const answer = await move({ url: under.urlOf('c'), chave: id })
        expect([answer.status, bodyOf(answer)]).toEqual([200, { identificadorWebhook: id }])
        expect((await listed()).webhooks).toMatchObject([
          { identificadorWebhook: id, webhookUrl: under.urlOf('c') },
          { identificadorWebhook: other, webhookUrl: under.urlOf('b') },
        ])
        expectError(await move({ url: under.urlOf('b'), chave: id }), 409, { nome: 'url_cadastrada' })
        expect(await registered('a')).not.toBe(id)
      })

      it('moves nothing that is not the account’s, and to no address that nothing may be sent to', async () => {
        const id = await registered('a', books)
        for (const chave of [NOBODYS, 'nothing', id])
          expectError(await move({ url: under.urlOf('c'), chave }), 400, { nome: 'chave_invalida' })
        const [url, nome] = under.refusedUrls[0] as (typeof under.refusedUrls)[number]
        expectError(await move({ url, chave: id }, books), 400, { nome })
        expectError(await move({ url: 'no address', chave: id }, books), 400, { nome: 'url_webhook', places: ['/url'] })
        expect((await listed('', books)).webhooks).toMatchObject([{ webhookUrl: under.urlOf('a') }])
      })
    })

    describe('showing a registration webhook (19)', () => {
      it('gives its record, and to HEAD the same without a body', async () => {
        const before = Date.now()
        const id = await registered('a')
        const answer = await show(id)
        expect([answer.status, bodyOf(answer)]).toEqual([
          200,
          { webhookUrl: under.urlOf('a'), identificadorWebhook: id, criacao: expect.stringMatching(TIMESTAMP) },
        ])
        const criacao = Date.parse(bodyOf<{ criacao: string }>(answer).criacao)
        expect([criacao >= before - 1000, criacao <= Date.now() + 1000]).toEqual([true, true])
        const head = await asShop('registration', { method: 'HEAD', path: `/v1/webhook/${id}` })
        expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(answer.text.length)])
      })

      it('answers identificador_webhook for what is none, and for another account’s', async () => {
        const id = await registered('a', books)
        for (const unknown of [id, NOBODYS, 'nothing', '1', `${id}x`]) expectUnknown(await show(unknown))
        expect((await show(id, books)).status).toBe(200)
      })
    })

    describe('listing registration webhooks (20)', () => {
      it('without a period gives all of the account, with what was applied', async () => {
        const ids = [await registered('a'), await registered('b'), await registered('c', books)]
        const { parametros, webhooks } = await listed()
        expect(webhooks).toEqual(
          ['a', 'b'].map((path, index) => ({
            webhookUrl: under.urlOf(path),
            identificadorWebhook: ids[index],
            criacao: expect.stringMatching(TIMESTAMP),
          })),
        )
        expect(parametros).toEqual({
          inicio: expect.stringMatching(TIMESTAMP),
          fim: expect.stringMatching(TIMESTAMP),
          paginacao: { paginaAtual: 0, itensPorPagina: 100, quantidadeDePaginas: 1, quantidadeTotalDeItens: 2 },
        })
        expect(Date.parse(parametros.inicio)).toBe(0)
        expect(Math.abs(Date.parse(parametros.fim) - Date.now())).toBeLessThan(60_000)
      })

      it('gives those that were made within the period', async () => {
        await registered('a')
        const { criacao = '' } = (await listed()).webhooks[0] ?? {}
        const second = criacao.slice(0, 19)
        const at = (offsetS: number) =>
          `${new Date(Date.parse(`${second}Z`) + offsetS * 1000).toISOString().slice(0, 19)}Z`
        const found = async (query: string) => (await listed(`?${query}`)).webhooks.length
        expect([
          await found(`inicio=${at(0)}&fim=${at(0)}`),
          await found(`inicio=${at(0)}`),
          await found(`fim=${at(0)}`),
          await found(`inicio=${at(1)}`),
          await found(`fim=${at(-1)}`),
          await found(`inicio=${encodeURIComponent(`${second}.000+00:00`)}`),
        ]).toEqual([1, 1, 1, 0, 0, 1])
        const { parametros } = await listed(`?inicio=${at(-5)}&fim=${at(5)}`)
        expect([Date.parse(parametros.inicio), Date.parse(parametros.fim)]).toEqual([at(-5), at(5)].map(Date.parse))
      })

      it('in pages, from 0', async () => {
        const ids = [await registered('a'), await registered('b'), await registered('c')]
        const pages = await Promise.all(
          [0, 1, 2].map((page) => listed(`?paginacao.paginaAtual=${page}&paginacao.itensPorPagina=2`)),
        )
        expect(pages.map(({ webhooks }) => webhooks.map((one) => one.identificadorWebhook))).toEqual([
          ids.slice(0, 2),
          ids.slice(2),
          [],
        ])
        expect(pages.map(({ parametros }) => parametros.paginacao)).toEqual(
          [0, 1, 2].map((paginaAtual) => ({
            paginaAtual,
            itensPorPagina: 2,
            quantidadeDePaginas: 2,
            quantidadeTotalDeItens: 3,
          })),
        )
      })

      it('refuses a wrong query with every violation', async () => {
        const wrong = [
          ['inicio=yesterday&fim=2026-02-30T00:00:00Z', ['/inicio', '/fim']],
          ['inicio=2026-01-02T00:00:00Z&fim=2026-01-01T00:00:00Z', ['/fim']],
          ['inicio=2026-01-02', ['/inicio']],
          [
            'paginacao.paginaAtual=-1&paginacao.itensPorPagina=0',
            ['/paginacao.paginaAtual', '/paginacao.itensPorPagina'],
          ],
          [
            'paginacao.paginaAtual=x&paginacao.itensPorPagina=1001',
            ['/paginacao.paginaAtual', '/paginacao.itensPorPagina'],
          ],
          ['paginacao.itensPorPagina=1.5', ['/paginacao.itensPorPagina']],
          ['inicio=2026-01-02T00:00:00Z&inicio=2026-01-03T00:00:00Z', ['/inicio']],
        ] as const
        for (const [query, places] of wrong)
          expectError(await asShop('registration', { path: `/v1/webhooks?${query}` }), 400, { places })
        const [reversed] = wrong[1]
        const answer = await asShop('registration', { path: `/v1/webhooks?${reversed}` })
        expectError(answer, 400, { nome: 'data_invalida' })
      })
    })

    describe('deleting a registration webhook (21)', () => {
      it('answers 204 without a body; then it is gone, and may be registered again', async () => {
        const id = await registered('a')
        const path = `/v1/webhook/${id}`
        const answer = await asShop('registration', { method: 'DELETE', path })
        expect([answer.status, answer.text]).toEqual([204, ''])
        expectUnknown(await asShop('registration', { method: 'DELETE', path }))
        expectUnknown(await show(id))
        expect((await listed()).webhooks).toEqual([])
        expect(await registered('a')).not.toBe(id)
      })

      it('answers identificador_webhook for another account’s, and leaves it', async () => {
        const id = await registered('a', books)
        expectUnknown(await asShop('registration', { method: 'DELETE', path: `/v1/webhook/${id}` }))
        expect((await show(id, books)).status).toBe(200)
      })
    })

    describe('registering a payment webhook (22)', () => {
      it('answers 201 with its url', async () => {
        const answer = await put('a')
        expect([answer.status, bodyOf(answer)]).toEqual([201, { url: under.urlOf('a') }])
        expect((await paymentsListed()).webhooks).toEqual([
          { url: under.urlOf('a'), criacao: expect.stringMatching(TIMESTAMP) },
        ])
      })

      it('a second time, two at once too, answers 201 and makes none', async () => {
        const answers = await Promise.all([put('a'), put('a'), put('a')])
        answers.push(await put('a'))
        expect(answers.map(({ status, text }) => [status, text])).toEqual(
          answers.map(() => [201, JSON.stringify({ url: under.urlOf('a') })]),
        )
        const shouted = under.urlOf('a').replace(/^https:\/\/[^/]+/, (origin) => origin.toUpperCase())
        expect((await asShop('payment', { method: 'PUT', path: '/v1/webhook', body: { url: shouted } })).status).toBe(
          201,
        )
        expect((await paymentsListed()).webhooks).toHaveLength(1)
      })

      it('refuses an address that nothing may be sent to', async () => {
        for (const [url, nome] of under.refusedUrls)
          expectError(await asShop('payment', { method: 'PUT', path: '/v1/webhook', body: { url } }), 400, { nome })
      })

      it('is apart from the registration webhooks', async () => {
        expect([(await register('a')).status, (await put('a')).status]).toEqual([200, 201])
        expect([(await listed()).webhooks.length, (await paymentsListed()).webhooks.length]).toEqual([1, 1])
        await remove(under.urlOf('a'))
        expect([(await listed()).webhooks.length, (await paymentsListed()).webhooks.length]).toEqual([1, 0])
      })
    })

    describe('listing payment webhooks (23)', () => {
      it('gives those of the account that were made within the period, in pages, with what was applied', async () => {
        for (const path of ['a', 'b', 'c']) await put(path)
        await put('d', books)
        const { parametros, webhooks } = await paymentsListed(
          `?${A_PERIOD}&paginacao.paginaAtual=1&paginacao.itensPorPagina=2`,
        )
        expect(webhooks).toEqual([{ url: under.urlOf('c'), criacao: expect.stringMatching(TIMESTAMP) }])
        expect(parametros).toEqual({
          inicio: '2020-01-01T00:00:00Z',
          fim: '2099-12-31T23:59:59Z',
          paginacao: { paginaAtual: 1, itensPorPagina: 2, quantidadeDePaginas: 2, quantidadeTotalDeItens: 3 },
        })
        const earlier = await paymentsListed('?dataInicio=2020-01-01T00:00:00Z&dataFim=2020-01-01T00:00:00Z')
        expect([earlier.webhooks, earlier.parametros.paginacao.quantidadeTotalDeItens]).toEqual([[], 0])
      })

      it('answers HEAD as GET, without a body', async () => {
        const head = await asShop('payment', { method: 'HEAD', path: `/v1/webhook?${A_PERIOD}` })
        expect([head.status, head.text]).toEqual([200, ''])
      })

      it('refuses a query without its period, in another form, or the wrong way round', async () => {
        const wrong = [
          ['', ['/dataInicio', '/dataFim']],
          ['?dataInicio=2026-01-01T00:00:00Z', ['/dataFim']],
          ['?dataInicio=2026-01-01&dataFim=2026-01-01T00:00:00.000Z', ['/dataInicio', '/dataFim']],
          ['?dataInicio=2026-01-01T00:00:00%2B00:00&dataFim=2026-13-01T00:00:00Z', ['/dataInicio', '/dataFim']],
          ['?dataInicio=2026-01-02T00:00:00Z&dataFim=2026-01-01T00:00:00Z', ['/dataFim']],
          [`?${A_PERIOD}&paginacao.itensPorPagina=1001`, ['/paginacao.itensPorPagina']],
        ] as const
        for (const [query, places] of wrong)
          expectError(await asShop('payment', { path: `/v1/webhook${query}` }), 400, { places })
        const [reversed] = wrong[4]
        const answer = await asShop('payment', { path: `/v1/webhook${reversed}` })
        expectError(answer, 400, { nome: 'data_invalida' })
      })
    })

    describe('deleting a payment webhook (24)', () => {
      it('answers 204 without a body; then it is gone, and may be registered again', async () => {
        await put('a')
        const answer = await remove(under.urlOf('a'))
        expect([answer.status, answer.text]).toEqual([204, ''])
        expectError(await remove(under.urlOf('a')), 404, { nome: 'webhook_nao_encontrado' })
        expect((await paymentsListed()).webhooks).toEqual([])
        expect((await put('a')).status).toBe(201)
      })

      it('answers 404 for another account’s, and leaves it', async () => {
        await put('a', books)
        expectError(await remove(under.urlOf('a')), 404, { nome: 'webhook_nao_encontrado' })
        expect((await paymentsListed(undefined, books)).webhooks).toHaveLength(1)
      })

      it('without a body says what is missing', async () => {
        const answer = await asShop('payment', { method: 'DELETE', path: '/v1/webhook' })
        expectError(answer, 400, { places: ['/url'] })
      })
    })

    describe('bodies (18, 22, 24)', () => {
      const withBody = ENDPOINTS.filter(({ body }) => body !== undefined)

      it.each(withBody)(
        '$number: what is missing, wrong or unknown is reported, all of it at once',
        async (endpoint) => {
          const { on, method, path } = endpoint
          const member = endpoint.number === 18 ? '/webhookUrl' : '/url'
          const wrong: [unknown, readonly string[]][] = [
            [{}, [member]],
            [{ [member.slice(1)]: 1 }, [member]],
            [{ [member.slice(1)]: null }, [member]],
            [{ [member.slice(1)]: '' }, [member]],
            [{ [member.slice(1)]: 'no address' }, [member]],
            [{ ...endpoint.body?.(under.urlOf('a')), extra: 1, 'a/b': 2 }, ['/extra', '/a~1b']],
            [{ endereco: under.urlOf('a') }, [member, '/endereco']],
          ]
          for (const [body, places] of wrong) expectError(await asShop(on, { method, path, body }), 400, { places })
          expectError(await asShop(on, { method, path, body: [] }), 400)
        },
      )

      it.each(withBody)(
        '$number: what cannot be read as JSON is 400, 413 or 415',
        async ({ on, method, path, body }) => {
          const good = JSON.stringify(body?.(under.urlOf('a')))
          expectError(await asShop(on, { method, path, body: '{"url":' }), 400)
          expectError(await asShop(on, { method, path, body: '"text"' }), 400)
          const asText = { 'content-type': 'text/plain' }
          expectError(await asShop(on, { method, path, body: good, headers: asText }), 415)
          const packed = { 'content-encoding': 'gzip' }
          expectError(await asShop(on, { method, path, body: good, headers: packed }), 415)
          expectError(await asShop(on, { method, path, body: `{"url":"${'a'.repeat(300_000)}"}` }), 413)
        },
      )
    })

    describe('who is let in', () => {
      it.each(ENDPOINTS)(
        '$number: no one without a token, or with a wrong one',
        async ({ number, on, method, path, body }) => {
          const asked = { method, path, ...(body && { body: body(under.urlOf('a')) }), tls: shop.tls }
          // Too many wrong ones from one address are 429.
          const localAddress = `127.0.0.${number}`
          for (const token of [null, 'wrong']) {
            const answer = await ask(under.bases[on], { ...asked, token, localAddress })
            expectError(answer, 401)
            expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
          }
        },
      )

      it.each(ENDPOINTS)('$number: no one whose token lacks $scope', async ({ on, scope, method, path, body }) => {
        const asked = { method, path, ...(body && { body: body(under.urlOf('a')) }) }
        const without = await tokenOf(
          on,
          shop,
          SCOPES.filter((one) => one !== scope),
        )
        const answer = await asShop(on, { ...asked, token: without })
        expect([answer.status, bodyOf(answer)]).toEqual([
          403,
          { error: 'insufficient_scope', error_description: expect.stringContaining(nameOf(scope)) },
        ])
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="insufficient_scope"/)
        const only = await asShop(on, { ...asked, token: await tokenOf(on, shop, [scope]) })
        expect([200, 201, 204, 404, under.unknownStatus]).toContain(only.status)
      })

      it.each(ENDPOINTS)('$number: no one with another certificate, or none', async (endpoint) => {
        if (under.strangersTls === null) return
        const { on, method, path, body } = endpoint
        const asked = { method, path, ...(body && { body: body(under.urlOf('a')) }) }
        const answer = await asShop(on, { ...asked, tls: under.strangersTls })
        expectError(answer, 401)
        expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
        // A listener for this contract alone may refuse it in the handshake.
        const status = await asShop(on, { ...asked, tls: null }).then(
          (refused) => refused.status,
          () => 'no handshake',
        )
        expect([401, 'no handshake']).toContain(status)
      })
    })

    describe('paths and methods', () => {
      it.each([
        ['registration', '/v1/webhook', 'POST'],
        ['registration', '/v1/webhooks', 'GET, HEAD'],
        ['registration', `/v1/webhook/${NOBODYS}`, 'GET, HEAD, DELETE'],
        ['payment', '/v1/webhook', 'GET, HEAD, PUT, DELETE'],
      ] as const)('%s%s has the methods %s, and 405 for others', async (on, path, allowed) => {
        const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allowed.includes(method))
        for (const method of methods) {
          const answer = await asShop(on, { method, path })
          expectError(answer, 405)
          expect(String(answer.headers.allow).split(', ').sort()).toEqual(allowed.split(', ').sort())
        }
      })

      it.each(['/nothing', '/v1', '/v1/', '/', '/v2/webhook', '/v1/webhook/a/b'])('%s is not there', async (path) => {
        for (const on of ['registration', 'payment'] as const) expectError(await asShop(on, { path }), 404)
      })

      it('a path that cannot be read is 400', async () => {
        expectError(await asShop('registration', { path: '/v1/webhook/%ff' }), 400)
      })
    })
  })
}
