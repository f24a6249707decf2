import { parseSearch } from '../../src/domain/search/search-query.ts'

/** Whether a search for a text matches an event with these terms. */
export function isFound(text: string, terms: ReadonlySet<string>): boolean {
  const all = [...terms]
  const has = (term: { text: string; isPrefix: boolean }) =>
    term.isPrefix ? all.some((one) => one.startsWith(term.text)) : terms.has(term.text)
  return parseSearch(text).words.every(
    (word) => word.kind === 'terms' && word.alternatives.some((alternative) => alternative.every(has)),
  )
}

/** Callbacks of all known kinds, in the forms of the service's documents and of the field. */
export const CALLBACK_TEXTS = {
  registration:
    '{"contaSimplificada":{"identificador":"9f8e7d6c-1111-4222-8333-abcdefabcdef"},"evento":"conta_aberta"}',
  payment:
    '{"identificador":"784512","status":{"anterior":"EXECUTADO","atual":"LIQUIDADO"},"valor":"150.10",' +
    '"horario":{"solicitacao":"2026-03-02T15:00:00.000Z","liquidacao":"2026-03-02T15:02:07.000Z"},' +
    '"extras":{"protocolo":"PR-2026/00042","codigoBarras":"00191100100000150100000001234567890123456789",' +
    '"linhaDigitavel":"00190.00009 01234.567890 12345.678901 1 10010000015010","dataExecucao":"2026-03-02","motivoRecusa":"Saldo insuficiente"}}',
  charge:
    '{"notification":{"token":"5b8e0c1e-7f0d-4c7e-9d5f-2f1f0c6f7a11","entries":[{"id":3,"type":"subscription_charge","custom_id":"Pedido nº 77/B",' +
    '"status":{"current":"paid","previous":"waiting"},"identifiers":{"charge_id":1000001,"subscription_id":52371},"created_at":"2026-03-02 12:00:01",' +
    '"value":15010,"received_by_bank_at":"2026-03-01"}]}}',
  openBanking:
    '{"identificadorPagamento":"urn:bank:0b3c7a4e-6f5d-4e2b-9a1c-7d8e9f0a1b2c","valor":"1234.56","status":"aceito","dataCriacao":"2026-03-02T12:00:00-03:00",' +
    '"endToEndId":"E12345678202603021500abcDEF12345","idProprio":"meu_pedido-9","tipo":"pagamento"}',
  instantPayment:
    '{"pix":[{"endToEndId":"E00416968202603021234AbCdEfGhIjK","txid":"7978c0c97ea847e78e8849634473c1f1","valor":"99.90","chave":"pix@shop.example",' +
    '"horario":"2026-03-02T20:10:00.000Z","infoPagador":"Camiseta azul – tamanho G",' +
    '"pagador":{"nome":"Conceição D\'Ávila Muñoz","cpf":"123.456.789-09","email":"conceicao.avila@example.com","telefone":"+55 (11) 98765-4321"},' +
    '"empresa":{"cnpj":"12345678000195"}}]}',
} as const satisfies Record<string, string>

export type CallbackKind = keyof typeof CALLBACK_TEXTS

/** Strings, and numbers as written. */
export function valuesIn(text: string): string[] {
  const values: string[] = []
  JSON.parse(text, (_name, value, context?: { source?: string }) => {
    if (typeof value === 'string') values.push(value)
    if (typeof value === 'number') values.push(context?.source ?? String(value))
    return value
  })
  return values
}
