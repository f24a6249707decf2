import { expect, it } from 'vitest'
import { adviceFor, adviceText, REGISTRATION_REFUSALS } from '../../src/service/refusals.ts'

/** service-errors.md, endpoints 16 to 24, and "every interface". */
const SPECIFIED = [
  ...['redirect_url_obrigatorio', 'webhook_url_obrigatorio', 'webhook_url_mtls_obrigatorio', 'conta_nao_encontrada'],
  ...['redirect_url_invalido', 'webhook_seguranca_invalido', 'webhook_seguranca_hash_invalido', 'webhook_url_invalido'],
  ...['configuracao_nao_encontrada', 'url_webhook', 'protocolo_da_url', 'mtls_nao_configurado', 'url_inacessivel'],
  ...['limite_de_tempo_atingido_para_url', 'url_falhou_com_erro', 'erro_de_codigo', 'url_informada_nao_existe'],
  ...['chave_invalida', 'url_cadastrada', 'identificador_webhook', 'data_invalida', 'erro_aplicacao'],
]
/** service-decisions.md. */
const DECIDED = ['webhook_invalido', 'webhook_nao_encontrado', 'erro_de_validacao']

const refusal = (name: string | null) => ({
  status: 400,
  name,
  sentence: null,
  code: null,
  property: null,
  violations: [],
})

it('every name that the service answers at endpoints 16 to 24 has a cause and a next step', () => {
  expect(Object.keys(REGISTRATION_REFUSALS).sort()).toEqual([...SPECIFIED, ...DECIDED].sort())
})

it('the text has the cause and the next step', () => {
  expect(adviceText(refusal('protocolo_da_url'))).toBe(
    ': the address does not begin with https://; correct callbacks.publicUrl: it must be an https address',
  )
})

it('another name, also that of a member of every object, has no advice', () => {
  expect([null, 'nao_autorizado', 'constructor'].map((name) => adviceFor(refusal(name)))).toEqual([null, null, null])
  expect(adviceText(refusal('nao_autorizado'))).toBe('')
})
