import type { Caller } from './calls.ts'

const KEY = {
  recebimento: {
    txidObrigatorio: true,
    recusarTipoPessoa: 'PF',
    qrCodeEstatico: { recusarTodos: true },
    webhook: { notificacao: { tarifa: true, pagador: true }, notificar: { pixSemTxid: true } },
  },
  envio: { webhook: { notificacao: { tarifa: true, favorecido: true } } },
}

/** Keys, balance, settings and statements of the account: Document 1, endpoints 1 to 8. */
export async function accountCalls(caller: Caller): Promise<void> {
  const { call } = caller
  const { chave } = await call('pixCreateEvp', 'new key')
  await call('pixListEvp', 'one key')
  await call('getAccountBalance', 'amount alone', {})
  await call('getAccountBalance', 'with blocked amounts', { bloqueios: true })
  await call('listAccountConfig', 'nothing set', {})
  await call('updateAccountConfig', 'every setting', { pix: { receberSemChave: true, chaves: { [chave]: KEY } } })
  await call('listAccountConfig', 'a key', {})
  await statements(caller)
  await call('pixDeleteEvp', 'known key', { chave })
  await call('pixListEvp', 'no key')
}

/** As a program that asks again until the file is there. */
async function statements({ call, control }: Caller): Promise<void> {
  const body = { dataMovimento: '2026-03-01', tipoRegistros: { transferenciaEnviada: true, saldoDia: true } }
  const { id } = await call('createReport', 'first request', body)
  await call('detailReport', 'AGUARDANDO_PROCESSAMENTO', { id })
  await control('POST', '/clock/advance', { by: '15s' })
  await call('detailReport', 'EM_PROCESSAMENTO', { id })
  await control('POST', '/clock/advance', { by: '15s' })
  await call('createReport', 'the same request', body)
  await call('detailReport', 'the file', { id })
}
