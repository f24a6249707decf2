import { problem, ServiceError } from '../http/service-error.ts'
import type { BarcodeProblem } from '../rules/barcode-reading.ts'
import type { Settings } from '../settings.ts'

/**
 * A failure of endpoints 10 and 11. In the field it has `erro` and `descricao` in place of `nome` and `mensagem` (service-errors.md);
 * strict errors have the form of the other interfaces.
 */
export function paymentProblem(errors: Settings['errors'], text: string): ServiceError {
  if (errors === 'strict') return problem(400, 'erro_de_validacao', text)
  return new ServiceError(400, { erro: 0, descricao: text })
}

/** A failure of endpoint 9: the field has forms of its own for texts that cannot be a barcode. */
export function detailProblem(
  errors: Settings['errors'],
  text: string,
  cause: BarcodeProblem | 'unknown',
): ServiceError {
  const mensagem = textOf(cause)
  if (errors === 'field' && (text.length < 44 || text.length > 48)) return new ServiceError(400, { mensagem })
  const isNoNumber = cause !== 'unknown' && cause.what === 'characters'
  return problem(400, errors === 'field' && isNoNumber ? 'Error' : 'erro_de_validacao', mensagem)
}

/** What is wrong with a barcode, for the caller. */
export function textOf(cause: BarcodeProblem | 'unknown'): string {
  if (cause === 'unknown') return 'Este código de barras não é conhecido.'
  switch (cause.what) {
    case 'characters':
      return 'O código de barras deve ter somente dígitos.'
    case 'zeros':
      return 'Este boleto é do ambiente de testes e não pode ser pago.'
    case 'length':
      return `Informe 44 dígitos do código de barras ou, da linha digitável, 47, ou 48 se o primeiro é 8: foram recebidos ${cause.length}.`
    case 'checkDigit':
      return `O dígito verificador na posição ${cause.position} está errado: seria ${cause.expected}.`
    case 'currency':
      return `A moeda ${cause.found} não é aceita: somente 9, o real.`
    case 'segment':
      return `O segmento ${cause.found} não existe.`
    case 'valueIdentifier':
      return `O identificador de valor ${cause.found} não existe.`
  }
}
