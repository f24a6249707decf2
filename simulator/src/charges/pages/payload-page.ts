import type { FileAnswer, Page } from '../../http/pages.ts'
import { decimalOf } from '../../rules/money.ts'
import type { Site } from '../../site.ts'
import { amountDueOn } from '../amounts.ts'
import { type Customer, isBeforePayment, payerOf } from '../charge.ts'
import { todayOf } from '../charges.ts'
import { chargeAt, type InstantlyPayable, txidOf } from '../instant-payments.ts'

/**
 * Where instant-payment codes lead: what the payer's bank asks for before it pays.
 * After the removal of the key the payload is no longer returned (Document 1, Random key).
 */
export function payloadPages(site: Site): Page[] {
  return [
    {
      path: '/pix/:key/:id',
      show({ params: { key = '', id = '' } }) {
        const charge = chargeAt(site, key, id)
        if (charge === undefined) return answerOf(404, problem('cobranca_nao_encontrada', 'A cobrança não existe.'))
        if (!isBeforePayment(charge))
          return answerOf(410, problem('cobranca_indisponivel', 'A cobrança não pode mais ser paga.'))
        return answerOf(200, payloadOf(site, charge))
      },
    },
  ]
}

function problem(nome: string, mensagem: string): object {
  return { nome, mensagem }
}

function answerOf(status: number, json: object): FileAnswer {
  return { status, type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) }
}

function debtorOf(customer: Customer): object {
  const { name: nome, document } = payerOf(customer)
  return { nome, [customer.juridical_person === undefined ? 'cpf' : 'cnpj']: document }
}

/** Members of the scheme's record of a charge with a due date. `valor.final` is what is paid today. */
function payloadOf(site: Site, charge: InstantlyPayable): object {
  const { payment, customer } = charge
  const { instantPayment, setAt, expire_at: dueDate, message } = payment
  return {
    txid: txidOf(charge),
    status: 'ATIVA',
    chave: instantPayment.key,
    calendario: {
      criacao: new Date(setAt).toISOString(),
      apresentacao: new Date(site.clock.now()).toISOString(),
      dataDeVencimento: dueDate,
    },
    valor: {
      original: decimalOf(instantPayment.amountCents),
      final: decimalOf(amountDueOn(charge, todayOf(site))),
    },
    ...(customer !== null && { devedor: debtorOf(customer) }),
    recebedor: { nome: instantPayment.payee },
    ...(message !== null && { solicitacaoPagador: message }),
  }
}
