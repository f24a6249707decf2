import type { Caller } from './calls.ts'

const TODAY = '2026-03-02'
const PERIOD = { dataInicio: '2026-01-01T00:00:00Z', dataFim: '2026-12-31T23:59:59Z' }

/** Bills and their webhooks: Document 1, endpoints 9 to 12 and 22 to 24. */
export async function billCalls({ call, control, surroundings }: Caller): Promise<void> {
  const url = `${surroundings.receiver}/payments`
  await call('payConfigWebhook', 'new address', { url })
  await call('payListWebhook', 'one address', PERIOD)

  async function pay(about: string, terms: object, dataPagamento = TODAY): Promise<string> {
    const { codBarras } = await control('POST', '/bills', { dueDate: '2026-03-09', amount: 10_000, ...terms })
    const { valores } = await call('payDetailBarCode', about, { codBarras })
    const body = { valor: valores.final, dataPagamento, descricao: about }
    const { idPagamento } = await call('payRequestBarCode', about, { codBarras }, body)
    return idPagamento
  }
  const show = (about: string, idPagamento: string) => call('payDetailPayment', about, { idPagamento })

  const settled = await pay('billet with fine, interest and discount', {
    kind: 'billet',
    fine: { type: 'percentage', value: 200 },
    interest: { type: 'currency', value: 10 },
    discount: { type: 'currency', value: 500, until: '2026-03-06' },
  })
  await show('EM_PROCESSAMENTO', settled)
  await control('POST', '/clock/advance', { by: '30s' })
  await show('EXECUTADO', settled)
  await control('POST', '/clock/advance', { by: '60s' })
  await show('LIQUIDADO', settled)

  const canceled = await pay('scheduled', { kind: 'billet' }, '2026-03-05')
  await show('AGENDADO', canceled)
  await control('POST', `/payments/${canceled}/cancel`)
  await show('CANCELADO', canceled)

  const failed = await pay('tax', { kind: 'tax' })
  await control('POST', `/payments/${failed}/fail`, { reason: 'Banco fora do ar' })
  await show('NAO_REALIZADO', failed)

  const { codBarras } = await control('POST', '/bills', { kind: 'billet', amount: 10_000, dueDate: null })
  await call('payDetailBarCode', 'no due date', { codBarras })
  const billet = '23794150096000005550330090100006796240000021320'
  await call('payDetailBarCode', 'billet of another issuer', { codBarras: billet })
  const tax = '846200000004470000113220292826006077729363538004'
  await call('payDetailBarCode', 'tax of another issuer', { codBarras: tax })

  await call('payListPayments', 'all states', { dataInicio: TODAY, dataFim: '2026-03-31' })
  await call('payDeleteWebhook', 'known address', { url })
  await call('payListWebhook', 'no address', PERIOD)
}
