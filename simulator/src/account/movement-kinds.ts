/** Every kind of movement: each is a flag of the statement's `tipoRegistros` (Document 1, Reconciliation statement request). */
export const MOVEMENT_KINDS = [
  'pixRecebido',
  'pixEnviadoChave',
  'pixEnviadoDadosBancarios',
  'estornoPixEnviado',
  'pixDevolucaoEnviada',
  'pixDevolucaoRecebida',
  'tarifaPixEnviado',
  'tarifaPixRecebido',
  'estornoTarifaPixEnviado',
  'estornoTarifaPixRecebido',
  'transferenciaEnviada',
  'transferenciaRecebida',
  'estornoTransferenciaEnviada',
  'tarifaTransferenciaEnviada',
  'estornoTarifaTransferenciaEnviada',
] as const
export type MovementKind = (typeof MOVEMENT_KINDS)[number]

interface KindRule {
  /** Adds to the balance; else it takes from it. */
  readonly isCredit: boolean
  /** Its description unless one is given. */
  readonly text: string
  /** Kinds of the movement that it gives back; left out: it gives nothing back. */
  readonly gives?: { readonly back: readonly MovementKind[]; readonly part: 'whole' | 'any' }
}

const SENT = ['pixEnviadoChave', 'pixEnviadoDadosBancarios'] as const
const whole = (...back: readonly MovementKind[]) => ({ gives: { back, part: 'whole' } }) as const
const anyPart = (...back: readonly MovementKind[]) => ({ gives: { back, part: 'any' } }) as const

export const KIND_RULES: Readonly<Record<MovementKind, KindRule>> = {
  pixRecebido: { isCredit: true, text: 'Pix recebido' },
  pixEnviadoChave: { isCredit: false, text: 'Pix enviado por chave' },
  pixEnviadoDadosBancarios: { isCredit: false, text: 'Pix enviado por dados bancários' },
  estornoPixEnviado: { isCredit: true, text: 'Estorno de Pix enviado', ...whole(...SENT) },
  pixDevolucaoEnviada: { isCredit: false, text: 'Devolução de Pix enviada', ...anyPart('pixRecebido') },
  pixDevolucaoRecebida: { isCredit: true, text: 'Devolução de Pix recebida', ...anyPart(...SENT) },
  tarifaPixEnviado: { isCredit: false, text: 'Tarifa de Pix enviado' },
  tarifaPixRecebido: { isCredit: false, text: 'Tarifa de Pix recebido' },
  estornoTarifaPixEnviado: { isCredit: true, text: 'Estorno de tarifa de Pix enviado', ...whole('tarifaPixEnviado') },
  estornoTarifaPixRecebido: {
    isCredit: true,
    text: 'Estorno de tarifa de Pix recebido',
    ...whole('tarifaPixRecebido'),
  },
  transferenciaEnviada: { isCredit: false, text: 'Transferência enviada' },
  transferenciaRecebida: { isCredit: true, text: 'Transferência recebida' },
  estornoTransferenciaEnviada: {
    isCredit: true,
    text: 'Estorno de transferência enviada',
    ...whole('transferenciaEnviada'),
  },
  tarifaTransferenciaEnviada: { isCredit: false, text: 'Tarifa de transferência enviada' },
  estornoTarifaTransferenciaEnviada: {
    isCredit: true,
    text: 'Estorno de tarifa de transferência enviada',
    ...whole('tarifaTransferenciaEnviada'),
  },
}

/** Whether a movement of this kind adds to the balance. */
export function isCredit(kind: MovementKind): boolean {
  return KIND_RULES[kind].isCredit
}
