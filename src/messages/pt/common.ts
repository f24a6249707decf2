import type { Catalogue } from '../catalogue.ts'

export const COMMON: Catalogue['common'] = {
  signIn: 'Entrar',
  signOut: 'Sair',
  back: 'Voltar',
  yes: 'sim',
  no: 'não',
  none: 'nenhum',
  events: (count: number) => (count === 1 ? '1 evento' : `${count} eventos`),
}
