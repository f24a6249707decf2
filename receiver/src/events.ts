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

/** By kind. A configuration can have other kinds: their bodies are unknown here. */
export interface Bodies {
  payment: PaymentBody
  registration: RegistrationBody
  charge: ChargeBody
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
