import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { problem } from '../http/service-error.ts'
import type { Site } from '../site.ts'
import { createKey, keysOf, MOST_KEYS, removeKey } from './keys.ts'

const key = z.uuid()

/** Random keys: Document 1, endpoints 1 to 3. */
export function keyEndpoints(site: Site): Endpoint[] {
  return [
    endpoint({
      number: '1:1',
      id: 'createKey',
      method: 'post',
      path: '/v2/svc/evp',
      scope: 'svc.pix.evp.write',
      summary: `Create a random key; an account has at most ${MOST_KEYS}`,
      answers: { 201: { description: 'The key', schema: z.object({ chave: key }) } },
      run({ application: { account } }) {
        const chave = createKey(site, account)
        if (chave === null)
          throw problem(400, 'limite_criacao_chave_atingido', `A conta já tem ${MOST_KEYS} chaves aleatórias.`)
        return { status: 201, json: { chave } }
      },
    }),
    endpoint({
      number: '1:2',
      id: 'listKeys',
      method: 'get',
      path: '/v2/svc/evp',
      scope: 'svc.pix.evp.read',
      summary: 'List the random keys of the account, oldest first',
      answers: { 200: { description: 'The keys', schema: z.object({ chaves: z.array(key) }) } },
      run: ({ application: { account } }) => ({ status: 200, json: { chaves: keysOf(site, account) } }),
    }),
    endpoint({
      number: '1:3',
      id: 'removeKey',
      method: 'delete',
      path: '/v2/svc/evp/:chave',
      scope: 'svc.pix.evp.write',
      summary: 'Remove a random key with its settings; charges of the key can no longer be paid by their codes',
      answers: {
        200: { description: 'Removed', schema: z.string(), type: 'text/plain' },
        404: { description: 'No key of the account, with the setting errors: strict; else this is 400' },
      },
      run({ params: { chave = '' }, application: { account } }) {
        const status = site.settings.errors === 'strict' ? 404 : 400
        if (!removeKey(site, account, chave))
          throw problem(status, 'chave_nao_encontrada', 'A conta não tem esta chave aleatória.')
        return { status: 200, text: 'Chave removida.' }
      },
    }),
  ]
}
