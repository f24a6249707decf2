/** Values of a callback in the field. */
export const OPEN_BANKING_STATUSES = ['pendente', 'agendado', 'aceito', 'rejeitado', 'expirado', 'cancelado'] as const
export const OPEN_BANKING_TYPES = ['pagamento', 'devolucao'] as const
