import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { answerServiceApiErrors } from '../../../src/api/service-api/problem.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { recordingLog } from '../../support/gateway.ts'

/** What a caller that asks gets where a handler throws this. */
async function answerTo(error: unknown) {
  const app = express()
  app.get('/', () => Promise.reject(error))
  app.use(answerServiceApiErrors(recordingLog([])))
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { status, headers, body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).then(
    async (answer) => ({ status: answer.status, headers: answer.headers, body: await answer.text() }),
  )
  return [status, JSON.parse(body), headers.get('retry-after')]
}

const withStatus = (status: number) => Object.assign(new Error('private'), { status })

it.each([
  [withStatus(400), 400, 'requisicao_invalida', null],
  [withStatus(413), 413, 'corpo_grande_demais', null],
  [withStatus(415), 415, 'tipo_de_conteudo_invalido', null],
  [withStatus(418), 400, 'requisicao_invalida', null],
  [withStatus(429), 429, 'requisicoes_demais', '5'],
  [new PortariaError('forbidden', 'no'), 403, 'acesso_negado', null],
  [new PortariaError('not_found', 'no'), 404, 'nao_encontrado', null],
  [new PortariaError('conflict', 'no'), 409, 'conflito', null],
  [new PortariaError('queue_full', 'no'), 503, 'servico_indisponivel', '5'],
])('%s is %i, %s', async (error, status, nome, retryAfter) => {
  const [answered, body, retry] = await answerTo(error)
  expect([answered, body, retry]).toEqual([status, { nome, mensagem: expect.any(String) }, retryAfter])
  expect(JSON.stringify(body)).not.toContain('private')
})

it('a missing scope has the shape of RFC 6750', async () => {
  expect(await answerTo(new PortariaError('insufficient_scope', 'ask for payment.webhook.read'))).toEqual([
    403,
    { error: 'insufficient_scope', error_description: 'ask for payment.webhook.read' },
    null,
  ])
})
