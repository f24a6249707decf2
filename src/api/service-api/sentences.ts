/**
 * An error of the service's contract has one sentence in Portuguese (service-errors.md). These are for errors that the whole API shares: their own
 * texts are in English, are for the operator, and may quote the runtime.
 */
export const SENTENCES = {
  400: 'A requisição não pode ser atendida: verifique o JSON, os cabeçalhos e a codificação do endereço.',
  401: 'O token de acesso falta, não é válido, expirou, ou não pertence ao certificado desta conexão.',
  403: 'O token de acesso não permite isto.',
  404: 'Este endereço não existe.',
  405: 'Este endereço não aceita este método.',
  409: 'O limite de destinos foi atingido: remova antes um que não é mais usado.',
  413: 'O corpo da requisição é grande demais.',
  415: 'Envie JSON (content-type: application/json) em UTF-8, sem content-encoding.',
  421: 'O host da requisição não é um nome deste gateway.',
  422: 'Este gateway não recebe callbacks deste tipo: o operador pode acrescentá-lo em callbacks.kinds.',
  429: 'Há requisições demais, ou tokens inválidos demais, deste cliente: espere antes da próxima.',
  500: 'Ocorreu um erro interno.',
  503: 'O gateway não pode atender agora: repita a requisição mais tarde.',
} as const

/** @param similar paths that may be meant */
export function noAddress(similar: readonly string[]): string {
  return similar.length === 0 ? SENTENCES[404] : `Este endereço não existe; seria ${similar.join(' ou ')}?`
}

export const INVALID_REQUEST = 'A requisição não é válida: veja os erros.'
export const UNKNOWN_FIELD = 'Este campo não é conhecido: remova-o ou corrija o nome.'
export const UNKNOWN_ID = 'Nenhum webhook tem este identificador.'
export const UNKNOWN_URL = 'Nenhum webhook tem esta URL.'
