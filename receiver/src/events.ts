// Made from the schemas of the API: `npm test -- test/receiver --update` writes this file.

/** An event of kind payment in the format `original`. */
export type PaymentBody = {
  identificador?: string
  valor?: string
  horario?: { [member: string]: unknown }
  status?: {
    anterior?: string
    atual?: string
    [member: string]: unknown
  }
  [member: string]: unknown
}

/** An event of kind registration in the format `original`. */
export type RegistrationBody = {
  contaSimplificada?: {
    identificador?: string
    [member: string]: unknown
  }
  evento?: string
  [member: string]: unknown
}

/** An event of kind charge in the format `original`. */
export type ChargeBody = {
  notification?: {
    token?: string
    entries?: unknown[]
    [member: string]: unknown
  }
  [member: string]: unknown
}

/** An event of kind openBanking in the format `original`. */
export type OpenBankingBody = {
  identificadorPagamento?: string
  identificadorDevolucao?: string
  valor?: string
  status?: string
  motivo?: string
  dataCriacao?: string
  endToEndId?: string
  idProprio?: string
  tipo?: string
  [member: string]: unknown
}

/** An event of kind pix in the format `original`. */
export type PixBody = {
  pix?: {
    endToEndId?: string
    txid?: string
    chave?: string
    valor?: string
    horario?: string
    infoPagador?: string
    devolucoes?: {
      id?: string
      rtrId?: string
      valor?: string
      natureza?: string
      horario?: {
        solicitacao?: string
        liquidacao?: string
        [member: string]: unknown
      }
      status?: string
      motivo?: string
      [member: string]: unknown
    }[]
    [member: string]: unknown
  }[]
  [member: string]: unknown
}

/** An event of kind rec in the format `original`. */
export type RecBody = {
  recs?: {
    idRec?: string
    status?: string
    atualizacao?: {
      status?: string
      data?: string
      [member: string]: unknown
    }[]
    ativacao?: {
      tipoJornada?: string
      dadosJornada?: {
        txid?: string
        [member: string]: unknown
      }
      [member: string]: unknown
    }
    [member: string]: unknown
  }[]
  [member: string]: unknown
}

/** An event of kind cobr in the format `original`. */
export type CobrBody = {
  cobsr?: {
    idRec?: string
    txid?: string
    status?: string
    atualizacao?: {
      status?: string
      data?: string
      [member: string]: unknown
    }[]
    tentativas?: {
      dataLiquidacao?: string
      tipo?: string
      status?: string
      endToEndId?: string
      [member: string]: unknown
    }[]
    [member: string]: unknown
  }[]
  [member: string]: unknown
}

/** An event of kind paymentConsent, pixPayment, enrollment, recurringConsent, recurringPayment in the format `original`. */
export type OpenFinanceBody = {
  data?: {
    timestamp?: string
    [member: string]: unknown
  }
  [member: string]: unknown
}

/** By kind. A configuration can have other kinds: their bodies are unknown here. */
export interface Bodies {
  payment: PaymentBody
  registration: RegistrationBody
  charge: ChargeBody
  openBanking: OpenBankingBody
  pix: PixBody
  rec: RecBody
  cobr: CobrBody
  paymentConsent: OpenFinanceBody
  pixPayment: OpenFinanceBody
  enrollment: OpenFinanceBody
  recurringConsent: OpenFinanceBody
  recurringPayment: OpenFinanceBody
}

export type EventKind = keyof Bodies

/** An event of any kind in the format `event`. */
export type Envelope<Body = unknown> = {
  id?: string
  kind?: string
  institution?: string | null
  environment?: 'production' | 'sandbox'
  receivedAt?: string
  subject?: string | null
  status?: string | null
  authentication?: string
  source?: string | null
  unresolved?: boolean
  contentType?: string | null
  part?: number
  parts?: number
  data?: Body | null
  dataBase64?: string
  [member: string]: unknown
}
